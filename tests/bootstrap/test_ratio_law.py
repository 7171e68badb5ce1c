"""Ratios of sums: clusters of unequal sizes against exact two-dimensional laws."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from evalkit.bootstrap.choose import bootstrap_law, ratio_law
from evalkit.bootstrap.intervals import bootstrap_interval
from evalkit.bootstrap.joint_lattice import joint_ratio
from evalkit.bootstrap.law import DiscreteLaw
from evalkit.bootstrap.ratio import RatioLaw, distinct_pairs, ratio_acceleration
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values


def clusters(rng, number):
    """Draw sums and sizes of clusters of 1-5 correlated marks."""
    sizes = rng.integers(1, 6, number)
    return rng.binomial(sizes, rng.beta(1.5, 1.0, number)).astype(float), sizes.astype(float)


def exact_law(sums, sizes):
    """Points and probabilities of the ratio by convolving the joint lattice of (sum, size)."""
    base = np.zeros((int(sums.max()) + 1, int(sizes.max()) + 1))
    np.add.at(base, (sums.astype(int), sizes.astype(int)), 1 / len(sums))
    shape = tuple(len(sums) * (k - 1) + 1 for k in base.shape)
    joint = np.fft.irfft2(np.fft.rfft2(base, shape) ** len(sums), shape)
    s, m = np.nonzero(joint > 1e-17)
    return s / np.maximum(m, 1), joint[s, m]


@pytest.mark.parametrize(("number", "error"), [(25, 8e-3), (100, 1.5e-3)])
def test_smoothed_law_is_close_to_the_exact_one(number, error):
    """The smoothed distribution function is off by at most the stated smoothing error."""
    sums, sizes = clusters(np.random.default_rng(number), number)
    law = RatioLaw.of(sums, sizes)
    points, mass = exact_law(sums, sizes)
    for x in law.quantiles([0.025, 0.2, 0.5, 0.8, 0.975]):
        middle = mass[points < x - 1e-9].sum() + mass[np.abs(points - x) <= 1e-9].sum() / 2
        assert law.cdf(x) == pytest.approx(middle, abs=error)


def test_up_to_a_hundred_clusters_are_exact():
    """Sums and sizes on lattices: the law is that of the joint convolution, half credits too."""
    sums, sizes = clusters(np.random.default_rng(1), 30)
    law = ratio_law(sums / 2, sizes)
    points, mass = exact_law(sums, sizes)

    assert isinstance(law, DiscreteLaw)
    for x in np.quantile(points, [0.2, 0.5, 0.7]):
        assert law.cdf(x / 2) == pytest.approx(mass[points <= x + 1e-9].sum(), abs=1e-12)
    assert joint_ratio(np.sqrt(np.arange(3.0)), np.arange(1.0, 4), np.ones(3)) is None
    assert joint_ratio(np.arange(3.0), np.arange(1.0, 4), np.full(3, 1000.0)) is None


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=5))
def test_small_samples_are_enumerated(units):
    """For a few clusters the law is that of all G^G resamples of (sum, size)."""
    sums = np.array([min(s, m) for s, m in units], dtype=float)
    sizes = np.array([m for _, m in units], dtype=float)
    ratios = np.array(
        [
            sums[list(draw)].sum() / sizes[list(draw)].sum()
            for draw in product(range(len(units)), repeat=len(units))
        ]
    )
    law = ratio_law(sums, sizes)
    for x in np.unique(ratios.round(9)):
        assert law.cdf(x + 1e-8) == pytest.approx((ratios <= x + 1e-8).mean(), abs=1e-12)
    if isinstance(law, DiscreteLaw):
        for level in (0.05, 0.3, 0.9):
            rank = math.ceil(level * ratios.size - 1e-6) - 1
            assert law.quantile(level) == pytest.approx(np.sort(ratios)[rank], abs=1e-9)


@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.025, 0.5, 0.9, 0.999]))
@settings(max_examples=15)
def test_quantile_inverts_the_cdf(seed, level):
    """F at its own quantile is the level."""
    law = RatioLaw.of(*clusters(np.random.default_rng(seed), 60))

    assert law.cdf(law.quantile(level)) == pytest.approx(level, rel=1e-7)


def test_unequal_clusters_match_scipy():
    """Percentile and BCa agree with SciPy's paired resampling of (sum, size)."""
    sums, sizes = clusters(np.random.default_rng(8), 120)
    rows = [[1.0] * int(s) + [0.0] * int(m - s) for s, m in zip(sums, sizes, strict=True)]
    labels = np.repeat(np.arange(120), sizes.astype(int)).tolist()
    tally = tally_values(np.concatenate(rows), clusters=labels)

    def ratio(s, m, axis=-1):
        return s.sum(axis=axis) / m.sum(axis=axis)

    for method, name in (("percentile", "percentile"), ("bca", "BCa")):
        got = bootstrap_interval(tally, method=method)
        simulated = bootstrap(
            (sums, sizes), ratio, paired=True, method=name, n_resamples=20_000, rng=3, batch=2000
        )
        assert got.se == pytest.approx(simulated.standard_error, rel=0.03)
        assert (got.interval.low, got.interval.high) == pytest.approx(
            (simulated.confidence_interval.low, simulated.confidence_interval.high),
            abs=0.09 * got.se,
        )


