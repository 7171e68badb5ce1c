"""What driving capacity is reported as: one result a grader, one line a family."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evalkit.results import Interval, json_value

__all__ = ["Centring", "DrivingCapacity", "FamilyAccuracy", "centred"]

Centring = Literal["half", "double"]
"""``accuracy - 1/2`` or ``2 accuracy - 1``."""


def centred(rate: Fraction | float, centring: Centring) -> float:
    """Accuracy less chance, on either scale; a fraction is centred exactly.

    Examples
    --------
    >>> centred(Fraction(11, 12), "half") == 5 / 12, centred(0.25, "double")
    (True, -0.5)
    """
    return float(rate - Fraction(1, 2) if isinstance(rate, Fraction) else rate - 0.5) * (
        1 if centring == "half" else 2
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyAccuracy:
    """A grader on one family.

    Attributes
    ----------
    family : str
        The degradation.
    accuracy : float or None
        Share of successes among the scored contrasts.
    centred : float or None
        The same less chance.
    interval : Interval or None
        Interval of `centred` for this family by itself.
    joint_high : float or None
        Upper bound of `centred` that holds for all families at once.
    n, successes, ties, inversions, nulls : int
        Scored contrasts, split by outcome, and those without a score.
    clusters : int or None
        Clusters among the scored contrasts.
    """

    family: str
    accuracy: float | None
    centred: float | None
    interval: Interval | None
    joint_high: float | None
    n: int
    successes: int
    ties: int
    inversions: int
    nulls: int
    clusters: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "family": self.family,
            "accuracy": json_value(self.accuracy),
            "centred": json_value(self.centred),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "joint_high": json_value(self.joint_high),
            "method": None if bounds is None else bounds.method,
            "n": self.n,
            "successes": self.successes,
            "ties": self.ties,
            "inversions": self.inversions,
            "nulls": self.nulls,
            "clusters": self.clusters,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivingCapacity:
    """Driving capacity of one grader.

    Attributes
    ----------
    grader : str
        Its name.
    capacity : float or None
        Smallest centred accuracy of its families; ``None`` if one has no scored contrast.
    interval : Interval or None
        Interval of the smallest centred accuracy, whichever family has it.
    worst_family : str or None
        Family with the smallest accuracy; with several, the first by name, and `note` has all.
    families : tuple of FamilyAccuracy
        Worst first; those without a scored contrast before all.
    capacity_if_nulls_fail, capacity_if_nulls_pass : float or None
        The capacity with every missing score a failure, and a success.
    margin : float
        What the difference of scores must exceed.
    centring : {"half", "double"}
        Scale of all centred values.
    level : float
        Nominal coverage.
    note : str or None
        What was left out, assumed or undefined.
    """

    grader: str
    capacity: float | None
    interval: Interval | None
    worst_family: str | None
    families: tuple[FamilyAccuracy, ...]
    capacity_if_nulls_fail: float | None
    capacity_if_nulls_pass: float | None
    margin: float
    centring: Centring
    level: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit contrasts score`` as JSON-safe values."""
        bounds = self.interval
        return {
            "grader": self.grader,
            "capacity": json_value(self.capacity),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "worst_family": self.worst_family,
            "families": [family.to_dict() for family in self.families],
            "capacity_if_nulls_fail": json_value(self.capacity_if_nulls_fail),
            "capacity_if_nulls_pass": json_value(self.capacity_if_nulls_pass),
            "margin": self.margin,
            "centring": self.centring,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "note": self.note,
        }
