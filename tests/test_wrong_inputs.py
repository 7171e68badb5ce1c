"""Inputs that tools get wrong in silence: each has one right answer here."""

import random

import pandas as pd
import pytest

import evalkit
from evalkit.comparisons import adjust_p
from evalkit.errors import DuplicateRowError
from evalkit.testtime import pass_at_k


def frame(scores, system="A", **extra):
    """One row for each score."""
    items = [f"q{i}" for i in range(len(scores))]
    return pd.DataFrame({"system": system, "item": items, "score": scores, **extra})


def test_nan_score():
    """NaN is a missing verdict: counted, left out, never a loss and never in a p-value."""
    found = evalkit.compare(frame([1, float("nan"), 0, 1]), frame([1, 1, 1, 0], "B"))
    assert (found.n_pairs, found.only_candidate) == (3, 1)
    assert found.p_value is not None
    assert "1 missing" in found.note


def test_nan_p_value_in_a_family():
    """A missing p-value stays missing and does not count in m."""
    assert adjust_p([0.01, float("nan"), 0.04]).values == pytest.approx((0.02, None, 0.04))
    assert adjust_p([0.01, float("nan"), 0.04]).m == 2


def test_one_cluster():
    """No SE of 0, no p of 0, no unclustered SE under a clustered name."""
    one = frame([1, 0, 1, 1], cluster="c")
    found = evalkit.compare(one, frame([1, 1, 1, 1], "B"), cluster="cluster")
    assert (found.se, found.p_value, found.interval) == (None, None, None)
    estimate = evalkit.estimate(one, cluster="cluster")[0]
    assert (estimate.se, estimate.interval) == (None, None)


def test_empty():
    """No rows: no estimate, no difference, no p."""
    empty = frame([])
    assert len(evalkit.estimate(empty)) == 0
    found = evalkit.compare(empty, empty)
    assert (found.difference, found.p_value, found.verdict) == (None, None, "undefined")


def test_perfect_scores_and_all_ties():
    """A perfect score keeps its uncertainty; identical runs are p = 1 with width."""
    assert evalkit.estimate(frame([1] * 20))[0].interval.low == pytest.approx(0.8389, abs=5e-5)
    found = evalkit.compare(frame([1] * 20), frame([1] * 20, "B"))
    assert (found.difference, found.p_value, found.ties) == (0, 1, 20)
    assert found.interval.width > 0.1


def test_constant_difference():
    """Ten wins to none: separated, exact McNemar .002, p not 0 and not 1."""
    found = evalkit.compare(frame([0] * 10), frame([1] * 10, "B"))
    assert found.verdict == "separated"
    assert 0 < found.p_value < 0.05
    assert found.also[0].p_value == pytest.approx(2 / 2**10)


def test_mismatched_ids():
    """Unmatched items are counted on both sides, never paired by position."""
    shifted = frame([1] * 10, "B").assign(item=[f"q{i}" for i in range(5, 15)])
    found = evalkit.compare(frame([0, 1] * 5), shifted)
    assert (found.n_pairs, found.only_base, found.only_candidate) == (5, 5, 5)


def test_duplicate_ids():
    """A repeated verdict is an error that names the id."""
    with pytest.raises(DuplicateRowError, match="q1"):
        evalkit.estimate(frame([1, 0, 1]).assign(item=["q1", "q1", "q2"]))


def test_more_draws_than_samples():
    """pass@5 of three samples is undefined, never 1."""
    assert pass_at_k(3, 0, 5) is None
    assert pass_at_k(3, 1, 5) is None


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_rows_give_the_same_bits(seed):
    """Any order of rows gives the same result to the last bit, thirds and clusters included."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    n = 60
    extra = {"cluster": [f"c{i % 7}" for i in range(n)]}
    a = pd.concat(
        [frame([rng.random() / 3 for _ in range(n)], attempt=k, **extra) for k in (1, 2, 3)]
    )
    b = pd.concat(
        [frame([rng.random() / 3 for _ in range(n)], "B", attempt=k, **extra) for k in (1, 2, 3)]
    )
    expected = evalkit.compare(a, b, cluster="cluster").to_dict()
    whole = evalkit.estimate(a, cluster="cluster")[0].to_dict()
    mixed = [f.sample(frac=1, random_state=seed) for f in (a, b)]
    assert evalkit.compare(*mixed, cluster="cluster").to_dict() == expected
    assert evalkit.estimate(mixed[0], cluster="cluster")[0].to_dict() == whole
