"""Macro and micro means: point and standard error come from the same weights."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.comparisons import pooled_mean
from evalkit.errors import ArgumentError
from evalkit.intervals.clustered import cluster_pivot
from evalkit.tally import tally_values

TASKS = [tally_values([1] * 300 + [0] * 100), tally_values([1] * 4 + [0] * 12)]
SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=20)


def test_two_tasks_of_unequal_size():
    """300 of 400 and 4 of 16: macro .5 (.0569427889), micro .7307692308 (.0212829281)."""
    macro, micro = (pooled_mean(TASKS, weights=w) for w in ("macro", "micro"))
    assert macro.estimate == pytest.approx(0.5, abs=1e-12)
    assert macro.se == pytest.approx(0.05694278885870904, abs=1e-12)
    assert micro.estimate == pytest.approx(304 / 416, abs=1e-12)
    assert micro.se == pytest.approx(0.021282928108555928, abs=1e-12)
    assert (macro.weights, micro.weights) == ((0.5, 0.5), (400 / 416, 16 / 416))


@given(st.lists(SCORES, min_size=1, max_size=5), st.sampled_from(["macro", "micro"]))
def test_matches_the_formula(groups, weights):
    """Brute force of mean, standard error and degrees of freedom."""
    found = pooled_mean([tally_values(g) for g in groups], weights=weights)
    n = np.array([len(g) for g in groups])
    w = np.full(len(groups), 1 / len(groups)) if weights == "macro" else n / n.sum()
    assert found.estimate == pytest.approx(w @ [np.mean(g) for g in groups])
    variances = np.array([np.var(g, ddof=1) / len(g) for g in groups])
    if any(np.ptp(g) == 0 for g in groups):
        assert (found.se, found.interval) == (None, None)
        assert "no spread" in found.note
        return
    assert found.se == pytest.approx(math.sqrt(w**2 @ variances))
    df = found.se**4 / (w**4 @ (variances**2 / (n - 1)))
    half = stats.t.ppf(0.975, df) * found.se
    expected = (max(0, found.estimate - half), min(1, found.estimate + half))
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)


def test_two_groups_are_the_welch_interval():
    """Up to the factor 1/2 and a sign, the macro mean is Welch's difference."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(10, 1, 12), rng.normal(20, 3, 30)
    found = pooled_mean([tally_values(a), tally_values(b)], weights="macro")
    welch = stats.ttest_ind(a, -b, equal_var=False).confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (welch.low / 2, welch.high / 2)
    )


def test_one_group_is_its_own_mean():
    """A single group gives Student's t under either weighting."""
    values = [0.2, 0.9, 0.4, 0.7, 0.1]
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    for weights in ("macro", "micro"):
        found = pooled_mean([tally_values(values)], weights=weights)
        assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected))


def test_clusters_are_used_within_groups():
    """Each group's standard error is CR2."""
    t = tally_values([1, 1, 0, 0, 1, 0, 1, 1], clusters="aabbccdd")
    found = pooled_mean([t, t], weights="macro")
    assert found.se == pytest.approx(cluster_pivot(t.clusters).se / math.sqrt(2))


def test_groups_without_a_standard_error_are_named():
    """One row, one cluster and no spread: the mean stands, its error is undefined."""
    parts = [
        TASKS[0],
        replace(tally_values([1]), by={"task": "one"}),
        tally_values([1, 0], clusters="cc"),
        tally_values([1, 1, 1]),
    ]
    found = pooled_mean(parts, weights="macro")
    assert found.estimate == pytest.approx((0.75 + 1 + 0.5 + 1) / 4)
    assert (found.se, found.interval) == (None, None)
    for reason in ("one (1 scored row)", "group 3 (one cluster)", "group 4 (no spread)"):
        assert reason in found.note
    assert found.to_dict()["low"] is None


def test_groups_without_rows():
    """A group without rows has no mean: macro is undefined, micro goes without it and says so."""
    empty = replace(tally_values([]), by={"task": "T3"})
    macro, micro = (pooled_mean([*TASKS, empty], weights=w) for w in ("macro", "micro"))
    assert (macro.estimate, macro.note) == (None, "no scored rows in T3")
    assert micro.estimate == pytest.approx(304 / 416)
    assert "T3" in micro.note
    assert pooled_mean([], weights="macro").note == "no scored rows"


def test_rejects_unknown_weights_and_levels():
    """The choices are named."""
    with pytest.raises(ArgumentError, match="use 'macro' or 'micro'"):
        pooled_mean(TASKS, weights="size")
    with pytest.raises(ArgumentError, match="`level` is 1"):
        pooled_mean(TASKS, weights="macro", level=1)
    with pytest.raises(ArgumentError, match="outside the declared range"):
        pooled_mean(TASKS, weights="macro", score_range=(0, 0.5))
