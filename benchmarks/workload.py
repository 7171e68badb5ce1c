"""What a workload is: methods that do the same work, the goals, and the check of the numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import Method

__all__ = [
    "Check",
    "Floats",
    "Goal",
    "Workload",
    "check_bca",
    "check_percentile",
    "check_same",
    "rotating",
]

Floats = NDArray[np.float64]
Pair = tuple[float, float]
_SIGMAS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A ratio that one method is to reach over another."""

    method: str
    over: str
    at_least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One comparison of numbers: what was compared, by how much it differs, what is allowed."""

    what: str
    difference: float
    allowed: float

    @property
    def passed(self) -> bool:
        """Whether the numbers agree."""
        return bool(self.difference <= self.allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One piece of work.

    Attributes
    ----------
    key, title : str
        ``"W1"`` and one line.
    reference : str
        Name of the method that has ratio 1.
    methods : sequence of Method
        Ways to do it.
    goals : sequence of Goal
        Ratios to reach.
    checks : callable
        Compares the numbers; run before anything is timed.
    """

    key: str
    title: str
    reference: str
    methods: Sequence[Method]
    goals: Sequence[Goal]
    checks: Callable[[], list[Check]]


def rotating(arrays: Sequence[Any], work: Callable[..., Any]) -> Callable[[int], Any]:
    """Work on the next array at each call; pairs of arrays are passed as two."""
    number = len(arrays)
    if isinstance(arrays[0], tuple):
        return lambda k: work(*arrays[k % number])
    return lambda k: work(arrays[k % number])


def check_same(what: str, found: float, expected: float, *, allowed: float = 1e-12) -> Check:
    """Compare two numbers that are to be equal."""
    return Check(what=what, difference=abs(found - expected), allowed=allowed)


def check_percentile(
    what: str, found: Pair, resamples: Floats, *, level: float = 0.95, slack: float = 1e-9
) -> list[Check]:
    """Compare exact percentile limits with a sample of resampled statistics.

    A limit x at level a has ``P(T* < x) < a <= P(T* <= x)``; the two shares of the sample may
    miss that by five binomial standard deviations. This holds on lattices too.
    """
    tail = (1 - level) / 2
    checks = []
    for side, limit, a in zip(("low", "high"), found, (tail, 1 - tail), strict=True):
        below = float(np.mean(resamples < limit - slack))
        upto = float(np.mean(resamples <= limit + slack))
        checks.append(
            Check(
                what=f"{what}, {side} limit against {resamples.size} resamples (probability)",
                difference=max(below - a, a - upto, 0.0),
                allowed=_SIGMAS * (a * (1 - a) / resamples.size) ** 0.5,
            )
        )
    return checks


def check_bca(
    what: str, found: Pair, expected: Pair, *, se: float, resamples: int, step: float = 0.0
) -> list[Check]:
    """Compare exact BCa limits with resampled ones.

    At B resamples the bias correction has standard deviation ``1.25 / sqrt(B)``, which moves a
    limit by twice that, and the quantile ``2.7 / sqrt(B)``, in standard errors: 3.7 together.
    On a lattice a limit may move by one more step.
    """
    allowed = _SIGMAS * 3.7 / resamples**0.5 * se + step
    return [
        Check(
            what=f"{what}, {side} BCa limit against {resamples} resamples",
            difference=abs(a - b),
            allowed=allowed,
        )
        for side, a, b in zip(("low", "high"), found, expected, strict=True)
    ]
