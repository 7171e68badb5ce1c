"""Which counts, over items and seeds, print as a given percentage, alone and with its sd.

All in exact arithmetic: GRIM for a mean, and an integer search for a mean with its sd.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt
from typing import Literal

from evalkit.consistency.printed import Printed, RoundingRule, rule_of, rules_of
from evalkit.rounding import round_number

__all__ = [
    "Attained",
    "SdRule",
    "attained",
    "compatible_counts",
    "denominators",
    "is_too_coarse",
    "mean_and_sd",
    "nearby_denominators",
    "reached_by_rounded_seeds",
    "smallest_seeds",
]

_BITS = 2 * 10**10  # work of the sum set of rounded seed means
_NODES = 150_000  # search nodes of a mean with its sd


@dataclass(frozen=True, slots=True, kw_only=True)
class Attained:
    """How a printed mean is reached.

    Attributes
    ----------
    counts : tuple of int
        Sums of counts over all seeds that print so, under `rule`.
    rule : str or None
        Rounding rule; ``None`` if no count prints so.
    rounded_seeds : bool
        Reached by rounding each seed mean before averaging.
    """

    counts: tuple[int, ...]
    rule: RoundingRule | None
    rounded_seeds: bool = False


def is_too_coarse(printed: Printed, trials: int, scale: Fraction) -> bool:
    """Whether every number of this precision is a count of `trials`, so that nothing is tested."""
    return scale / trials <= Fraction(1, 10**printed.digits)


def compatible_counts(
    printed: Printed, trials: int, scale: Fraction, rule: RoundingRule | None = None
) -> tuple[int, ...]:
    """Return the counts out of `trials` that print so, half up or under a named rule.

    Examples
    --------
    >>> from evalkit.consistency.printed import parse_printed
    >>> compatible_counts(parse_printed("80.3"), 360, Fraction(100))
    (289,)
    """
    first = max(0, floor((printed.value - printed.unit) * trials / scale))
    last = min(trials, ceil((printed.value + printed.unit) * trials / scale))
    wanted = rule or "half up"
    return tuple(
        k for k in range(first, last + 1) if wanted in rules_of(k * scale / trials, printed)
    )


def attained(printed: Printed, n: int, seeds: int, scale: Fraction, *, halves: bool) -> Attained:
    """Say how a mean over `seeds` runs of `n` items is reached; ties count half with `halves`."""
    steps = n * (2 if halves else 1)
    for rule in ("half up", "half to even"):
        counts = compatible_counts(printed, steps * seeds, scale, rule)
        if counts:
            return Attained(counts=counts, rule=rule)
    if reached_by_rounded_seeds(printed, steps, seeds, scale):
        return Attained(counts=(), rule="half up", rounded_seeds=True)
    counts = compatible_counts(printed, steps * seeds, scale, "truncation")
    return Attained(counts=counts, rule="truncation" if counts else None)


def reached_by_rounded_seeds(printed: Printed, n: int, seeds: int, scale: Fraction) -> bool:
    """Whether seed means rounded to the printed digits can average to the printed mean.

    Examples
    --------
    >>> from evalkit.consistency.printed import parse_printed
    >>> reached_by_rounded_seeds(parse_printed("82.0"), 120, 3, Fraction(100))
    True
    """
    size = int(scale * 10**printed.digits) + 1
    if seeds < 2 or printed.double or size * seeds**2 * n > _BITS:
        return False
    sums = _rounded_sums(n, seeds, printed.digits, int(scale))
    first = max(0, ceil((printed.value - printed.unit) * seeds * 10**printed.digits))
    last = floor((printed.value + printed.unit) * seeds * 10**printed.digits)
    unit = Fraction(1, 10**printed.digits)
    near = (sums >> first) & ((1 << max(0, last - first + 1)) - 1)
    return any(
        near >> (total - first) & 1
        and rule_of(total * unit / seeds, printed) in {"half up", "half to even"}
        for total in range(first, last + 1)
    )


@lru_cache(maxsize=64)
def _rounded_units(n: int, digits: int, scale: int) -> tuple[int, ...]:
    """``scale * k / n`` rounded, in units of the last digit, for each k."""
    return tuple(
        int(round_number(Fraction(scale * k, n), digits) * 10**digits) for k in range(n + 1)
    )


@lru_cache(maxsize=64)
def _rounded_sums(n: int, seeds: int, digits: int, scale: int) -> int:
    """Return the sums of `seeds` rounded seed means, as the set bits of an integer."""
    units = _rounded_units(n, digits, scale)
    sums = 1
    for _ in range(seeds):
        grown = 0
        for unit in units:
            grown |= sums << unit
        sums = grown
    return sums


def denominators(
    numbers: Sequence[Printed], scale: Fraction, *, halves: bool, limit: int
) -> tuple[int, ...]:
    """Return every n up to `limit` of which all the numbers can be percentages.

    Examples
    --------
    >>> from evalkit.consistency.printed import parse_printed
    >>> texts = ["33.3", "66.7", "16.7"]
    >>> denominators([parse_printed(t) for t in texts], Fraction(100), halves=False, limit=20)
    (6, 12, 18)
    """
    # A closed interval of integers each: k with low <= k * scale / n <= high.
    bounds = [(p.value - p.half, p.value + p.half) for p in numbers]
    parts = [
        (low.numerator, low.denominator, high.numerator, high.denominator)
        for low, high in ((b / scale, t / scale) for b, t in bounds)
    ]
    out = []
    for n in range(1, limit + 1):
        steps = 2 * n if halves else n
        if all(-(-a * steps // b) <= c * steps // d for a, b, c, d in parts):
            out.append(n)
    return tuple(out)


SdRule = Literal["sample", "population", "rounded seed means", "standard error", "unknown"]


def _square_bounds(sd: Printed, steps: int, scale: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the variance of seed counts that a printed sd allows."""
    low = max(Fraction(0), sd.value - sd.half) * steps / scale
    high = (sd.value + sd.half) * steps / scale
    return low**2, high**2


