"""What a loop runs in: items, text components, executions and verdicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from evalkit.environments.draws import Draw
from evalkit.models.base import CallStatus, Usage

__all__ = ["Component", "Environment", "Execution", "Item", "Judge", "Pair", "Solve", "Verdict"]

_NONE: Mapping[str, str] = MappingProxyType({})
_FREE = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """The text of one agent that a loop may change.

    Attributes
    ----------
    prompt : str
        System prompt or skill document.
    skills : mapping of str to str
        Named skills beside the prompt.
    """

    prompt: str = ""
    skills: Mapping[str, str] = field(default_factory=lambda: _NONE)

    def to_text(self) -> str:
        """Return the bytes that are stored and hashed: the prompt, or JSON where skills exist."""
        if not self.skills:
            return self.prompt
        return json.dumps(
            {"prompt": self.prompt, "skills": dict(self.skills)}, sort_keys=True, ensure_ascii=False
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the text: equal digests mean byte-identical components."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One task as agents see it; the reference stays with the environment.

    Attributes
    ----------
    id : str
        Id, as text.
    input : str
        What the solver is given.
    cluster : str or None
        Items of one cluster are not independent.
    metadata : mapping of str to str
        What reports group by.
    """

    id: str
    input: str
    cluster: str | None = None
    metadata: Mapping[str, str] = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One try of a solver at an item.

    Attributes
    ----------
    item : str
        Id of the item.
    output : str or None
        The answer; ``None`` exactly where the status is not ``ok``.
    trace : str
        What the solver did on the way.
    status : {"ok", "infra", "timeout"}
        Whether there is an outcome to judge.
    error : str or None
        What went wrong.
    usage : Usage
        What it cost.
    """

    item: str
    output: str | None
    trace: str = ""
    status: CallStatus = "ok"
    error: str | None = None
    usage: Usage = _FREE


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge says of an execution.

    Attributes
    ----------
    score : float or None
        In [0, 1]; ``None`` exactly where the status is not ``scored``.
    status : str
        One of `evalkit.records.schema.STATUSES`.
    critique : str
        Feedback in words.
    usage : Usage
        What it cost.
    """

    score: float | None
    status: str = "scored"
    critique: str = ""
    usage: Usage = _FREE


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two outcomes of one item with a reference preference, to test a grader on.

    Attributes
    ----------
    id : str
        Id of the pair.
    item : Item
        The item.
    better, worse : Execution
        As the reference has it.
    """

    id: str
    item: Item
    better: Execution
    worse: Execution


class Solve(Protocol):
    """Run a solver on an item."""

    def __call__(self, component: Component, item: Item, /, *, draw: Draw) -> Execution:
        """Return the outcome; an infrastructure error is a status, not an exception."""
        ...


class Judge(Protocol):
    """Judge an execution with a text component of the loop."""

    def __call__(
        self, component: Component, item: Item, execution: Execution, /, *, draw: Draw
    ) -> Verdict:
        """Return the verdict; it never sees a reference."""
        ...


class Environment(Protocol):
    """Items in splits, a solver, a grader and a reference evaluator.

    An execution is isolated and time-limited by the environment; one that cannot be carried out
    comes back with a status.
    """

    @property
    def name(self) -> str:
        """Name that records carry."""
        ...

    def items(self, split: str, /) -> tuple[Item, ...]:
        """Return the items of a split: ``train``, ``validation`` or ``test``."""
        ...

    def pairs(self, split: str, /) -> tuple[Pair, ...]:
        """Return the grader pairs of a split; empty where the environment has none."""
        ...

    def solve(self, component: Component, item: Item, /, *, draw: Draw) -> Execution:
        """Run the solver."""
        ...

    def judge(
        self, component: Component, item: Item, execution: Execution, /, *, draw: Draw
    ) -> Verdict:
        """Judge with the grader under evolution; it sees no reference."""
        ...

    def verify(
        self, item: Item, execution: Execution, /, *, verifier: str = "reference"
    ) -> Verdict:
        """Judge against the reference."""
        ...
