"""Means over different items of the same clusters: their covariance, and the interval it widens."""

import numpy as np
import pytest

from evalkit.comparisons import prediction_powered_mean
from evalkit.comparisons.shared_clusters import shared_covariance


def test_cross_term_of_the_variance_of_a_sum():
    """Var(x̄ + ȳ) from cluster sums is Var(x̄) + Var(ȳ) + 2 cov, with one factor G/(G-1)."""
    rng = np.random.default_rng(1)
    g = rng.permutation(np.repeat(np.arange(12), 5))
    x, y = rng.random(30), rng.random(30)
    gx, gy = g[:30] % 6, g[30:] % 6

    def influence(values, labels):
        out = np.zeros(6)
        np.add.at(out, labels, (values - values.mean()) / values.size)
        return out

    a, b = influence(x, gx), influence(y, gy)
    factor = 6 / 5
    expected = factor * (((a + b) ** 2).sum() - (a**2).sum() - (b**2).sum()) / 2
    assert shared_covariance(x, gx.tolist(), y, gy.tolist()) == (6, pytest.approx(expected))


@pytest.mark.parametrize(
    ("one", "two", "number"),
    [(None, "ab", 0), ("ab", None, 0), ("ab", "cd", 0), ("ab", "bc", 1)],
)
def test_nothing_shared_has_no_covariance(one, two, number):
    """No clusters, other clusters, and one shared cluster say nothing of it."""
    x = np.array([1.0, 0.0])
    assert shared_covariance(x, one, x, two) == (number, 0.0)
    assert shared_covariance(x[:0], [], x, two or "ab") == (0, 0.0)


def alike(seed, groups=40, size=4, icc=0.5, rate=0.5):
    """Items alike within clusters, a judge that is right on .85 of them."""
    rng = np.random.default_rng(seed)
    own = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, groups)
    labels = np.repeat(np.arange(groups), size)
    truth = (rng.random(labels.size) < own[labels]).astype(float)
    judge = np.where(rng.random(labels.size) < 0.85, truth, 1 - truth)
    return labels, truth, judge


def test_labels_inside_the_clusters_widen_the_interval():
    """One labelled item in each cluster knows less than the two parts would as strangers."""
    labels, truth, judge = alike(3)
    gold = np.arange(labels.size) % 4 == 0
    arguments = (judge[~gold], judge[gold], truth[gold])
    inside = prediction_powered_mean(
        *arguments,
        clusters_gold=labels[gold].tolist(),
        clusters_all=labels[~gold].tolist(),
    )
    strangers = prediction_powered_mean(
        *arguments,
        clusters_gold=labels[gold].tolist(),
        clusters_all=(1000 + labels[~gold]).tolist(),
    )
    assert inside.estimate == strangers.estimate
    assert inside.interval.width > strangers.interval.width
    assert inside.se > strangers.se
    assert "40 clusters hold items with and without truth" in inside.note


def test_clusters_of_judged_items_are_theirs_alone():
    """They widen the judge's part; without a range CR2 does, and one cluster is undefined."""
    labels, truth, judge = alike(5)
    first = labels < 10
    arguments = (judge[~first], judge[first], truth[first])
    plain = prediction_powered_mean(*arguments)
    half = prediction_powered_mean(*arguments, clusters_all=labels[~first].tolist())
    assert half.interval.width > plain.interval.width
    assert "the gold items ignore clusters" in half.note
    one = prediction_powered_mean(*arguments, clusters_all=["c"] * int((~first).sum()))
    assert one.interval is None
    assert "too few clusters of judged items" in one.note
    wide = prediction_powered_mean(
        *(10 * values for values in arguments), clusters_all=labels[~first].tolist()
    )
    assert wide.interval is not None


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 0.785])
@pytest.mark.parametrize("icc", [0.1, 0.5])
def test_coverage_with_labels_inside_the_clusters(rate, icc):
    """500 samples a design hold .95 within simulation error."""
    held = 0
    for seed in range(500):
        labels, truth, judge = alike(seed, groups=125, icc=icc, rate=rate)
        gold = np.arange(labels.size) % 4 == 0
        found = prediction_powered_mean(
            judge[~gold],
            judge[gold],
            truth[gold],
            clusters_gold=labels[gold].tolist(),
            clusters_all=labels[~gold].tolist(),
        )
        held += rate in found.interval
    assert held >= 462  # P(Binomial(500, .95) < 462) = .005
