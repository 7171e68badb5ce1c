"""Tests of paired differences by their signs: exact McNemar, sign test, sign-flip permutation."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalkit.bootstrap.counting import count_few
from evalkit.bootstrap.engines import Engine, check_engine
from evalkit.comparisons.sign_flip_law import continuous_tail, lattice_tail
from evalkit.errors import ArgumentError
from evalkit.results import SignificanceTest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["mcnemar_chi2", "mcnemar_exact", "mcnemar_mid_p", "sign_flip"]

_ENUMERATE_LIMIT = 20  # units up to which 2^units sign patterns are listed
_VALUES_LIMIT = 2000  # distinct magnitudes up to which a lattice is looked for
_SPREAD_LIMIT = 2e5  # standard deviation, in lattice steps, up to which a lattice is inverted
_RESAMPLES = 99_999
_CHUNK = 4_000_000
Law = Literal["auto", "monte-carlo"]
_LAWS = ("auto", "monte-carlo")


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


def mcnemar_chi2(wins: int, losses: int, *, correction: bool = False) -> float:
    """Chi-square McNemar test, for comparison with tools that print it.

    Parameters
    ----------
    wins, losses : int
        Discordant pairs.
    correction : bool
        Subtract 1 from the absolute difference (Edwards 1948).

    Examples
    --------
    >>> [round(mcnemar_chi2(48, 30, correction=c), 4) for c in (False, True)]
    [0.0415, 0.0542]
    """
    from scipy.special import chdtrc

    _check_counts(wins, losses)
    if wins + losses == 0:
        return 1.0
    distance = max(abs(wins - losses) - (1 if correction else 0), 0)
    return float(chdtrc(1, distance * distance / (wins + losses)))


def _lattice(magnitudes: Sequence[float]) -> list[int] | None:
    """Write distinct magnitudes as whole multiples of one step, if a coarse one exists."""
    fractions = [Fraction(m).limit_denominator(1000) for m in magnitudes]
    step = math.lcm(*(f.denominator for f in fractions))
    if step > 10**6:
        return None
    integers = [f.numerator * (step // f.denominator) for f in fractions]
    for value, whole in zip(magnitudes, integers, strict=True):
        if abs(value * step - whole) > 1e-6 + 1e-9 * whole:
            return None
    divisor = math.gcd(*integers) or 1
    return [whole // divisor for whole in integers]


def _distinct(moved: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Distinct values and their counts; ``None`` if there are too many for a lattice."""
    found = count_few(moved)
    if found is not None:
        return found
    values, counts = np.unique(moved, return_counts=True)
    return None if values.size > _VALUES_LIMIT else (values, counts.astype(float))


