"""One iteration of GEPA as one committed round."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evalkit.environments.base import Component
from evalkit.evolve.baselines.gepa_adapter import GepaAdapter
from evalkit.evolve.baselines.gepa_run import Iteration, run_gepa
from evalkit.evolve.baselines.settings import GepaSettings
from evalkit.evolve.baselines.state import BaselineState, with_best
from evalkit.evolve.baselines.validating import evaluate_finally, tell_start
from evalkit.evolve.evaluating import Evaluation
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import history_row
from evalkit.trajectories.history import Decision
from evalkit.trajectories.scores import compare_scores

__all__ = ["GepaStep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GepaStep:
    """An iteration of GEPA as one call.

    Attributes
    ----------
    parts : Parts
        What the round works with.
    settings : GepaSettings
        The settings.
    judge : Component
        The fixed grader.
    rounds : int
        Iterations that are allowed; the budget may end the run before.

    Notes
    -----
    GEPA keeps its state in a loop of its own. Each round therefore starts it again, answers what
    earlier rounds answered from the state, and lets it go on for one more iteration. Nothing is
    evaluated twice, and a run killed at any point continues as if it had not been.
    """

    parts: Parts
    settings: GepaSettings
    judge: Component
    rounds: int

    def __call__(self, state: BaselineState, log: RoundLog, /) -> BaselineState:
        """Evaluate the seed, carry out an iteration, or the final evaluation."""
        if state.ending is not None:
            grader, judge = self.settings.grader, self.judge
            state = evaluate_finally(state, log, parts=self.parts, grader=grader, judge=judge)
            log.event("stopped", reason=state.ending)
            state = replace(state, stopped=state.ending)
        else:
            state = self._iterate(state, log)
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)

    def _iterate(self, state: BaselineState, log: RoundLog) -> BaselineState:
        start = state.solver.initial.component
        adapter = GepaAdapter(
            self.parts,
            grader=self.settings.grader,
            judge=self.judge,
            start=start,
            answers=state.answers,
            ledger=state.ledger,
            log=log,
        )
        environment = self.parts.environment
        seen = run_gepa(
            adapter,
            start=start.prompt,
            train=environment.items("train"),
            validation=environment.items("validation"),
            settings=self.settings,
            seed=self.parts.draw.child("gepa").integer() % (1 << 32),
            iterations=log.round,
        )
        state = replace(
            state,
            ledger=adapter.ledger,
            answers=tuple(adapter.answers),
            metric_calls=seen.metric_calls,
        )
        budget = self.settings.metric_calls
        log.event(
            "budget",
            metric_calls=seen.metric_calls,
            budget=budget,
            overshoot=max(0, seen.metric_calls - budget),
            evaluated=sum(len(a.scores) for a in adapter.answers),
        )
        if log.round == 0:
            state = self._seed(state, start, adapter, log)
        else:
            state = self._tell(state, seen, adapter, log)
        if seen.metric_calls >= budget:
            return replace(state, ending="budget")
        return replace(state, ending="rounds" if log.round >= self.rounds else None)

    def _seed(
        self, state: BaselineState, start: Component, adapter: GepaAdapter, log: RoundLog
    ) -> BaselineState:
        score = self._validated(start, adapter, log).score
        tell_start(start, log, parts=self.parts, score=score)
        first = replace(state.solver.initial, score=score)
        return replace(state, solver=replace(state.solver, initial=first, best=first))

    def _validated(self, component: Component, adapter: GepaAdapter, log: RoundLog) -> Evaluation:
        """Write the event of a validation that GEPA asked for."""
        measured = adapter.measured[component.prompt]
        name = next(iter(measured.verdicts))
        found = measured.evaluation(name)
        truth = known_truth(self.parts, "solver", component)
        log.event("validated", **found.facts(), verifier=name, truth=truth)
        return found

    def _tell(
        self, state: BaselineState, seen: Iteration, adapter: GepaAdapter, log: RoundLog
    ) -> BaselineState:
        """Write what became of the candidate of an iteration; an iteration may have none."""
        if adapter.proposed is None or adapter.failed:
            log.event("no candidate", reason=seen.skipped or "the updater failed")
            return state
        parent, text = adapter.proposed
        component = Component(prompt=text, skills=state.solver.initial.component.skills)
        decision: Decision = "no-op" if text == parent else "reject"
        score = None
        if seen.accepted is not None and decision != "no-op":
            score = self._validated(component, adapter, log).score
            best = state.solver.best
            above = (
                score is not None
                and best.score is not None
                and component.digest != best.component.digest
                and compare_scores(score, best.score) > 0
            )
            decision = "new best" if above else "flat"
            if above:
                state = with_best(state, component, number=log.round, score=score)
            state = replace(
                state,
                solver=replace(state.solver, component=component, updates=state.solver.updates + 1),
            )
        self._record(log, component, decision, score, reason=seen.rejected)
        return state

    def _record(
        self,
        log: RoundLog,
        component: Component,
        decision: Decision,
        score: float | None,
        *,
        reason: str | None,
    ) -> None:
        artifact = log.artifact(component.to_text())
        log.event(
            "adoption",
            agent="solver",
            decision={"reject": "rejected", "no-op": "no-op"}.get(decision, "accepted"),
            artifact=artifact,
            budget=None,
            edits=None,
            retried=False,
            reason=reason,
            truth=known_truth(self.parts, "solver", component),
        )
        log.history.append(
            history_row(
                self.parts.labels,
                "solver",
                number=log.round,
                score=score,
                artifact=artifact,
                changed=decision != "no-op",
                decision=decision,
            )
        )
