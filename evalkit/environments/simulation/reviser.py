"""A reviser of texts that writes clauses from what it reads: often right, sometimes over-fitted."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.environments.simulation.catalogue import PROFILES
from evalkit.environments.simulation.clauses import Clause, recognise
from evalkit.environments.simulation.edits import add_line, instructions, remove_line, revise_line
from evalkit.environments.simulation.profiles import INERT, Profile
from evalkit.environments.simulation.reading import Reading, Shown, read_evidence
from evalkit.environments.simulation.settings import ProfileName
from evalkit.errors import ArgumentError
from evalkit.models.base import CallStatus, Usage

__all__ = ["Agent", "Reviser", "Revision", "UpdaterSettings"]

Agent = Literal["solver", "grader"]

_GENERAL = ("noise", "style", "alarms")
_BLIND = 0.4  # what is left of the skill when nothing shown has failed
_CHARACTERS = 4
_TRIES = 4
_HEED = 0.8  # chance of keeping what the digest reports in mind
_NOTHING = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdaterSettings:
    """How good the updater is.

    Attributes
    ----------
    skill : float
        Chance that an addition answers what the evidence shows; 0.4 of it when the evidence
        holds successes only, since nothing in it says what to mend.
    overfit : float
        Chance, among the other additions, of an instruction for one task of the evidence.
    harm : float
        Chance, among the other additions, of a harmful clause; the rest are empty words.
    remove, revise : float
        Chances that an edit takes an instruction out, or words it differently.
    edits : int
        Most edits of a proposal; each number from 1 on is equally likely.
    idle : float
        Chance of leaving the component as it is.
    infra : float
        Chance that the updater fails for the infrastructure.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    skill: float = 0.65
    overfit: float = 0.4
    harm: float = 0.25
    remove: float = 0.15
    revise: float = 0.1
    edits: int = 3
    idle: float = 0.03
    infra: float = 0.0

    def __post_init__(self) -> None:
        for name in ("skill", "overfit", "harm", "remove", "revise", "idle", "infra"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"`{name}` is {getattr(self, name)}; it must lie in 0..1")
        for first, second in (("overfit", "harm"), ("remove", "revise")):
            if getattr(self, first) + getattr(self, second) > 1:
                raise ArgumentError(f"`{first}` and `{second}` add up to more than 1")
        if self.edits < 1:
            raise ArgumentError(f"`edits` is {self.edits}; it must be at least 1")


