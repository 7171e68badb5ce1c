"""State of DUET between two rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from evalkit.environments.base import Component
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.protocols import Agent

__all__ = ["AgentState", "Checkpoint", "DuetState", "Outcome", "TaskRun", "Update", "with_agent"]

Outcome = Literal["accepted", "rejected", "no-op", "infra", "timeout"]
"""What became of a turn; ``infra`` and ``timeout`` made no candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRun:
    """One execution of a training task.

    Attributes
    ----------
    round : int
        When.
    score : float or None
        The grader's score; ``None`` where there is none.
    """

    round: int
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A component that was validated.

    Attributes
    ----------
    component : Component
        The component.
    round : int
        Round that made it; 0 is the start.
    score : float or None
        Validation score of that round; ``None`` where nothing was scored.
    """

    component: Component
    round: int
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """One agent.

    Attributes
    ----------
    component : Component
        What it uses now.
    initial, best : Checkpoint
        Where it began, and the best so far.
    updates : int
        Revisions that were adopted.
    """

    component: Component
    initial: Checkpoint
    best: Checkpoint
    updates: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One turn of an agent, for the digest.

    Attributes
    ----------
    round : int
        When.
    agent : {"solver", "grader"}
        Whose turn.
    outcome : str
        What became of it.
    edits : int
        Edits of the candidate.
    rationale : str
        Why, in the updater's words.
    """

    round: int
    agent: Agent
    outcome: Outcome
    edits: int
    rationale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DuetState:
    """State of DUET.

    Attributes
    ----------
    round : int
        Last round that is done; -1 before round 0. The final evaluation counts as one more.
    stopped : str or None
        Why the run ended; ``None`` until the final evaluation is done.
    ending : str or None
        Why no further round follows; the next step is the final evaluation.
    solver, grader : AgentState
        The agents.
    tasks : mapping of str to tuple of TaskRun
        Executions of each training task.
    history : tuple of Update
        Turns so far.
    ledger : Ledger
        What was spent.
    """

    round: int = -1
    stopped: str | None = None
    ending: str | None = None
    solver: AgentState
    grader: AgentState
    tasks: Mapping[str, tuple[TaskRun, ...]] = field(default_factory=dict)
    history: tuple[Update, ...] = ()
    ledger: Ledger = field(default_factory=Ledger)

    def agent(self, name: Agent) -> AgentState:
        """Return one of the two agents."""
        return self.solver if name == "solver" else self.grader


def with_agent(state: DuetState, name: Agent, agent: AgentState) -> DuetState:
    """Return the state with another solver or grader."""
    return replace(state, solver=agent) if name == "solver" else replace(state, grader=agent)
