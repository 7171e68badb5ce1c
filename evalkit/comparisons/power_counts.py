"""Power of rules on independent counts: two proportions, and a gate on n items."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalkit.comparisons.power import Power, binomial_window, check_design, net_wins_beyond
from evalkit.errors import ArgumentError
from evalkit.intervals._student import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GateRule", "gate_power", "power_two_proportions"]

GateRule = Literal["strict", "non-decreasing"]


def _wilson_arrays(
    k: NDArray[np.int64], n: int, z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p = k / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return np.where(k == 0, 0.0, centre - half), np.where(k == n, 1.0, centre + half)


def power_two_proportions(n: int, *, base_rate: float, effect: float, level: float = 0.95) -> Power:
    """Chance that Newcombe's interval separates two independent samples of 0/1 scores.

    Parameters
    ----------
    n : int
        Items of each sample.
    base_rate : float
        True rate of the base.
    effect : float
        True rate of the candidate less that of the base.
    level : float
        Nominal coverage.

    Returns
    -------
    Power
        Exact, by enumeration of both counts.

    Examples
    --------
    >>> round(power_two_proportions(100, base_rate=0.5, effect=0.2).power, 3)
    0.832
    """
    rate = base_rate + effect
    check_design(n, level, base_rate=base_rate, **{"base_rate + effect": rate})
    z = normal_quantile(level)
    k1, w1 = binomial_window(n, base_rate)
    k2, w2 = binomial_window(n, rate)
    l1, u1 = _wilson_arrays(k1, n, z)
    l2, u2 = _wilson_arrays(k2, n, z)
    p1, p2 = k1 / n, k2 / n
    d = p2[None, :] - p1[:, None]
    low = d > np.hypot((p2 - l2)[None, :], (u1 - p1)[:, None])
    high = -d > np.hypot((u2 - p2)[None, :], (p1 - l1)[:, None])
    return Power(
        n=n,
        effect=effect,
        power=min(1.0, float(w1 @ (low | high) @ w2)),
        decision="separated (Newcombe interval excludes 0)",
        level=level,
        assumptions=f"two independent samples of n, base rate {base_rate:g}; exact enumeration",
    )


def gate_power(
    n: int,
    *,
    parent_rate: float,
    candidate_rate: float,
    gate: GateRule = "strict",
    margin: float = 0.0,
    parent_score: float | None = None,
    discordance: float | None = None,
) -> Power:
    """Chance that a gate on n items accepts a candidate.

    Parameters
    ----------
    n : int
        Items of 0/1 scores that the gate sees.
    parent_rate, candidate_rate : float
        True rates.
    gate : {"strict", "non-decreasing"}
        Accept when the candidate's score exceeds the parent's by more than `margin`, or by at
        least `margin`.
    margin : float
        Required gain; negative for a dead band that tolerates a loss.
    parent_score : float, optional
        The parent's observed score, when it is known; otherwise it is random as well.
    discordance : float, optional
        Share of items on which candidate and parent differ. When it is given, both are scored on
        the same items; otherwise their counts are independent.

    Returns
    -------
    Power
        Exact; with equal rates it is the chance of a false acceptance.

    Raises
    ------
    ArgumentError
        If a rate is not possible, or `parent_score` is no multiple of 1/n.

    Notes
    -----
    Independent counts: ``Σ_x P(X = x) P(Y - x > margin n)`` over binomial X and Y; with
    `parent_score` the one term of it; with `discordance` the law of wins less losses, as in
    :func:`power_paired_binary`. The margin is compared as the exact decimal it is written as.

    Examples
    --------
    >>> round(gate_power(40, parent_rate=0.6, candidate_rate=0.6).power, 3)
    0.455
    >>> round(gate_power(40, parent_rate=0.6, candidate_rate=0.7, parent_score=0.6).power, 3)
    0.885
    """
    from scipy.special import bdtrc

    check_design(n, None, parent_rate=parent_rate, candidate_rate=candidate_rate)
    if gate not in get_args(GateRule):
        raise ArgumentError(f"`gate` is {gate!r}; use 'strict' or 'non-decreasing'")
    if parent_score is not None and discordance is not None:
        raise ArgumentError("`parent_score` and `discordance` exclude each other; give one")
    effect = candidate_rate - parent_rate
    needed = Fraction(str(margin)) * n
    limit = math.floor(needed) if gate == "strict" else math.ceil(needed) - 1
    if discordance is not None:
        check_design(n, None, discordance=discordance)
        if abs(effect) > discordance + 1e-12:
            raise ArgumentError(
                f"the rates differ by {effect:g} and `discordance` is {discordance:g}; "
                "an effect needs at least as many discordant items"
            )
        m, weights = binomial_window(n, discordance)
        share = min(1.0, max(0.0, (discordance + effect) / (2 * discordance or 1.0)))
        found = net_wins_beyond(m, np.full(m.size, float(limit)), share, sides=1)
        design = f"same items, {discordance:g} of them discordant"
    else:
        x, weights = _parent_counts(n, parent_rate, parent_score)
        passed = np.asarray(x + limit, dtype=float)  # the candidate must exceed this count
        found = np.where(
            passed < 0,
            1.0,
            np.where(passed >= n, 0.0, bdtrc(np.clip(passed, 0, n), n, candidate_rate)),
        )
        score = "random" if parent_score is None else f"{parent_score:g}"
        design = f"independent counts, parent's score {score}"
    return Power(
        n=n,
        effect=effect,
        power=min(1.0, float(weights @ found)),
        decision=f"accepted ({gate} gate, margin {margin:g})",
        level=None,
        assumptions=f"{design}, parent's rate {parent_rate:g}; exact enumeration",
    )


def _parent_counts(
    n: int, rate: float, score: float | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if score is None:
        return binomial_window(n, rate)
    count = round(score * n)
    if not 0 <= score <= 1 or abs(score * n - count) > 1e-6 * max(1, n):
        raise ArgumentError(
            f"`parent_score` is {score} and `n` {n}; a score of n items is a multiple of 1/n"
        )
    return np.array([count]), np.ones(1)
