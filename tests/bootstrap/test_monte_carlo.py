"""Resampling by weights: its law, its seeds, and that memory and threads change nothing."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import binom, chisquare, norm

from evalkit.bootstrap.intervals import bootstrap_interval
from evalkit.bootstrap.resampling import monte_carlo
from evalkit.bootstrap.seeds import streams
from evalkit.bootstrap.studentised import bootstrap_t_interval
from evalkit.bootstrap.weights import value_counts, weight_batches
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values

TEN = [0.1, 0.9, 0.4, 0.4, 0.8, 0.2, 0.7, 0.3, 0.6, 0.5]


def mean(weights, x):
    """Weighted mean of each row of weights."""
    return weights @ x / weights.sum(axis=1)


def test_weights_are_multinomial():
    """Each weight is Binomial(n, 1/n), and pairs have covariance -1/n: a chi-square fit."""
    weights = np.vstack(list(weight_batches(streams(1), units=20, resamples=4000)))
    law = binom.pmf(np.arange(6), 20, 1 / 20)
    law = np.append(law[:5], 1 - law[:5].sum())
    # Weights of one replicate depend on each other, so one column of each is compared.
    seen = np.bincount(np.minimum(weights[:, 3].astype(int), 5), minlength=6)

    assert (weights.sum(axis=1) == 20).all()
    assert chisquare(seen, law * 4000).pvalue > 1e-3
    assert np.cov(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-1 / 20, abs=0.05)


def test_small_multinomial_law_cell_by_cell():
    """All 10 weightings of three units occur with their multinomial probabilities."""
    weights = np.vstack(list(weight_batches(streams(5), units=3, resamples=9000))).astype(int)
    cells, seen = np.unique(weights, axis=0, return_counts=True)
    factorial = np.array([1, 1, 2, 6])
    expected = 6 / factorial[cells].prod(axis=1) / 27

    assert len(cells) == 10
    assert chisquare(seen, expected * 9000).pvalue > 1e-3


def test_counts_of_values_are_multinomial():
    """Counts of distinct values follow Binomial(n, c / n)."""
    drawn = np.vstack(list(value_counts(streams(2), np.array([7, 27]), resamples=20_000)))

    assert drawn[:, 1].mean() == pytest.approx(27, abs=0.08)
    assert drawn[:, 1].var() == pytest.approx(27 * 7 / 34, rel=0.05)


@pytest.mark.parametrize("settings", [{"batch": 1}, {"batch": 37}, {"threads": 2}, {"threads": 3}])
def test_batch_and_threads_change_nothing(settings):
    """Any batch size and number of threads give the same replicates in the same order."""
    plain = monte_carlo([TEN], mean, resamples=300, rng=3)
    other = monte_carlo([TEN], mean, resamples=300, rng=3, **settings)

    assert np.allclose(plain.distribution, other.distribution, rtol=0, atol=1e-15)


def test_large_blocks_do_not_depend_on_the_batch():
    """Blocks drawn in several parts give the same weights whatever the batch."""
    one = np.vstack(list(weight_batches(streams(4), units=70_000, resamples=20, batch=20)))
    other = np.vstack(list(weight_batches(streams(4), units=70_000, resamples=20, batch=3)))

    assert (one == other).all()


def test_seeds_repeat_and_none_is_reported():
    """Seed 0 is a seed; ``None`` draws one that repeats the run; numpy integers are seeds."""
    runs = [monte_carlo([TEN], mean, resamples=200, rng=rng) for rng in (0, 0, np.int64(0), 1)]
    drawn = [monte_carlo([TEN], mean, resamples=200) for _ in range(2)]
    again = monte_carlo([TEN], mean, resamples=200, rng=drawn[0].seed)

    assert runs[0].interval() == runs[1].interval() == runs[2].interval()
    assert (runs[0].distribution != runs[3].distribution).any()
    assert drawn[0].seed != drawn[1].seed
    assert (again.distribution == drawn[0].distribution).all()
    assert str(drawn[0].seed) in drawn[0].interval().method


def test_a_generator_gives_a_seed():
    """Two equal generators give the same run; the library leaves global state alone."""
    one = monte_carlo([TEN], mean, resamples=100, rng=np.random.default_rng(6))
    other = monte_carlo([TEN], mean, resamples=100, rng=np.random.default_rng(6))

    assert one.seed == other.seed
    assert (one.distribution == other.distribution).all()


@pytest.mark.parametrize("rng", [True, False, np.True_, -1, np.int64(-3), 1.5, "0"])
def test_booleans_and_negatives_are_no_seeds(rng):
    """A boolean, a negative number or a text is refused by name."""
    with pytest.raises(ArgumentError, match="`rng` is"):
        streams(rng)


@pytest.mark.parametrize("method", ["percentile", "basic", "bc", "bca"])
def test_simulated_mean_approaches_the_exact_law(method):
    """Intervals of a mean approach those of the exact law."""
    x = np.random.default_rng(7).exponential(size=80)
    simulated = monte_carlo([x], mean, resamples=20_000, rng=8)
    exact = bootstrap_interval(tally_values(x), method=method)
    got = simulated.interval(method=method)

    assert simulated.accelerations[0] == pytest.approx(exact.acceleration, rel=1e-6)
    assert simulated.se() == pytest.approx(exact.se, rel=0.03)
    assert (got.low, got.high) == pytest.approx(
        (exact.interval.low, exact.interval.high), abs=0.09 * exact.se
    )


def test_clusters_are_drawn_whole():
    """Items of one cluster share their weight; the spread is that of cluster means."""
    rng = np.random.default_rng(9)
    effect = rng.normal(size=30)
    x, labels = np.repeat(effect, 4), np.repeat(np.arange(30), 4).tolist()
    clustered = monte_carlo([x], mean, resamples=4000, rng=1, clusters=labels)

    assert clustered.units == 30
    assert clustered.se() == pytest.approx(effect.std() / 30**0.5, rel=0.05)


def test_statistics_share_their_resamples():
    """Two statistics of one run are computed from the same weights."""

    def both(weights, x, y):
        return np.column_stack([mean(weights, x), mean(weights, y)])

    result = monte_carlo([TEN, [1 - v for v in TEN]], both, resamples=200, rng=2)

    assert result.distribution.sum(axis=1) == pytest.approx(np.ones(200))
    assert result.interval(1).high == pytest.approx(1 - result.interval(0).low, abs=0.03)


def test_undefined_statistics_are_counted():
    """Resamples without a finite value are left out, counted and named."""

    def ratio(weights, hit, shown):
        return weights @ hit / (weights @ shown)

    shown = np.array([1.0, 1.0, 0, 0, 0, 0])
    result = monte_carlo([[1.0, 0, 0, 0, 0, 0], shown], ratio, resamples=500, rng=3)
    empty = monte_carlo([np.zeros(6), np.zeros(6)], ratio, resamples=50, rng=3)

    # (4/6)^6 = 8.8 % of the resamples hold no shown item.
    assert 20 <= result.undefined[0] <= 75
    assert f"{result.undefined[0]} of 500 resamples" in result.note()
    assert empty.interval() is None
    assert "not a finite number" in empty.note()


def test_constant_data_have_no_interval():
    """Equal outcomes give a point: no interval, no standard error, a reason."""
    result = monte_carlo([[0.7] * 5], lambda w, x: (w @ x / 5).round(12), resamples=50, rng=0)

    assert (result.interval(), result.se()) == (None, None)
    assert "point (degenerate)" in result.note()


def test_memory_does_not_grow_with_resamples():
    """Weights of 200,000 items and 64 resamples never stand in memory together."""
    x = np.random.default_rng(0).random(200_000)
    tracemalloc.start()
    weights = 0
    for batch in weight_batches(streams(0), units=x.size, resamples=64):
        weights += len(batch)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert weights == 64
    assert peak < 260 * 2**20


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"resamples": 0}, "`resamples` is 0"),
        ({"resamples": True}, "`resamples` is True"),
        ({"resamples": 1e4}, "`resamples` is 10000.0"),
        ({"batch": 0}, "`batch` is 0"),
        ({"threads": 0}, "`threads` is 0"),
        ({"engine": "jax"}, "`engine` is 'jax'"),
        ({"clusters": ["a"]}, "`clusters` has length 1"),
    ],
)
def test_settings_are_checked(settings, match):
    """Each wrong setting is named."""
    with pytest.raises(ArgumentError, match=match):
        monte_carlo([TEN], mean, **settings)


def test_shapes_are_checked():
    """Arrays of different lengths and statistics of a wrong shape are refused."""
    with pytest.raises(ArgumentError, match="lengths"):
        monte_carlo([TEN, [1.0]], mean)
    with pytest.raises(ArgumentError, match="returned shape"):
        monte_carlo([TEN], lambda _weights, x: x[:3])
    with pytest.raises(ArgumentError, match="`method` is 'wald'"):
        monte_carlo([TEN], mean, resamples=20, rng=0).interval(method="wald")


def test_bootstrap_t_is_near_student_for_normal_data():
    """For normal scores bootstrap-t is close to the normal interval, and repeats by seed."""
    x = np.random.default_rng(12).normal(size=200)
    one, other = (bootstrap_t_interval(tally_values(x), rng=5) for _ in range(2))
    half = norm.ppf(0.975) * x.std(ddof=1) / 200**0.5

    assert one == other
    assert one.interval.low == pytest.approx(x.mean() - half, abs=0.1 * half)
    assert one.interval.high == pytest.approx(x.mean() + half, abs=0.1 * half)
    assert one.degenerate == 0


def test_bootstrap_t_by_enumeration():
    """Binary 0/1 t ratios have the binomial's probabilities: limits match the exact law of t."""
    n, k = 30, 18
    counts = np.arange(1, n)
    p = counts / n
    t = (p - k / n) / np.sqrt(p * (1 - p) / (n - 1))
    order = np.argsort(t)
    cumulative = np.cumsum(binom.pmf(counts, n, k / n)[order])
    exact = [t[order][np.searchsorted(cumulative, a)] for a in (0.025, 0.975)]
    se = (k / n * (1 - k / n) / (n - 1)) ** 0.5

    result = bootstrap_t_interval(tally_values([1] * k + [0] * (n - k)), resamples=40_000, rng=1)

    assert (result.interval.low, result.interval.high) == pytest.approx(
        (k / n - exact[1] * se, k / n - exact[0] * se)
    )


