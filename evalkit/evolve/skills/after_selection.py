"""Stages after the selection: test-time controls, and verifiers on locked outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalkit.environments.base import Item
from evalkit.evolve.parts import Parts
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.skills.allocation import allocation
from evalkit.evolve.skills.controls import CONTROLS, attempt_control, first_attempts
from evalkit.evolve.skills.measuring import record_rows_of, verify_outputs
from evalkit.evolve.skills.selecting import PARENT_ROLE, SELECTION
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.state import ScalingState, SelectionState, VerifierState
from evalkit.evolve.worlds import World
from evalkit.locked import output_sha256

__all__ = ["SCALING", "VERIFIERS", "ScalingStage", "VerifierStage"]

SCALING, VERIFIERS = "scaling", "verifiers"


class ScalingStage:
    """Spend more calls on each test item with the frozen parent instead of evolving it."""

    state = ScalingState

    def begin(
        self, settings: SkillSettings, world: World, earlier: Mapping[str, Any], /
    ) -> ScalingState:
        """Return the state with the parent's first test outcomes."""
        del settings, world
        found: SelectionState = earlier[SELECTION]
        return ScalingState(component=found.parent.component, last=found.held[PARENT_ROLE])

    def step(self, settings: SkillSettings, parts: Parts, /, *, rounds: int) -> _Scale:
        """Return the step: one attempt of both controls a round."""
        del rounds
        return _Scale(parts=parts, settings=settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    parts: Parts
    settings: SkillSettings

    def __call__(self, state: ScalingState, log: RoundLog, /) -> ScalingState:
        """Carry out attempt ``round + 1``; the first is the parent's and costs nothing."""
        parts, number = self.parts, log.round + 1
        items = {item.id: item for item in parts.environment.items("test")}
        if number == 1:
            artifact = log.artifact(state.component.to_text())
            first_attempts(parts, state.last, items, log, artifact=artifact)
            log.event("allocated", attempts=self._allocation(items), component=artifact)
        else:
            state = self._attempt(state, log, items, number)
        if number == self.settings.attempts:
            state = replace(state, stopped="attempts")
            log.event("stopped", reason="attempts")
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)

    def _allocation(self, items: Mapping[str, Item]) -> dict[str, int]:
        return allocation(
            list(items.values()),
            attempts=self.settings.attempts,
            shares=self.settings.shares,
            draw=self.parts.draw.child("allocation"),
        )

    def _attempt(
        self, state: ScalingState, log: RoundLog, items: Mapping[str, Item], number: int
    ) -> ScalingState:
        given = self._allocation(items)
        chosen = [item for item in items.values() if given[item.id] >= number]
        previous = {one.item: one for one in state.last}
        ledger = state.ledger
        for name in CONTROLS:
            held, ledger = attempt_control(
                self.parts,
                state.component,
                chosen,
                previous,
                ledger,
                log,
                name=name,
                number=number,
            )
            if name == "sequential":
                previous = {**previous, **{one.item: one for one in held}}
        return replace(state, ledger=ledger, last=tuple(previous.values()))


class VerifierStage:
    """Judge the same test outputs of parent and selected skill with every verifier."""

    state = VerifierState

    def begin(
        self, settings: SkillSettings, world: World, earlier: Mapping[str, Any], /
    ) -> VerifierState:
        """Return the state with the outputs of the first deployment."""
        del settings, world
        found: SelectionState = earlier[SELECTION]
        skills = {PARENT_ROLE: found.parent, **found.views}
        return VerifierState(
            held=found.held,
            artifacts={role: skills[role].component.digest for role in found.held},
        )

    def step(self, settings: SkillSettings, parts: Parts, /, *, rounds: int) -> _Verify:
        """Return the step; there is one."""
        del rounds
        return _Verify(parts=parts, settings=settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verify:
    parts: Parts
    settings: SkillSettings

    def __call__(self, state: VerifierState, log: RoundLog, /) -> VerifierState:
        """Judge, and write one record for each verdict with the fingerprint of its output."""
        parts = self.parts
        items = {item.id: item for item in parts.environment.items("test")}
        ledger = state.ledger
        for role, held in state.held.items():
            shown = "Parent" if role == PARENT_ROLE else "selected"
            work = [(items[one.item], one.execution()) for one in held]
            for name in self.settings.verifiers:
                verdicts, ledger = verify_outputs(
                    parts, work, ledger, panel="locked", verifier=name
                )
                rows = record_rows_of(
                    parts.labels,
                    [(item, verdict) for (item, _), verdict in zip(work, verdicts, strict=True)],
                    number=log.round,
                    panel="test",
                    role=shown,
                    attempt=parts.labels.seed,
                    artifact=state.artifacts[role],
                    verifier=name,
                )
                log.records += [
                    {**row, "output_sha256": output_sha256(one.output)}
                    for row, one in zip(rows, held, strict=True)
                ]
        reason = "judged" if len(state.held) > 1 else "the parent was kept"
        log.event("stopped", reason=reason)
        log.event("ledger", entries=ledger.entries)
        return replace(state, round=log.round, stopped=reason, ledger=ledger)
