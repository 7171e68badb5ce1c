"""When a view's search stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

__all__ = ["Outcome", "ending", "streak"]

Outcome = Literal["accepted", "rejected", "no-op", "infra", "timeout", "unscored"]
"""What became of a round. ``infra`` and ``timeout`` made no candidate; an ``unscored`` candidate
could not be validated."""


def streak(outcomes: Sequence[Outcome]) -> int:
    """Count the rejected and unchanged candidates since the last accepted one.

    Rounds that failed for the infrastructure say nothing of the search and are passed over.

    Examples
    --------
    >>> streak(["rejected", "accepted", "no-op", "infra", "rejected"])
    2
    """
    count = 0
    for outcome in reversed(outcomes):
        if outcome == "accepted":
            break
        count += outcome in {"rejected", "no-op"}
    return count


def ending(
    number: int, *, rounds: int, outcomes: Sequence[Outcome], patience: int, shown: int
) -> str | None:
    """Return why no round follows this one; ``None`` if one does.

    Parameters
    ----------
    number : int
        The round that is done.
    rounds : int
        Rounds that are allowed.
    outcomes : sequence of str
        What became of the rounds so far.
    patience : int
        Rejected or unchanged candidates in a row that stop the search.
    shown : int
        Executions that the view had in this round; without any there was no proposal.

    Examples
    --------
    >>> ending(5, rounds=10, outcomes=["rejected"] * 5, patience=5, shown=3)
    'regressions'
    """
    if shown == 0:
        return "empty pool"
    if streak(outcomes) >= patience:
        return "regressions"
    return "rounds" if number >= rounds else None
