"""Does the verdict follow the place an answer is shown in? Inconsistency and position bias."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.grading.rates import Rate, rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OrderEffects", "order_effects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderEffects:
    """What showing the answers the other way round does to the verdicts.

    Attributes
    ----------
    inconsistent : Rate
        Share of complete pairs whose two verdicts differ, a tie against a win included.
    position_bias : Rate
        Share of verdicts for the answer shown first. With both orders it is taken over the
        flipped pairs, whose two verdicts name the same place; with one order over all decisive
        verdicts, where it also holds what the answers differ in. 0.5 is no bias.
    consistent, flipped, tie_against_win : int or None
        Complete pairs by what became of the verdict.
    towards_first, towards_second : int
        Pairs behind `position_bias`, by the place that was preferred.
    """

    inconsistent: Rate
    position_bias: Rate
    consistent: int | None
    flipped: int | None
    tie_against_win: int | None
    towards_first: int
    towards_second: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "inconsistent": self.inconsistent.to_dict(),
            "position_bias": self.position_bias.to_dict(),
            "consistent": self.consistent,
            "flipped": self.flipped,
            "tie_against_win": self.tie_against_win,
            "towards_first": self.towards_first,
            "towards_second": self.towards_second,
        }


def _one_order(
    first: NDArray[np.float64], clusters: Sequence[str] | None, level: float
) -> OrderEffects:
    decisive = np.abs(first) == 1
    towards = np.where(decisive, first > 0, np.nan)
    return OrderEffects(
        inconsistent=Rate(
            name="inconsistent", value=None, interval=None, n=0, note="one order only"
        ),
        position_bias=rate(
            "position_bias",
            towards,
            clusters=clusters,
            level=level,
            note="share of decisive verdicts for the answer shown first; with one order it also "
            "holds what the answers differ in",
            empty="no decisive verdict",
        ),
        consistent=None,
        flipped=None,
        tie_against_win=None,
        towards_first=int((first > 0).sum()),
        towards_second=int((first < 0).sum()),
    )


def order_effects(
    first: NDArray[np.float64],
    second: NDArray[np.float64] | None,
    *,
    clusters: Sequence[str] | None = None,
    level: float = 0.95,
) -> OrderEffects:
    """Measure inconsistency and position bias.

    Parameters
    ----------
    first, second : ndarray of float
        Verdicts with A, and with B, shown first, both as 1 (A), 0 (tie), -1 (B), NaN (missing).
    clusters : sequence of str, optional
        Cluster of each pair.
    level : float
        Nominal coverage.

    Returns
    -------
    OrderEffects

    Examples
    --------
    >>> found = order_effects(np.array([1.0, 1.0, 0.0]), np.array([1.0, -1.0, 1.0]))
    >>> found.inconsistent.value == 2 / 3, found.flipped, found.position_bias.value
    (True, 1, 1.0)
    """
    if second is None:
        return _one_order(first, clusters, level)
    complete = ~np.isnan(first) & ~np.isnan(second)
    differ = complete & (first != second)
    flipped = complete & (first * second == -1)
    return OrderEffects(
        inconsistent=rate(
            "inconsistent",
            np.where(complete, differ, np.nan),
            clusters=clusters,
            level=level,
            note="share of pairs with two different verdicts, a tie against a win included",
        ),
        position_bias=rate(
            "position_bias",
            # A preferred when shown first, and B when B is: the first place won twice.
            np.where(flipped, first > 0, np.nan),
            clusters=clusters,
            level=level,
            note="share of flipped pairs whose verdict follows the first place",
            empty="no flipped pair",
        ),
        consistent=int((complete & ~differ).sum()),
        flipped=int(flipped.sum()),
        tie_against_win=int((differ & ~flipped).sum()),
        towards_first=int((flipped & (first > 0)).sum()),
        towards_second=int((flipped & (first < 0)).sum()),
    )
