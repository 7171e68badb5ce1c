"""One row for each document and answer filter: two metrics, not twice the items."""

import pytest
from commands import command, document, jsonl

STRICT, FLEXIBLE = [1, 0, 0, 1], [1, 1, 0, 1]


def rows(*, with_filter=True):
    """Four documents under two filters."""
    return [
        {"doc_id": i, "exact_match": v} | ({"filter": name} if with_filter else {})
        for name, values in (("strict-match", STRICT), ("flexible-extract", FLEXIBLE))
        for i, v in enumerate(values)
    ]


def test_two_metrics_of_four_items(tmp_path):
    """Strict .5 with SE .2887, flexible .75 with SE .25, each n = 4."""
    path = jsonl(tmp_path / "a.jsonl", rows())
    found = document("estimate", path, "--by", "verifier")["results"]
    by = {each["by"]["verifier"]: each for each in found}
    assert {name: each["n"] for name, each in by.items()} == dict.fromkeys(by, 4)
    assert by["strict-match"]["estimate"] == 0.5
    assert by["flexible-extract"]["estimate"] == 0.75
    assert by["strict-match"]["se"] == pytest.approx(0.2886751346)
    assert by["flexible-extract"]["se"] == pytest.approx(0.25)


def test_without_filter_the_repeats_are_refused(tmp_path):
    """Repeated ids are named, not averaged and not counted twice."""
    out = command("estimate", jsonl(tmp_path / "a.jsonl", rows(with_filter=False)), code=2)
    assert "'0'" in out


def test_pooling_over_filters_is_said(tmp_path):
    """Without --by the two metrics are not silently eight items."""
    found = document("estimate", jsonl(tmp_path / "a.jsonl", rows()))
    groups = [each for each in found["results"] if each["n"] == 8]
    text = " ".join([*found["notes"], *(str(each["note"]) for each in found["results"])])
    assert not groups or "verifier" in text


def test_identical_repeats_are_refused_too(tmp_path):
    """The same row twice is no second item either."""
    row = {"id": "a", "score": 1}
    assert "'a'" in command("estimate", jsonl(tmp_path / "a.jsonl", [row, row]), code=2)
