"""Items that hit an error neither vanish nor count as wrong without a word."""

import pytest
from commands import document, jsonl


def rows(**failed):
    """40 right, 5 wrong, 5 that failed."""
    scores = [1] * 40 + [0] * 5
    found = [{"id": f"q{i}", "score": s} for i, s in enumerate(scores)]
    return found + [{"id": f"e{i}", "score": None, **failed} for i in range(5)]


@pytest.mark.parametrize(
    ("failed", "status"),
    [
        ({"error": "429 rate limit"}, "infra"),
        ({"error": "Request timed out"}, "timeout"),
        ({"status": "judge_error"}, "judge_error"),
        ({}, "missing"),
        ({"score": 0, "error": "429 rate limit"}, "infra"),
    ],
)
def test_counts_and_bounds_are_shown(tmp_path, failed, status):
    """Attempted 50, scored 45, errored 5; 40/45 with the bounds [.8, .9]."""
    found = document("estimate", jsonl(tmp_path / "a.jsonl", rows(**failed)))["results"][0]
    assert (found["attempted"], found["n"], found["errored"]) == (50, 45, 5)
    assert found["estimate"] == pytest.approx(40 / 45)
    assert (found["low_if_errors_fail"], found["high_if_errors_pass"]) == (0.8, 0.9)
    assert found["errors"] == {status: 5}


def test_errors_as_failures_on_request(tmp_path):
    """--errors fail: 40/50, and the notes say how many."""
    path = jsonl(tmp_path / "a.jsonl", rows(error="429"))
    found = document("estimate", path, "--errors", "fail")
    result = found["results"][0]
    assert result["estimate"] == pytest.approx(0.8)
    assert (result["attempted"], result["scored"], result["errored"]) == (50, 45, 5)
    assert (result["low_if_errors_fail"], result["high_if_errors_pass"]) == (0.8, 0.9)
    assert any("counted as failures" in note for note in found["notes"])
    assert any(note.startswith("5 rows") for note in found["notes"])


def test_skipped_items_are_not_attempted(tmp_path):
    """Skipped rows are no errors."""
    found = document("estimate", jsonl(tmp_path / "a.jsonl", rows(status="skipped")))["results"][0]
    assert (found["attempted"], found["errored"]) == (45, 0)
