"""Agreement of graders by bin of a number, such as the margin between two answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import display_labels, drawable
from evalkit.figures.points import MARKERS, axis_name, check_not_empty, draw_point, legend_above
from evalkit.figures.style import GREY, PALETTE
from evalkit.grading.pairwise import Agreement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["agreement_by_bin"]

_STEP, _ROOM = 0.14, 0.7  # between two graders of a bin, and for all of them


def agreement_by_bin(
    ax: Axes,
    results: Sequence[Agreement],
    *,
    column: str = "margin",
    xlabel: str | None = None,
    title: str | None = None,
    legend_columns: int = 3,
) -> Axes:
    """Draw the agreement of each grader in each bin, with intervals, in percent.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    results : sequence of Agreement
        From :func:`evalkit.agreement` with `bins`.
    column : str
        The binned column.
    xlabel, title : str, optional
        Texts; the axis is named after the column by default.
    legend_columns : int
        Entries of the legend beside each other.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If there is no result, one is not binned by `column`, or a grader has two in a bin.

    Notes
    -----
    Bins stand in the order of their edges, with the number of complete pairs beneath. Graders
    differ in colour and marker and are set side by side. A bin without an agreement has no
    point. The dashed line is chance.
    """
    check_not_empty("results", len(results))
    cells = _cells(results, column)
    bins = sorted({name for _, name in cells}, key=_lower_edge)
    graders = list(dict.fromkeys(grader for grader, _ in cells))
    names = display_labels(graders, limit=28)
    step = min(_STEP, _ROOM / len(graders))
    outside = False
    for i, grader in enumerate(graders):
        colour, marker = PALETTE[i % 7], MARKERS[i % len(MARKERS)]
        if grader:
            ax.plot([], [], marker=marker, color=colour, linestyle="none", label=names[i])
        shift = (i - (len(graders) - 1) / 2) * step
        for place, name in enumerate(bins):
            found = cells.get((grader, name))
            if found is None or found.agreement is None:
                continue
            bounds = found.interval
            outside |= draw_point(
                ax,
                place + shift,
                100 * found.agreement,
                low=None if bounds is None else 100 * bounds.low,
                high=None if bounds is None else 100 * bounds.high,
                colour=colour,
                marker=marker,
            )
    ax.axhline(50, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.set_xticks(
        range(len(bins)),
        [f"{name}\n{_sizes(cells, graders, name)}" for name in bins],
        parse_math=False,
    )
    ax.set_xlim(-0.6, len(bins) - 0.4)
    ax.set_ylim(-3, 103)
    ax.set_xlabel(axis_name(xlabel or column, outside=outside), parse_math=False)
    ax.set_ylabel("Agreement (%)", parse_math=False)
    legend_above(ax, ncols=legend_columns, title=title)
    return ax


def _cells(results: Sequence[Agreement], column: str) -> dict[tuple[str, str], Agreement]:
    out: dict[tuple[str, str], Agreement] = {}
    for found in results:
        if column not in found.by:
            raise ArgumentError(
                f"`column` is {column!r}; a result has the groups {list(found.by)}. Ask for the "
                "bins with evalkit.agreement(..., bins={column: edges})"
            )
        grader = ", ".join(value for name, value in found.by.items() if name != column)
        key = (grader, found.by[column])
        if key in out:
            raise ArgumentError(f"`results` has {key} twice; give each grader and bin once")
        out[key] = found
    return out


def _lower_edge(name: str) -> tuple[int, float, str]:
    """Sort ``[low, high)`` by `low`, names that are no bins last."""
    try:
        return 0, float(name.strip("[]()").split(",")[0]), name
    except ValueError:
        return 1, 0.0, name


def _sizes(cells: dict[tuple[str, str], Agreement], graders: Sequence[str], name: str) -> str:
    sizes = sorted({cells[g, name].n for g in graders if (g, name) in cells})
    shown = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}\N{EN DASH}{sizes[-1]}"
    return drawable(f"n = {shown}")
