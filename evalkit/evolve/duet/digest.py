"""What earlier rounds tried and what became of it, in words an updater can read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evalkit.evolve.duet.state import TaskRun, Update
from evalkit.rounding import format_number

__all__ = ["history_digest", "revisited"]

_OUTCOMES = {
    "accepted": "was adopted",
    "rejected": "was rejected: too many edits",
    "no-op": "left it as it was",
    "infra": "never came: the updater failed",
    "timeout": "never came: the updater ran out of time",
}
_CLIP = 320


def revisited(tasks: Mapping[str, Sequence[TaskRun]], *, number: int) -> tuple[float | None, int]:
    """Compare scores of the same tasks before and after the update of a round.

    Parameters
    ----------
    tasks : mapping of str to sequence of TaskRun
        Executions of each task.
    number : int
        Round of the update; its own executions come before it.

    Returns
    -------
    change : float or None
        Mean of the first score after it minus the last score up to it; ``None`` without tasks.
    n : int
        Tasks with both.

    Examples
    --------
    >>> runs = [TaskRun(round=1, score=0.25), TaskRun(round=4, score=0.75)]
    >>> revisited({"a": runs}, number=2)
    (0.5, 1)
    """
    changes = []
    for runs in tasks.values():
        before = [r.score for r in runs if r.round <= number and r.score is not None]
        after = [r.score for r in runs if r.round > number and r.score is not None]
        if before and after:
            changes.append(after[0] - before[-1])
    return (math.fsum(changes) / len(changes) if changes else None), len(changes)


def history_digest(
    history: Sequence[Update], tasks: Mapping[str, Sequence[TaskRun]], *, rounds: int
) -> str:
    """Summarise the latest turns, oldest first; empty where there is none.

    Parameters
    ----------
    history : sequence of Update
        Turns so far.
    tasks : mapping of str to sequence of TaskRun
        Executions of each task.
    rounds : int
        Rounds to go back.
    """
    if not history or rounds == 0:
        return ""
    since = history[-1].round - rounds
    return "\n".join(_line(update, tasks) for update in history if update.round > since)


def _line(update: Update, tasks: Mapping[str, Sequence[TaskRun]]) -> str:
    edits = f" ({update.edits} edits)" if update.outcome in {"accepted", "rejected"} else ""
    head = f"Round {update.round}, {update.agent}: the revision{edits} {_OUTCOMES[update.outcome]}."
    reason = " ".join(update.rationale.split())
    shown = reason if len(reason) <= _CLIP else f"{reason[: _CLIP - 1]}…"
    why = f" Reason given: {shown}" if shown else ""
    if update.outcome != "accepted":
        return head + why
    change, n = revisited(tasks, number=update.round)
    if change is None:
        return f"{head}{why} No task has run since."
    moved = format_number(change, 2, sign=True)
    # A new grader scores on its own scale, so only the solver's updates are better or worse.
    told = ""
    if update.agent == "solver" and change:
        told = f", for the {'better' if change > 0 else 'worse'}"
    return (
        f"{head}{why} On {n} tasks run before and after it, the mean score moved by {moved}{told}."
    )
