"""One figure style as a plain dictionary of rcParams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from evalkit.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

__all__ = ["GREY", "INK", "PALETTE", "Columns", "new_figure", "paper_style"]

Columns = Literal[1, 2]

# Okabe and Ito (2008): told apart under the common forms of colour blindness.
PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#F0E442",
)
INK = "#222222"
GREY = "#767676"
_WIDTHS = {1: 3.4, 2: 7.0}  # inches


def paper_style(columns: Columns = 1) -> dict[RcKeyType, Any]:
    """Return rcParams for a figure of one or two text columns.

    Parameters
    ----------
    columns : {1, 2}
        Text columns that the figure spans.

    Returns
    -------
    dict
        A new dictionary for :func:`matplotlib.rc_context`.

    Raises
    ------
    ArgumentError
        If `columns` is not 1 or 2.

    Examples
    --------
    >>> paper_style(2)["figure.figsize"]
    (7.0, 2.6)
    """
    from cycler import cycler

    if columns not in _WIDTHS:
        raise ArgumentError(f"`columns` is {columns!r}; it must be 1 or 2")
    return {
        "figure.figsize": (_WIDTHS[columns], 2.6),
        "figure.constrained_layout.use": True,
        "font.family": ["sans-serif"],
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 7.0,
        "axes.titlesize": 8.0,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 7.0,
        "xtick.labelsize": 6.5,
        "ytick.labelsize": 6.5,
        "legend.fontsize": 6.5,
        "legend.frameon": False,
        "axes.prop_cycle": cycler(color=list(PALETTE)),
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "lines.linewidth": 1.2,
        "text.color": INK,
        "text.parse_math": False,
        "savefig.facecolor": "white",
        "svg.hashsalt": "evalkit",
        "svg.fonttype": "path",
    }


def new_figure(
    *, columns: Columns = 1, height: float | None = None, width: float | None = None
) -> Figure:
    """Make an empty figure in the paper style, without pyplot.

    Parameters
    ----------
    columns : {1, 2}
        Text columns that the figure spans.
    height, width : float, optional
        Size in inches where it differs from the style.

    Returns
    -------
    matplotlib.figure.Figure
        With an Agg canvas and constrained layout. Axes made outside of
        ``rc_context(paper_style())`` take matplotlib's own defaults.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    style = paper_style(columns)
    default_width, default_height = style["figure.figsize"]
    with mpl.rc_context(style):
        figure = Figure(figsize=(width or default_width, height or default_height))
        FigureCanvasAgg(figure)
    return figure
