"""All wrong or all right: 20 items and 4,000 items are not equally certain."""

import pytest
from commands import document, jsonl

from evalkit import estimate_values


def estimated(tmp_path, score, n, *arguments):
    """Estimate n equal scores from the command line."""
    rows = [{"id": f"q{i}", "score": score, "passage": f"p{i % 4}"} for i in range(n)]
    return document("estimate", jsonl(tmp_path / "a.jsonl", rows), *arguments)["results"][0]


@pytest.mark.parametrize(("n", "upper"), [(20, 0.1684334709830854), (4000, 0.0009217947494830625)])
@pytest.mark.parametrize("score", [0, 1])
def test_exact_bound_tells_the_sizes_apart(tmp_path, score, n, upper):
    """No standard error, marked degenerate, and the exact bound 1 - .025^(1/n), mirrored."""
    found = estimated(tmp_path, score, n, "--method", "clopper-pearson")
    assert found["se"] is None
    assert "degenerate" in found["note"]
    far = found["high"] if score == 0 else 1 - found["low"]
    assert far == pytest.approx(upper, abs=1e-9)


@pytest.mark.parametrize("n", [20, 4000])
def test_the_default_has_width_too(tmp_path, n):
    """Wilson's bound z² / (n + z²) is shown without asking for a method."""
    found = estimated(tmp_path, 0, n)
    z2 = 1.959963984540054**2
    assert (found["low"], found["high"]) == pytest.approx((0.0, z2 / (n + z2)))


@pytest.mark.parametrize("method", ["percentile", "bca", "t", "wald"])
def test_methods_without_width_say_so(tmp_path, method):
    """A bootstrap or normal interval of equal scores is missing, or marked degenerate."""
    found = estimated(tmp_path, 0, 20, "--method", method)
    assert found["se"] is None
    assert (found["low"], found["high"]) == (None, None) or "degenerate" in found["note"]
    assert found["note"]


def test_sibling_half_credits(tmp_path):
    """Equal scores that are no end of the range: no standard error, an interval around them."""
    found = estimated(tmp_path, 0.5, 20)
    assert found["se"] is None
    assert found["low"] < 0.5 < found["high"]
    assert estimate_values([0.5] * 4000).interval.width < found["high"] - found["low"]


def test_sibling_clusters_and_differences(tmp_path):
    """All wrong in four clusters, and two runs that never differ, still carry uncertainty."""
    found = estimated(tmp_path, 0, 20, "--cluster", "passage")
    assert found["se"] is None
    assert found["high"] > 0.1684  # four clusters know less than twenty items
    rows = [{"id": i, "score": 0} for i in range(20)]
    paths = [jsonl(tmp_path / f"{name}.jsonl", rows) for name in "xy"]
    compared = document("compare", *paths)["results"][0]
    assert compared["se"] is None
    assert compared["low"] < 0 < compared["high"]
