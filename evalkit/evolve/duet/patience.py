"""When to stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evalkit.evolve.duet.settings import Schedule

__all__ = ["ending"]


def ending(
    number: int,
    *,
    rounds: int,
    best_rounds: Sequence[int],
    patience: int,
    schedule: Schedule,
    checkpoints: Literal["validation", "last"],
) -> str | None:
    """Return why no round follows this one; ``None`` if one does.

    Parameters
    ----------
    number : int
        The round that is done.
    rounds : int
        Rounds that are allowed.
    best_rounds : sequence of int
        Rounds that set the bests of the agents.
    patience : int
        Rounds without a new best of any agent.
    schedule : str
        A sequential schedule is patient from its second half on: the solver gets its turn even
        where the grader stopped improving.
    checkpoints : {"validation", "last"}
        ``last`` runs every round.

    Examples
    --------
    >>> common = dict(rounds=30, schedule="alternating", checkpoints="validation")
    >>> ending(14, best_rounds=(3, 4), patience=10, **common)
    'patience'
    >>> ending(13, best_rounds=(3, 4), patience=10, **common) is None
    True
    """
    if number >= rounds:
        return "rounds"
    begin = (rounds + 1) // 2 if schedule == "sequential" else 0
    waited = number - max(begin, *best_rounds)
    if checkpoints == "validation" and waited >= patience:
        return "patience"
    return None
