"""BCa on equal scores gives no NaN; on skewed scores it holds the mean."""

import numpy as np
import pandas as pd
import pytest
from commands import document, jsonl

from evalkit import compare, estimate_values

SKEWED = [i * i / 100 for i in range(40)]


def estimated(tmp_path, scores, *arguments):
    """Estimate these scores from the command line."""
    rows = [{"id": f"q{i}", "score": s} for i, s in enumerate(scores)]
    return document("estimate", jsonl(tmp_path / "a.jsonl", rows), *arguments)["results"][0]


@pytest.mark.parametrize("method", ["bca", "bc", "percentile"])
def test_equal_scores_are_degenerate(tmp_path, method):
    """Ten scores of .7: the point or nothing, no standard error, and the reason; never NaN."""
    found = estimated(tmp_path, [0.7] * 10, "--method", method)
    assert found["estimate"] == pytest.approx(0.7)
    assert (found["low"], found["high"]) in (
        (None, None),
        (pytest.approx(0.7), pytest.approx(0.7)),
    )
    assert found["se"] is None
    assert "degenerate" in found["note"]


def test_the_default_on_equal_scores_has_width(tmp_path):
    """Without a method by name the interval carries the uncertainty, and names its rule."""
    found = estimated(tmp_path, [0.7] * 10)
    assert found["low"] < 0.7 < found["high"]
    assert found["method"]


@pytest.mark.parametrize(
    ("method", "low", "high"), [("bca", 3.8018, 6.6960), ("percentile", 3.7220, 6.6143)]
)
def test_skewed_scores(tmp_path, method, low, high):
    """The squares of 0 to 39 over 100: the bounds of 60,000 resamples, around a mean of 5.135."""
    found = estimated(tmp_path, SKEWED, "--method", method)
    assert found["estimate"] == pytest.approx(5.135)
    assert (found["low"], found["high"]) == pytest.approx((low, high), abs=0.02)
    assert found["low"] < found["estimate"] < found["high"]


def test_sibling_mirrored_scores():
    """Turning the scale round turns the BCa bounds round."""
    one = estimate_values(SKEWED, method="bca").interval
    two = estimate_values([20 - s for s in SKEWED], method="bca").interval
    assert (20 - two.high, 20 - two.low) == pytest.approx((one.low, one.high), abs=1e-3)


def test_sibling_one_item_and_equal_differences():
    """One score, and runs that differ by the same amount everywhere: undefined with the reason."""
    alone = estimate_values([0.7], method="bca")
    assert alone.interval is None or np.isfinite(alone.interval.low)
    assert alone.note
    a = [0.1, 0.4, 0.6, 0.2]
    frames = [
        {"system": [name] * 4, "item": list("wxyz"), "score": [s + shift for s in a]}
        for name, shift in (("A", 0.0), ("B", 0.25))
    ]
    found = compare(*map(pd.DataFrame, frames), method="bca")
    assert found.difference == pytest.approx(0.25)
    assert (found.verdict, found.p_value) == ("undefined", None)
    assert found.note
