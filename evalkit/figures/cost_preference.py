"""Cost against preference, with the points that no other one beats on both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import display_labels, drawable
from evalkit.figures.points import check_not_empty, is_outside
from evalkit.figures.style import GREY, INK, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CostPoint", "cost_preference", "pareto_front"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPoint:
    """What one system costs, and how good it is.

    Attributes
    ----------
    label : str
        Name.
    cost : float
        Cost, calls or tokens an item; lower is better.
    value : float
        Score or preference rate; higher is better.
    low, high : float or None
        Interval of `value`; both ``None`` where undefined.
    """

    label: str
    cost: float
    value: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        numbers = (self.cost, self.value, self.low, self.high)
        if any(x is not None and not math.isfinite(x) for x in numbers) or self.cost < 0:
            raise ArgumentError(
                f"point {self.label!r} holds {numbers}; they must be finite and the cost 0 or more"
            )
        if (self.low is None) != (self.high is None):
            raise ArgumentError(f"point {self.label!r} has one bound; give both or neither")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ArgumentError(
                f"point {self.label!r}: `low` {self.low} is above `high` {self.high}"
            )


def pareto_front(points: Sequence[CostPoint]) -> tuple[CostPoint, ...]:
    """Return the points that no other one dominates, by cost.

    Parameters
    ----------
    points : sequence of CostPoint
        Any number.

    Returns
    -------
    tuple of CostPoint
        A point is dominated by one that costs no more and is no worse, and differs in one of
        the two. Equal points are all kept. Point estimates decide; intervals do not.

    Examples
    --------
    >>> found = pareto_front(
    ...     [CostPoint(label=n, cost=c, value=v) for n, c, v in
    ...      (("a", 1, 0.5), ("b", 2, 0.4), ("c", 3, 0.6))])
    >>> [point.label for point in found]
    ['a', 'c']
    """

    def dominated(point: CostPoint) -> bool:
        return any(
            other.cost <= point.cost
            and other.value >= point.value
            and (other.cost, other.value) != (point.cost, point.value)
            for other in points
        )

    return tuple(sorted((p for p in points if not dominated(p)), key=lambda p: p.cost))


def cost_preference(
    ax: Axes,
    points: Sequence[CostPoint],
    *,
    log: bool = False,
    reference: float | None = None,
    xlabel: str = "Cost per item",
    ylabel: str = "Preferred (%)",
    title: str | None = None,
) -> Axes:
    """Draw cost against preference in percent, with the Pareto front.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    points : sequence of CostPoint
        At least one, with proportions as values.
    log : bool
        Use a logarithmic cost axis; every cost must then be above 0.
    reference : float, optional
        Proportion of a horizontal line, such as 0.5 for no preference.
    xlabel, ylabel, title : str
        Texts.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If `points` is empty, or `log` is asked for with a cost of 0.

    Notes
    -----
    Filled circles lie on the front, open squares are dominated; a cross lies outside its own
    interval. The step line shows the best
    value that a budget buys. The front is one of point estimates: where intervals overlap,
    another sample may put other systems on it.
    """
    check_not_empty("points", len(points))
    if log and any(point.cost <= 0 for point in points):
        raise ArgumentError("`points` has a cost of 0, which a logarithmic axis cannot show")
    front = pareto_front(points)
    names = display_labels([point.label for point in points], limit=24)
    if log:
        ax.set_xscale("log")
    for point, name in zip(points, names, strict=True):
        _draw(ax, point, name, best=point in front)
    marks = ["filled: on the Pareto front; open: dominated"]
    if any(is_outside(point.value, point.low, point.high) for point in points):
        marks.append("cross: the point lies outside its interval")
    ax.step(
        [point.cost for point in front],
        [100 * point.value for point in front],
        where="post",
        color=PALETTE[5],
        linewidth=0.9,
        zorder=1,
    )
    if reference is not None:
        ax.axhline(100 * reference, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.margins(x=0.18, y=0.12)
    ax.set_xlabel("\n".join([drawable(xlabel), *marks]), parse_math=False)
    ax.set_ylabel(drawable(ylabel), parse_math=False)
    if title is not None:
        ax.set_title(drawable(title), parse_math=False, color=INK)
    return ax


def _draw(ax: Axes, point: CostPoint, name: str, *, best: bool) -> None:
    colour = PALETTE[0] if best else GREY
    if point.low is not None and point.high is not None:
        ax.vlines(point.cost, 100 * point.low, 100 * point.high, colors=colour, linewidth=1.6)
    ax.plot(
        [point.cost],
        [100 * point.value],
        marker="x" if is_outside(point.value, point.low, point.high) else "o" if best else "s",
        markersize=4.5,
        markerfacecolor=colour if best else "white",
        markeredgecolor=colour,
        linestyle="none",
        zorder=3,
    )
    ax.annotate(
        name,
        xy=(point.cost, 100 * point.value),
        xytext=(5, 4),
        textcoords="offset points",
        fontsize=6.5,
        color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
        parse_math=False,
    )