def mean_and_sd(
    mean: Printed, sd: Printed, n: int, seeds: int, scale: Fraction, *, halves: bool
) -> SdRule | None:
    """Find how seed counts give both a mean and an sd; ``None`` if none do.

    Parameters
    ----------
    mean, sd : Printed
        On the same scale.
    n, seeds : int
        Items of a seed, and seeds.

    Returns
    -------
    str or None
        The divisor (``sample``: seeds - 1), or what was rounded; ``unknown`` if the search
        was given up.
    """
    steps = n * (2 if halves else 1)
    sums = (
        *compatible_counts(mean, steps * seeds, scale),
        *compatible_counts(mean, steps * seeds, scale, "half to even"),
    )
    low, high = _square_bounds(sd, steps, scale)
    gave_up = False
    wanted: tuple[tuple[SdRule, int], ...] = (
        ("sample", seeds - 1), ("population", seeds), ("standard error", seeds * (seeds - 1))
    )  # fmt: skip
    for rule, divisor in wanted:
        if rule == "standard error" and reached_by_rounded_seeds(mean, steps, seeds, scale):
            rounded = _from_rounded(mean, sd, steps, seeds, scale)
            if rounded:
                return "rounded seed means"
            gave_up = gave_up or rounded is None
        found = [_has_vector(k, low * divisor, high * divisor, seeds, steps) for k in set(sums)]
        if any(found):
            return rule
        gave_up = gave_up or None in found
    return "unknown" if gave_up else None


def _has_vector(total: int, low: Fraction, high: Fraction, seeds: int, steps: int) -> bool | None:
    """Whether `seeds` counts sum to `total` with squared deviations in ``[low, high]``."""
    centre = Fraction(total * total, seeds)
    first, last = ceil(low + centre), floor(high + centre)
    base, over = divmod(total, seeds)
    least = (seeds - over) * base**2 + over * (base + 1) ** 2
    first = max(first, least)
    # The sum of squares has the parity of the sum.
    first += (first - total) % 2
    if first > last:
        return False
    reach = isqrt(max(0, ceil(high)) + 1) + 1
    values = range(max(0, base - reach), min(steps, base + 1 + reach) + 1)
    return _search(values, seeds, total, (first, last))


def _search(values: Sequence[int], seeds: int, total: int, squares: tuple[int, int]) -> bool | None:
    """Whether `seeds` of the ascending `values` have this sum and a sum of squares in range."""
    members, budget = frozenset(values), [_NODES]

    def visit(left: int, top: int, rest: int, used: int) -> bool:
        budget[0] -= 1
        # What is left has at least the squares of equal parts.
        if budget[0] < 0 or used * left + rest * rest > squares[1] * left:
            return False
        if left == 1:
            return rest in members and rest <= top and squares[0] <= used + rest**2 <= squares[1]
        for value in reversed(values):
            if value > top:
                continue
            if value * left < rest:
                return False
            if visit(left - 1, value, rest - value, used + value**2):
                return True
        return False

    found = bool(values) and visit(seeds, values[-1], total, 0)
    return None if not found and budget[0] < 0 else found


def _from_rounded(
    mean: Printed, sd: Printed, steps: int, seeds: int, scale: Fraction
) -> bool | None:
    """Whether seed means rounded to the printed digits give the mean and the sample sd."""
    if mean.double or steps > 20_000:
        return None
    unit = 10**mean.digits
    units = sorted(set(_rounded_units(steps, mean.digits, int(scale))))
    low, high = (b * unit**2 * (seeds - 1) for b in _square_bounds(sd, 1, Fraction(1)))
    reach = isqrt(ceil(high)) + 2
    first = ceil((mean.value - mean.unit) * seeds * unit)
    last = floor((mean.value + mean.unit) * seeds * unit)
    for total in range(first, last + 1):
        if rule_of(Fraction(total, seeds * unit), mean) not in {"half up", "half to even"}:
            continue
        near = [u for u in units if abs(u * seeds - total) <= reach * seeds]
        centre = Fraction(total * total, seeds)
        found = _search(near, seeds, total, (ceil(low + centre), floor(high + centre)))
        if found or found is None:
            return found
    return False


def smallest_seeds(printed: Printed, n: int, scale: Fraction, *, limit: int = 10) -> int | None:
    """Return the least number of seeds whose mean prints so, where the precision can tell."""
    for seeds in range(2, limit + 1):
        if is_too_coarse(printed, n * seeds, scale):
            return None
        if compatible_counts(printed, n * seeds, scale):
            return seeds
    return None


def nearby_denominators(printed: Printed, n: int, scale: Fraction) -> Iterator[int]:
    """Yield denominators within a tenth of `n` of which the number is a percentage."""
    reach = min(50, max(2, n // 10))
    for distance in range(1, reach + 1):
        for other in (n - distance, n + distance):
            if other > 0 and compatible_counts(printed, other, scale):
                yield other
