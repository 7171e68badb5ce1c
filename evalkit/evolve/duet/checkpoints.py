"""The best component of an agent: a strict improvement by other bytes."""

from __future__ import annotations

from evalkit.environments.base import Component
from evalkit.evolve.duet.state import Checkpoint
from evalkit.trajectories.scores import compare_scores

__all__ = ["better_checkpoint"]


def better_checkpoint(
    best: Checkpoint, component: Component, *, score: float | None, number: int
) -> Checkpoint:
    """Return the best of an agent after a round that changed it.

    Parameters
    ----------
    best : Checkpoint
        The best so far.
    component : Component
        What the round made.
    score : float or None
        Its validation score.
    number : int
        The round.

    Returns
    -------
    Checkpoint
        `best` itself unless the score is strictly higher and the bytes are others.

    Notes
    -----
    Only the round that makes a component can make it the best. A later evaluation of the same
    bytes differs by noise alone, and taking the largest of many would select noise. Where the
    best has no score, because every outcome errored, any scored component is better.

    Examples
    --------
    >>> start = Checkpoint(component=Component(prompt="a"), round=0, score=0.5)
    >>> better_checkpoint(start, Component(prompt="b"), score=0.5, number=2) is start
    True
    >>> better_checkpoint(start, Component(prompt="b"), score=0.6, number=2).round
    2
    """
    if score is None or component.digest == best.component.digest:
        return best
    if best.score is not None and compare_scores(score, best.score) <= 0:
        return best
    return Checkpoint(component=component, round=number, score=score)
