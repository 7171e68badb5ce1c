"""No cluster-robust error from one cluster, and none from no rows."""

import pytest
from commands import document, jsonl

from evalkit import estimate_values


@pytest.mark.parametrize("scores", [[1, 0, 1, 1, 0, 0], [1, 1, 1], [0.2, 0.9]])
def test_one_cluster_is_undefined(scores):
    """One cluster: no standard error and no interval, with the reason; never 0."""
    found = estimate_values(scores, clusters=["a"] * len(scores))
    assert found.se is None
    assert found.interval is None
    assert "cluster" in found.note


def test_no_rows_are_undefined():
    """Nothing scored: nothing estimated."""
    found = estimate_values([], clusters=[])
    assert (found.estimate, found.se, found.interval) == (None, None, None)


def test_pairs_as_clusters():
    """Four pairs: sqrt(G/(G-1)) * sqrt(sum of squared cluster sums) / n, the small-sample form."""
    scores, pairs = [1, 1, 1, 0, 0, 0, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4]
    mean = sum(scores) / 8
    sums = [
        sum(s - mean for s, p in zip(scores, pairs, strict=True) if p == g) for g in range(1, 5)
    ]
    cr0 = sum(x * x for x in sums) ** 0.5 / 8
    assert cr0 == pytest.approx(0.1767766953)
    found = estimate_values(scores, clusters=pairs, method="cr1")
    assert found.se == pytest.approx(cr0 * (4 / 3) ** 0.5)
    assert "cr1" in found.interval.method


def test_from_the_command_line(tmp_path):
    """One cluster in a file: null, not 0, in strict JSON."""
    path = jsonl(tmp_path / "a.jsonl", [{"id": i, "score": i % 2, "g": "x"} for i in range(6)])
    found = document("estimate", path, "--cluster", "g")["results"][0]
    assert (found["se"], found["low"]) == (None, None)
