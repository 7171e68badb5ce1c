"""Whose turn it is."""

from __future__ import annotations

from evalkit.evolve.duet.settings import Schedule
from evalkit.evolve.protocols import Agent

__all__ = ["agents_of", "turns", "updated_in"]

_BOTH: tuple[Agent, ...] = ("grader", "solver")


def agents_of(schedule: Schedule) -> tuple[Agent, ...]:
    """Return the agents that a schedule ever updates."""
    alone: dict[str, tuple[Agent, ...]] = {
        "solver-only": ("solver",),
        "grader-only": ("grader",),
    }
    return alone.get(schedule, _BOTH)


def updated_in(number: int, *, schedule: Schedule, rounds: int) -> tuple[Agent, ...]:
    """Return the agents that are updated in a round.

    Parameters
    ----------
    number : int
        Round, from 1.
    schedule : str
        As in the settings.
    rounds : int
        Rounds in all; a sequential schedule updates the grader in the first half of them, the
        middle one included.

    Examples
    --------
    >>> [updated_in(t, schedule="alternating", rounds=4)[0] for t in (1, 2, 3, 4)]
    ['grader', 'solver', 'grader', 'solver']
    >>> [updated_in(t, schedule="sequential", rounds=3)[0] for t in (1, 2, 3)]
    ['grader', 'grader', 'solver']
    """
    if schedule == "alternating":
        return ("grader",) if number % 2 else ("solver",)
    if schedule == "sequential":
        return ("grader",) if number <= (rounds + 1) // 2 else ("solver",)
    return agents_of(schedule)


def turns(agent: Agent, *, schedule: Schedule, rounds: int) -> int:
    """Return how many turns an agent has in all: the J of its edit budget.

    Examples
    --------
    >>> turns("grader", schedule="alternating", rounds=5)
    3
    """
    return sum(
        agent in updated_in(number, schedule=schedule, rounds=rounds)
        for number in range(1, rounds + 1)
    )
