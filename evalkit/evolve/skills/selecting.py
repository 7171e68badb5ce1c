"""Selection across views by validation, then the frozen skills on test and on the probes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.skills.measuring import Measured, measure, panel_items, record_rows_of
from evalkit.evolve.skills.search import PARENT
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.state import Held, SelectionState, Validated
from evalkit.evolve.worlds import World
from evalkit.trajectories.selection import Selection, ViewResult, select_view

__all__ = ["PARENT_ROLE", "SELECTION", "SelectionStage", "select_across_views"]

SELECTION = "selection"
PARENT_ROLE = "Parent"


def select_across_views(parent: Validated, views: Mapping[str, Validated]) -> Selection | None:
    """Select by validation score, then auxiliary score, then the order of the views.

    Returns
    -------
    Selection or None
        ``None`` where the parent has no validation score.
    """
    if parent.score is None:
        return None
    return select_view(
        {name: _result(found) for name, found in views.items()},
        _result(parent),
        parent_name=PARENT_ROLE,
    )


def _result(found: Validated) -> ViewResult:
    if found.score is None:  # the best of a view whose parent has a score has one
        raise ValueError("a best skill has no validation score")
    return ViewResult(
        validation=found.score, auxiliary=found.auxiliary, artifact=found.component.digest
    )


class SelectionStage:
    """Select, then evaluate the parent and every view's best; nothing is revised any more."""

    state = SelectionState

    def begin(
        self, settings: SkillSettings, world: World, earlier: Mapping[str, Any], /
    ) -> SelectionState:
        """Return the state with the parent and the bests of the finished views."""
        del world
        return SelectionState(
            parent=earlier[PARENT].parent,
            views={view: earlier[view].best for view in settings.views},
        )

    def step(self, settings: SkillSettings, parts: Parts, /, *, rounds: int) -> _Select:
        """Return the step: select, then one deployment or probe a round."""
        del rounds
        return _Select(parts=parts, settings=settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Select:
    parts: Parts
    settings: SkillSettings

    def __call__(self, state: SelectionState, log: RoundLog, /) -> SelectionState:
        """Carry out round 0 (selection), a test deployment, or a probe."""
        repeats, probes = self.settings.repeats, self.settings.probes
        if log.round == 0:
            state = self._select(state, log)
        elif log.round <= repeats:
            state = self._deploy(state, log, panel="test", number=log.round)
        else:
            panel = probes[log.round - repeats - 1]
            if not panel_items(self.parts.environment, panel):
                log.event("left out", panel=panel, reason="the environment has no such items")
            else:
                for number in range(1, self.settings.probe_repeats + 1):
                    state = self._deploy(state, log, panel=panel, number=number)
        if log.round == repeats + len(probes):
            state = replace(state, stopped="evaluated")
            log.event("stopped", reason="evaluated")
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)

    def _select(self, state: SelectionState, log: RoundLog) -> SelectionState:
        found = select_across_views(state.parent, state.views)
        selected = PARENT_ROLE if found is None else found.selected
        log.event(
            "selected",
            view=selected,
            facts=None if found is None else found.to_dict(),
            artifacts={name: skill.component.digest for name, skill in self._roles(state).items()},
        )
        for skill in self._roles(state).values():
            log.artifact(skill.component.to_text())
        return replace(state, selected=selected)

    @staticmethod
    def _roles(state: SelectionState) -> dict[str, Validated]:
        return {PARENT_ROLE: state.parent, **state.views}

    def _deploy(
        self, state: SelectionState, log: RoundLog, *, panel: str, number: int
    ) -> SelectionState:
        """Run every distinct skill once on a panel; byte-identical skills share the run."""
        items = panel_items(self.parts.environment, panel)
        draw = self.parts.draw.child("deployment", panel, number)
        known: dict[str, Measured] = {}
        held = dict(state.held)
        for role, skill in self._roles(state).items():
            digest = skill.component.digest
            if digest not in known:
                known[digest], ledger = measure(
                    self.parts, skill.component, items, state.ledger, panel=panel, draw=draw
                )
                state = replace(state, ledger=ledger)
            found = known[digest]
            self._tell(log, role, skill, found, number)
            if panel == "test" and number == 1 and role in {PARENT_ROLE, state.selected}:
                held[role] = tuple(
                    Held.of(item, execution, verdict)
                    for (item, execution), verdict in zip(
                        found.work, found.verdicts["reference"], strict=True
                    )
                )
        return replace(state, held=held)

    def _tell(
        self, log: RoundLog, role: str, skill: Validated, found: Measured, number: int
    ) -> None:
        """Write the records of a deployment and its event; the first on test is the final score."""
        verdicts = found.verdicts["reference"]
        log.records += record_rows_of(
            self.parts.labels,
            [(item, verdict) for (item, _), verdict in zip(found.work, verdicts, strict=True)],
            number=log.round,
            panel=found.panel,
            role=role,
            attempt=f"{self.parts.labels.seed}:{number}",
            artifact=found.artifact,
        )
        first = found.panel == "test" and number == 1
        log.event(
            "final" if first else "deployed",
            role=role,
            deployment=number,
            best_round=skill.round,
            returned_by=None if role == PARENT_ROLE else role,
            **found.evaluation().facts(),
            truth=known_truth(self.parts, "solver", skill.component),
        )
