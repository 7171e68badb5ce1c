"""Monte Carlo of means and ratios: the compiled weights, their sums, and what they are read for."""

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from evalkit.bootstrap.choose import bootstrap_law
from evalkit.bootstrap.resampling import monte_carlo
from evalkit.bootstrap.seeds import streams
from evalkit.bootstrap.sums import acceleration, resampled_sums
from evalkit.bootstrap.weights import weight_batches
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values

RNG = np.random.default_rng(0)
# Numbers on a lattice, which are summed in single precision, and numbers on none.
COLUMNS = np.column_stack(
    [RNG.integers(0, 2, 150), RNG.random(150), RNG.choice([0.0, 0.5, 1.0], 150)]
)


@pytest.fixture
def engine():
    """Compiled engine, where numba is installed."""
    pytest.importorskip("numba")
    return "numba"


def drawn(units, resamples, seed=1):
    """All compiled weights of a seed."""
    batches = weight_batches(streams(seed), units=units, resamples=resamples, engine="numba")
    return np.vstack(list(batches))


def test_topped_up_weights_are_multinomial(engine):
    """Counts of a unit are binomial, for n indices drawn and for topped up Poisson counts."""
    assert engine == "numba"
    for units in (40, 65, 300):
        weights = drawn(units, 20_000)
        law = binom.pmf(np.arange(7), units, 1 / units)
        law = np.append(law[:6], 1 - law[:6].sum())
        assert (weights.sum(axis=1) == units).all()
        for unit in (0, units // 2, units - 1):
            seen = np.bincount(np.minimum(weights[:, unit].astype(int), 6), minlength=7)
            assert chisquare(seen, law * 20_000).pvalue > 1e-4


def test_pairs_of_units_and_of_replicates_are_independent_but_for_the_sum(engine):
    """Counts of two units correlate by -1 / (n - 1), and those of two replicates not at all."""
    assert engine == "numba"
    weights = drawn(100, 20_000, seed=2)
    # Two units that come from the two halves of the same 64 bits, and two that do not.
    for other in (1, 2, 50):
        found = np.corrcoef(weights[:, 0], weights[:, other])[0, 1]
        assert found == pytest.approx(-1 / 99, abs=4 / 20_000**0.5)
    serial = np.corrcoef(weights[:-1, 7], weights[1:, 7])[0, 1]
    assert abs(serial) < 4 / 20_000**0.5


def test_rare_counts_appear_as_often_as_they_should(engine):
    """Counts of 7 and more have their share: they are added by a loop of their own."""
    assert engine == "numba"
    weights = drawn(500, 20_000, seed=3)
    for least in (6, 7, 8):
        expected = weights.size * binom.sf(least - 1, 500, 1 / 500)
        assert abs((weights >= least).sum() - expected) < 4.5 * expected**0.5


@pytest.mark.parametrize("settings", [{"threads": 2}, {"batch": 7}, {"threads": 3, "batch": 50}])
def test_compiled_means_are_the_same_bits_for_threads_and_batch(engine, settings):
    """Neither threads nor batches change a bit, also where replicates end inside a block."""
    plain = monte_carlo([COLUMNS], "mean", resamples=777, rng=5, engine=engine)
    other = monte_carlo([COLUMNS], "mean", resamples=777, rng=5, engine=engine, **settings)
    longer = monte_carlo([COLUMNS], "mean", resamples=1000, rng=5, engine=engine, **settings)

    assert np.array_equal(plain.distribution, other.distribution)
    assert np.array_equal(plain.distribution, longer.distribution[:777])


@pytest.mark.parametrize("which", ["numpy", "numba"])
def test_named_means_are_means_under_the_weights(which):
    """The fused sums are those of the weights that the same engine hands to a function."""
    if which == "numba":
        pytest.importorskip("numba")
    named = monte_carlo([COLUMNS], "mean", resamples=301, rng=6, engine=which, threads=2)
    function = monte_carlo(
        [COLUMNS], lambda w, x: w @ x / len(x), resamples=301, rng=6, engine=which
    )

    assert np.allclose(named.distribution, function.distribution, rtol=0, atol=1e-14)
    assert np.allclose(named.estimate, COLUMNS.mean(axis=0), rtol=0, atol=1e-15)
    assert np.allclose(named.accelerations, function.accelerations, rtol=1e-9)


@pytest.mark.parametrize("which", ["numpy", "numba"])
@pytest.mark.parametrize("n", [30, 150])
def test_replicates_follow_the_exact_law(which, n):
    """Mean, variance and distribution function are those of the computed bootstrap law."""
    if which == "numba":
        pytest.importorskip("numba")
    x = COLUMNS[:n, 2]
    law = bootstrap_law(tally_values(x))
    values = monte_carlo([x], "mean", resamples=20_000, rng=8, engine=which).distribution[:, 0]
    se = x.std() / n**0.5

    assert values.mean() == pytest.approx(x.mean(), abs=4 * se / 20_000**0.5)
    assert values.std() == pytest.approx(se, rel=4 / 40_000**0.5)
    for point in np.quantile(values, [0.025, 0.3, 0.9]):
        expected = law.cdf(point)
        slack = 4 * (expected * (1 - expected) / 20_000) ** 0.5
        assert (values <= point + 1e-9).mean() == pytest.approx(expected, abs=slack)


@pytest.mark.parametrize("which", ["numpy", "numba"])
def test_clusters_and_ratios(which):
    """A mean of clustered items is a ratio of sums, and so is a ratio by name."""
    if which == "numba":
        pytest.importorskip("numba")
    labels = np.repeat(np.arange(50), 3)
    uneven = np.minimum(np.arange(150) // 2, 60)
    x, size = COLUMNS[:, 1], 1.0 + COLUMNS[:, 0]
    settings = {"resamples": 200, "rng": 9, "engine": which}
    for clusters in (labels, uneven):
        named = monte_carlo([x], "mean", clusters=clusters, **settings)
        function = monte_carlo(
            [x], lambda w, v: w @ v / w.sum(axis=1), clusters=clusters, **settings
        )
        assert np.allclose(named.distribution, function.distribution, rtol=0, atol=1e-14)
        assert np.allclose(named.accelerations, function.accelerations, rtol=1e-9)
    ratio = monte_carlo([x, size], "ratio", **settings)
    function = monte_carlo([x, size], lambda w, s, m: (w @ s) / (w @ m), **settings)
    assert np.allclose(ratio.distribution, function.distribution, rtol=0, atol=1e-14)
    assert ratio.interval(method="bca").low == pytest.approx(function.interval(method="bca").low)


def test_sums_of_long_columns_keep_their_digits(engine):
    """Whole numbers too large for single precision are summed in double precision."""
    columns = np.array([[2.0**40 + 1.0] * 80, [1.0] * 80, [1e-3] * 80])
    sums = resampled_sums(streams(0), columns, resamples=5, engine=engine)

    assert np.array_equal(sums[0], [80 * (2.0**40 + 1.0)] * 5)
    assert np.array_equal(sums[1], [80.0] * 5)
    assert np.allclose(sums[2], 0.08, rtol=1e-14)


def test_jackknife_waits_until_it_is_asked_for():
    """A percentile interval needs no leave-one-out values; BCa computes them once."""
    rows = []

    def mean(weights, x):
        rows.append(len(weights))
        return weights @ x / weights.sum(axis=1)

    result = monte_carlo([COLUMNS[:, 0]], mean, resamples=100, rng=1)
    result.interval(method="percentile")
    before = sum(rows)
    result.interval(method="bca")
    result.interval(method="bca", level=0.9)

    assert before == 101
    assert sum(rows) == 101 + 150


def test_acceleration_is_that_of_a_mean():
    """For a mean the jackknife gives skewness / (6 sqrt n)."""
    x = COLUMNS[:, 1]
    left = (x.sum() - x) / (len(x) - 1)
    d = x - x.mean()
    expected = (d**3).mean() / (d**2).mean() ** 1.5 / (6 * len(x) ** 0.5)

    assert acceleration(left[:, None])[0] == pytest.approx(expected, rel=1e-9)


def test_wrong_input_is_refused():
    """Names, shapes and numbers that are not finite are refused, and the reason is said."""
    with pytest.raises(ArgumentError, match="`statistic` is 'median'"):
        monte_carlo([COLUMNS], "median")
    with pytest.raises(ArgumentError, match="NaN or an infinity"):
        monte_carlo([[1.0, np.nan]], "mean")
    with pytest.raises(ArgumentError, match="one shape"):
        monte_carlo([COLUMNS], "ratio")
