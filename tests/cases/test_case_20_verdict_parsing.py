"""The last marker is the verdict; a reply without one is missing and never a tie."""

import pytest

from evalkit import agreement
from evalkit.records.judge_text import parse_verdict

REPLIES = [
    ("Answer one earns [[A]] for style, yet on facts my final verdict is [[B]].", "B"),
    ("Final verdict: [[C]]", "tie"),
    ("I cannot decide between them.", None),
    ("[[A]]", "A"),
    ("Both are fine, so neither [[A]] nor [[B]]. Verdict: [[C]]", "tie"),
    ("", None),
    ("<think>[[A]], no doubt.</think>On balance: [[B]]", "B"),
    ("<think>[[A]], no doubt", None),
    ("Write [[A]], [[B]] or [[C]].", None),
    ("My final verdict is: [[B>>A]]", "B"),
]


@pytest.mark.parametrize(("reply", "side"), REPLIES)
def test_replies(reply, side):
    """Each reply by itself."""
    found = parse_verdict(reply)
    assert found.value == side
    assert (found.status == "judge_error") == (side is None)


def test_unparsed_replies_leave_the_denominator():
    """Of ten replies six say something: they alone are wins, ties and losses."""
    rows = [{"pair_id": i, "label": "B", "verdict": reply} for i, (reply, _) in enumerate(REPLIES)]
    found = agreement(rows)[0]
    assert (found.wins, found.ties, found.inversions, found.n) == (3, 2, 1, 6)
    assert found.agreement == pytest.approx(4 / 6)
