"""Tests of paired differences by their signs: exact McNemar, sign test, sign-flip permutation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.results import SignificanceTest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["mcnemar_exact", "mcnemar_mid_p", "sign_flip"]

_LATTICE_LIMIT = 20_000  # steps of the lattice up to which the sum is convolved exactly
_ENUMERATE_LIMIT = 20  # units up to which 2^units sign patterns are listed
_RESAMPLES = 99_999
_CHUNK = 4_000_000


def _check_counts(wins: int, losses: int) -> None:
    if wins < 0 or losses < 0:
        raise ArgumentError(f"discordant counts are {wins} and {losses}; they cannot be negative")


def mcnemar_exact(wins: int, losses: int) -> float:
    """Exact two-sided McNemar test, which is the sign test of the discordant pairs.

    Parameters
    ----------
    wins, losses : int
        Pairs in which the candidate did better, and worse.

    Returns
    -------
    float
        ``min(1, 2 P(X <= min(wins, losses)))`` with ``X ~ Binomial(wins + losses, 1/2)``;
        1 without discordant pairs.

    Examples
    --------
    >>> mcnemar_exact(6, 0), mcnemar_exact(0, 0)
    (0.03125, 1.0)
    """
    from scipy.special import bdtr

    _check_counts(wins, losses)
    n = wins + losses
    return min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5))) if n else 1.0


def mcnemar_mid_p(wins: int, losses: int) -> float:
    """Two-sided McNemar test with mid-p tails, ``2 (P(X < k) + P(X = k) / 2)``.

    Notes
    -----
    ``k = min(wins, losses)``; 1 when the counts are equal.
    Fagerland, Lydersen and Laake (2013) recommend it for independent pairs.

    Examples
    --------
    >>> mcnemar_mid_p(6, 0)
    0.015625
    """
    from scipy.special import bdtr

    _check_counts(wins, losses)
    n, k = wins + losses, min(wins, losses)
    if wins == losses:
        return 1.0
    below = float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return below + float(bdtr(k, n, 0.5))


def _lattice(magnitudes: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Write the magnitudes as whole multiples of one step, if a coarse one exists."""
    fractions = [Fraction(float(m)).limit_denominator(1000) for m in np.unique(magnitudes)]
    step = math.lcm(*(f.denominator for f in fractions))
    scaled = magnitudes * step
    whole = np.rint(scaled)
    if step > 10**6 or not np.allclose(scaled, whole, rtol=0, atol=1e-6 * max(1.0, step / 1000)):
        return None
    integers = whole.astype(np.int64)
    integers //= max(1, int(np.gcd.reduce(integers)))
    return integers if int(integers.sum()) <= _LATTICE_LIMIT else None


def _convolved(steps: NDArray[np.int64], observed: int) -> float:
    """Two-sided tail of ``Σ ±step`` by convolution; every term is positive, so none cancels."""
    law = np.ones(1)
    for step in steps:
        wider = np.zeros(law.size + 2 * int(step))
        wider[: law.size] += law / 2
        wider[2 * int(step) :] += law / 2
        law = wider
    total = int(steps.sum())
    support = np.arange(-total, total + 1)
    return float(law[np.abs(support) >= abs(observed)].sum())


def _enumerated(units: NDArray[np.float64]) -> float:
    sums = np.zeros(1)
    for value in units:
        sums = np.concatenate([sums + value, sums - value])
    threshold = abs(float(units.sum()))
    slack = 1e-9 * float(np.abs(units).sum())
    return float(np.mean(np.abs(sums) >= threshold - slack))


def _monte_carlo(units: NDArray[np.float64], rng: np.random.Generator, resamples: int) -> float:
    threshold = abs(float(units.sum()))
    slack = 1e-9 * float(np.abs(units).sum())
    hits, left = 0, resamples
    rows = max(1, _CHUNK // units.size)
    while left:
        size = min(rows, left)
        signs = rng.integers(0, 2, size=(size, units.size), dtype=np.int8) * 2 - 1
        hits += int(np.count_nonzero(np.abs(signs @ units) >= threshold - slack))
        left -= size
    return (hits + 1) / (resamples + 1)


def sign_flip(
    differences: ArrayLike,
    *,
    rng: np.random.Generator | int = 0,
    resamples: int = _RESAMPLES,
    unit: str = "item",
) -> SignificanceTest:
    """Sign-flip permutation test of a mean paired difference of 0.

    Parameters
    ----------
    differences : array_like, shape (units,)
        Difference of each independent unit: an item, or the sum over a cluster.
    rng : Generator or int
        Seed, used only where the law is sampled.
    resamples : int
        Random sign patterns, where the law is sampled.
    unit : str
        What a unit is, for the name of the test.

    Returns
    -------
    SignificanceTest
        Two-sided; its name says whether the law was convolved, enumerated or sampled.

    Notes
    -----
    Under the null hypothesis that each unit's difference is symmetric about 0, all sign patterns
    are equally likely. Differences on a lattice are convolved exactly; up to 20 units are
    enumerated; otherwise ``p = (hits + 1) / (resamples + 1)`` (Phipson and Smyth 2010), which is
    never 0.

    Examples
    --------
    >>> sign_flip([1, 1, 1, 1, 1, 1]).p_value
    0.03125
    """
    units = np.asarray(differences, dtype=float).ravel()
    if not np.isfinite(units).all():
        raise ArgumentError("`differences` holds NaN or an infinity; leave out unscored units")
    name = f"{unit} sign-flip permutation"
    if units.size == 0:
        return SignificanceTest(name=name, p_value=None, note="no pairs")
    moved = units[units != 0]
    if moved.size == 0:
        return SignificanceTest(name=name, p_value=1.0, note="every difference is 0")
    steps = _lattice(np.abs(moved))
    if steps is not None:
        observed = int((np.sign(moved).astype(np.int64) * steps).sum())
        return SignificanceTest(
            name=f"{name} (exact)", p_value=min(1.0, _convolved(steps, observed))
        )
    if moved.size <= _ENUMERATE_LIMIT:
        return SignificanceTest(name=f"{name} (enumerated)", p_value=_enumerated(moved))
    generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    return SignificanceTest(
        name=f"{name} (Monte Carlo, {resamples} resamples)",
        p_value=_monte_carlo(moved, generator, resamples),
    )
