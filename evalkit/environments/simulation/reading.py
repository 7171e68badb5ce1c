"""What an updater makes of the evidence: complaints, praise, topics and rejected ideas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evalkit.environments.base import Execution, Item, Verdict
from evalkit.environments.simulation.clauses import sentences
from evalkit.environments.simulation.profiles import Profile
from evalkit.environments.simulation.solver_model import topic_pattern

__all__ = ["Reading", "Shown", "ShownRow", "read_evidence"]

_REJECTED = ("reject", "no improvement", "worse", "rolled back")


class ShownRow(Protocol):
    """One judged execution."""

    @property
    def item(self) -> Item:
        """The task."""
        ...

    @property
    def execution(self) -> Execution:
        """What the solver did."""
        ...

    @property
    def verdict(self) -> Verdict:
        """What was said of it."""
        ...


class Shown(Protocol):
    """What an updater is shown: the evidence of :mod:`evalkit.evolve`."""

    @property
    def rows(self) -> Sequence[ShownRow]:
        """Judged executions."""
        ...

    @property
    def digest(self) -> str:
        """What earlier rounds tried."""
        ...

    @property
    def max_edits(self) -> int | None:
        """Edits of the prompt that are allowed; ``None`` where free."""
        ...

    @property
    def skills(self) -> bool:
        """Whether skills may be written."""
        ...

    @property
    def max_skill_edits(self) -> int | None:
        """Edits of the skills that are allowed; ``None`` where free."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was found in the evidence.

    Attributes
    ----------
    complaints, praise : Counter
        Failure mode -> how often a critique reports it, or its absence.
    topics : tuple of str
        Tasks that were shown.
    domains : frozenset of str
        Kinds of task among them.
    rejected : str
        Lines of the digest on what did not work.
    """

    complaints: Counter[str]
    praise: Counter[str]
    topics: tuple[str, ...]
    domains: frozenset[str]
    rejected: str


def _signs(profile: Profile, critique: str, score: float | None) -> list[tuple[str, bool]]:
    """Modes that a critique speaks of, each with whether it complains.

    Known sentences say it themselves; in other words the mode is known by its cues, and a score
    below 1/2 makes it a complaint.
    """
    out = []
    for sentence in sentences(critique):
        for mode in profile.modes:
            if sentence in sentences(mode.complaint):
                out.append((mode.name, True))
            elif sentence in sentences(mode.praise):
                out.append((mode.name, False))
            elif all(any(cue in sentence for cue in group) for group in mode.cues) and not any(
                sentence in sentences(text)
                for other in profile.modes
                for text in (other.complaint, other.praise)
            ):
                out.append((mode.name, score is not None and score < 0.5))
    return out


def read_evidence(profile: Profile, evidence: Shown) -> Reading:
    """Read the rows and the digest, and nothing else."""
    complaints: Counter[str] = Counter()
    praise: Counter[str] = Counter()
    topics: dict[str, None] = {}
    pattern = topic_pattern(profile)
    for row in evidence.rows:
        for name, complains in _signs(profile, row.verdict.critique, row.verdict.score):
            (complaints if complains else praise)[name] += 1
        topics.update(dict.fromkeys(pattern.findall(row.item.input.casefold())))
    lines = evidence.digest.splitlines()
    return Reading(
        complaints=complaints,
        praise=praise,
        topics=tuple(topics),
        domains=frozenset(row.item.metadata.get("domain", "") for row in evidence.rows),
        rejected="\n".join(
            line for line in lines if any(word in line.casefold() for word in _REJECTED)
        ),
    )