def test_equal_sizes_given_as_a_ratio_are_nearly_the_lattice_law():
    """The ratio route on equal sizes reproduces the exact lattice quantiles to one step."""
    rng = np.random.default_rng(2)
    sums, sizes = rng.binomial(3, 0.6, 80).astype(float), np.full(80, 3.0)
    rows = np.concatenate([[1.0] * int(s) + [0.0] * int(3 - s) for s in sums])
    lattice = bootstrap_law(tally_values(rows, clusters=np.repeat(np.arange(80), 3).tolist()))
    smooth = RatioLaw.of(sums, sizes)

    assert smooth.se == pytest.approx(lattice.se)
    assert smooth.acceleration == pytest.approx(lattice.acceleration, rel=1e-9)
    for level in (0.025, 0.5, 0.975):
        assert smooth.quantile(level) == pytest.approx(lattice.quantile(level), abs=1 / 240)


def test_order_of_clusters_does_not_matter():
    """Shuffled clusters give the same law."""
    sums, sizes = clusters(np.random.default_rng(4), 50)
    order = np.random.default_rng(5).permutation(50)

    one, other = RatioLaw.of(sums, sizes), RatioLaw.of(sums[order], sizes[order])

    assert one.quantiles([0.025, 0.975]) == other.quantiles([0.025, 0.975])


def test_complement_mirrors_the_ratio():
    """The law of failures is the mirror image of the law of successes."""
    sums, sizes = clusters(np.random.default_rng(6), 50)
    one, other = RatioLaw.of(sums, sizes), RatioLaw.of(sizes - sums, sizes)

    assert other.quantile(0.025) == pytest.approx(1 - one.quantile(0.975), abs=1e-9)
    assert other.acceleration == pytest.approx(-one.acceleration)


def test_precision_with_empty_units():
    """Items without a predicted positive have denominator 0 and still are resampled."""
    rng = np.random.default_rng(7)
    predicted = (rng.random(200) < 0.4).astype(float)
    right = predicted * (rng.random(200) < 0.8)
    law = ratio_law(right, predicted)
    weights = rng.multinomial(200, np.full(200, 1 / 200), 20_000)
    draws = (weights @ right) / (weights @ predicted)

    assert law.quantiles([0.025, 0.975]) == pytest.approx(
        np.quantile(draws, [0.025, 0.975]), abs=0.15 * law.se
    )
    assert law.quantiles([0.0, 1.0]) == [0.0, 1.0]
    assert (law.cdf(-0.5), law.cdf(2.0)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("sums", "sizes", "match"),
    [
        ([1.0], [1.0, 2.0], "must match"),
        ([1.0, 1.0], [1.0, -2.0], "non-negative"),
        ([0.0, 0.0], [0.0, 0.0], "not all 0"),
        ([0.0, 1.0, 2.0], [0.0, 1.0, 3.0], "are 0, so resamples"),
    ],
)
def test_bad_ratios_are_refused(sums, sizes, match):
    """Units without a usable denominator are refused by name."""
    with pytest.raises(ArgumentError, match=match):
        ratio_law(np.array(sums), np.array(sizes))


def test_acceleration_is_the_plain_jackknife():
    """Grouped acceleration equals a loop that leaves out one unit at a time."""
    sums, sizes = clusters(np.random.default_rng(9), 40)
    left = np.array(
        [(sums.sum() - s) / (sizes.sum() - m) for s, m in zip(sums, sizes, strict=True)]
    )
    d = left.mean() - left

    got = ratio_acceleration(*distinct_pairs(sums, sizes))

    assert got == pytest.approx((d**3).sum() / (6 * (d**2).sum() ** 1.5))
    assert ratio_acceleration(np.array([1.0, 0.0]), np.array([2.0, 0.0]), np.ones(2)) == 0.0
