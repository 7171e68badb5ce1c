"""What a set of pairs can separate: power and smallest gain between two graders on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.comparisons.power import Power, power_mean, power_paired_binary, smallest_effect
from evalkit.errors import ArgumentError

__all__ = ["SetPower", "set_power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPower:
    """Power of a set of pairs for the difference of two graders' agreement.

    Attributes
    ----------
    at_gain : Power or None
        Power at the gain that was asked for.
    smallest : Power or None
        Smallest gain with a power of `target`.
    target : float
        Power wanted of the smallest gain.
    note : str or None
        Why one is undefined.
    """

    at_gain: Power | None
    smallest: Power | None
    target: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "at_gain": None if self.at_gain is None else self.at_gain.to_dict(),
            "smallest_gain": None if self.smallest is None else self.smallest.to_dict(),
            "target": self.target,
            "note": self.note,
        }


def _power(
    sizes: Sequence[int], *, effect: float, discordance: float, icc: float, level: float
) -> Power:
    n, largest = sum(sizes), max(sizes)
    if largest == 1:
        return power_paired_binary(n, effect=effect, discordance=discordance, level=level)
    weighted = math.ceil(sum(m * m for m in sizes) / n)
    sd = math.sqrt(max(discordance - effect**2, 1e-6))
    return power_mean(n, effect=effect, sd=sd, icc=icc, cluster_size=weighted, level=level)


def set_power(
    sizes: Sequence[int],
    *,
    gain: float = 0.1,
    discordance: float = 0.3,
    icc: float = 0.2,
    target: float = 0.8,
    level: float = 0.95,
) -> SetPower:
    """Power of pairs in clusters for a gain in agreement, two graders on the same pairs.

    Parameters
    ----------
    sizes : sequence of int
        Pairs of each cluster.
    gain : float
        True difference of the agreements.
    discordance : float
        Share of pairs on which the graders differ. It is an assumption: 0.3 fits two graders that
        agree on seven pairs of ten.
    icc : float
        Correlation of the differences within a cluster; not used where all clusters have one pair.
    target : float
        Power of the smallest gain.
    level : float
        Nominal coverage of the interval that decides.

    Returns
    -------
    SetPower

    Raises
    ------
    ArgumentError
        If the gain is above the discordance, or a rate is not within 0..1.

    Notes
    -----
    Independent pairs are enumerated exactly (:func:`evalkit.comparisons.power_paired_binary`); for
    clusters the mean of paired differences takes the t law with variance ``discordance - gain²``
    and clusters of the size ``Σm² / Σm``, rounded up.

    Examples
    --------
    >>> found = set_power([1] * 78, gain=0.071, discordance=0.3)
    >>> round(found.at_gain.power, 2), round(found.smallest.effect, 2)
    (0.19, 0.17)
    """
    if not 0 <= gain <= discordance <= 1:
        raise ArgumentError(
            f"`gain` is {gain:g} and `discordance` {discordance:g}; 0 <= gain <= discordance <= 1"
        )
    if not sizes:
        return SetPower(at_gain=None, smallest=None, target=target, note="no pairs")
    try:
        at_gain = _power(sizes, effect=gain, discordance=discordance, icc=icc, level=level)
    except ArgumentError as cause:
        if not 0 <= icc <= 1 or not 0 < level < 1:
            raise
        return SetPower(at_gain=None, smallest=None, target=target, note=str(cause))
    try:
        smallest = smallest_effect(
            lambda d: _power(sizes, effect=d, discordance=discordance, icc=icc, level=level),
            largest=discordance,
            target=target,
        )
    except ArgumentError as cause:
        return SetPower(at_gain=at_gain, smallest=None, target=target, note=str(cause))
    return SetPower(at_gain=at_gain, smallest=smallest, target=target)
