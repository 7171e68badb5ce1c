"""The driver of every loop: one committed step a round, until the state says stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.store import RunStore

__all__ = ["LoopState", "Step", "run"]


class LoopState(Protocol):
    """What every loop's state tells the driver."""

    @property
    def round(self) -> int:
        """Last round that is done; -1 before round 0 evaluated the initial components."""
        ...

    @property
    def stopped(self) -> str | None:
        """Why the loop stopped; ``None`` while it runs."""
        ...


S = TypeVar("S", bound=LoopState)


class Step(Protocol[S]):
    """One round: reads the state, writes what it saw into the log, returns the next state."""

    def __call__(self, state: S, log: RoundLog, /) -> S:
        """Carry out one round."""
        ...


def run(
    store: RunStore[S], initial: S, step: Step[S], *, watch: Callable[[S, RoundLog], None]
) -> S:
    """Run rounds from the last committed state on; a killed round leaves no trace.

    Parameters
    ----------
    store : RunStore
        An open run folder.
    initial : state
        Where a new run starts.
    step : callable
        One round.
    watch : callable
        Sees each committed round; it cannot change anything.

    Returns
    -------
    state
        The first that is stopped.
    """
    state = store.state if store.state is not None else initial
    while state.stopped is None:
        log = RoundLog(round=state.round + 1)
        state = step(state, log)
        store.commit(state, log)
        watch(state, log)
    return state
