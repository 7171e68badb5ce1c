"""What a set of pairs is, and what became of every pair that was considered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evalkit.pairs.exact import number_text
from evalkit.pairs.pair import Pair
from evalkit.pairs.selection import REASONS
from evalkit.pairs.set_power import SetPower
from evalkit.results import Estimate, json_value

__all__ = ["Outcome", "PairReport", "PairSet"]

Outcome = Literal["binary", "graded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """How a set of pairs was chosen.

    Attributes
    ----------
    pairs, tasks, clusters : int
        Pairs that were kept, their tasks, and their clusters.
    candidates, candidate_tasks : int
        Candidates, and their tasks.
    considered : int
        Every two candidates that share a task; ``pairs`` and the counts of `dropped` add up to it.
    dropped : mapping of str to int
        Pairs by the first reason against them, in the order of the rules (see `REASONS`).
    outcome : {"binary", "graded"}
        Kind of the reference scores.
    margin : Fraction
        Least difference of the reference scores, itself included; 1 for binary ones.
    cue, cue_description : str
        The cue, and what it measures.
    a_better : int
        Pairs whose better output is A.
    by_split : mapping of str to int
        Pairs of each split.
    cue_agreement : Estimate
        How often the cue alone prefers the better output (a tie counts 1/2), over all pairs with a
        reliable reference preference, before the rules on the cue. Within the set it is 0 by
        construction.
    cue_gap : tuple of Fraction or None
        Least, median and largest cue gap of the pairs kept.
    power : SetPower
        What the set can separate.
    settings : mapping
        Every setting, the seed included.
    source_sha256 : str
        Hash of the candidates, whatever their order.
    notes : tuple of str
        What was assumed or left out.
    """

    pairs: int
    tasks: int
    clusters: int
    candidates: int
    candidate_tasks: int
    considered: int
    dropped: Mapping[str, int]
    outcome: Outcome
    margin: Fraction
    cue: str
    cue_description: str
    a_better: int
    by_split: Mapping[str, int]
    cue_agreement: Estimate
    cue_gap: tuple[Fraction, Fraction, Fraction] | None
    power: SetPower
    settings: Mapping[str, Any]
    source_sha256: str
    notes: tuple[str, ...]

    @property
    def cue_agreement_within(self) -> float | None:
        """Agreement of the cue within the set: 0 by construction; ``None`` without pairs."""
        return 0.0 if self.pairs else None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values; exact numbers are text."""
        return {
            "pairs": self.pairs,
            "tasks": self.tasks,
            "clusters": self.clusters,
            "candidates": self.candidates,
            "candidate_tasks": self.candidate_tasks,
            "considered": self.considered,
            "dropped": {name: count for name, count in self.dropped.items() if count},
            "dropped_because": {name: REASONS[name] for name, k in self.dropped.items() if k},
            "outcome": self.outcome,
            "margin": number_text(self.margin),
            "cue": self.cue,
            "cue_description": self.cue_description,
            "a_better": self.a_better,
            "by_split": dict(self.by_split),
            "cue_agreement": self.cue_agreement.to_dict(),
            "cue_agreement_within": self.cue_agreement_within,
            "cue_gap": None if self.cue_gap is None else [number_text(x) for x in self.cue_gap],
            "power": self.power.to_dict(),
            "settings": json_value(dict(self.settings)),
            "source_sha256": self.source_sha256,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSet:
    """Pairs, with the report of how they were chosen.

    Attributes
    ----------
    pairs : tuple of Pair
        Sorted by id, which is random.
    report : PairReport or None
        ``None`` for pairs that were read from a file.
    notes : tuple of str
        What was guessed when a file was read.
    sided : bool
        Whether it is known which output is shown as A.
    """

    pairs: tuple[Pair, ...]
    report: PairReport | None = None
    notes: tuple[str, ...] = ()
    sided: bool = True

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the report and the pairs without their texts, as JSON-safe values."""
        return {
            "report": None if self.report is None else self.report.to_dict(),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "notes": list(self.notes),
        }
