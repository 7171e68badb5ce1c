"""What rescoring the same outputs shows: gains, their differences, flips and the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.results import Interval, Verdict, json_value

__all__ = ["Flips", "Gain", "GainContrast", "Ranking", "Sensitivity"]


def _bounds(interval: Interval | None) -> dict[str, Any]:
    return {
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "method": None if interval is None else interval.method,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """Candidate minus base under one verifier.

    Attributes
    ----------
    verifier : str
        Who judged.
    base_mean, candidate_mean, gain : float or None
        Means over the common items, and their difference.
    interval : Interval or None
        Interval of the gain.
    p_value : float or None
        p-value of the statistic that the interval inverts.
    verdict : {"separated", "not separated", "undefined"}
        Whether the interval excludes 0.
    n : int
        Items.
    note : str or None
        What was assumed or is undefined.
    """

    verifier: str
    base_mean: float | None
    candidate_mean: float | None
    gain: float | None
    interval: Interval | None
    p_value: float | None
    verdict: Verdict
    n: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "verifier": self.verifier,
            "base_mean": json_value(self.base_mean),
            "candidate_mean": json_value(self.candidate_mean),
            "gain": json_value(self.gain),
            **_bounds(self.interval),
            "p_value": json_value(self.p_value),
            "verdict": self.verdict,
            "n": self.n,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Verdicts of two verifiers on the outputs of one system, as a 2 x 2 table.

    Attributes
    ----------
    system : str
        Whose outputs.
    both_pass, only_v0, only_v1, neither : int
        Outputs passed by both verifiers, by the first only, by the second only, by none.
    """

    system: str
    both_pass: int
    only_v0: int
    only_v1: int
    neither: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "system": self.system,
            "both_pass": self.both_pass,
            "only_v0": self.only_v0,
            "only_v1": self.only_v1,
            "neither": self.neither,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All systems under one verifier, best first, on the items common to all of them.

    Attributes
    ----------
    verifier : str
        Who judged.
    systems : tuple of str
        Best first; equal means in the order of names.
    means : tuple of float
        In the order of `systems`.
    n : int
        Items.
    """

    verifier: str
    systems: tuple[str, ...]
    means: tuple[float, ...]
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "verifier": self.verifier,
            "systems": list(self.systems),
            "means": list(self.means),
            "n": self.n,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GainContrast:
    """How the gain changes when another verifier scores the same outputs.

    Attributes
    ----------
    base, candidate : str
        The two systems.
    v0, v1 : str
        The first verifier, and the one it is compared with.
    delta_v0, delta_v1 : float or None
        Gain under each.
    difference : float or None
        ``delta_v1 - delta_v0``.
    interval : Interval or None
        Paired interval of the difference.
    p_value : float or None
        p-value of the statistic that the interval inverts.
    p_adjusted : float or None
        Holm's adjustment over all contrasts of the call; equal to `p_value` when there is one.
    test : str or None
        Name of that statistic.
    verdict : {"separated", "not separated", "undefined"}
        Whether the interval excludes 0.
    disagreements, verdicts : int
        Outputs on which the two verifiers differ, of how many.
    flips : tuple of Flips
        One table for each system; empty where scores are graded.
    ranking_survives : bool or None
        Whether both verifiers put all systems in the same order, ties included.
    order_changes : tuple of str
        The pairs of systems that change their order.
    n, clusters : int
        Items; clusters among them.
    note : str or None
        What was assumed or is undefined.
    """

    base: str
    candidate: str
    v0: str
    v1: str
    delta_v0: float | None
    delta_v1: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None
    p_adjusted: float | None
    test: str | None
    verdict: Verdict
    disagreements: int
    verdicts: int
    flips: tuple[Flips, ...]
    ranking_survives: bool | None
    order_changes: tuple[str, ...]
    n: int
    clusters: int | None
    level: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit sensitivity`` as JSON-safe values."""
        return {
            "base": self.base,
            "candidate": self.candidate,
            "v0": self.v0,
            "v1": self.v1,
            "delta_v0": json_value(self.delta_v0),
            "delta_v1": json_value(self.delta_v1),
            "difference": json_value(self.difference),
            **_bounds(self.interval),
            "level": self.level,
            "p_value": json_value(self.p_value),
            "p_adjusted": json_value(self.p_adjusted),
            "test": self.test,
            "verdict": self.verdict,
            "disagreements": self.disagreements,
            "verdicts": self.verdicts,
            "flips": [table.to_dict() for table in self.flips],
            "ranking_survives": self.ranking_survives,
            "order_changes": list(self.order_changes),
            "n": self.n,
            "clusters": self.clusters,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The same outputs of two systems under two or more verifiers.

    Attributes
    ----------
    gains : tuple of Gain
        One for each verifier, in the order asked for.
    contrasts : tuple of GainContrast
        Every further verifier against the first.
    rankings : tuple of Ranking
        All systems of the data under each verifier; empty where they share no item.
    abstentions : mapping of str to int
        Verdicts of base and candidate that each verifier did not give, missing rows included.
    excluded_items : int
        Items of base or candidate that a gain cannot use, because a verifier abstained.
    outputs_checked : bool
        Whether every output was seen to be the same bytes under all verifiers.
    notes : tuple of str
        What was left out, assumed, or could not be checked.
    """

    gains: tuple[Gain, ...]
    contrasts: tuple[GainContrast, ...]
    rankings: tuple[Ranking, ...]
    abstentions: Mapping[str, int]
    excluded_items: int
    outputs_checked: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "gains": [gain.to_dict() for gain in self.gains],
            "contrasts": [contrast.to_dict() for contrast in self.contrasts],
            "rankings": [ranking.to_dict() for ranking in self.rankings],
            "abstentions": dict(self.abstentions),
            "excluded_items": self.excluded_items,
            "outputs_checked": self.outputs_checked,
            "notes": list(self.notes),
        }
