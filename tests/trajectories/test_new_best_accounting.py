"""New bests counted per round, per period and per group."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, InputError
from evalkit.trajectories import Candidate, Run, new_best_accounting, yield_by_period


def _wilson(successes, n, z=1.959963984540054):
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def test_published_totals(histories):
    """Table A9: 42 runs, 388 candidates, 55 new bests (14.2 %)."""
    result = new_best_accounting(histories)
    assert (result.runs, result.candidates, result.new_bests) == (42, 388, 55)
    assert result.yield_ == pytest.approx(0.1418, abs=5e-5)
    assert (result.interval.low, result.interval.high) == pytest.approx(_wilson(55, 388))
    assert result.interval.method == "wilson"


def test_published_yield_by_round(histories):
    """Table A10: attempts follow from the executed rounds, events sum to 55."""
    rounds = new_best_accounting(histories).by_round
    assert [r.attempted for r in rounds] == [42, 42, 42, 41, 41, 39, 38, 36, 34, 33]
    assert [r.new_bests for r in rounds] == [11, 11, 8, 8, 2, 5, 2, 4, 3, 1]
    assert [r.cumulative for r in rounds] == [11, 22, 30, 38, 40, 45, 47, 51, 54, 55]
    printed = [26.2, 26.2, 19.0, 19.5, 4.9, 12.8, 5.3, 11.1, 8.8, 3.0]
    assert [100 * r.yield_ for r in rounds] == pytest.approx(printed, abs=0.05)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (
            "view",
            {
                ("Normal",): (14, 132, 23, 10),
                ("Fail-only",): (14, 135, 21, 11),
                ("Success-only",): (14, 121, 11, 6),
            },
        ),
        (["evidence"], {("failure",): (28, 267, 44, 21), ("success",): (14, 121, 11, 6)}),
    ],
)
def test_published_groups(histories, by, expected):
    """Table A11: runs, candidates, new bests and runs improved by feedback evidence."""
    groups = new_best_accounting(histories, by=by).groups
    found = {
        tuple(g.by.values()): (g.runs, g.candidates, g.new_bests, g.runs_improved) for g in groups
    }
    assert found == expected


def test_published_periods(histories):
    """The text's 38/55 in rounds 1 to 4, and 17 of 221 candidates afterwards."""
    early, late = yield_by_period(new_best_accounting(histories), 4)
    assert (early.new_bests, early.attempted, early.first, early.last) == (38, 167, 1, 4)
    assert (late.new_bests, late.attempted, late.first, late.last) == (17, 221, 5, 10)
    assert (early.share, late.share) == (38 / 55, 17 / 55)
    assert (late.interval.low, late.interval.high) == pytest.approx(_wilson(17, 221))


def test_period_without_late_rounds():
    """A split behind the last round leaves no late period."""
    accounting = new_best_accounting([Run(baseline=0, candidates=(Candidate(round=1, score=1),))])
    early, late = yield_by_period(accounting, 3)
    assert (early.new_bests, late) == (1, None)
    with pytest.raises(ArgumentError, match="`split_round` is 0"):
        yield_by_period(accounting, 0)


def test_no_candidates_have_no_yield():
    """Without candidates the yield is undefined, with the reason."""
    result = new_best_accounting([])
    assert (result.yield_, result.interval, result.by_round) == (None, None, ())
    assert result.note == "no candidates, so no yield"


def test_gap_in_rounds_is_not_attempted():
    """A round that no run executed has no yield."""
    run = Run(baseline=0, candidates=(Candidate(round=1, score=1), Candidate(round=3, score=2)))
    rounds = new_best_accounting([run]).by_round
    assert [(r.attempted, r.yield_, r.interval is None) for r in rounds] == [
        (1, 1.0, False),
        (0, None, True),
        (1, 1.0, False),
    ]


def test_unknown_group_is_refused(histories):
    """A label that a run does not have is named."""
    with pytest.raises(InputError, match="has no label 'seed'; `by` may name 'model'"):
        new_best_accounting(histories, by="seed")


def test_accounting_is_json_safe(histories):
    """The dictionary is strict JSON and says yield, not yield_."""
    text = json.dumps(new_best_accounting(histories, by="model").to_dict(), allow_nan=False)
    read = json.loads(text)
    assert read["by_round"][0]["yield"] == 11 / 42
    assert [group["by"]["model"] for group in read["groups"]] == ["GPT-5.5", "Gemini", "DeepSeek"]
    period = yield_by_period(new_best_accounting(histories), 4)[0]
    assert json.loads(json.dumps(period.to_dict()))["yield"] == 38 / 167


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), max_size=6), max_size=6), st.randoms())
def test_accounting_invariants(scores, random):
    """Groups and rounds add up to the total, whatever the order of the runs."""
    runs = [
        Run(
            labels={"parity": str(i % 2)},
            baseline=3,
            candidates=tuple(Candidate(round=k, score=s) for k, s in enumerate(values, 1)),
        )
        for i, values in enumerate(scores)
    ]
    result = new_best_accounting(runs, by="parity")
    assert result.candidates == sum(map(len, scores)) == sum(g.candidates for g in result.groups)
    assert result.new_bests == sum(r.new_bests for r in result.by_round)
    assert result.new_bests == sum(g.new_bests for g in result.groups)
    assert [r.attempted for r in result.by_round] == sorted(
        (r.attempted for r in result.by_round), reverse=True
    )
    random.shuffle(runs)
    assert new_best_accounting(runs).by_round == result.by_round