def test_bootstrap_t_says_when_it_is_undefined():
    """Equal outcomes, one outcome, and resamples without spread at a limit have a reason."""
    constant = bootstrap_t_interval(tally_values([0.5] * 8), rng=0)
    single = bootstrap_t_interval(tally_values([0.5]), rng=0)
    rare = bootstrap_t_interval(tally_values([0] * 19 + [1]), rng=0)

    assert constant.interval is None
    assert "all outcomes equal" in constant.note
    assert "fewer than two outcomes" in single.note
    # (19/20)^20 = 36 % of the resamples are all zeros: the upper limit is infinite.
    assert rare.interval is None
    assert "a limit is infinite" in rare.note
    assert rare.to_dict()["low"] is None


def test_bootstrap_t_settings_are_checked():
    """Clusters and a non-positive number of resamples are refused."""
    with pytest.raises(ArgumentError, match="clusters"):
        bootstrap_t_interval(tally_values([0, 1], clusters=["a", "b"]))
    with pytest.raises(ArgumentError, match="`resamples` is 0"):
        bootstrap_t_interval(tally_values([0, 1]), resamples=0)


def test_compiled_weights_are_multinomial():
    """The compiled engine draws all 10 weightings of three units with their probabilities."""
    pytest.importorskip("numba")
    batches = weight_batches(streams(5), units=3, resamples=9000, engine="numba")
    cells, seen = np.unique(np.vstack(list(batches)).astype(int), axis=0, return_counts=True)
    factorial = np.array([1, 1, 2, 6])
    expected = 6 / factorial[cells].prod(axis=1) / 27
    long = np.vstack(list(weight_batches(streams(6), units=20, resamples=4000, engine="numba")))
    law = binom.pmf(np.arange(6), 20, 1 / 20)
    law = np.append(law[:5], 1 - law[:5].sum())

    assert len(cells) == 10
    assert chisquare(seen, expected * 9000).pvalue > 1e-3
    assert (long.sum(axis=1) == 20).all()
    for unit in (0, 19):
        counted = np.bincount(np.minimum(long[:, unit].astype(int), 5), minlength=6)
        assert chisquare(counted, law * 4000).pvalue > 1e-3


def test_compiled_weights_do_not_depend_on_batch_or_threads():
    """Seeds repeat in the compiled engine too."""
    pytest.importorskip("numba")
    runs = [
        monte_carlo([TEN], mean, resamples=300, rng=3, engine="numba", **settings)
        for settings in ({}, {"batch": 7}, {"threads": 2})
    ]

    for other in runs[1:]:
        assert np.allclose(runs[0].distribution, other.distribution, rtol=0, atol=1e-15)
