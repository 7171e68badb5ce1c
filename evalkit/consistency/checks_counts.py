"""Checks of percentages against counts: attainability, ratios, denominators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import ceil, floor

from evalkit.consistency.attainability import (
    attained,
    compatible_counts,
    denominators,
    is_too_coarse,
    nearby_denominators,
    smallest_seeds,
)
from evalkit.consistency.findings import AuditedCell, AuditVerdict, distance
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.printed import Printed, print_like, rule_of

__all__ = [
    "audited",
    "check_attainable",
    "check_counts",
    "check_denominators",
    "compared",
    "other_denominators",
]

_MOST_N = 10_000
_LISTED = 12


def audited(
    layout: Layout,
    row: int | None,
    column: Column,
    check: str,
    verdict: AuditVerdict,
    *,
    printed: Printed | None = None,
    expected: Fraction | None = None,
    how: str = "",
    why: str = "",
) -> AuditedCell:
    """Make a result; `expected` is printed with the digits of `printed`."""
    text = None if row is None else layout.cell(row, column).text
    shown, gap = how or None, None
    if expected is not None and printed is not None:
        shown = print_like(expected, printed) + (f" = {how}" if how else "")
        gap = distance(printed.value, expected)
    return AuditedCell(
        table=layout.grid.name,
        row=None if row is None else layout.label(row),
        column=column.name,
        printed=text,
        check=check,
        verdict=verdict,
        expected=shown,
        distance=gap,
        explanation=why,
    )


def compared(
    layout: Layout,
    row: int,
    column: Column,
    check: str,
    expected: Fraction,
    *,
    how: str,
    why: str = "",
    printed: Printed | None = None,
) -> AuditedCell:
    """Compare a printed number with an exact value: ok, rounding (by rule) or mismatch."""
    number = printed or layout.number(row, column)
    if number is None:
        return audited(layout, row, column, check, "uncheckable", why="no number is printed")
    rule = rule_of(expected, number)
    if rule == "half up":
        return audited(layout, row, column, check, "ok", printed=number, expected=expected, how=how)
    if rule is not None:
        return audited(
            layout, row, column, check, "rounding", printed=number, expected=expected, how=how,
            why=f"reached by {rule}, not by rounding half up",
        )  # fmt: skip
    return audited(
        layout, row, column, check, "mismatch", printed=number, expected=expected, how=how, why=why
    )


def _counted(layout: Layout, column: Column) -> Column | None:
    """Column of the counts that a percentage is made of."""
    return layout.partner(column, "count")


def check_attainable(layout: Layout) -> Iterator[AuditedCell]:
    """GRIM: whether a percentage can be a count out of n, over seeds."""
    for column in layout.of("accuracy", "win_rate"):
        if _counted(layout, column) or (column.role == "win_rate" and layout.of("wins")):
            continue
        rows = [i for i in layout.body if layout.number(i, column) is not None]
        if not any(layout.n(i, column) for i in rows):
            continue
        if column.scale is None:
            yield audited(
                layout, None, column, "attainable", "uncheckable",
                why="percentages and fractions cannot be told apart here; write % in the heading",
            )  # fmt: skip
            continue
        results = [_attainable(layout, row, column, column.scale) for row in rows]
        yield from _half_credits(layout, rows, column, results)
    yield from _other_means(layout)


def _half_credits(
    layout: Layout, rows: list[int], column: Column, results: list[AuditedCell]
) -> Iterator[AuditedCell]:
    """Withhold judgement where several rows fail and every row fits credits of one half."""
    failed = [r for r in results if r.verdict == "mismatch"]
    fits = len(failed) > 1 and layout.settings.kind is None
    for row in rows if fits else ():
        printed, n = layout.number(row, column), layout.n(row, column)
        trials = 2 * (n or 0) * layout.seeds(row)
        scale = column.scale or Fraction(100)
        fits = fits and printed is not None and trials > 0 and (
            not is_too_coarse(printed, 2 * trials, scale)
            and bool(compatible_counts(printed, trials, scale))
        )  # fmt: skip
    why = "every row fits credits of one half, as of ties or two orders; declare --kind"
    for result in results:
        yield (
            replace(result, verdict="uncheckable", explanation=why)
            if fits and result.verdict == "mismatch"
            else result
        )


def _other_means(layout: Layout) -> Iterator[AuditedCell]:
    """Check means of whole numbers, and say where the kind of metric is not known."""
    kind = layout.settings.kind
    for column in layout.of("mean", "other"):
        rows = [i for i in layout.body if layout.number(i, column) and layout.n(i, column)]
        if kind == "integer" and column.role == "mean":
            for row in rows:
                yield _integer_mean(layout, row, column)
        elif kind is None and rows and (column.role == "mean" or not column.declared):
            yield audited(
                layout, None, column, "attainable", "uncheckable",
                why="the kind of metric is not known; declare --kind accuracy, half, integer "
                "or mean",
            )  # fmt: skip


def _attainable(layout: Layout, row: int, column: Column, scale: Fraction) -> AuditedCell:
    printed, n, seeds = layout.number(row, column), layout.n(row, column), layout.seeds(row)
    if printed is None or n is None:
        return audited(
            layout, row, column, "attainable", "uncheckable", why="n of this row is not known"
        )
    halves = layout.settings.kind == "half" or column.role == "win_rate"
    trials = n * seeds * (2 if halves else 1)
    if printed.ratio is not None and printed.text.count("/"):
        return audited(layout, row, column, "attainable", "uncheckable", why="printed as a ratio")
    if not 0 <= printed.value <= scale:
        return audited(
            layout, row, column, "attainable", "uncheckable", why="not a percentage; see `range`"
        )
    if is_too_coarse(printed, trials, scale):
        bites = ceil(scale * 10**printed.digits) - 1
        return audited(
            layout, row, column, "attainable", "uncheckable",
            why=f"{printed.digits} decimals are too few for {trials} trials: every such number is "
            f"a count of them; the check bites up to {bites} trials",
        )  # fmt: skip
    found = attained(printed, n, seeds, scale, halves=halves)
    unit = "half wins" if halves else ""
    of = f"{trials}" + (f" ({n} x {seeds} seeds)" if seeds > 1 else "") + f" {unit}".rstrip()
    if found.rule == "half up" and not found.rounded_seeds:
        counts = " or ".join(f"{k}/{trials}" for k in found.counts[:3])
        return audited(layout, row, column, "attainable", "ok", how=f"{counts}, of {of}")
    near = _nearest(printed, trials, scale)
    nearest = min(near, key=lambda k: abs(k * scale / trials - printed.value))
    how = ", ".join(f"{k}/{trials} is {print_like(k * scale / trials, printed)}" for k in near)
    verdict: AuditVerdict = "mismatch" if found.rule is None else "rounding"
    if found.rounded_seeds:
        why = f"reached only if each of the {seeds} seed means was rounded before averaging"
    elif found.rule is not None:
        why = f"{found.counts[0]}/{trials} prints so by {found.rule}, not by rounding half up"
    else:
        why = _why_unattainable(printed, n, seeds, scale, halves=halves)
    return AuditedCell(
        table=layout.grid.name, row=layout.label(row), column=column.name,
        printed=layout.cell(row, column).text, check="attainable", verdict=verdict,
        expected=f"a count out of {of}: {how}",
        distance=distance(printed.value, nearest * scale / trials), explanation=why,
    )  # fmt: skip


def _nearest(printed: Printed, trials: int, scale: Fraction) -> list[int]:
    below = floor(printed.value * trials / scale)
    return [k for k in (below, below + 1) if 0 <= k <= trials]


def _why_unattainable(
    printed: Printed, n: int, seeds: int, scale: Fraction, *, halves: bool
) -> str:
    parts = []
    if halves and compatible_counts(printed, 4 * n * seeds, scale):
        parts.append("credits of a quarter (two orders averaged)")
    others = list(islice(nearby_denominators(printed, n * seeds, scale), 4))
    if others:
        parts.append(f"another denominator ({', '.join(map(str, sorted(others)))})")
    if seeds == 1 and not halves:
        runs = smallest_seeds(printed, n, scale)
        if runs:
            parts.append(f"a mean over {runs} runs of {n}")
    return f"no count gives it; {' or '.join(parts)} would explain it" if parts else (
        "no count gives it; a misprint, or not a percentage of items"
    )  # fmt: skip


def _integer_mean(layout: Layout, row: int, column: Column) -> AuditedCell:
    """GRIM for the mean of whole numbers."""
    printed, n = layout.number(row, column), layout.n(row, column)
    if printed is None or n is None:
        return audited(layout, row, column, "attainable", "uncheckable", why="n is not known")
    trials = n * layout.seeds(row)
    if is_too_coarse(printed, trials, Fraction(1)):
        return audited(
            layout, row, column, "attainable", "uncheckable",
            why=f"{printed.digits} decimals are too few for {trials} ratings; the check bites up "
            f"to {10**printed.digits - 1}",
        )  # fmt: skip
    total = round(printed.value * trials)
    near = min(
        (total - 1, total, total + 1), key=lambda k: abs(Fraction(k, trials) - printed.value)
    )
    return compared(
        layout, row, column, "attainable", Fraction(near, trials), how=f"{near}/{trials}",
        why="no sum of whole numbers gives this mean",
    )  # fmt: skip


def check_counts(layout: Layout) -> Iterator[AuditedCell]:
    """Compare percentages with their counts."""
    for row in layout.body:
        for column in layout.of("accuracy", "count", "other", "rate"):
            found = layout.number(row, column)
            if found is not None and found.ratio is not None and found.text.count("/") == 0:
                k, n = found.ratio
                scale = column.scale or Fraction(100)
                yield compared(
                    layout, row, column, "count", scale * k / n, how=f"{scale}*{k}/{n}",
                    why=other_denominators(found, k, scale),
                )  # fmt: skip
        yield from _percentage_of_count(layout, row)


def _percentage_of_count(layout: Layout, row: int) -> Iterator[AuditedCell]:
    for column in layout.of("accuracy"):
        counts = _counted(layout, column)
        k, n = layout.whole(row, counts), layout.n(row, column)
        printed = layout.number(row, column)
        if counts is None or k is None or printed is None:
            continue
        if n is None or column.scale is None:
            yield audited(
                layout, row, column, "count", "uncheckable", why="n or the scale is not known"
            )
            continue
        total = n * layout.seeds(row)
        n = total if k > n else n
        if k > n:
            yield audited(
                layout, row, counts, "count", "mismatch", how=f"at most {n}",
                why="more are counted than there are",
            )  # fmt: skip
            continue
        yield compared(
            layout, row, column, "count", column.scale * k / n, how=f"{column.scale}*{k}/{n}",
            why=other_denominators(printed, k, column.scale),
        )  # fmt: skip


def other_denominators(printed: Printed, k: int, scale: Fraction) -> str:
    """Name the denominators at which `k` prints so, and the counts."""
    if printed.value <= printed.half or not k:
        return "the count and the percentage contradict each other"
    first = ceil(k * scale / (printed.value + printed.half))
    last = floor(k * scale / (printed.value - printed.half))
    fitting = [
        n for n in range(max(first, k), min(last, first + 1000) + 1)
        if rule_of(k * scale / n, printed) == "half up"
    ]  # fmt: skip
    if not fitting:
        return f"{k} out of no whole number prints so; the count or the percentage is wrong"
    ends = f"{fitting[0]}" if len(fitting) == 1 else f"{fitting[0]} to {fitting[-1]}"
    return f"{k} out of {ends} would print so: another denominator"


def check_denominators(layout: Layout) -> Iterator[AuditedCell]:
    """Recover the n of which a whole column can be percentages, where n is not known."""
    for column in layout.of("accuracy", "win_rate"):
        numbers = [p for i in layout.body if (p := layout.number(i, column)) is not None]
        known = any(layout.n(i, column) for i in layout.body) or layout.of("wins", "count")
        if known or not numbers or column.scale is None:
            continue
        if any(not 0 <= p.value <= column.scale for p in numbers):
            continue
        if layout.settings.seeds is not None and layout.settings.seeds > 1:
            continue
        yield _denominators(layout, column, numbers, column.scale)


def _denominators(
    layout: Layout, column: Column, numbers: list[Printed], scale: Fraction
) -> AuditedCell:
    # From here on every number of this precision is some count.
    all_fit = int(scale * 10 ** max(p.digits for p in numbers))
    limit = min(_MOST_N, all_fit)
    found = denominators(numbers, scale, halves=column.role == "win_rate", limit=limit)
    beyond = f"every n from {all_fit} fits as well" if all_fit <= _MOST_N else ""
    if not found or found[0] == all_fit:
        return audited(
            layout, None, column, "denominators", "uncheckable", how=f"no single n below {limit}",
            why="rows may have denominators of their own, or means over seeds; "
            "or these are no percentages of items",
        )  # fmt: skip
    listed = ", ".join(map(str, found[:_LISTED])) + (", ..." if len(found) > _LISTED else "")
    if 2 * len(found) > limit:
        return audited(
            layout, None, column, "denominators", "uncheckable",
            how=f"{len(found)} of the n up to {limit} fit",
            why=f"the printed precision is too coarse to tell n; the smallest that fits is {found[0]}",  # noqa: E501
        )  # fmt: skip
    return audited(layout, None, column, "denominators", "ok", how=f"n in {{{listed}}}", why=beyond)
