"""A run replayed from its validation scores."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import InputError
from evalkit.trajectories import Candidate, Run, dead_band, non_decreasing, replay, strict


def _run(*scores, baseline=0.5, **settings):
    return Run(
        baseline=baseline,
        candidates=tuple(Candidate(round=k, score=s) for k, s in enumerate(scores, 1)),
        **settings,
    )


def test_published_new_bests_follow_from_the_scores(searchqa):
    """Table A22: two of ten proposals are new bests, the selected one in round 9."""
    result = replay(searchqa)
    assert result.new_bests == (1, 9)
    assert (result.first_new_best, result.best_round, result.best_score) == (1, 9, 82.0)
    assert [step.best_round for step in result.steps] == [1] * 8 + [9, 9]
    assert {step.basis for step in result.steps} == {"replayed"}


def test_published_gate_words_break_the_stated_rule(searchqa):
    """Table A22 prints Flat where the score fell below the incumbent's 81.0 (rounds 4, 5, 8, 10).

    Under the non-decreasing rule those four are rejected.
    """
    assert replay(searchqa, gate=non_decreasing()).disagreements == (4, 5, 8, 10)


def test_published_gate_words_follow_a_dead_band_below_the_best(searchqa):
    """Table A22's words are those of a band of two points below the best score."""
    result = replay(searchqa, gate=dead_band(2, reference="best"))
    assert result.disagreements == ()
    fractions = dataclasses.replace(
        searchqa,
        baseline=searchqa.baseline / 100,
        candidates=tuple(dataclasses.replace(c, score=c.score / 100) for c in searchqa.candidates),
    )
    assert replay(fractions, gate=dead_band(0.02, reference="best")).disagreements == ()


def test_published_spreadsheet_trace():
    """Table A23 (39 items): four revisions are retained, and its words fit both rules."""
    counts = (27, 29, 31, 30, 29, 31, 32, 31, 32, 32)
    words = ("new best",) * 3 + ("reject", "reject", "flat", "new best", "reject", "flat", "flat")
    run = Run(
        baseline=Fraction(15, 39),
        candidates=tuple(
            Candidate(round=k, score=Fraction(c, 39), decision=word)
            for k, (c, word) in enumerate(zip(counts, words, strict=True), 1)
        ),
    )
    assert replay(run).new_bests == (1, 2, 3, 7)
    assert replay(run).disagreements == ()
    assert replay(run, gate=dead_band(0.02, reference="best")).disagreements == ()


def test_byte_identical_candidates_never_count():
    """A re-evaluation above the best is flat by its score and moves nothing."""
    run = Run(
        baseline=0.5,
        candidates=(
            Candidate(round=1, score=0.9, changed=False),
            Candidate(round=2, score=0.6),
        ),
    )
    first, second = replay(run).steps
    assert (first.decision, first.best_round, first.incumbent_round) == ("flat", 0, 0)
    assert (second.decision, second.best_score) == ("new best", 0.6)


def test_identity_is_derived_from_artifact_ids():
    """Equal ids of incumbent or best mean the same artifact; going back moves the incumbent."""
    ids = ("p", "a", "a", "b", "a")
    scores = (0.5, 0.6, 0.7, 0.55, 0.8)
    run = Run(
        baseline=scores[0],
        baseline_artifact=ids[0],
        candidates=tuple(Candidate(round=k, score=scores[k], artifact=ids[k]) for k in range(1, 5)),
    )
    result = replay(run, gate=dead_band(0.1))
    assert [step.decision for step in result.steps] == ["new best", "flat", "flat", "flat"]
    assert [step.incumbent_round for step in result.steps] == [1, 1, 3, 4]
    assert (result.new_bests, result.accepted) == ((1,), (1, 3, 4))


def test_best_is_tracked_apart_from_the_gate():
    """A gate that refuses everything keeps the parent as incumbent, not as best."""
    result = replay(_run(0.6, 0.4), gate=lambda *_: False)
    assert result.gate == "function"
    assert [s.decision for s in result.steps] == ["new best", "reject"]
    assert (result.best_round, result.accepted) == (1, ())


def test_gates_differ_on_the_incumbent_only():
    """Strict refuses a tie that non-decreasing accepts, and a dead band lets scores slide."""
    run = _run(0.5, 0.45, 0.42)
    assert replay(run, gate=strict()).accepted == ()
    assert replay(run).accepted == (1,)
    assert replay(run, gate=dead_band(0.06)).accepted == (1, 2, 3)


