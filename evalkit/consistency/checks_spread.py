"""Checks of standard deviations and standard errors."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

from evalkit.consistency.attainability import attained, is_too_coarse, mean_and_sd
from evalkit.consistency.checks_counts import audited
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.printed import Printed
from evalkit.consistency.roles import BOUNDED, POINTS
from evalkit.rounding import format_number

__all__ = ["check_sd", "check_se"]

_HALF = Fraction(1, 2)


def _spreads(layout: Layout, kind: str) -> Iterator[tuple[int, Column, Column, Printed, Printed]]:
    """Row, point column, column of the spread, point and spread."""
    for row in layout.body:
        for column in layout.of(kind):  # type: ignore[arg-type]
            point = layout.point_of(column)
            number, spread = layout.number(row, point), layout.number(row, column)
            if point is not None and number is not None and spread is not None:
                yield row, point, column, number, spread
        for column in layout.of(*POINTS, "other", "average"):  # type: ignore[arg-type]
            number = layout.number(row, column)
            if number is not None and number.error is not None and _meant(layout) == kind:
                yield row, column, column, number, number.error


def _meant(layout: Layout) -> str | None:
    """Return what a plus-minus sign stands for: declared, or the sd of several seeds."""
    if layout.settings.plus_minus is not None:
        return layout.settings.plus_minus
    several = layout.of("seeds") or (layout.settings.seeds or 1) > 1
    return "sd" if several else None


def check_sd(layout: Layout) -> Iterator[AuditedCell]:
    """GRIMMER: whether counts of the seeds give the mean and its sd; or the sd of items."""
    for row, point, column, mean, sd in _spreads(layout, "sd"):
        name, seeds = "sd", layout.seeds(row)
        if sd.value < 0:
            yield audited(
                layout, row, column, name, "mismatch", printed=sd, expected=Fraction(0),
                how="at least 0", why="an sd is not negative",
            )  # fmt: skip
        elif point.role not in BOUNDED or point.scale is None:
            yield audited(
                layout, row, column, name, "uncheckable",
                why="the kind of metric is not known; declare --kind accuracy for percentages",
            )  # fmt: skip
        elif seeds > 1:
            yield _sd_of_seeds(layout, row, point, column, mean, sd)
        else:
            yield _sd_of_items(layout, row, point, column, mean, sd)
    if layout.settings.plus_minus is None and _meant(layout) is None:
        yield from _unknown_errors(layout)


def _unknown_errors(layout: Layout) -> Iterator[AuditedCell]:
    for column in layout.columns:
        if any((p := layout.number(i, column)) and p.error for i in layout.body):
            yield audited(
                layout, None, column, "sd", "uncheckable",
                why="what follows the plus-minus sign is not known; declare --plus-minus "
                "sd, se or half-width, or --seeds",
            )  # fmt: skip


def _sd_of_seeds(
    layout: Layout, row: int, point: Column, column: Column, mean: Printed, sd: Printed
) -> AuditedCell:
    n, seeds, scale = layout.n(row, point), layout.seeds(row), point.scale or Fraction(100)
    largest = _largest_sd(mean, scale, seeds)
    if float(sd.value - sd.half) > largest:
        return audited(
            layout, row, column, "sd", "mismatch", printed=sd, expected=Fraction(str(largest)),
            how=f"at most, for {seeds} seeds between 0 and {scale}",
            why="no seed means have this mean and so large an sd",
        )  # fmt: skip
    if n is None or point.role == "rate":
        return audited(
            layout, row, column, "sd", "uncheckable",
            why="within what seeds can spread; n of a percentage would tell more",
        )  # fmt: skip
    if is_too_coarse(sd, n, scale) or is_too_coarse(mean, n * seeds, scale):
        return audited(
            layout, row, column, "sd", "uncheckable",
            why=f"the printed digits are too few to test an sd at n = {n}",
        )  # fmt: skip
    halves = layout.settings.kind == "half" or point.role == "win_rate"
    if attained(mean, n, seeds, scale, halves=halves).rule in {None, "truncation"}:
        return audited(
            layout, row, column, "sd", "uncheckable", why="the mean itself is no mean of counts"
        )
    rule = mean_and_sd(mean, sd, n, seeds, scale, halves=halves)
    where = f"{seeds} counts out of {n} with mean {mean.text} and sd {sd.text}"
    told = {
        "sample": ("ok", ""),
        "population": ("ok", f"with divisor {seeds}, not {seeds - 1}"),
        "rounded seed means": ("rounding", "reached only from seed means that were rounded first"),
        "standard error": ("rounding", f"reached as sd / sqrt({seeds}): a standard error"),
        "unknown": ("uncheckable", "too many combinations to search"),
    }
    if rule is None:
        return audited(
            layout, row, column, "sd", "mismatch", how=where,
            why=f"no {seeds} counts out of {n} give both: another n, unequal seeds, or a misprint",
        )  # fmt: skip
    verdict, why = told[rule]
    return audited(layout, row, column, "sd", verdict, how=where, why=why)  # type: ignore[arg-type]


def _largest_sd(mean: Printed, scale: Fraction, count: int) -> float:
    """Largest sample sd of `count` values between 0 and `scale` with this mean."""
    middle = scale / 2
    near = min(mean.value + mean.half, middle) if mean.value <= middle else max(
        mean.value - mean.half, middle
    )  # fmt: skip
    p = min(Fraction(1), max(Fraction(0), near / scale))
    return float(scale) * sqrt(float(p * (1 - p)) * count / (count - 1))


def _sd_of_items(
    layout: Layout, row: int, point: Column, column: Column, mean: Printed, sd: Printed
) -> AuditedCell:
    n, scale = layout.n(row, point), point.scale or Fraction(100)
    largest = _largest_sd(mean, scale, 2)
    if float(sd.value - sd.half) > largest:
        other = " on the scale of percentages" if scale == 1 and sd.value > 1 else ""
        return audited(
            layout, row, column, "sd", "mismatch", printed=sd, expected=Fraction(str(largest)),
            how="at most, whatever was sampled", why=f"too large for the mean{other}",
        )  # fmt: skip
    if point.role != "accuracy" or n is None or n < 2:
        return audited(
            layout, row, column, "sd", "uncheckable", why="n, or what the sd is over, is not known"
        )
    if _is_binomial(sd, mean, scale, [Fraction(1), Fraction(n, n - 1)]):
        return audited(layout, row, column, "sd", "ok", how="sqrt(p(1-p)) of single items")
    if _is_binomial(sd, mean, scale, [Fraction(1, n), Fraction(1, n - 1)]):
        return audited(
            layout, row, column, "sd", "mismatch", how="sqrt(p(1-p)) of single items",
            why="it is the standard error sqrt(p(1-p)/n), not an sd",
        )  # fmt: skip
    if _is_binomial(sd, mean, scale, [scale**-2, scale**-2 * Fraction(n, n - 1), Fraction(10**4)]):
        return audited(
            layout, row, column, "sd", "mismatch", how="sqrt(p(1-p)) of single items",
            why="it is the sd of 0-1 scores on the other scale (percentages against fractions)",
        )  # fmt: skip
    return audited(
        layout, row, column, "sd", "uncheckable",
        why="not the sd of single items; an sd over seeds needs --seeds",
    )  # fmt: skip


def _is_binomial(spread: Printed, mean: Printed, scale: Fraction, factors: list[Fraction]) -> bool:
    """Whether a spread is ``scale sqrt(p(1-p) factor)`` for a p that prints as the mean."""
    low, high = max(Fraction(0), spread.value - spread.unit), spread.value + spread.unit
    ends = [(mean.value + d) / scale for d in (-mean.unit, Fraction(0), mean.unit)]
    products = [p * (1 - p) for p in ends if 0 <= p <= 1]
    if any(p < _HALF for p in ends) and any(p > _HALF for p in ends):
        products.append(Fraction(1, 4))
    if not products:
        return False
    return any(
        low**2 <= scale**2 * max(products) * f and scale**2 * min(products) * f <= high**2
        for f in factors
    )


def check_se(layout: Layout) -> Iterator[AuditedCell]:
    """Check standard errors against p and n; one of 0 with 0 < p < 1 claims certainty."""
    found = list(_spreads(layout, "se"))
    results = [_standard_error(layout, *parts) for parts in found]
    larger = [r for r in results if "design effect" in r.explanation]
    # Where every error of a column is larger than binomial, it is another kind of error.
    if len(larger) >= 3 and len(larger) == len(results):
        from dataclasses import replace

        why = "; the whole column is so, as clustered errors are: it cannot be told from here"
        results = [
            replace(r, verdict="uncheckable", explanation=r.explanation + why) for r in results
        ]
    yield from results


def _standard_error(
    layout: Layout, row: int, point: Column, column: Column, mean: Printed, se: Printed
) -> AuditedCell:
    scale, n = point.scale, layout.n(row, point)
    if se.value < 0:
        return audited(
            layout, row, column, "se", "mismatch", printed=se, expected=Fraction(0),
            how="at least 0", why="a standard error is not negative",
        )  # fmt: skip
    if scale is None:
        return audited(
            layout, row, column, "se", "uncheckable", why="the kind of metric is not known"
        )
    p = mean.value / scale
    if not 0 <= p <= 1:
        return audited(layout, row, column, "se", "uncheckable", why="p is not in range")
    games = _game_counts(layout, row, point)
    if games is not None:
        return _of_games(layout, row, column, se, scale, games)
    if se.value == 0:
        return _zero(layout, row, column, se, scale, p, n)
    if n is None or n < 2:
        return audited(layout, row, column, "se", "uncheckable", why="n is not known")
    if "cluster" in column.name.casefold():
        return audited(
            layout, row, column, "se", "uncheckable", why="a clustered error needs the clusters"
        )
    return _binomial_error(layout, row, point, column, mean, se)


def _game_counts(layout: Layout, row: int, point: Column) -> tuple[int, int, int] | None:
    """Wins, ties and losses, where the point follows from them."""
    if point.role != "win_rate":
        return None
    w, t, l = (
        layout.whole(row, layout.partner(point, role)) for role in ("wins", "ties", "losses")
    )
    if w is None or l is None or w + l + (t or 0) < 2:
        return None
    printed = layout.number(row, point)
    value = (w + Fraction(t or 0, 2)) / (w + l + (t or 0)) * (point.scale or 100)
    follows = printed is not None and abs(value - printed.value) <= printed.unit
    return (w, t or 0, l) if follows else None


def _of_games(
    layout: Layout, row: int, column: Column, se: Printed, scale: Fraction,
    games: tuple[int, int, int],
) -> AuditedCell:  # fmt: skip
    w, t, l = games
    n = w + t + l
    mean = (w + Fraction(t, 2)) / n
    variance = (w + Fraction(t, 4)) / n - mean**2
    for divisor in (n - 1, n):
        exact = float(scale) * sqrt(float(variance / divisor))
        if abs(exact - float(se.value)) <= max(float(se.half), 1e-9 * exact):
            why = "" if divisor == n - 1 else "with divisor n, not n - 1"
            return audited(
                layout, row, column, "se", "ok", how=f"from {w}, {t}, {l} by divisor {divisor}",
                why=why,
            )  # fmt: skip
    exact = float(scale) * sqrt(float(variance / (n - 1)))
    return audited(
        layout, row, column, "se", "mismatch", printed=se, expected=Fraction(str(exact)),
        how=f"sd of {w} wins, {t} ties, {l} losses over sqrt({n})",
        why="clustered errors, or a misprint",
    )  # fmt: skip


def _zero(
    layout: Layout, row: int, column: Column, se: Printed, scale: Fraction, p: Fraction,
    n: int | None,
) -> AuditedCell:  # fmt: skip
    if p in {0, 1}:
        return audited(
            layout, row, column, "se", "ok", why="degenerate: every score is equal, so the error "
            "says nothing of the uncertainty",
        )  # fmt: skip
    ties, total = (layout.partner(column, r) for r in ("ties", "n"))
    drawn = layout.whole(row, ties)
    if drawn and drawn == layout.whole(row, total):
        return audited(layout, row, column, "se", "ok", how="every game is a tie")
    if n is not None and n > 1 and float(scale) * sqrt(float(p * (1 - p)) / n) <= float(se.half):
        return audited(layout, row, column, "se", "ok", how="rounds to 0 at this n")
    expected = None if n is None or n < 2 else (
        Fraction(str(float(scale) * sqrt(float(p * (1 - p)) / (n - 1))))
    )  # fmt: skip
    return audited(
        layout, row, column, "se", "mismatch", printed=se, expected=expected,
        how="sqrt(p(1-p)/(n-1)) of scores that are 0 or 1",
        why="an error of 0 beside 0 < p < 1: all scores equal (all ties), one cluster, or one run",
    )  # fmt: skip


def _binomial_error(
    layout: Layout, row: int, point: Column, column: Column, mean: Printed, se: Printed
) -> AuditedCell:
    n, scale = layout.n(row, point) or 2, point.scale or Fraction(100)
    trials = n * layout.seeds(row)
    how = f"sqrt(p(1-p)/(n-1)), n = {n}"
    for divisor, why in (
        (n - 1, ""), (n, "with divisor n, not n - 1"),
        (trials - 1, f"with {trials} trials, repeats taken for independent"),
    ):  # fmt: skip
        if _is_binomial(se, mean, scale, [Fraction(1, divisor)]):
            return audited(layout, row, column, "se", "ok", how=how, why=why)
    p = float(mean.value / scale)
    exact = float(scale) * sqrt(p * (1 - p) / (n - 1))
    ratio = (float(se.value) / exact) ** 2 if exact else 0.0
    if ratio < 1 and (point.role != "accuracy" or layout.settings.kind == "half"):
        return audited(
            layout, row, column, "se", "uncheckable", how=how,
            why="below the binomial error, as of scores between 0 and 1",
        )  # fmt: skip
    share = mean.value / scale
    implied = max(2, round(share * (1 - share) * (scale / se.value) ** 2))
    at = f"n = {implied}" if implied < 10**12 else "an endless n"
    cause = (
        f"a design effect of {format_number(ratio, 2)} (clustered or repeated items)" if ratio > 1
        else "repeats of items taken for independent"
    )  # fmt: skip
    verdict = "uncheckable" if point.role != "accuracy" and ratio <= 4 else "mismatch"
    return audited(
        layout, row, column, "se", verdict, printed=se, expected=Fraction(str(exact)), how=how,  # type: ignore[arg-type]
        why=f"it is the error at {at}; {cause} would explain it",
    )  # fmt: skip