def _exact(moved: NDArray[np.float64]) -> float | None:
    """Two-sided tail on a lattice; ``None`` when there is none, or it is too fine."""
    found = _distinct(moved)
    if found is None:
        return None
    signed: dict[float, list[int]] = {}
    for value, count in zip(found[0].tolist(), found[1].tolist(), strict=True):
        signed.setdefault(abs(value), [0, 0])[value > 0] += int(count)
    magnitudes = sorted(signed)
    steps = _lattice(magnitudes)
    if steps is None:
        return None
    pairs = [signed[m] for m in magnitudes]
    counts = [down + up for down, up in pairs]
    if math.sqrt(sum(c * k * k for c, k in zip(counts, steps, strict=True))) > _SPREAD_LIMIT:
        return None
    observed = abs(sum(k * (up - down) for k, (down, up) in zip(steps, pairs, strict=True)))
    total = sum(c * k for c, k in zip(counts, steps, strict=True))
    if observed == 0:
        return 1.0
    return 2 * lattice_tail(np.array(steps), np.array(counts), (total + observed) // 2)


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


def _compiled_p(units: NDArray[np.float64]) -> float | None:
    """Two-sided p-value by the compiled law; `None` where the general path must decide."""
    from evalkit.comparisons.sign_flip_kernel import sign_flip_exact

    p = float(sign_flip_exact(units))
    return max(p, sys.float_info.min) if p >= 0.0 else None


def sign_flip(
    differences: ArrayLike,
    *,
    law: Law = "auto",
    rng: np.random.Generator | int = 0,
    resamples: int = _RESAMPLES,
    unit: str = "item",
    engine: Engine = "numpy",
) -> SignificanceTest:
    """Sign-flip permutation test of a mean paired difference of 0.

    Parameters
    ----------
    differences : array_like, shape (units,)
        Difference of each independent unit: an item, or the sum over a cluster.
    law : {"auto", "monte-carlo"}
        By default the permutation law is computed; ``"monte-carlo"`` samples it.
    rng : Generator or int
        Seed, used only where the law is sampled.
    resamples : int
        Random sign patterns, where the law is sampled.
    unit : str
        What a unit is, for the name of the test.
    engine : {"numpy", "numba"}
        What computes the law of differences on a lattice: the p-values agree to ten digits.

    Returns
    -------
    SignificanceTest
        Two-sided; its name says how the law was computed.

    Raises
    ------
    ArgumentError
        If a difference is not finite, or a setting is not allowed.

    Notes
    -----
    Under the null hypothesis that each unit's difference is symmetric about 0, all sign patterns
    are equally likely. Differences on a lattice (0/1 scores, half credits, means of attempts) have
    an exact law (:mod:`evalkit.comparisons.sign_flip_law`), far tails included. Up to 20 irregular
    units are enumerated; more are inverted as a smooth law. A sampled law gives
    ``p = (hits + 1) / (resamples + 1)`` (Phipson and Smyth 2010), and is enumerated instead when
    there are no more patterns than resamples. No p-value is ever 0.

    Examples
    --------
    >>> sign_flip([1, 1, 1, 1, 1, 1]).p_value
    0.03125
    >>> sign_flip([1, 1, 1, 1, 1, 1], law="monte-carlo", resamples=9).p_value >= 0.1
    True
    """
    units = np.asarray(differences, dtype=float).ravel()
    if resamples < 1 or law not in _LAWS:
        raise ArgumentError(
            f"`law` is {law!r} and `resamples` {resamples}; the law is 'auto' or 'monte-carlo', "
            "with at least one resample"
        )
    check_engine(engine)
    name = f"{unit} sign-flip permutation"
    if engine == "numba" and law == "auto":
        compiled = _compiled_p(units)
        if compiled is not None:
            return SignificanceTest(name=f"{name} (exact)", p_value=compiled)
    if not np.isfinite(units).all():
        raise ArgumentError("`differences` holds NaN or an infinity; leave out unscored units")
    if units.size == 0:
        return SignificanceTest(name=name, p_value=None, note="no pairs")
    moved = units[units != 0]
    if moved.size == 0:
        return SignificanceTest(name=name, p_value=1.0, note="every difference is 0")
    how, p = _permutation_p(moved, law, rng, resamples)
    return SignificanceTest(name=f"{name} ({how})", p_value=min(1.0, max(p, sys.float_info.min)))


def _permutation_p(
    moved: NDArray[np.float64], law: Law, rng: np.random.Generator | int, resamples: int
) -> tuple[str, float]:
    """How the law was computed, and the two-sided p-value."""
    if law == "monte-carlo":
        if moved.size <= _ENUMERATE_LIMIT and 2**moved.size <= resamples:
            return "enumerated", _enumerated(moved)
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        return f"Monte Carlo, {resamples} resamples", _monte_carlo(moved, generator, resamples)
    exact = _exact(moved)
    if exact is not None:
        return "exact", exact
    if moved.size <= _ENUMERATE_LIMIT:
        return "enumerated", _enumerated(moved)
    return "inverted", 2 * continuous_tail(np.abs(moved), abs(float(moved.sum())))
