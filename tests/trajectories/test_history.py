"""Candidates and runs refuse what cannot be a history."""

from __future__ import annotations

import math

import pytest

from evalkit.errors import ArgumentError, InputError
from evalkit.trajectories import Candidate, Run


@pytest.mark.parametrize("number", [0, -1, True, 1.0])
def test_candidate_rejects_bad_round(number):
    """Rounds of candidates are integers from 1."""
    with pytest.raises(ArgumentError, match="`round`"):
        Candidate(round=number, score=0.5)


@pytest.mark.parametrize("score", [math.nan, math.inf, True, "0.5"])
def test_candidate_rejects_bad_score(score):
    """A score is a finite number, and a missing one is None."""
    with pytest.raises(ArgumentError, match="score of round 3"):
        Candidate(round=3, score=score)


def test_candidate_rejects_unknown_decision():
    """A decision is one of four words."""
    with pytest.raises(ArgumentError, match="new best, flat, reject, no-op"):
        Candidate(round=1, score=0.5, decision="kept")


@pytest.mark.parametrize("rounds", [(1, 1), (2, 1)])
def test_run_rejects_rounds_that_do_not_increase(rounds):
    """Repeated or reversed rounds are named with the run."""
    with pytest.raises(InputError, match=r"view='N': round 1 follows"):
        Run(
            labels={"view": "N"},
            baseline=0.5,
            candidates=tuple(Candidate(round=k, score=0.5) for k in rounds),
        )


def test_run_rejects_scores_without_a_baseline():
    """Scores cannot be used without the parent's."""
    with pytest.raises(InputError, match=r"view='N': round 2 has a score and the parent"):
        Run(labels={"view": "N"}, baseline=None, candidates=(Candidate(round=2, score=0.5),))


def test_run_without_scores_needs_no_baseline():
    """A history of decisions alone is a run, and counts its rounds."""
    run = Run(baseline=None, candidates=(Candidate(round=1, score=None, decision="flat"),))
    assert run.rounds == 1
