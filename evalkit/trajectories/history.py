"""What an evolution run recorded: a parent and one candidate a round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

from evalkit.errors import ArgumentError, InputError
from evalkit.trajectories.scores import Score, check_score

__all__ = ["Candidate", "Decision", "Run", "run_name"]

Decision = Literal["new best", "flat", "reject", "no-op"]


def run_name(labels: Mapping[str, str]) -> str:
    """Return how messages name a run: its labels, or ``the run`` without any."""
    return ", ".join(f"{k}={v!r}" for k, v in labels.items()) or "the run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The candidate of one round.

    Attributes
    ----------
    round : int
        Round, from 1.
    score : float, Fraction or None
        Validation score; ``None`` where it was not recorded.
    artifact : str or None
        Id of the artifact, such as a hash: equal ids mean byte-identical artifacts.
    changed : bool or None
        Whether the artifact differs from the one that came into the round; ``None`` if unknown.
    decision : {"new best", "flat", "reject", "no-op"} or None
        What the log says became of it.

    Raises
    ------
    ArgumentError
        If the round is below 1, the score is not finite or the decision unknown.

    Examples
    --------
    >>> Candidate(round=1, score=0.81, changed=True).round
    1
    """

    round: int
    score: Score | None
    artifact: str | None = None
    changed: bool | None = None
    decision: Decision | None = None

    def __post_init__(self) -> None:
        if isinstance(self.round, bool) or not isinstance(self.round, int) or self.round < 1:
            raise ArgumentError(f"`round` is {self.round!r}; it must be an integer of at least 1")
        if self.score is not None:
            check_score(self.score, name=f"the score of round {self.round}")
        if self.decision is not None and self.decision not in get_args(Decision):
            raise ArgumentError(
                f"the decision of round {self.round} is {self.decision!r}; "
                f"it must be one of {', '.join(get_args(Decision))}, or None"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One evolution run.

    Attributes
    ----------
    labels : mapping of str to str
        Names of the run, such as model, benchmark and view.
    baseline : float, Fraction or None
        Validation score of the parent; needed as soon as a candidate has a score.
    baseline_artifact : str or None
        Id of the parent artifact.
    candidates : tuple of Candidate
        In order of their rounds, strictly increasing.

    Raises
    ------
    ArgumentError
        If the baseline is not finite.
    InputError
        If rounds repeat or go back, or candidates have scores and the parent has none.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    baseline: Score | None
    baseline_artifact: str | None = None
    candidates: tuple[Candidate, ...]

    def __post_init__(self) -> None:
        name = run_name(self.labels)
        if self.baseline is not None:
            check_score(self.baseline, name=f"the baseline of {name}")
        for before, after in pairwise(self.candidates):
            if after.round <= before.round:
                raise InputError(
                    f"{name}: round {after.round} follows round {before.round}; "
                    "rounds must increase strictly, one candidate a round"
                )
        scored = next((c.round for c in self.candidates if c.score is not None), None)
        if self.baseline is None and scored is not None:
            raise InputError(
                f"{name}: round {scored} has a score and the parent (round 0) has none; "
                "give the validation score of the parent"
            )

    @property
    def rounds(self) -> int:
        """Number of executed rounds."""
        return len(self.candidates)