def test_unscored_rounds_keep_their_recorded_decision():
    """Without a score the log decides, and the step says so."""
    run = Run(
        baseline=0.5,
        candidates=(
            Candidate(round=1, score=None, decision="no-op"),
            Candidate(round=2, score=None, decision="flat"),
            Candidate(round=3, score=0.4, decision="reject"),
            Candidate(round=4, score=0.7, decision="flat"),
            Candidate(round=5, score=0.6),
        ),
    )
    result = replay(run)
    assert [s.basis for s in result.steps] == ["recorded"] * 3 + ["replayed"] * 2
    assert [s.decision for s in result.steps] == ["no-op", "flat", "reject", "new best", "reject"]
    assert [s.incumbent_round for s in result.steps] == [0, 2, 2, 4, 4]
    assert result.disagreements == (4,)


def test_unscored_best_is_not_invented():
    """After an unscored new best, the best score is unknown and the log goes on deciding."""
    run = Run(
        baseline=0.5,
        candidates=(
            Candidate(round=1, score=None, decision="new best"),
            Candidate(round=2, score=0.9, decision="reject"),
        ),
    )
    result = replay(run)
    assert (result.best_round, result.best_score) == (1, None)
    assert result.steps[1].basis == "recorded"


def test_undecidable_round_is_refused():
    """Neither scores nor a decision: the run and the round are named."""
    run = Run(labels={"view": "N"}, baseline=0.5, candidates=(Candidate(round=3, score=None),))
    with pytest.raises(InputError, match="view='N': round 3 has neither"):
        replay(run)


def test_recorded_new_best_of_an_identical_artifact_is_refused():
    """A byte-identical candidate cannot be recorded as a new best."""
    candidate = Candidate(round=2, score=None, changed=False, decision="new best")
    with pytest.raises(InputError, match="round 2 is recorded as a new best"):
        replay(Run(baseline=0.5, candidates=(candidate,)))


def test_run_without_rounds_keeps_the_parent():
    """No candidates: the parent is the best."""
    result = replay(Run(baseline=0.5, candidates=()))
    assert (result.new_bests, result.best_round, result.best_score) == ((), 0, 0.5)
    assert result.first_new_best is None


def test_replay_is_json_safe(searchqa):
    """The dictionary of a replay is strict JSON."""
    text = json.dumps(replay(searchqa).to_dict(), allow_nan=False)
    assert json.loads(text)["new_bests"] == [1, 9]


rounds = st.lists(
    st.tuples(st.integers(0, 10), st.sampled_from("abcde"), st.sampled_from([None, True, False])),
    max_size=10,
)


def _history(entries, *, rename=str):
    return Run(
        baseline=Fraction(5, 10),
        baseline_artifact=rename("a"),
        candidates=tuple(
            Candidate(round=k, score=Fraction(c, 10), artifact=rename(name), changed=changed)
            for k, (c, name, changed) in enumerate(entries, 1)
        ),
    )


@given(rounds, st.sampled_from([strict(), non_decreasing(), dead_band(0.15)]))
def test_replay_invariants(entries, gate):
    """Best scores never fall, the best round is a new best or 0, and the best is unique."""
    result = replay(_history(entries), gate=gate)
    scores = [Fraction(1, 2), *(step.best_score for step in result.steps)]
    assert scores == sorted(scores)
    assert result.best_round in {0, *result.new_bests}
    assert result.best_score == max(
        [Fraction(1, 2), *(result.run.candidates[k - 1].score for k in result.new_bests)]
    )
    for step, candidate in zip(result.steps, result.run.candidates, strict=True):
        assert step.incumbent_round in {0, *range(1, step.round + 1)}
        if candidate.changed is False:
            assert step.decision != "new best"
            assert step.round not in result.accepted


@given(rounds)
def test_relabelling_artifacts_changes_nothing(entries):
    """Ids carry identity only."""
    plain = replay(_history(entries))
    renamed = replay(_history(entries, rename=lambda name: f"sha-{ord(name) ** 3}"))
    assert plain.steps == renamed.steps


@given(rounds)
def test_new_bests_do_not_depend_on_the_gate_when_identity_is_recorded(entries):
    """With `changed` known for every round, the gate moves the incumbent only."""
    known = [(score, name, changed is not False) for score, name, changed in entries]
    run = _history(known)
    assert replay(run, gate=strict()).new_bests == replay(run, gate=dead_band(9)).new_bests
