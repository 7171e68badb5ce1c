"""A scale that is repeated, and numbers in the prose, are no score."""

import pytest

from evalkit.records.judge_text import parse_score


@pytest.mark.parametrize(
    ("reply", "low", "high", "score"),
    [
        ("On a scale of 0 to 3, I give this a 3.", 0, 3, 3),
        ("Score 0-3: fully on point, so 3", 0, 3, 3),
        ("(0 = poor, 3 = great) My rating: 2", 0, 3, 2),
        ("**Score: 9**\nFive points were listed.", 1, 10, 9),
        ("Rating: [[7.5]]", 1, 10, 7.5),
        ("No rating possible.", 1, 10, None),
        ("From 1 (worst) to 5 (best): 4", 1, 5, 4),
        ("Rating: [[8/10]]", 1, 10, 8),
        ("Rating: 7,5", 1, 10, 7.5),
        ("It names 3 of the 5 facts. No rating possible.", 1, 5, None),
        ("Score: N/A, as 2 parts are missing.", 1, 5, None),
    ],
)
def test_replies(reply, low, high, score):
    """Labelled or bracketed first, else the last number on the scale, else missing."""
    assert parse_score(reply, low=low, high=high).value == score


@pytest.mark.parametrize("reply", ["Score: 11", "Rating: [[0]]", "15/10", "Score: 90"])
def test_out_of_range_is_invalid(reply):
    """A score off the scale is invalid, not clamped and not unread."""
    assert parse_score(reply, low=1, high=10).status == "invalid"
