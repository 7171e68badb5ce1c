"""One round of DUET."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evalkit.environments.base import Item
from evalkit.evolve.duet.alternation import agents_of, updated_in
from evalkit.evolve.duet.final import evaluate_finally
from evalkit.evolve.duet.patience import ending
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.duet.state import DuetState, TaskRun
from evalkit.evolve.duet.task_selection import select_tasks
from evalkit.evolve.duet.turn import Turn, take_turn
from evalkit.evolve.duet.validation import finish_turn, start_agents
from evalkit.evolve.evaluating import execute, judge_all, spend
from evalkit.evolve.parts import Parts
from evalkit.evolve.protocols import Agent, EvidenceRow
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import training_rows

__all__ = ["DuetStep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DuetStep:
    """A round of DUET as one call.

    Attributes
    ----------
    parts : Parts
        What the round works with.
    settings : DuetSettings
        The settings.
    rounds : int
        Rounds that are allowed.
    """

    parts: Parts
    settings: DuetSettings
    rounds: int

    def __call__(self, state: DuetState, log: RoundLog, /) -> DuetState:
        """Carry out round 0, a training round, or the final evaluation."""
        parts, settings = self.parts, self.settings
        if state.round < 0:
            state = start_agents(state, log, parts=parts, settings=settings)
            state = replace(state, round=0, ending=None if self.rounds else "rounds")
        elif state.ending is not None:
            state = evaluate_finally(state, log, parts=parts, settings=settings)
            log.event("stopped", reason=state.ending)
            state = replace(state, round=log.round, stopped=state.ending)
        else:
            state = self._train(state, log)
        log.event("ledger", entries=state.ledger.entries)
        return state

    def _train(self, state: DuetState, log: RoundLog) -> DuetState:
        """Select, execute, judge, revise, validate."""
        settings = self.settings
        rows, state = self._gather(state, log)
        turns: dict[Agent, Turn] = {}
        for name in updated_in(log.round, schedule=settings.schedule, rounds=self.rounds):
            state, turns[name] = take_turn(
                state, name, rows, log, parts=self.parts, settings=settings, rounds=self.rounds
            )
        for name in agents_of(settings.schedule):
            state = finish_turn(
                state, name, turns.get(name), log, parts=self.parts, settings=settings
            )
        history = (*state.history, *(turn.update for turn in turns.values()))
        reason = ending(
            log.round,
            rounds=self.rounds,
            best_rounds=[state.agent(name).best.round for name in agents_of(settings.schedule)],
            patience=settings.patience,
            schedule=settings.schedule,
            checkpoints=settings.checkpoints,
        )
        return replace(state, round=log.round, history=history, ending=reason)

    def _gather(self, state: DuetState, log: RoundLog) -> tuple[list[EvidenceRow], DuetState]:
        """Run and judge the batch of the round."""
        parts, settings = self.parts, self.settings
        items = {item.id: item for item in parts.environment.items("train")}
        batch, values = select_tasks(
            list(items),
            state.tasks,
            number=log.round,
            batch=settings.batch,
            window=settings.window,
            exploration=settings.exploration,
            selection=settings.selection,
        )
        log.event(
            "selected",
            tasks=batch,
            rule="sw-ucb" if values else "in turn",
            # JSON has no infinity: null is a task without a change in the window.
            values={task: _finite(values[task]) for task in batch if task in values},
        )
        draw = parts.draw.child("round", log.round, "train")
        chosen = [items[task] for task in batch]
        executions = execute(parts, state.solver.component, chosen, draw=draw)
        work = [(item.id, item, found) for item, found in zip(chosen, executions, strict=True)]
        verdicts = judge_all(parts, state.grader.component, work, draw=draw)
        rows = [
            EvidenceRow(item=item, execution=found, verdict=verdict)
            for item, found, verdict in zip(chosen, executions, verdicts, strict=True)
        ]
        log.records += training_rows(
            parts.labels,
            [(row.item, row.execution, row.verdict) for row in rows],
            number=log.round,
            solver=state.solver.component.digest,
            grader=state.grader.component.digest,
        )
        judged = [row.verdict.usage for row in rows if row.execution.status == "ok"]
        ledger = spend(state.ledger, "solve/train", [e.usage for e in executions])
        ledger = spend(ledger, "judge/train", judged)
        tasks = _with_runs(state.tasks, chosen, rows, number=log.round)
        return rows, replace(state, ledger=ledger, tasks=tasks)


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def _with_runs(
    tasks: Mapping[str, tuple[TaskRun, ...]],
    chosen: list[Item],
    rows: list[EvidenceRow],
    *,
    number: int,
) -> dict[str, tuple[TaskRun, ...]]:
    """Add the executions of a round to the history of the tasks."""
    added = {
        item.id: (*tasks.get(item.id, ()), TaskRun(round=number, score=row.verdict.score))
        for item, row in zip(chosen, rows, strict=True)
    }
    return {**tasks, **added}
