"""Replay a recorded run from its validation scores alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from evalkit.errors import InputError
from evalkit.results import json_value
from evalkit.trajectories.gates import Gate, NonDecreasing
from evalkit.trajectories.history import Candidate, Decision, Run, run_name
from evalkit.trajectories.scores import Score, compare_scores

__all__ = ["Basis", "Replay", "Step", "replay"]

Basis = Literal["replayed", "recorded"]
_DEFAULT_GATE = NonDecreasing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What became of one candidate.

    Attributes
    ----------
    round : int
        Round of the candidate.
    score : float, Fraction or None
        Its validation score.
    decision : {"new best", "flat", "reject", "no-op"}
        ``new best``: strictly above the best so far, and another artifact; ``flat``: accepted
        by the gate only; ``reject``: refused by it; ``no-op``: recorded as such, unscored.
    recorded : {"new best", "flat", "reject", "no-op"} or None
        What the log says.
    best_round, incumbent_round : int
        Rounds of the best artifact and of the incumbent after this round; 0 is the parent.
    best_score : float, Fraction or None
        Validation score of the best artifact; ``None`` where it was not recorded.
    basis : {"replayed", "recorded"}
        Whether the decision follows from scores or is taken from the log.
    """

    round: int
    score: Score | None
    decision: Decision
    recorded: Decision | None
    best_round: int
    best_score: Score | None
    incumbent_round: int
    basis: Basis

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "round": self.round,
            "score": _number(self.score),
            "decision": self.decision,
            "recorded": self.recorded,
            "best_round": self.best_round,
            "best_score": _number(self.best_score),
            "incumbent_round": self.incumbent_round,
            "basis": self.basis,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A replayed run.

    Attributes
    ----------
    run : Run
        What was replayed.
    gate : str
        Name of the gate.
    steps : tuple of Step
        One a round.
    """

    run: Run
    gate: str
    steps: tuple[Step, ...]

    @property
    def new_bests(self) -> tuple[int, ...]:
        """Rounds that set a new best."""
        return tuple(step.round for step in self.steps if step.decision == "new best")

    @property
    def accepted(self) -> tuple[int, ...]:
        """Rounds whose candidate became the incumbent."""
        return tuple(step.round for step in self.steps if step.incumbent_round == step.round)

    @property
    def first_new_best(self) -> int | None:
        """Round of the first new best; ``None`` if the parent was kept."""
        return self.new_bests[0] if self.new_bests else None

    @property
    def best_round(self) -> int:
        """Round of the last new best; 0 if the parent was kept."""
        return self.new_bests[-1] if self.new_bests else 0

    @property
    def best_score(self) -> Score | None:
        """Validation score of the best artifact; ``None`` where it was not recorded."""
        return self.steps[-1].best_score if self.steps else self.run.baseline

    @property
    def disagreements(self) -> tuple[int, ...]:
        """Rounds where the log's decision is not the replayed one."""
        return tuple(s.round for s in self.steps if s.recorded not in {None, s.decision})

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "labels": dict(self.run.labels),
            "gate": self.gate,
            "rounds": len(self.steps),
            "new_bests": list(self.new_bests),
            "first_new_best": self.first_new_best,
            "best_round": self.best_round,
            "best_score": _number(self.best_score),
            "accepted": list(self.accepted),
            "disagreements": list(self.disagreements),
            "steps": [step.to_dict() for step in self.steps],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Artifact:
    round: int
    score: Score | None
    artifact: str | None


