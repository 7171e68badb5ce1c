"""Points with intervals on a vertical axis, and a legend above the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import drawable, keep_literal
from evalkit.figures.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MARKERS",
    "OUTSIDE",
    "axis_name",
    "check_not_empty",
    "draw_point",
    "is_outside",
    "legend_above",
]

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
OUTSIDE = "open marker: the point lies outside its interval"
_LEGEND_ROW = 10.0  # points


def is_outside(value: float | None, low: float | None, high: float | None) -> bool:
    """Whether a point lies outside its interval by more than float noise.

    Examples
    --------
    >>> is_outside(0.7, 0.7000000000000001, 0.9), is_outside(0.3, 0.35, 0.5)
    (False, True)
    """
    if value is None or low is None or high is None:
        return False
    noise = 1e-9 * max(1.0, abs(value))
    return not low - noise <= value <= high + noise


def draw_point(
    ax: Axes,
    x: float,
    value: float,
    *,
    low: float | None,
    high: float | None,
    colour: str,
    marker: str = "o",
) -> bool:
    """Draw a point and its interval, which ends exactly where it ends; say if it is outside.

    Notes
    -----
    The interval runs from `low` to `high`, never over two distances from the point, so nothing
    is drawn wrongly where the point lies outside. Such a point is drawn open.
    """
    if low is not None and high is not None:
        ax.vlines(x, low, high, colors=colour, linewidth=1.4, zorder=2)
    outside = is_outside(value, low, high)
    ax.plot(
        [x],
        [value],
        marker=marker,
        markersize=4.5,
        markerfacecolor="white" if outside else colour,
        markeredgecolor=colour,
        linestyle="none",
        zorder=3,
    )
    return outside


def axis_name(name: str, *, outside: bool) -> str:
    """Return the name of an axis, with the meaning of open markers where there are some."""
    return "\n".join([drawable(name), *([OUTSIDE] if outside else [])])


def legend_above(ax: Axes, *, ncols: int, title: str | None = None) -> None:
    """Put the legend between title and axes; without labelled artists only the title."""
    handles, names = ax.get_legend_handles_labels()
    rows = -(-len(handles) // ncols)
    if handles:
        legend = ax.legend(
            handles,
            names,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=ncols,
            borderaxespad=0.2,
            columnspacing=1.2,
            handletextpad=0.5,
            frameon=False,
            fontsize=6.5,
        )
        keep_literal(legend.get_texts())
    if title is not None:
        pad = 6.0 + _LEGEND_ROW * rows + 2.0 * bool(rows)
        ax.set_title(drawable(title), parse_math=False, color=INK, pad=pad)


def check_not_empty(name: str, size: int) -> None:
    """Refuse an empty argument."""
    if not size:
        raise ArgumentError(f"`{name}` is empty; there is nothing to draw")
