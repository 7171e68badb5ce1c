"""Score against the number of attempts, beside one call of an evolved candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import drawable, spread
from evalkit.figures.style import GREY, PALETTE
from evalkit.rounding import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CurvePoint", "scaling_curves"]

_LINE_HEIGHT = 9.5  # points between two direct labels


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Score with a budget of `k` attempts.

    Attributes
    ----------
    k : int
        Attempts an item, the first one included.
    value : float
        Proportion, from 0 to 1.
    low, high : float or None
        Bounds of its interval, as proportions; ``None`` where undefined.
    """

    k: int
    value: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for name, x in (("value", self.value), ("low", self.low), ("high", self.high)):
            if x is not None and not 0 <= x <= 1:
                raise ArgumentError(f"`{name}` is {x} at k = {self.k}; it must be a proportion")
        if (self.low is None) != (self.high is None):
            raise ArgumentError(f"the point at k = {self.k} has one bound; give both or neither")


def scaling_curves(
    ax: Axes,
    *,
    parallel: Sequence[CurvePoint],
    sequential: Sequence[CurvePoint],
    evolved: float | None = None,
    parent: float | None = None,
    title: str | None = None,
    ylabel: bool = True,
    digits: int = 1,
) -> Axes:
    """Draw test-time scaling in percent, every line labelled at its end.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    parallel, sequential : sequence of CurvePoint
        One point a budget; at least one of the two is not empty.
    evolved, parent : float, optional
        Proportions with one call, drawn as horizontal lines.
    title : str, optional
        Title of the panel.
    ylabel : bool
        Whether to name the vertical axis.
    digits : int
        Decimals of the printed percentages.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If there is nothing to draw, or `evolved` or `parent` is not a proportion.
    """
    budgets = [point.k for point in (*parallel, *sequential)]
    if not budgets:
        raise ArgumentError("`parallel` and `sequential` are both empty; there is no curve to draw")
    ends = [
        *_curve(ax, parallel, name="Parallel", colour=PALETTE[0], marker="o"),
        *_curve(ax, sequential, name="Sequential", colour=PALETTE[1], marker="s"),
        *_level(ax, evolved, name="Evolved", colour=PALETTE[2], dashes=(0, (5, 2))),
        *_level(ax, parent, name="Parent", colour=GREY, dashes=(0, (1, 1.5))),
    ]
    first, last = min(budgets), max(budgets)
    pad = 0.04 * max(last - first, 1)
    ax.set_xlim(first - pad, last + pad)
    ax.set_xticks(range(first, last + 1))
    ax.margins(y=0.12)
    ax.autoscale_view(scalex=False)
    ax.set_xlabel("Attempts per item, K", parse_math=False)
    if ylabel:
        ax.set_ylabel("Score (%)", parse_math=False)
    if title is not None:
        ax.set_title(drawable(title), parse_math=False)
    _label_ends(ax, ends, digits=digits)
    return ax


def _curve(
    ax: Axes, points: Sequence[CurvePoint], *, name: str, colour: str, marker: str
) -> list[tuple[str, float, str]]:
    if not points:
        return []
    ordered = sorted(points, key=lambda point: point.k)
    ks = [point.k for point in ordered]
    ax.plot(
        ks,
        [100 * point.value for point in ordered],
        color=colour,
        marker=marker,
        markersize=3,
        zorder=3,
    )
    banded = [
        (point.k, 100 * point.low, 100 * point.high)
        for point in ordered
        if point.low is not None and point.high is not None
    ]
    if banded:
        xs, lows, highs = zip(*banded, strict=True)
        ax.fill_between(xs, lows, highs, color=colour, alpha=0.15, linewidth=0)
    return [(name, 100 * ordered[-1].value, colour)]


def _level(
    ax: Axes, value: float | None, *, name: str, colour: str, dashes: tuple[int, tuple[float, ...]]
) -> list[tuple[str, float, str]]:
    if value is None:
        return []
    if not 0 <= value <= 1:
        raise ArgumentError(f"`{name.lower()}` is {value}; it must be a proportion, from 0 to 1")
    ax.axhline(100 * value, color=colour, linestyle=dashes, linewidth=1.1, zorder=2)
    return [(name, 100 * value, colour)]


def _label_ends(ax: Axes, ends: Sequence[tuple[str, float, str]], *, digits: int) -> None:
    low, high = ax.get_ylim()
    figure = ax.get_figure(root=True)
    inches = ax.get_position().height * (figure.get_size_inches()[1] if figure else 2.6)
    # The layout engine still takes room for the axis texts, hence the share of 0.8.
    gap = (high - low) * _LINE_HEIGHT / (72 * 0.8 * inches)
    places = spread([value for _, value, _ in ends], gap=gap)
    for (name, value, colour), y in zip(ends, places, strict=True):
        ax.annotate(
            f"{name} {format_number(value, digits)}",
            xy=(1.0, value),
            xytext=(1.04, y),
            xycoords=ax.get_yaxis_transform(),
            textcoords=ax.get_yaxis_transform(),
            va="center",
            fontsize=6.5,
            color=colour,
            annotation_clip=False,
            parse_math=False,
        )
