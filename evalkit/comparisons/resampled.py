"""Bootstrap decisions on a difference: an interval off the exact law, and the p it inverts."""

from __future__ import annotations

from typing import Literal

from evalkit.bootstrap.choose import bootstrap_law
from evalkit.bootstrap.continuous import roughness
from evalkit.bootstrap.intervals import bootstrap_interval, law_interval
from evalkit.comparisons.decision import Decision, detectable, undefined
from evalkit.results import Interval
from evalkit.tally import Tally

__all__ = ["BootstrapMethod", "bootstrap_decision"]

BootstrapMethod = Literal["percentile", "bc", "bca"]
_SMALLEST = 1e-12  # levels closer to 1 than this are below the accuracy of the law


def _excludes_zero(interval: Interval | None) -> bool:
    return interval is not None and (interval.low > 0 or interval.high < 0)


def bootstrap_decision(
    differences: Tally, *, method: BootstrapMethod, level: float = 0.95
) -> Decision:
    """Decide on a mean difference by a bootstrap interval.

    Parameters
    ----------
    differences : Tally
        Candidate minus base, pair by pair; whole clusters are resampled when it has some.
    method : {"percentile", "bc", "bca"}
        Limits that are read off the exact bootstrap law.
    level : float
        Nominal coverage.

    Returns
    -------
    Decision
        Its p-value is ``1 - L`` for the largest level L at which the interval excludes 0, found by
        bisection; undefined where the law is a point.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> d = tally_values([1] * 48 + [-1] * 30 + [0] * 122)
    >>> found = bootstrap_decision(d, method="percentile")
    >>> round(found.interval.low, 3), round(found.interval.high, 3), round(found.p_value, 3)
    (0.005, 0.175, 0.045)
    """
    with roughness() as remarks:
        found = bootstrap_interval(differences, method=method, level=level)
        law = bootstrap_law(differences) if found.interval is not None else None
    if law is None or found.interval is None or found.se is None:
        return undefined(found.note or "the bootstrap law is a point")
    exact = law

    def excludes(tail: float) -> bool:
        at = law_interval(exact, n=differences.n, method=method, level=1 - tail)
        return _excludes_zero(at.interval)

    low, high = _SMALLEST, 1 - 1e-9
    if not excludes(high):
        low = high = 1.0
    elif excludes(low):
        high = low
    while high - low > 1e-9 * high:
        middle = (low * high) ** 0.5 if high > 4 * low else (low + high) / 2
        low, high = (low, middle) if excludes(middle) else (middle, high)
    return Decision(
        interval=found.interval,
        p_value=high,
        test=f"{found.interval.method}, inverted",
        mde=detectable(found.se, float("inf"), level=level),
        notes=(*([] if found.note is None else [found.note]), *dict.fromkeys(remarks)),
    )
