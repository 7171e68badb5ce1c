"""Which training tasks to run: those whose scores still move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from evalkit.evolve.duet.state import TaskRun

__all__ = ["in_warm_up", "least_run", "select_tasks", "sw_ucb", "top_tasks"]

Runs = Mapping[str, Sequence[TaskRun]]


def in_warm_up(tasks: Sequence[str], runs: Runs) -> bool:
    """Whether some task has run less than twice, errored executions counted."""
    return any(len(runs.get(task, ())) < 2 for task in tasks)


def least_run(tasks: Sequence[str], runs: Runs, *, batch: int) -> tuple[str, ...]:
    """Return the next tasks in turn: fewest executions first, then the order of `tasks`.

    Examples
    --------
    >>> runs = {"a": [TaskRun(round=1, score=0.5)]}
    >>> least_run(["a", "b", "c"], runs, batch=2)
    ('b', 'c')
    """
    order = sorted(range(len(tasks)), key=lambda i: (len(runs.get(tasks[i], ())), i))
    return tuple(tasks[i] for i in order[:batch])


def sw_ucb(runs: Sequence[TaskRun], *, number: int, window: int, exploration: float) -> float:
    """Return the sliding-window upper confidence bound of one task.

    Parameters
    ----------
    runs : sequence of TaskRun
        Executions of the task, in order.
    number : int
        The round that is about to begin (t).
    window : int
        Rounds that count (tau): those from ``t - tau`` to ``t - 1``.
    exploration : float
        Weight of the bonus (c).

    Returns
    -------
    float
        Infinite where no score change lies in the window.

    Notes
    -----
    ``mean |s(k) - s(k-1)| + c sqrt(log(min(t-1, tau)) / N)`` over the N changes whose later
    execution lies in the window. An execution without a score is passed over: the change is taken
    between the scores on either side of it. Where ``min(t-1, tau)`` is 1 or less, the logarithm
    is taken as 0, so the bonus is 0.

    Examples
    --------
    >>> runs = [TaskRun(round=1, score=0.25), TaskRun(round=3, score=0.75)]
    >>> sw_ucb(runs, number=4, window=10, exploration=0.0)
    0.5
    >>> sw_ucb(runs, number=20, window=10, exploration=0.01)
    inf
    """
    scored = [(run.round, run.score) for run in runs if run.score is not None]
    changes = [
        abs(after - before)
        for (_, before), (when, after) in pairwise(scored)
        if number - window <= when < number
    ]
    if not changes:
        return math.inf
    bonus = math.log(max(1, min(number - 1, window))) / len(changes)
    return math.fsum(changes) / len(changes) + exploration * math.sqrt(bonus)


def top_tasks(values: Mapping[str, float], runs: Runs, *, batch: int) -> tuple[str, ...]:
    """Return the tasks with the largest values; ties by least recently run, then by id.

    Examples
    --------
    >>> runs = {"a": [TaskRun(round=2, score=0.0)], "b": [TaskRun(round=1, score=0.0)]}
    >>> top_tasks({"a": 0.5, "b": 0.5}, runs, batch=1)
    ('b',)
    """

    def key(task: str) -> tuple[float, int, str]:
        held = runs.get(task, ())
        # Equal changes can differ by an ulp, which must not decide.
        return -round(values[task], 12), held[-1].round if held else -1, task

    return tuple(sorted(values, key=key)[:batch])


def select_tasks(
    tasks: Sequence[str],
    runs: Runs,
    *,
    number: int,
    batch: int,
    window: int,
    exploration: float,
    selection: Literal["sw-ucb", "round-robin"],
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Select the batch of a round.

    Parameters
    ----------
    tasks : sequence of str
        Ids of the training tasks.
    runs : mapping of str to sequence of TaskRun
        What ran so far.
    number : int
        The round that is about to begin.
    batch : int
        Tasks a round; all of them where there are fewer.
    window, exploration
        As in `sw_ucb`.
    selection : {"sw-ucb", "round-robin"}
        Rule after the warm-up, in which every task runs twice in turn.

    Returns
    -------
    batch : tuple of str
        Distinct tasks.
    values : dict of str to float
        The bounds that decided; empty where tasks come in turn.
    """
    if selection == "round-robin" or in_warm_up(tasks, runs):
        return least_run(tasks, runs, batch=batch), {}
    values = {
        task: sw_ucb(runs[task], number=number, window=window, exploration=exploration)
        for task in tasks
    }
    return top_tasks(values, runs, batch=batch), values
