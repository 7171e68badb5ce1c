"""Checks of ranges and of intervals around a point."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from evalkit.consistency.checks_counts import audited
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.printed import Printed
from evalkit.consistency.roles import BOUNDED

__all__ = ["check_interval", "check_range"]


def check_range(layout: Layout) -> Iterator[AuditedCell]:
    """Percentages lie between 0 and 100, fractions between 0 and 1, one scale a column."""
    for column in layout.of(*BOUNDED):  # type: ignore[arg-type]
        numbers = {i: p for i in layout.body if (p := layout.number(i, column)) is not None}
        scale = column.scale
        if scale is None:
            continue
        for row, printed in numbers.items():
            others = [p for i, p in numbers.items() if i != row]
            if not 0 <= printed.value <= scale:
                end = scale if printed.value > scale else Fraction(0)
                yield audited(
                    layout, row, column, "range", "mismatch", printed=printed, expected=end,
                    how=f"within 0 and {scale}", why="outside the range of the metric",
                )  # fmt: skip
            elif scale == 100 and _stray_fraction(printed, others):
                yield audited(
                    layout, row, column, "range", "mismatch", printed=printed,
                    expected=printed.value * 100, how="on the scale of the column",
                    why="a fraction in a column of percentages",
                )  # fmt: skip
            else:
                yield audited(layout, row, column, "range", "ok", how=f"within 0 and {scale}")


def _stray_fraction(printed: Printed, others: list[Printed]) -> bool:
    """Whether one number has the scale and the digits of a fraction, and no other has."""
    return (
        0 < printed.value < 1
        and not printed.percent
        and bool(others)
        and all(p.value >= 5 and p.digits < printed.digits for p in others)
    )


def _bounds(layout: Layout) -> Iterator[tuple[int, Column, Column, Printed, Printed]]:
    """Row, point column, column of the bounds, and the bounds."""
    for row in range(len(layout.grid.rows)):
        for column in layout.columns:
            printed = layout.number(row, column)
            if printed is None or printed.low is None or printed.high is None:
                continue
            alone = printed.text.startswith(("[", "("))
            point = layout.point_of(column) if alone else column
            if point is not None:
                yield row, point, column, printed.low, printed.high
        for low in layout.of("low"):
            high, point = layout.partner(low, "high"), layout.point_of(low)
            ends = layout.number(row, low), layout.number(row, high)
            if point is not None and ends[0] is not None and ends[1] is not None:
                yield row, point, low, ends[0], ends[1]


def check_interval(layout: Layout) -> Iterator[AuditedCell]:
    """Check that an interval is in order, contains its point, and lies in range."""
    for row, point, column, low, high in _bounds(layout):
        printed = layout.number(row, point)
        if printed is None:
            continue
        bounds = f"[{low.text}, {high.text}]"
        slack = max(printed.half, low.half) if not printed.double else printed.half
        slack_high = max(printed.half, high.half) if not printed.double else printed.half
        if low.value > high.value:
            yield audited(
                layout, row, column, "interval", "mismatch", how=bounds,
                why="the lower bound is above the upper one",
            )  # fmt: skip
            continue
        outside = (
            low.value - printed.value if printed.value < low.value - slack
            else high.value - printed.value if printed.value > high.value + slack_high
            else None
        )  # fmt: skip
        if outside is not None:
            yield audited(
                layout, row, point, "interval", "mismatch", printed=printed,
                expected=printed.value + outside, how=f"within {bounds}",
                why="the interval does not contain its point: another statistic, another split, "
                "or a misprint",
            )  # fmt: skip
            continue
        yield _in_range(layout, row, point, column, low, high)


def _in_range(
    layout: Layout, row: int, point: Column, column: Column, low: Printed, high: Printed
) -> AuditedCell:
    bounds, scale = f"[{low.text}, {high.text}]", point.scale
    if scale is not None and (low.value < 0 or high.value > scale):
        return audited(
            layout, row, column, "interval", "mismatch", how=f"{bounds} within 0 and {scale}",
            why="the interval leaves the range of the metric: a normal (Wald) interval",
        )  # fmt: skip
    printed = layout.number(row, point)
    if printed is None:
        return audited(layout, row, column, "interval", "uncheckable", why="no point")
    below, above = printed.value - low.value, high.value - printed.value
    shape = "symmetric" if abs(below - above) <= 2 * max(low.unit, printed.unit) else "asymmetric"
    return audited(
        layout, row, column, "interval", "ok", how=f"{bounds} contains {printed.text}", why=shape
    )
