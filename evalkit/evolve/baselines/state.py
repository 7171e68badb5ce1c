"""State of every baseline between two rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from evalkit.environments.base import Component
from evalkit.evolve.duet.state import AgentState, Checkpoint
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.skills.gating import Scored
from evalkit.evolve.skills.state import Held

__all__ = ["Answer", "BaselineState", "Validation", "start_state", "with_best"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """A component's validation by the metric that the baseline selects on.

    Attributes
    ----------
    score : float or None
        Its mean; ``None`` where nothing was scored.
    items : tuple of (str, float)
        Score of each item that has one.
    """

    score: float | None
    items: tuple[tuple[str, float], ...] = ()

    @property
    def scored(self) -> Scored | None:
        """What a gate reads; ``None`` where nothing was scored."""
        return None if self.score is None else Scored(score=self.score, items=dict(self.items))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was answered to GEPA: an evaluation or a proposal, kept so that it can be replayed.

    Attributes
    ----------
    kind : {"evaluation", "proposal"}
        What was asked.
    key : str
        Hash of the question: candidate and items, or candidate and components.
    scores : tuple of float
        Scores of an evaluation.
    text : str or None
        The proposed text.
    """

    kind: Literal["evaluation", "proposal"]
    key: str
    scores: tuple[float, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineState:
    """State of a baseline.

    Attributes
    ----------
    round : int
        Last round that is done; the final evaluation counts as one more.
    stopped, ending : str or None
        Why the run ended, and why no further round follows.
    solver : AgentState
        The component that is used, the one at the start, and the best.
    judge : Component
        The fixed grader, where the settings ask for it instead of the reference.
    validations : mapping of str to Validation
        Validations by artifact: byte-identical components are validated once.
    answers : tuple of Answer
        GEPA only.
    metric_calls : int
        GEPA's own count of evaluated items.
    held : tuple of Held
        Test outcomes of the latest attempt; controls only.
    best_of : mapping of str to Held
        Best test outcome of each item so far; controls only.
    ledger : Ledger
        What was spent.
    """

    round: int = -1
    stopped: str | None = None
    ending: str | None = None
    solver: AgentState
    judge: Component = field(default_factory=Component)
    validations: Mapping[str, Validation] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    metric_calls: int = 0
    held: tuple[Held, ...] = ()
    best_of: Mapping[str, Held] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)


def start_state(component: Component, judge: Component) -> BaselineState:
    """Return the state before round 0."""
    start = Checkpoint(component=component, round=0, score=None)
    solver = AgentState(component=component, initial=start, best=start)
    return BaselineState(solver=solver, judge=judge)


def with_best(
    state: BaselineState, component: Component, *, number: int, score: float | None
) -> BaselineState:
    """Return the state with another best component."""
    best = Checkpoint(component=component, round=number, score=score)
    return replace(state, solver=replace(state.solver, best=best))
