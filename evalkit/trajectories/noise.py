"""How often a new best is noise, and what a selected score loses when run again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError

__all__ = ["SelectionTax", "aa_new_best", "false_new_best", "selection_tax"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionTax:
    """A validation best against a fresh evaluation of the same artifact.

    Attributes
    ----------
    tax : float
        ``best - again``: positive when the selected score was too good.
    best, again : float
        Share of successes at selection, and at the re-evaluation.
    best_successes, best_n, again_successes, again_n : int
        The counts.
    """

    tax: float
    best: float
    again: float
    best_successes: int
    best_n: int
    again_successes: int
    again_n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "tax": self.tax,
            "best": self.best,
            "again": self.again,
            "best_successes": self.best_successes,
            "best_n": self.best_n,
            "again_successes": self.again_successes,
            "again_n": self.again_n,
        }


def false_new_best(
    n: int, baseline_successes: int, *, rounds: int = 1, rate: float | None = None
) -> float:
    """Return the chance that candidates no better than their parent set a new best.

    Parameters
    ----------
    n : int
        Validation items, at least 1.
    baseline_successes : int
        Observed successes of the parent, out of `n`.
    rounds : int
        Independent evaluations, one candidate each.
    rate : float, optional
        True success rate of every candidate; by default the parent's observed share.

    Returns
    -------
    float
        Probability that at least one of `rounds` evaluations scores strictly above the
        parent's observed count.

    Raises
    ------
    ArgumentError
        If a count or the rate is out of range.

    Notes
    -----
    ``1 - P(X <= b)**rounds`` with X binomial(n, rate), exact. Items succeed independently with
    one rate and rounds are independent of each other; items of unequal difficulty make X less
    spread, evaluations that share noise make rounds dependent. The parent's count is held fixed:
    `aa_new_best` lets it vary as well. A parent at ``n`` successes cannot be beaten: 0.

    Examples
    --------
    >>> false_new_best(1, 0, rate=0.5)
    0.5
    >>> round(false_new_best(39, 16, rounds=10), 3)
    0.996
    """
    _check_counts(baseline_successes, n, name="baseline_successes")
    _check_rounds(rounds)
    p = baseline_successes / n if rate is None else _check_rate(rate)
    from scipy.special import bdtrc

    above = float(bdtrc(baseline_successes, n, p))
    return _at_least_once(above, rounds)


def aa_new_best(n: int, rate: float, *, rounds: int = 1) -> float:
    """Return the chance of a new best when nothing ever changes.

    Parameters
    ----------
    n : int
        Validation items, at least 1.
    rate : float
        Success rate of the parent and of every candidate.
    rounds : int
        Independent evaluations after the parent's.

    Returns
    -------
    float
        Probability that at least one of `rounds` evaluations scores strictly above the
        parent's, all with the same rate.

    Raises
    ------
    ArgumentError
        If a count or the rate is out of range.

    Notes
    -----
    ``sum_b P(B = b) (1 - P(X <= b)**rounds)`` over all parent counts b, exact. Items and rounds
    are independent, as in `false_new_best`. It is below ``rounds / (rounds + 1)``, the value
    without ties, and approaches it as n grows.

    Examples
    --------
    >>> round(aa_new_best(1, 0.5), 12)
    0.25
    """
    _check_counts(0, n, name="n")
    _check_rounds(rounds)
    p = _check_rate(rate)
    import numpy as np
    from scipy.stats import binom

    counts = np.arange(n + 1)
    above = binom.sf(counts, n, p)
    chances = [_at_least_once(float(value), rounds) for value in above]
    return math.fsum(np.asarray(binom.pmf(counts, n, p)) * np.asarray(chances))


def selection_tax(
    best_successes: int, best_n: int, again_successes: int, again_n: int
) -> SelectionTax:
    """Return what a validation best loses when it is evaluated again.

    Parameters
    ----------
    best_successes, best_n : int
        Successes and items of the evaluation that made the artifact the best.
    again_successes, again_n : int
        The same of a fresh evaluation of that artifact, on items from the same population.

    Returns
    -------
    SelectionTax

    Raises
    ------
    ArgumentError
        If a count is out of range.

    Notes
    -----
    A difference of two observed shares. The maximum of several noisy scores is biased upwards,
    so the tax is positive on average even when every candidate is equally good; a single tax
    carries the noise of both evaluations.

    Examples
    --------
    >>> selection_tax(32, 40, 30, 40).tax
    0.05
    """
    from fractions import Fraction

    _check_counts(best_successes, best_n, name="best_successes")
    _check_counts(again_successes, again_n, name="again_successes")
    best, again = Fraction(best_successes, best_n), Fraction(again_successes, again_n)
    return SelectionTax(
        tax=float(best - again),
        best=float(best),
        again=float(again),
        best_successes=best_successes,
        best_n=best_n,
        again_successes=again_successes,
        again_n=again_n,
    )


def _at_least_once(chance: float, rounds: int) -> float:
    # 1 - (1 - chance)**rounds, without losing a small chance to cancellation.
    return 1.0 if chance >= 1 else -math.expm1(rounds * math.log1p(-chance))


def _check_counts(successes: int, n: int, *, name: str) -> None:
    if n < 1:
        raise ArgumentError(f"the number of items is {n}; it must be at least 1")
    if not 0 <= successes <= n:
        raise ArgumentError(f"`{name}` is {successes}; it must lie between 0 and {n}, the items")


def _check_rounds(rounds: int) -> None:
    if rounds < 1:
        raise ArgumentError(f"`rounds` is {rounds}; it must be at least 1")


def _check_rate(rate: float) -> float:
    if not 0 <= rate <= 1:
        raise ArgumentError(f"`rate` is {rate}; it must lie between 0 and 1")
    return float(rate)
