"""Scores outside the declared range are invalid, never clamped."""

import pytest
from commands import document, jsonl

from evalkit import read


def run(tmp_path, scores, *options):
    """Estimate of scores."""
    rows = [{"id": f"q{i}", "score": s} for i, s in enumerate(scores)]
    return document("estimate", jsonl(tmp_path / "a.jsonl", rows), *options)


@pytest.mark.parametrize("odd", [90, -0.5, 1.0001, 1e308])
def test_out_of_range_is_invalid(tmp_path, odd):
    """The odd one is counted and shown; the mean of the others is .7 on n = 2."""
    found = run(tmp_path, [0.8, odd, 0.6], "--range", "0", "1")["results"][0]
    assert found["estimate"] == pytest.approx(0.7)
    assert (found["n"], found["errors"]) == (2, {"invalid": 1})


def test_bounds_belong_to_the_range(tmp_path):
    """The ends of the range are valid."""
    found = run(tmp_path, [0, 1, 0.5], "--range", "0", "1")["results"][0]
    assert found["n"] == 3


def test_second_scale_is_noted_without_a_range(tmp_path):
    """Without a declared range the odd one is named."""
    rows = [{"id": f"q{i}", "score": s} for i, s in enumerate([0.8, 90, 0.6, 0.5])]
    notes = read(jsonl(tmp_path / "a.jsonl", rows)).notes
    assert any("'q1'" in note for note in notes)
