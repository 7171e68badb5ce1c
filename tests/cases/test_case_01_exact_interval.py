"""All right, all wrong, none: exact and Wilson bounds from the command line."""

import pytest
from commands import document, jsonl

from evalkit import estimate_values


def run(path, scores, method):
    """Interval of scores."""
    rows = [{"id": f"q{i}", "score": s} for i, s in enumerate(scores)]
    return document("estimate", jsonl(path, rows), "--method", method)["results"][0]


@pytest.mark.parametrize(
    ("scores", "method", "low", "high"),
    [
        ([0] * 40, "clopper-pearson", 0, 0.0880973029),
        ([1] * 40, "clopper-pearson", 0.9119026971, 1),
        ([0] * 40, "wilson", 0, 0.0876216012),
        ([1] * 40, "wilson", 0.9123783988, 1),
        ([1], "clopper-pearson", 0.025, 1),
        ([0], "wilson", 0, 0.7934506856),
    ],
)
def test_boundary_counts(tmp_path, scores, method, low, high):
    """1 - (alpha/2)^(1/n) and z^2 / (n + z^2), inside [0, 1] and never of zero width."""
    found = run(tmp_path / "a.jsonl", scores, method)
    assert found["low"] == pytest.approx(low, abs=1e-9)
    assert found["high"] == pytest.approx(high, abs=1e-9)


def test_no_items_have_no_interval():
    """Nothing scored: no estimate and no interval, with the reason."""
    found = estimate_values([None, None])
    assert found.estimate is None
    assert found.interval is None
    assert found.note
