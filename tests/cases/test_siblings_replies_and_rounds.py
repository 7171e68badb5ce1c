"""Siblings of the reply and history cases: numbers of names, overflow, gaps, two scales."""

from fractions import Fraction

import pytest
from commands import document, jsonl

from evalkit import parse_json, parse_score
from evalkit.errors import ArgumentError, InputError
from evalkit.trajectories import evaluation_ledger, runs_from_rows


@pytest.mark.parametrize("reply", ["GPT-4 wrote this.", "As in Claude-3, and in phi-2."])
def test_numbers_of_names_are_no_scores(reply):
    """A number that a hyphen ties to a word belongs to the word."""
    assert parse_score(reply, low=1, high=5).value is None


@pytest.mark.parametrize(("reply", "score"), [("I would say -1", -1), ("GPT-4 earns a 2", 2)])
def test_other_numbers_still_count(reply, score):
    """A sign after a blank is a sign, and the number after a name is read."""
    assert parse_score(reply, low=-2, high=5).value == score


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_overflow_is_no_json_number(number):
    """A number that overflows is not passed on as an infinity."""
    assert parse_json(f'{{"a": {number}}}').value is None
    assert parse_score(f'{{"score": {number}}}', low=0, high=1).value is None


@pytest.mark.parametrize(("low", "high"), [("1", 5), (1, None), (True, 5), (1, "x")])
def test_scale_is_two_numbers(low, high):
    """Texts and truth values are no ends of a scale."""
    with pytest.raises(ArgumentError, match="two finite numbers"):
        parse_score("3", low=low, high=high)


@pytest.mark.parametrize("gap", [None, float("nan"), "", "N/A", "nan", "null"])
def test_rounds_without_a_score(gap):
    """A round that recorded no score is kept, with its decision."""
    rows = [
        {"round": 0, "score": 0.5},
        {"round": 1, "score": gap, "decision": "flat"},
        {"round": "2.0", "score": "32/39"},
    ]
    [run] = runs_from_rows(rows)
    assert [each.score for each in run.candidates] == [None, Fraction(32, 39)]
    assert [each.round for each in run.candidates] == [1, 2]


@pytest.mark.parametrize("number", ["1.5", "x", "-1", True, 0.5])
def test_rounds_are_whole_numbers(number):
    """Other rounds are refused."""
    with pytest.raises(InputError, match="round"):
        runs_from_rows([{"round": number, "score": 0.5}])


@pytest.mark.parametrize(("scores", "told"), [((0.5, 60), True), ((0.5, 0.6), False)])
def test_two_scales_within_a_run_are_told(tmp_path, scores, told):
    """A fraction beside a percentage is noted; the new best may be none."""
    rows = [{"round": k, "score": score} for k, score in enumerate(scores)]
    notes = document("trajectory", jsonl(tmp_path / "h.jsonl", rows))["notes"]
    assert any("two scales" in note for note in notes) is told


def test_step_that_is_no_object():
    """An empty step is named."""
    with pytest.raises(InputError, match="a step is None"):
        evaluation_ledger([None])
