"""Live progress of an experiment on a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from evalkit.evolve.config import Experiment
from evalkit.evolve.experiment import Planned
from evalkit.evolve.loops import load_loop
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.stages import stages_of
from evalkit.rounding import format_number

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["LiveProgress", "SilentProgress", "describe_round", "total_rounds"]


def total_rounds(experiment: Experiment) -> int:
    """Return the rounds of all runs of an experiment, round 0 and the final evaluation included."""
    loop = load_loop(experiment.loop, path=experiment.path)
    path = str(experiment.path)
    return len(experiment.seeds) * sum(
        (arm.rounds + 2) * len(stages_of(loop, loop.settings(arm.loop, path=path)))
        for arm in experiment.arms
    )


def describe_round(state: Any, log: RoundLog) -> str:
    """Return one line about a committed round: bests, decisions, cost.

    Parameters
    ----------
    state : loop state
        With ``solver``, ``grader`` and ``ledger`` where the loop has them.
    log : RoundLog
        What the round wrote.
    """
    parts = []
    for name in ("solver", "grader"):
        best = getattr(getattr(state, name, None), "best", None)
        if best is not None and best.score is not None:
            parts.append(f"{name} {format_number(100 * best.score, 1)}%")
    said = [f"{row['system']} {row['decision']}" for row in log.history if row.get("decision")]
    parts += said or []
    ledger = getattr(state, "ledger", None)
    if ledger is not None:
        spent = ledger.total
        parts.append(f"{spent.calls} calls")
        if spent.cost is not None:
            parts.append(f"${format_number(spent.cost, 2)}")
    return " · ".join(parts)


class SilentProgress:
    """Show nothing."""

    def __enter__(self) -> SilentProgress:
        """Return the watch itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def begin(self, planned: Planned, done: int) -> None:
        """Ignore the start of a run."""

    def round(self, planned: Planned, state: Any, log: RoundLog) -> None:
        """Ignore a round."""


class LiveProgress:
    """Show the round, the bests, the decision, the cost and the time left on a terminal.

    Parameters
    ----------
    stream : text stream
        The terminal.
    total : int
        Rounds of all runs.
    """

    def __init__(self, stream: TextIO, *, total: int) -> None:
        self._stream, self._total = stream, total
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._done = self._base = 0

    def __enter__(self) -> LiveProgress:
        """Start drawing."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.fields[run]}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[seen]}", markup=False),
            console=Console(file=self._stream),
            transient=True,
        )
        self._task = self._bar.add_task("rounds", total=self._total, run="", seen="")
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop drawing."""
        if self._bar is not None:
            self._bar.stop()

    def begin(self, planned: Planned, done: int) -> None:
        """Show the run that begins."""
        self._done = self._base + done + 1
        self._base += planned.arm.rounds + 2
        self._draw(planned, "")

    def round(self, planned: Planned, state: Any, log: RoundLog) -> None:
        """Show a round."""
        # A run that stops early leaves its remaining rounds done.
        ended = state.stopped is not None
        self._done = self._base if ended else self._base - planned.arm.rounds - 1 + log.round
        self._draw(planned, f"round {log.round} · {describe_round(state, log)}")

    def _draw(self, planned: Planned, seen: str) -> None:
        if self._bar is not None and self._task is not None:
            name = f"{planned.arm.name} seed {planned.seed}"
            self._bar.update(self._task, completed=self._done, run=name, seen=seen)
