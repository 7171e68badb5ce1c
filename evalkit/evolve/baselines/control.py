"""Baselines without revision: direct generation, Parallel and Sequential test-time scaling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evalkit.environments.base import Component, Item
from evalkit.evolve.baselines.settings import ControlSettings
from evalkit.evolve.baselines.state import BaselineState
from evalkit.evolve.baselines.validating import evaluate_finally, start, tell_start
from evalkit.evolve.evaluating import Evaluation, Outcome
from evalkit.evolve.parts import Parts
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import evaluation_rows
from evalkit.evolve.skills.allocation import allocation
from evalkit.evolve.skills.controls import attempt_control
from evalkit.evolve.skills.state import Held

__all__ = ["ControlStep", "DirectStep"]

_NOBODY = Component()


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectStep:
    """Direct generation: validate the initial component, then test it."""

    parts: Parts

    def __call__(self, state: BaselineState, log: RoundLog, /) -> BaselineState:
        """Carry out round 0 or the final evaluation."""
        run = start if state.round < 0 else evaluate_finally
        state = run(state, log, parts=self.parts, grader="reference", judge=_NOBODY)
        if log.round > 0:
            log.event("stopped", reason="no update")
            state = replace(state, stopped="no update")
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlStep:
    """One attempt of a test-time control a round.

    Attributes
    ----------
    parts : Parts
        What the round works with.
    settings : ControlSettings
        The settings.
    name : {"parallel", "sequential"}
        Independent attempts, of which the best counts; or revisions, of which the last does.
    """

    parts: Parts
    settings: ControlSettings
    name: Literal["parallel", "sequential"]

    def __call__(self, state: BaselineState, log: RoundLog, /) -> BaselineState:
        """Carry out attempt ``round + 1``, or write the scores of the final outcomes."""
        items = {item.id: item for item in self.parts.environment.items("test")}
        if log.round < self.settings.attempts:
            state = self._attempt(state, log, items)
        else:
            counted = tuple(state.best_of.values())
            artifact = state.solver.component.digest
            self._tell(log, "best", counted, items, artifact=artifact)
            log.event("stopped", reason="attempts")
            state = replace(state, stopped="attempts")
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)

    def _attempt(
        self, state: BaselineState, log: RoundLog, items: Mapping[str, Item]
    ) -> BaselineState:
        number = log.round + 1
        component = state.solver.component
        given = allocation(
            list(items.values()),
            attempts=self.settings.attempts,
            shares=self.settings.shares,
            draw=self.parts.draw.child("allocation"),
        )
        if number == 1:
            tell_start(component, log, parts=self.parts, score=None)
            log.event("allocated", attempts=given, component=component.digest)
        held, ledger = attempt_control(
            self.parts,
            component,
            [item for item in items.values() if given[item.id] >= number],
            {one.item: one for one in state.held} if number > 1 else _nothing(items),
            state.ledger,
            log,
            name=self.name,
            number=number,
        )
        if number == 1:
            self._tell(log, "initial", held, items, artifact=component.digest)
        first = state.best_of
        kept = {**first, **{one.item: self._better(first.get(one.item), one) for one in held}}
        last = {**{one.item: one for one in state.held}, **{one.item: one for one in held}}
        return replace(state, held=tuple(last.values()), best_of=kept, ledger=ledger)

    def _better(self, before: Held | None, after: Held) -> Held:
        """Return what counts of two attempts; one without a score leaves the item undecided."""
        if self.name == "sequential" or before is None:
            return after
        if before.score is None or after.score is None:
            return before if before.score is None else after
        return after if after.score > before.score else before

    def _tell(
        self,
        log: RoundLog,
        role: str,
        held: Sequence[Held],
        items: Mapping[str, Item],
        *,
        artifact: str,
    ) -> None:
        """Write the outcomes that count under a role, as a final score on test."""
        by_item = {one.item: one for one in held}
        outcomes = tuple(
            Outcome(
                item=item.id,
                cluster=item.cluster,
                score=by_item[item.id].score,
                status=by_item[item.id].verdict,
            )
            for item in items.values()
        )
        found = Evaluation(agent="solver", artifact=artifact, split="test", outcomes=outcomes)
        rows = evaluation_rows(self.parts.labels, found, number=log.round, role=role)
        log.records += [{**row, "attempt": "1"} for row in rows]
        # What a control returns is a choice among outcomes, and the work of no artifact.
        facts = found.facts() if role == "initial" else {**found.facts(), "artifact": None}
        log.event("final", role=role, **facts)


def _nothing(items: Mapping[str, Item]) -> dict[str, Held]:
    """First attempts have nothing to revise."""
    return {
        item: Held(item=item, output=None, status="infra", score=None, verdict="infra")
        for item in items
    }
