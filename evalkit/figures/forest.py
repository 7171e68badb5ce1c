"""Estimates with their intervals, one row each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evalkit.errors import ArgumentError
from evalkit.figures.labels import display_labels, drawable
from evalkit.figures.points import OUTSIDE, is_outside
from evalkit.figures.style import GREY, INK, PALETTE
from evalkit.results import Comparison, Estimate
from evalkit.rounding import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ForestRow", "forest", "forest_row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One estimate of a forest plot.

    Attributes
    ----------
    label : str
        Name of the row.
    value : float or None
        Point estimate; ``None`` where undefined.
    low, high : float or None
        Bounds of the interval; both ``None`` where undefined.
    group : str or None
        Rows of one group share a colour.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    group: str | None = None

    def __post_init__(self) -> None:
        numbers = (self.value, self.low, self.high)
        if any(x is not None and not math.isfinite(x) for x in numbers):
            raise ArgumentError(f"row {self.label!r} holds {numbers}; use None for undefined")
        if (self.low is None) != (self.high is None):
            raise ArgumentError(f"row {self.label!r} has one bound; give both or neither")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ArgumentError(f"row {self.label!r}: `low` {self.low} is above `high` {self.high}")

    @property
    def outside(self) -> bool:
        """Whether the point lies outside its interval by more than float noise."""
        return is_outside(self.value, self.low, self.high)


def forest_row(label: str, result: Estimate | Comparison, *, group: str | None = None) -> ForestRow:
    """Make a row from an estimate, or from the difference of a comparison."""
    bounds = result.interval
    return ForestRow(
        label=label,
        value=result.difference if isinstance(result, Comparison) else result.estimate,
        low=None if bounds is None else bounds.low,
        high=None if bounds is None else bounds.high,
        group=group,
    )


def forest(
    ax: Axes,
    rows: Sequence[ForestRow],
    *,
    scale: Literal[1, 100] = 1,
    digits: int = 2,
    reference: float | None = None,
    sign: bool = False,
    label_limit: int = 24,
    xlabel: str | None = None,
    title: str | None = None,
) -> Axes:
    """Draw estimates with intervals, first row on top.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    rows : sequence of ForestRow
        At least one.
    scale : {1, 100}
        100 draws proportions in percent.
    digits : int
        Decimals of the printed numbers.
    reference : float, optional
        Position of a vertical line, on the scale of the rows (0 for differences).
    sign : bool
        Print plus signs, for differences.
    label_limit : int
        Longest row label; longer names lose their middle.
    xlabel, title : str, optional
        Texts.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If `rows` is empty.

    Notes
    -----
    An interval is drawn from `low` to `high`, never as two distances from the point, so it ends
    where it should when the point lies outside of it. Such a point is drawn open, and a line
    under the axis says so.
    """
    if not rows:
        raise ArgumentError("`rows` is empty; a forest plot needs at least one row")
    groups = list(dict.fromkeys(row.group for row in rows))
    places, headings = _places(rows)
    for y, row in zip(places, rows, strict=True):
        colour = PALETTE[groups.index(row.group) % len(PALETTE)]
        _draw_row(ax, row, y, colour=colour, scale=scale)
        ax.text(
            1.02,
            y,
            _numbers(row, scale=scale, digits=digits, sign=sign),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=6.5,
            parse_math=False,
        )
    if reference is not None:
        ax.axvline(reference * scale, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.set_ylim(places[-1] + 0.5, -0.5)
    labels = display_labels([row.label for row in rows], limit=label_limit)
    named = sorted([*zip(places, labels, strict=True), *headings.items()])
    ax.set_yticks([y for y, _ in named], [name for _, name in named], parse_math=False)
    for (y, _), label in zip(named, ax.get_yticklabels(), strict=True):
        if y in headings:
            label.set_fontweight("bold")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    _finish(ax, rows, xlabel=xlabel, title=title)
    return ax


def _places(rows: Sequence[ForestRow]) -> tuple[list[int], dict[int, str]]:
    """Return the height of each row, and of the heading before each run of a named group."""
    places: list[int] = []
    headings: dict[int, str] = {}
    before: str | None = None
    for row in rows:
        y = places[-1] + 1 if places else 0
        if row.group is not None and row.group != before:
            headings[y] = drawable(row.group)
            y += 1
        places.append(y)
        before = row.group
    return places, headings


def _draw_row(ax: Axes, row: ForestRow, y: int, *, colour: str, scale: int) -> None:
    if row.low is not None and row.high is not None:
        ax.hlines(y, row.low * scale, row.high * scale, colors=colour, linewidth=1.6)
    if row.value is not None:
        face = "white" if row.outside else colour
        ax.plot(
            [row.value * scale],
            [y],
            marker="o",
            markersize=4.5,
            markerfacecolor=face,
            markeredgecolor=colour,
            linestyle="none",
        )


def _numbers(row: ForestRow, *, scale: int, digits: int, sign: bool) -> str:
    def shown(value: float | None) -> str:
        return format_number(None if value is None else value * scale, digits, sign=sign)

    if row.low is None:
        return f"{shown(row.value)} (no interval)" if row.value is not None else "undefined"
    return f"{shown(row.value)} [{shown(row.low)}, {shown(row.high)}]"


def _finish(ax: Axes, rows: Sequence[ForestRow], *, xlabel: str | None, title: str | None) -> None:
    lines = [] if xlabel is None else [drawable(xlabel)]
    lines += [OUTSIDE] if any(row.outside for row in rows) else []
    if lines:
        ax.set_xlabel("\n".join(lines), parse_math=False)
    if title is not None:
        ax.set_title(drawable(title), parse_math=False, color=INK)
