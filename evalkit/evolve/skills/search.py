"""The search under one view: rounds of execution, revision, validation and gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import history_row
from evalkit.evolve.skills.gating import accepts, parse_gate
from evalkit.evolve.skills.revising import Revision, gather, revise, tell_adoption
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.state import ParentState, Validated, ViewState
from evalkit.evolve.skills.stopping import Outcome, ending
from evalkit.evolve.skills.validating import tell_validated, validate
from evalkit.evolve.skills.views import View
from evalkit.evolve.worlds import World
from evalkit.trajectories.history import Decision
from evalkit.trajectories.scores import compare_scores

__all__ = ["PARENT", "ParentStage", "ViewStage", "is_new_best"]

PARENT = "parent"
"""Name of the stage that validates the parent."""


class ParentStage:
    """Validate the parent once, so that every view starts from one score."""

    state = ParentState

    def begin(
        self, settings: SkillSettings, world: World, earlier: Mapping[str, Any], /
    ) -> ParentState:
        """Return the state with the parent that the settings name."""
        del earlier
        return ParentState(parent=Validated(component=world.initials[settings.initial]["solver"]))

    def step(self, settings: SkillSettings, parts: Parts, /, *, rounds: int) -> _ValidateParent:
        """Return the step; there is one."""
        del rounds
        return _ValidateParent(parts=parts, settings=settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ValidateParent:
    parts: Parts
    settings: SkillSettings

    def __call__(self, state: ParentState, log: RoundLog, /) -> ParentState:
        """Validate the parent."""
        found, ledger = validate(
            self.parts,
            state.parent.component,
            state.ledger,
            log,
            settings=self.settings,
            role="Parent",
            draw=self.parts.draw.child("round", 0, "validation"),
            made_in=0,
        )
        log.artifact(found.component.to_text())
        tell_validated(log, found, self.parts, kind="validated", role="Parent")
        log.event("stopped", reason="validated")
        log.event("ledger", entries=ledger.entries)
        return ParentState(round=log.round, stopped="validated", parent=found, ledger=ledger)


class ViewStage:
    """Search under one view.

    Parameters
    ----------
    view : str
        What the updater is shown.
    """

    state = ViewState

    def __init__(self, view: View) -> None:
        self.view: View = view

    def begin(
        self, settings: SkillSettings, world: World, earlier: Mapping[str, Any], /
    ) -> ViewState:
        """Return the state with the validated parent."""
        del settings, world
        parent: Validated = earlier[PARENT].parent
        return ViewState(view=self.view, parent=parent, incumbent=parent, best=parent)

    def step(self, settings: SkillSettings, parts: Parts, /, *, rounds: int) -> _Search:
        """Return the step."""
        return _Search(parts=parts, settings=settings, rounds=rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    parts: Parts
    settings: SkillSettings
    rounds: int

    def __call__(self, state: ViewState, log: RoundLog, /) -> ViewState:
        """Carry out round 0, a round of the search, or the re-evaluation of the best."""
        if state.round < 0:
            state = self._start(state, log)
        elif state.ending is not None:
            state = self._finish(state, log)
        else:
            state = self._search(state, log)
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)

    def _start(self, state: ViewState, log: RoundLog) -> ViewState:
        """Take the parent over; its validation was counted where it was made."""
        parent = state.parent
        artifact = log.artifact(parent.component.to_text())
        tell_validated(log, parent, self.parts, kind="validated", role=state.view)
        truth = known_truth(self.parts, "solver", parent.component)
        log.event("start", agent="solver", artifact=artifact, truth=truth)
        log.history.append(self._row(0, parent.score, artifact))
        return replace(state, ending="parent not scored" if parent.score is None else None)

    def _finish(self, state: ViewState, log: RoundLog) -> ViewState:
        """Validate the best once more: what its selection cost."""
        found, ledger = validate(
            self.parts,
            state.best.component,
            state.ledger,
            log,
            settings=self.settings,
            role=state.view,
            draw=self.parts.draw.child("final", "validation", state.best.component.digest),
            made_in=state.best.round,
            attempt=self.parts.labels.seed,
        )
        tell_validated(log, found, self.parts, kind="final", role="best")
        log.event("stopped", reason=state.ending)
        return replace(state, ledger=ledger, stopped=state.ending)

    def _search(self, state: ViewState, log: RoundLog) -> ViewState:
        """Execute, show, revise, validate, decide."""
        settings, skill = self.settings, state.incumbent.component
        shown, ledger = gather(
            self.parts, skill, state.ledger, log, view=state.view, settings=settings
        )
        state = replace(state, ledger=ledger)
        if shown:
            draw = self.parts.draw.child("round", log.round, "propose")
            revision, ledger = revise(
                self.parts, skill, shown, ledger, log, max_edits=settings.max_edits, draw=draw
            )
            state, outcome = self._decide(replace(state, ledger=ledger), revision, log)
            state = replace(state, outcomes=(*state.outcomes, outcome))
            tell_adoption(log, revision, outcome, self.parts, max_edits=settings.max_edits)
        reason = ending(
            log.round,
            rounds=self.rounds,
            outcomes=state.outcomes,
            patience=settings.patience,
            shown=len(shown),
        )
        return replace(state, ending=reason)

    def _decide(
        self, state: ViewState, revision: Revision, log: RoundLog
    ) -> tuple[ViewState, Outcome]:
        """Validate a candidate, let the gate decide, and keep the best."""
        candidate = revision.component
        if candidate is None:
            if revision.outcome is None:
                raise ArgumentError("a revision has neither a candidate nor an outcome")
            return state, revision.outcome
        if revision.outcome == "rejected" or (
            revision.outcome == "no-op" and not self.settings.revalidate
        ):
            self._tell(log, revision, None, "no-op" if revision.outcome == "no-op" else "reject")
            return state, revision.outcome
        found, ledger = validate(
            self.parts,
            candidate,
            state.ledger,
            log,
            settings=self.settings,
            role=state.view,
            draw=self.parts.draw.child("round", log.round, "validation"),
            made_in=log.round,
        )
        tell_validated(log, found, self.parts, kind="validated", role=state.view)
        state = replace(state, ledger=ledger)
        if revision.outcome == "no-op":
            self._tell(log, revision, None, "no-op")
            return state, "no-op"
        return self._gate(state, revision, found, log)

    def _gate(
        self, state: ViewState, revision: Revision, found: Validated, log: RoundLog
    ) -> tuple[ViewState, Outcome]:
        rule = parse_gate(self.settings.gate)
        scored = (found.scored, state.incumbent.scored, state.best.scored)
        if scored[0] is None or scored[1] is None or scored[2] is None:
            self._tell(log, revision, None, "reject")
            return state, "unscored"
        accepted = accepts(rule, scored[0], scored[1], scored[2])
        best = is_new_best(found, state.best)
        self._tell(
            log, revision, found.score, "new best" if best else "flat" if accepted else "reject"
        )
        state = replace(
            state,
            incumbent=found if accepted else state.incumbent,
            best=found if best else state.best,
        )
        return state, "accepted" if accepted else "rejected"

    def _tell(
        self, log: RoundLog, revision: Revision, score: float | None, decision: Decision
    ) -> None:
        """Write the history row of a candidate; one that was not decided by scores has none."""
        if revision.component is not None:
            artifact = log.artifact(revision.component.to_text())
            changed = decision != "no-op"
            log.history.append(
                self._row(log.round, score, artifact, changed=changed, decision=decision)
            )

    def _row(
        self,
        number: int,
        score: float | None,
        artifact: str,
        *,
        changed: bool | None = None,
        decision: Decision | None = None,
    ) -> dict[str, Any]:
        return history_row(
            self.parts.labels,
            "solver",
            number=number,
            score=score,
            artifact=artifact,
            changed=changed,
            decision=decision,
        )


def is_new_best(found: Validated, best: Validated) -> bool:
    """Whether a candidate scores strictly above the best so far, with other bytes."""
    if found.score is None or best.score is None:
        return False
    distinct = found.component.digest != best.component.digest
    return distinct and compare_scores(found.score, best.score) > 0