def replay(run: Run, *, gate: Gate = _DEFAULT_GATE) -> Replay:
    """Decide every round of a run again, from validation scores alone.

    Parameters
    ----------
    run : Run
        A recorded run.
    gate : Gate
        Decides which candidate becomes the next incumbent; by default one that does not score
        below the incumbent.

    Returns
    -------
    Replay

    Raises
    ------
    InputError
        If a round has neither the scores to decide it nor a recorded decision, or is recorded
        as a new best although its artifact is byte-identical.

    Notes
    -----
    The best artifact is tracked apart from the incumbent and does not depend on the gate:
    a new best scores strictly above the best so far, and is another artifact than the one that
    came into the round and than the best. A byte-identical candidate is a re-evaluation: it is
    flat or rejected by its score, and moves neither the best nor the incumbent. A candidate
    whose identity is unknown counts as another artifact.
    A round without the scores to decide it keeps its recorded decision, with the basis
    ``recorded``; there, new best and flat candidates are taken as accepted.
    Under another gate than the one that made the run, later candidates would have been
    other candidates: the replay says what that gate would have done with these.

    Examples
    --------
    >>> scores = (0.81, 0.81, 0.79, 0.82)
    >>> run = Run(
    ...     baseline=0.80,
    ...     candidates=tuple(Candidate(round=k, score=s) for k, s in enumerate(scores, 1)),
    ... )
    >>> result = replay(run)
    >>> [step.decision for step in result.steps], result.best_round
    (['new best', 'flat', 'reject', 'new best'], 4)
    """
    best = incumbent = _Artifact(round=0, score=run.baseline, artifact=run.baseline_artifact)
    steps = []
    for candidate in run.candidates:
        moves = _differs_from_incoming(candidate, incumbent)
        # An artifact equal to the best can become the incumbent again, but is no new best.
        distinct = moves and (candidate.artifact is None or candidate.artifact != best.artifact)
        decision, accepted, basis = _decide(
            candidate, incumbent=incumbent, best=best, distinct=distinct, gate=gate, run=run
        )
        found = _Artifact(round=candidate.round, score=candidate.score, artifact=candidate.artifact)
        best = found if decision == "new best" else best
        incumbent = found if accepted and moves else incumbent
        steps.append(
            Step(
                round=candidate.round,
                score=candidate.score,
                decision=decision,
                recorded=candidate.decision,
                best_round=best.round,
                best_score=best.score,
                incumbent_round=incumbent.round,
                basis=basis,
            )
        )
    return Replay(run=run, gate=getattr(gate, "name", type(gate).__name__), steps=tuple(steps))


def _differs_from_incoming(candidate: Candidate, incumbent: _Artifact) -> bool:
    # A recorded `changed` speaks of the artifact that came in when the run was made.
    if candidate.changed is not None:
        return candidate.changed
    return candidate.artifact is None or candidate.artifact != incumbent.artifact


def _decide(
    candidate: Candidate,
    *,
    incumbent: _Artifact,
    best: _Artifact,
    distinct: bool,
    gate: Gate,
    run: Run,
) -> tuple[Decision, bool, Basis]:
    """Return the decision, whether the gate accepts, and what the decision rests on."""
    score = candidate.score
    if score is not None and best.score is not None:
        is_best = distinct and compare_scores(score, best.score) > 0
        if incumbent.score is not None:
            accepted = gate(score, incumbent.score, best.score)
            word: Decision = "flat" if accepted else "reject"
            return ("new best" if is_best else word), accepted, "replayed"
        if is_best:  # then it is above the incumbent too, whatever that scored
            return "new best", True, "replayed"
    return _recorded(candidate, distinct=distinct, run=run)


def _recorded(candidate: Candidate, *, distinct: bool, run: Run) -> tuple[Decision, bool, Basis]:
    place = f"{run_name(run.labels)}: round {candidate.round}"
    if candidate.decision is None:
        raise InputError(
            f"{place} has neither a recorded decision nor the scores to replay it "
            "(its own, the best so far and the incumbent's); give one of them"
        )
    if candidate.decision == "new best" and not distinct:
        raise InputError(
            f"{place} is recorded as a new best and its artifact is byte-identical; "
            "correct `decision`, `changed` or `artifact`"
        )
    return candidate.decision, candidate.decision in {"new best", "flat"}, "recorded"


def _number(score: Score | None) -> Any:
    return None if score is None else json_value(float(score))
