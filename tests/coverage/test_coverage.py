"""Measured coverage of the default intervals: exact enumeration where it is possible."""

import numpy as np
import pytest
from laws import held_out_cells
from measures import (
    binary_coverage,
    cluster_hits,
    credit_coverage,
    credit_law,
    paired_coverage,
    sparse_laws,
)
from scipy import stats

from evalkit.comparisons import compare_pairs, compare_samples
from evalkit.intervals import mean_interval
from evalkit.tally import tally_values

RATES = np.arange(0.02, 0.981, 0.01)


@pytest.mark.parametrize(
    ("method", "at_three_rates", "floor"),
    [
        ("wilson", (0.942, 0.966, 0.954), 0.918),
        ("clopper-pearson", (0.976, 0.966, 0.989), 0.95),
        ("mid-p", (0.942, 0.966, 0.989), 0.921),
        ("jeffreys", (0.942, 0.966, 0.954), 0.886),
        ("agresti-coull", (0.942, 0.966, 0.954), 0.931),
    ],
)
def test_proportion_intervals_at_34_items(method, at_three_rates, floor):
    """Exact coverage at n = 34 and p = .5, .785, .96, and its floor over p."""
    assert binary_coverage(34, method, [0.5, 0.785, 0.96]) == pytest.approx(
        at_three_rates, abs=6e-4
    )
    assert binary_coverage(34, method, RATES).min() >= floor


def test_wald_is_not_an_interval_to_rely_on():
    """The Wald interval covers .748 at p = .96, and less than half the time at worst."""
    assert binary_coverage(34, "wald", [0.96])[0] < 0.75
    assert binary_coverage(34, "wald", RATES).min() < 0.5


def test_half_credit_means_at_34_items():
    """Wilson at n_eff covers .945, .942, .965 at means .5, .785, .96."""
    found = credit_coverage(34, "wilson-neff", (0.5, 0.785, 0.96))
    assert found == pytest.approx([0.945, 0.942, 0.965], abs=6e-4)


@pytest.mark.parametrize("n", [5, 12, 34])
@pytest.mark.parametrize("shape", [(2, 2), (8, 2), (0.5, 0.5), (0.3, 2)])
def test_continuous_scores_keep_their_level(n, shape):
    """The default covers beta-distributed scores at a rate compatible with .93, few or many."""
    rng = np.random.default_rng(12)
    truth = shape[0] / sum(shape)
    hits = sum(truth in mean_interval(rng.beta(*shape, n)) for _ in range(1000))
    assert stats.binomtest(hits, 1000, 0.93, alternative="less").pvalue > 0.01


def rare_high_scores(rng, n):
    """One score in a hundred is 1, the others lie below .002."""
    return np.where(rng.random(n) < 0.01, 1.0, 0.002 * rng.random(n))


@pytest.mark.parametrize("n", [34, 100])
def test_means_near_an_end_of_the_range_keep_their_level(n):
    """Where high scores are too rare to have been seen, the default still covers."""
    truth = 0.01 + 0.99 * 0.001
    rng = np.random.default_rng(3)
    samples = [rare_high_scores(rng, n) for _ in range(600)]
    default = [mean_interval(x, score_range=(0, 1)) for x in samples]
    assert np.mean([truth in found for found in default]) > 0.97
    by_variance = [mean_interval(x, method="wilson-neff", score_range=(0, 1)) for x in samples]
    assert np.mean([truth in found for found in by_variance]) < 0.7


def test_augmented_t_never_falls_below_its_level():
    """At n = 12, over 200 laws with rare and common disagreement, coverage stays above .94."""
    laws = sparse_laws(200, seed=1)
    assert paired_coverage(12, laws).min() > 0.94
    assert paired_coverage(12, laws, method="t").min() < 0.5


@pytest.mark.parametrize(
    "cell",
    [(8, 5, 0.4, (0.25, 0.05)), (15, None, 0.8, (0.08, 0.06)), (40, 2, 0.05, (0.6, 0.0))],
)
def test_clustered_differences_keep_their_level(cell):
    """2,000 samples of three designs cover at a rate compatible with at least .94."""
    hits = cluster_hits(cell, 2000, seed=5)
    assert stats.binomtest(hits, 2000, 0.94, alternative="less").pvalue > 0.01


def test_null_rejections_are_at_most_nominal():
    """Under no difference, p < .05 at most 5 % of the time, up to chance."""
    rng = np.random.default_rng(8)
    rejected = 0
    for _ in range(2000):
        values = rng.choice([-1.0, 0.0, 1.0], size=40, p=[0.15, 0.7, 0.15])
        rejected += compare_pairs(tally_values(values)).p_value < 0.05
    assert stats.binomtest(rejected, 2000, 0.05, alternative="greater").pvalue > 0.01
    assert rejected > 40


@pytest.mark.slow
def test_held_out_grid_of_clustered_designs():
    """No cell of 360 designs covers less than .93 in 2,000 samples, up to chance."""
    shortfalls = {}
    for index, cell in enumerate(held_out_cells()):
        hits = cluster_hits(cell, 2000, seed=100 + index)
        # 360 cells: a one-sided bound at 1e-5 each leaves a false alarm in 1 of 280 runs.
        if stats.binomtest(hits, 2000, 0.93, alternative="less").pvalue < 1e-5:
            shortfalls[cell] = hits / 2000
    assert not shortfalls


@pytest.mark.slow
def test_augmented_t_on_two_thousand_held_out_laws():
    """At n = 20 the worst of 2,000 laws covers at least .95."""
    assert paired_coverage(20, sparse_laws(2000, seed=77)).min() >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 34), (34, 34), (15, 80)])
def test_two_sample_credits_keep_their_level(sizes):
    """The augmented Welch interval of half-credit means covers at least .94."""
    rng = np.random.default_rng(3)
    worst = 1.0
    for mean in (0.5, 0.785, 0.96):
        for shift in (0.0, 0.03):
            hits = 0
            for _ in range(2000):
                samples = []
                for n, m in zip(sizes, (mean, mean - shift), strict=True):
                    scores = rng.choice([0.0, 0.5, 1.0], size=n, p=credit_law(m))
                    samples.append(tally_values(scores))
                found = compare_samples(*samples, method="augmented-welch-t").interval
                hits += found.low <= -shift <= found.high
            worst = min(worst, hits / 2000)
    assert stats.binomtest(round(2000 * worst), 2000, 0.94, alternative="less").pvalue > 1e-3
