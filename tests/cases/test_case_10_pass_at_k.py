"""More draws than samples: undefined, and never 1."""

import pytest
from commands import document, jsonl

from evalkit.testtime import pass_at_k, pass_hat_k


@pytest.mark.parametrize(
    ("n", "c", "k", "value"),
    [
        (3, 0, 5, None),
        (3, 1, 5, None),
        (10, 1, 10, 1.0),
        (6, 2, 3, 0.8),
        (1000, 3, 500, 0.875375375375),
        (5, 0, 5, 0.0),
        (1, 1, 1, 1.0),
        (10**5, 1, 1, 1e-5),
    ],
)
def test_pass_at_k(n, c, k, value):
    """1 - C(n-c, k) / C(n, k) from exact integers."""
    assert pass_at_k(n, c, k) == (None if value is None else pytest.approx(value))


def test_pass_hat_k_is_not_a_power():
    """C(c, k) / C(n, k), not (c/n)^k; undefined beyond n."""
    assert pass_hat_k(4, 2, 2) == pytest.approx(1 / 6)
    assert pass_hat_k(3, 3, 4) is None


def test_lost_attempts_are_not_failures(tmp_path):
    """An item with an errored attempt is left out where that attempt would count."""
    rows = [{"id": i, "attempt": a, "score": 1} for i in "ab" for a in (1, 2)]
    rows[-1] |= {"score": None, "error": "timeout"}
    found = document("scaling", jsonl(tmp_path / "a.jsonl", rows))
    assert "0.5" not in [str(each.get("oracle")) for each in found["results"]]