@dataclass(slots=True)
class _Work:
    """A component under revision, and what was done to it."""

    component: Component
    left: int
    skills_left: int
    done: dict[str, list[str]] = field(default_factory=dict)
    edits: int = 0

    def note(self, kind: str, what: str, component: Component, *, skill: bool = False) -> None:
        """Take an edit over, as long as its budget lasts."""
        if (self.skills_left if skill else self.left) < 1:
            return
        self.component = component
        self.done.setdefault(kind, []).append(what)
        self.edits += 1
        if skill:
            self.skills_left -= 1
        else:
            self.left -= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A candidate text; the fields of a proposal of :mod:`evalkit.evolve`.

    Attributes
    ----------
    component : Component or None
        The candidate; ``None`` where the text stays as it is, or the updater failed.
    rationale : str
        Why.
    status : {"ok", "infra", "timeout"}
        Whether the updater answered.
    edits : int or None
        Edits that were made.
    usage : Usage
        What it cost.
    facts : mapping of str to str
        What was added, removed and revised.
    """

    component: Component | None
    rationale: str = ""
    status: CallStatus = "ok"
    edits: int | None = None
    usage: Usage = _NOTHING
    facts: Mapping[str, str] = field(default_factory=dict)


class Reviser:
    """Edits a text after the rows and the digest that it is shown, and from nothing else.

    It knows the catalogue of clauses, as a model knows good practice; it does not know the world:
    neither which outcomes really failed nor what a clause would do to the score.

    Parameters
    ----------
    profile : {"qa", "workbook"}
        Kind of work.
    settings : UpdaterSettings
        How good it is.

    Notes
    -----
    Complaints in the critiques of the rows say which failure modes to mend; a mode is the likelier
    to be answered the more complaints name it. With successes only, praise takes their place: the
    updater then writes down what works already, or takes one task for the rule. Clauses that the
    digest reports as rejected are mostly avoided. Edits beyond the budget are left out, the later
    ones first, so that a second try with the same draw is a part of the first. Where skills are
    allowed, clauses for one kind of task become a skill of that name.
    """

    def __init__(
        self,
        profile: ProfileName,
        settings: UpdaterSettings = UpdaterSettings(),
    ) -> None:
        self.profile: Profile = PROFILES[profile]
        self.settings = settings

    def __call__(
        self, agent: Agent, current: Component, evidence: Shown, /, *, draw: Draw
    ) -> Revision:
        """Return a candidate."""
        settings = self.settings
        reading = read_evidence(self.profile, evidence)
        usage = self._usage(current, evidence)
        rng = draw.child("update", agent, current.digest).generator()
        if rng.random() < settings.infra:
            return Revision(component=None, status="infra", usage=usage)
        limit = sys.maxsize if evidence.max_edits is None else evidence.max_edits
        if not evidence.rows or rng.random() < settings.idle:
            reason = "Nothing was shown." if not evidence.rows else "The component stays as it is."
            return Revision(component=None, rationale=reason, usage=usage)
        if rng.random() >= _HEED:
            reading = replace(reading, rejected="")
        work = _Work(current, limit, _skill_limit(evidence))
        for _ in range(1 + int(rng.integers(settings.edits))):
            self._edit(agent, work, reading, rng)
        if work.component.digest == current.digest:
            return Revision(component=None, rationale="No edit was found.", usage=usage)
        facts = {kind: "; ".join(what) for kind, what in work.done.items()}
        return Revision(
            component=work.component,
            rationale=_rationale(reading, facts),
            edits=work.edits,
            usage=usage,
            facts=facts,
        )

    def _edit(self, agent: Agent, work: _Work, reading: Reading, rng: np.random.Generator) -> None:
        """Make one edit."""
        chance = rng.random()
        lines = instructions(work.component, skills=False)
        if chance < self.settings.remove and lines:
            line = self._worst(agent, lines, rng)
            work.note("removed", line, remove_line(work.component, line))
            return
        if chance < self.settings.remove + self.settings.revise and lines:
            line = lines[int(rng.integers(len(lines)))]
            work.note("revised", line, revise_line(work.component, line))
            return
        text, domain = self._addition(agent, work.component, reading, rng)
        if text not in instructions(work.component):
            skill = domain if work.skills_left else None
            new = add_line(work.component, text, skill=skill)
            work.note("added", text, new, skill=skill is not None)

    def _worst(self, agent: Agent, lines: list[str], rng: np.random.Generator) -> str:
        """Pick what to take out: with skill something that looks harmful, else any line."""
        clauses = self._clauses(agent)
        bad = [clause for clause in clauses if not clause.helps]
        suspects = [line for line in lines if recognise(line, bad)]
        if suspects and rng.random() < self.settings.skill:
            return suspects[0]
        return lines[int(rng.integers(len(lines)))]

    def _clauses(self, agent: Agent) -> tuple[Clause, ...]:
        return self.profile.habits if agent == "solver" else self.profile.checks

    def _addition(
        self, agent: Agent, current: Component, reading: Reading, rng: np.random.Generator
    ) -> tuple[str, str | None]:
        """Pick a sentence to add, and the kind of task it is for."""
        skill = self.settings.skill * (1.0 if reading.complaints else _BLIND)
        clauses = self._clauses(agent)
        if rng.random() < skill:
            for _ in range(_TRIES):
                found = self._answer(agent, current, reading, rng)
                if found is not None:
                    return found.text, found.domain
        chance = rng.random()
        if chance < self.settings.overfit and reading.topics:
            topic = reading.topics[int(rng.integers(len(reading.topics)))]
            return f"For the task on {topic}, go over the result twice.", None
        if chance < self.settings.overfit + self.settings.harm:
            bad = [clause for clause in clauses if not clause.helps]
            return bad[int(rng.integers(len(bad)))].text, None
        return INERT[int(rng.integers(len(INERT)))], None

    def _answer(
        self, agent: Agent, current: Component, reading: Reading, rng: np.random.Generator
    ) -> Clause | None:
        """Pick a clause for a failure mode that the evidence names; ``None`` if all are there."""
        counts = reading.complaints or reading.praise
        names = [mode.name for mode in self.profile.modes]
        weights = np.array([float(counts[name]) for name in names])
        if not weights.sum():
            weights += 1.0
        quantity = names[int(rng.choice(len(names), p=weights / weights.sum()))]
        if agent == "grader" and rng.random() < 1 / 3:
            quantity = _GENERAL[int(rng.integers(len(_GENERAL)))]
        clauses = self._clauses(agent)
        text = "\n".join((current.prompt, *current.skills.values()))
        there = recognise(text, clauses)
        avoided = recognise(reading.rejected, clauses)
        fitting = [
            clause
            for clause in clauses
            if clause.helps
            and quantity in clause.effects
            and clause.name not in there
            and clause.name not in avoided
            and (clause.domain is None or clause.domain in reading.domains)
        ]
        return fitting[int(rng.integers(len(fitting)))] if fitting else None

    @staticmethod
    def _usage(current: Component, evidence: Shown) -> Usage:
        shown = sum(len(row.verdict.critique) + len(row.execution.trace) for row in evidence.rows)
        size = len(current.to_text()) + len(evidence.digest) + shown
        return Usage(calls=1, input_tokens=size // _CHARACTERS, output_tokens=100)


def _skill_limit(evidence: Shown) -> int:
    if not evidence.skills:
        return 0
    return sys.maxsize if evidence.max_skill_edits is None else evidence.max_skill_edits


def _rationale(reading: Reading, facts: dict[str, str]) -> str:
    counts: Counter[str] = reading.complaints or reading.praise
    seen = ", ".join(f"{name} ({count})" for name, count in counts.most_common(3)) or "nothing"
    made = "; ".join(f"{kind}: {what}" for kind, what in facts.items())
    return f"Most often {'reported' if reading.complaints else 'praised'}: {seen}. {made}"
