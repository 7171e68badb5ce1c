"""Exact laws of one gate decision: joint counts of two 0/1 evaluations of the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from evalkit.comparisons.power import binomial_window
from evalkit.errors import ArgumentError
from evalkit.trajectories.gates import Gate
from evalkit.trajectories.paired_gates import PairedGate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PairedCells",
    "acceptance",
    "cells_from_correlation",
    "cells_from_discordance",
    "count_decisions",
    "pair_decisions",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCells:
    """Chances of the four outcomes of an item under incumbent and candidate.

    Attributes
    ----------
    both, win, loss, neither : float
        Both succeed, only the candidate, only the incumbent, neither.
    """

    both: float
    win: float
    loss: float
    neither: float

    @property
    def discordance(self) -> float:
        """Chance that the two differ."""
        return self.win + self.loss


def cells_from_discordance(base: float, effect: float, discordance: float) -> PairedCells:
    """Return the cells of a base rate, an effect and a discordance."""
    win, loss = (discordance + effect) / 2, (discordance - effect) / 2
    cells = PairedCells(both=base - loss, win=win, loss=loss, neither=1 - base - win)
    values = (cells.both, cells.win, cells.loss, cells.neither)
    if min(values) < -1e-12:
        raise ArgumentError(
            f"`base` {base:g} and an effect of {effect:+g} do not go with `discordance` "
            f"{discordance:g}; it must lie in {abs(effect):g}.."
            f"{min(2 * base + effect, 2 - 2 * base - effect):g}"
        )
    return PairedCells(**dict(zip(("both", "win", "loss", "neither"), map(_clip, values))))  # noqa: B905


def cells_from_correlation(base: float, effect: float, correlation: float) -> PairedCells:
    """Return the cells of a base rate, an effect and a correlation of the two outcomes."""
    rate = base + effect
    if not -1e-12 <= rate <= 1 + 1e-12:
        raise ArgumentError(f"`base` {base:g} and an effect of {effect:+g} leave 0..1")
    rate = _clip(rate)
    spread = math.sqrt(base * (1 - base) * rate * (1 - rate))
    both = base * rate + correlation * spread
    if both > min(base, rate) + 1e-12:
        largest = (min(base, rate) - base * rate) / spread if spread else 0.0
        raise ArgumentError(
            f"`correlation` is {correlation:g}; rates of {base:g} and {rate:g} allow "
            f"at most {largest:.3f}"
        )
    return cells_from_discordance(base, rate - base, base + rate - 2 * both)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _binomials(counts: NDArray[np.int64], n: int, p: float) -> NDArray[np.float64]:
    from scipy.special import gammaln, xlog1py, xlogy

    logs = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    found: NDArray[np.float64] = np.exp(logs + xlogy(counts, p) + xlog1py(n - counts, -p))
    return found


def acceptance(gate: Gate, n: int, cells: PairedCells) -> float:
    """Chance that a gate accepts, by enumeration.

    Parameters
    ----------
    gate : Gate
        A paired gate is asked for every pair of wins and losses, any other one for every pair of
        scores; the incumbent is also the best so far.
    n : int
        Items.
    cells : PairedCells
        Chances of an item's four outcomes.

    Returns
    -------
    float

    Notes
    -----
    Wins, losses and the rest are multinomial. Counts whose chance is below 1e-16 or so are left
    out, by Bernstein's inequality. No gate is taken to be monotone.
    """
    if isinstance(gate, PairedGate):
        return _paired_acceptance(gate, n, cells)
    base, rate = cells.both + cells.loss, cells.both + cells.win
    held, weights = binomial_window(n, _clip(base))
    shown, _ = binomial_window(n, _clip(rate))
    again = _clip(cells.both / base) if base else 0.0
    gained = _clip(cells.win / (1 - base)) if base < 1 else 0.0
    total = 0.0
    for x, weight in zip(held.tolist(), weights.tolist(), strict=True):
        kept = _binomials(np.arange(x + 1), x, again)
        added = _binomials(np.arange(n - x + 1), n - x, gained)
        law = np.convolve(kept, added)[shown]
        incumbent = Fraction(x, n)
        total += weight * sum(
            chance
            for y, chance in zip(shown.tolist(), law.tolist(), strict=True)
            if chance * weight > 1e-18 and gate(Fraction(y, n), incumbent, incumbent)
        )
    return min(1.0, total)


def _paired_acceptance(gate: PairedGate, n: int, cells: PairedCells) -> float:
    total = 0.0
    discordant, weights = binomial_window(n, _clip(cells.discordance))
    share = _clip(cells.win / cells.discordance) if cells.discordance else 0.0
    for m, weight in zip(discordant.tolist(), weights.tolist(), strict=True):
        law = _binomials(np.arange(m + 1), m, share)
        total += weight * sum(
            chance
            for wins, chance in enumerate(law.tolist())
            if chance * weight > 1e-18 and gate.accepts(wins, m - wins, n)
        )
    return min(1.0, total)


def count_decisions(gate: Gate, n: int, *, settled: int, open_items: int) -> NDArray[np.float64]:
    """Decision of a score gate for every (reference, candidate) count of the open items."""
    scores = [Fraction(settled + k, n) for k in range(open_items + 1)]
    return np.array([[float(gate(new, old, old)) for new in scores] for old in scores])


def pair_decisions(gate: PairedGate, n: int, *, open_items: int) -> NDArray[np.float64]:
    """Chance that a paired gate accepts, for every (reference, candidate) count of open items.

    Given both counts, which open items succeed is random: the items where both do are
    hypergeometric, and settled items are never discordant.
    """
    size = open_items + 1
    accepts = np.array(
        [
            [
                wins + losses <= open_items and gate.accepts(wins, losses, n)
                for losses in range(size)
            ]
            for wins in range(size)
        ],
        dtype=float,
    )
    from scipy.special import gammaln

    table = gammaln(np.arange(size) + 1.0)
    chosen = table[-1] - table - table[::-1]  # log of open_items over k
    out = np.zeros((size, size))
    for both in range(size):
        old, new = np.arange(both, size)[:, None], np.arange(both, size)[None, :]
        left = open_items - old - new + both  # items where neither succeeds
        logs = table[old] - table[both] - table[old - both] + table[open_items - old]
        logs = logs - table[new - both] - table[np.maximum(left, 0)] - chosen[new]
        law = np.where(left >= 0, np.exp(np.where(left >= 0, logs, 0.0)), 0.0)
        out[both:, both:] += law * accepts[: size - both, : size - both].T
    return np.minimum(out, 1.0)
