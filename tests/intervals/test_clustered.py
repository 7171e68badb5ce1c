"""Cluster-robust variances against matrices, statsmodels and the t interval of cluster means."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.intervals import (
    augmented_cluster_t,
    augmented_t,
    cluster_pivot,
    design_effect,
    satterthwaite_df,
    tally_interval,
)
from evalkit.tally import tally_values

SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=15)


def sample(sizes, seed=0):
    """Draw 0/1 scores with the given cluster sizes."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rates = rng.random(len(sizes))
    return (rng.random(labels.size) < rates[labels]).astype(float), labels


def matrix_cr2(values, labels, within):
    """CR2 variance and Satterthwaite df of a mean from their n x n matrices."""
    n = values.size
    residual = np.eye(n) - 1 / n
    indicators = [labels == g for g in np.unique(labels)]
    working = (1 - within) * np.eye(n) + within * sum(np.outer(g, g) for g in indicators)
    quadratic = []
    for g in indicators:
        m = int(g.sum())
        values_g, vectors = np.linalg.eigh(np.eye(m) - 1 / n)
        adjustment = vectors @ np.diag(values_g**-0.5) @ vectors.T
        quadratic.append(residual[:, g] @ adjustment @ np.ones(m) / n)
    stacked = np.array(quadratic)
    gram = stacked @ working @ stacked.T
    variance = float(((stacked @ values) ** 2).sum())
    return variance, np.trace(gram) ** 2 / np.trace(gram @ gram)


@given(SIZES, st.sampled_from([0, 1]))
def test_closed_forms_equal_the_matrices(sizes, within):
    """The O(G) sums equal the matrix definitions of CR2 and its degrees of freedom."""
    values, labels = sample(sizes)
    variance, df = matrix_cr2(values, labels, within)
    assert satterthwaite_df(np.array(sizes, float), within=within) == pytest.approx(df, rel=1e-9)
    pivot = cluster_pivot(tally_values(values, clusters=labels.tolist()).clusters)
    if pivot is None:
        assert variance == pytest.approx(0, abs=1e-12)
    else:
        assert pivot.se**2 == pytest.approx(variance, rel=1e-9)


@given(st.integers(2, 40), st.integers(1, 6))
def test_equal_sizes_have_g_minus_1_degrees_of_freedom(number, size):
    """With equal clusters every working model gives G - 1."""
    sizes = np.full(number, float(size))
    for within in (0, 1):
        assert satterthwaite_df(sizes, within=within) == pytest.approx(number - 1)


def test_cr0_and_cr1_agree_with_statsmodels():
    """OLS on a constant with cluster covariance gives the same standard errors."""
    values, labels = sample([3, 5, 2, 7, 4], seed=3)
    clusters = tally_values(values, clusters=labels.tolist()).clusters
    model = sm.OLS(values, np.ones(values.size))
    plain = model.fit(cov_type="cluster", cov_kwds={"groups": labels, "use_correction": False}).bse[
        0
    ]
    assert cluster_pivot(clusters, estimator="cr0").se == pytest.approx(plain)
    g = 5
    assert cluster_pivot(clusters, estimator="cr1").se == pytest.approx(
        plain * np.sqrt(g / (g - 1))
    )


def test_four_pairs_have_the_published_standard_errors():
    """1/(4√2) without, and 1/(2√6) with, the G/(G-1) factor."""
    clusters = tally_values([1, 1, 1, 0, 0, 0, 1, 0], clusters="aabbccdd").clusters
    found = [cluster_pivot(clusters, estimator=e).se for e in ("cr0", "cr1", "cr2")]
    assert found == pytest.approx([0.1767766953, 0.2041241452, 0.2041241452])


def test_cr2_of_equal_clusters_is_the_t_interval_of_cluster_means():
    """Equal clusters reduce to Student's t on their means."""
    values, labels = sample([4] * 12, seed=5)
    pivot = cluster_pivot(tally_values(values, clusters=labels.tolist()).clusters)
    means = values.reshape(12, 4).mean(axis=1)
    low, high = stats.t.interval(0.95, 11, means.mean(), stats.sem(means))
    found = pivot.interval(level=0.95)
    assert (found.low, found.high) == pytest.approx((low, high))


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=2, max_size=40))
def test_singleton_clusters_give_the_unclustered_rule(values):
    """With clusters of one item the two augmented rules are one rule."""
    t = tally_values(values, clusters=list(range(len(values))))
    one = augmented_cluster_t(t, low=-1, high=1)
    two = augmented_t(t, low=-1, high=1)
    assert (one.centre, one.se, one.df) == pytest.approx((two.centre, two.se, two.df))


def test_one_cluster_is_undefined_with_a_reason():
    """The spread between clusters cannot be seen in one."""
    found = tally_interval(tally_values([1, 0, 1, 1, 0, 1], clusters=["p"] * 6))
    assert found.interval is None
    assert found.se is None
    assert "one cluster" in found.notes[0]


def test_no_spread_has_an_interval_and_no_standard_error():
    """All-equal clusters: SE undefined, and the augmented interval still has width."""
    found = tally_interval(tally_values([1] * 8, clusters="aabbccdd"))
    assert found.se is None
    assert found.interval.width > 0.1
    assert found.interval.high == 1
    named = tally_interval(tally_values([1] * 8, clusters="aabbccdd"), method="cr2")
    assert named.interval is None
    assert "spread" in " ".join(named.notes)


def test_design_effect_of_duplicated_items():
    """Copying every item k times multiplies the variance of the mean by about k."""
    values, _ = sample([1] * 30, seed=1)
    thrice = np.repeat(values, 3)
    effect = design_effect(tally_values(thrice, clusters=np.repeat(range(30), 3).tolist()))
    # 3 (N-1)/(N-3) with N = 90 rows in 30 clusters of 3
    assert effect == pytest.approx(3 * 89 / 87)
