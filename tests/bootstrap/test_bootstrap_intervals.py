"""Percentile, BC and BCa intervals against published, independent and simulated values."""

import json
import subprocess
import sys
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm

from evalkit.bootstrap.adjust import EDGE, adjusted_level, adjusted_levels, bias_correction
from evalkit.bootstrap.choose import bootstrap_law, two_sample_law
from evalkit.bootstrap.intervals import bootstrap_interval, law_interval
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values

SKEWED = [i * i / 100 for i in range(40)]


def bounds(values, **settings):
    """Low and high of a bootstrap interval."""
    interval = bootstrap_interval(tally_values(values), **settings).interval
    return interval.low, interval.high


def test_bca_of_27_of_34_splits_the_tie():
    """27 of 34 gives [.618, .912]; counting only P(T* < t) would give [.588, .882]."""
    low, high = bounds([1] * 27 + [0] * 7)

    # 21/34 = .6176 and 31/34 = .9118; strict: 20/34 = .588 and 30/34 = .882.
    assert (round(low * 34), round(high * 34)) == (21, 31)

    law = bootstrap_law(tally_values([1] * 27 + [0] * 7))
    strict = bias_correction(2 * law.probability_below(law.mean) - law.cdf(law.mean))
    levels = adjusted_levels(0.95, bias=strict, acceleration=law.acceleration)
    assert [round(34 * x) for x in law.quantiles(levels)] == [20, 30]


def test_skewed_scores_match_three_large_simulations():
    """i*i/100 for i < 40: scipy with 3 x 60,000 resamples gives BCa [3.802, 6.696]."""
    assert bounds(SKEWED) == pytest.approx((3.802, 6.696), abs=0.03)
    assert bounds(SKEWED, method="percentile") == pytest.approx((3.722, 6.614), abs=0.03)


def test_constant_scores_have_no_interval():
    """Ten scores of 0.7: no interval, no standard error, the point and the reason."""
    result = bootstrap_interval(tally_values([0.7] * 10))

    assert (result.interval, result.se, result.bias, result.point) == (None, None, None, 0.7)
    assert result.note == "all outcomes equal: the bootstrap law is a point at 0.7 (degenerate)"
    assert "NaN" not in json.dumps(result.to_dict())


@pytest.mark.parametrize(
    ("tally", "words"),
    [
        (tally_values([]), "no outcomes"),
        (tally_values([1.0]), "one outcome"),
        (tally_values([1, 0, 1], clusters=["a", "a", "a"]), "one cluster"),
        (tally_values([1, 0, 1, 0], clusters=["a", "a", "b", "b"]), "all outcomes equal"),
        (tally_values([1, 0] * 3, clusters=list("aabbbb")), "same ratio"),
    ],
)
def test_undefined_intervals_say_why(tally, words):
    """Nothing to resample gives no interval and a reason."""
    result = bootstrap_interval(tally)

    assert result.interval is None
    assert result.se is None
    assert words in result.note


@pytest.mark.parametrize(
    "values",
    [
        [1.0] * 55 + [0.0] * 45,
        [0.0] * 12 + [0.5] * 7 + [1.0] * 21,
        SKEWED,
        np.random.default_rng(3).lognormal(size=60).tolist(),
    ],
)
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_scipy_agrees_within_monte_carlo_error(values, method):
    """SciPy's resampling bootstrap lands on the exact limits but for its own error."""
    name = "BCa" if method == "bca" else method
    got = bounds(values, method=method)
    simulated = bootstrap(
        (np.array(values),), np.mean, n_resamples=20_000, method=name, rng=7, batch=1000
    )
    # The standard deviation of a 2.5 % limit is about 0.018 standard errors at 20,000 resamples,
    # and a lattice limit may sit on the next point.
    slack = 0.09 * np.std(values) / len(values) ** 0.5 + 1.0 / len(values) * (len(set(values)) < 5)

    assert got == pytest.approx(
        (simulated.confidence_interval.low, simulated.confidence_interval.high), abs=slack
    )


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=6))
def test_percentile_and_bias_by_brute_force(sample):
    """For n <= 6 limits and mid-p z0 equal those of all n^n resamples."""
    result = bootstrap_interval(tally_values(sample), method="percentile", level=0.8)
    if len(set(sample)) == 1:
        assert result.interval is None
        return
    sums = np.sort([sum(draw) for draw in product(sample, repeat=len(sample))])
    below = (sums < sum(sample)).mean() + (sums == sum(sample)).mean() / 2
    ranks = [int(np.ceil(a * sums.size - 1e-6)) - 1 for a in (0.1, 0.9)]

    assert result.bias == pytest.approx(norm.ppf(below), abs=1e-9)
    assert (result.interval.low, result.interval.high) == pytest.approx(
        sums[ranks] / len(sample), abs=1e-12
    )


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=40), st.randoms())
def test_order_of_outcomes_does_not_matter(values, random):
    """Shuffled outcomes give the same result."""
    shuffled = list(values)
    random.shuffle(shuffled)

    assert bootstrap_interval(tally_values(values)) == bootstrap_interval(tally_values(shuffled))


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=5, max_size=40))
def test_sign_flip_mirrors_bca(values):
    """The BCa interval of negated outcomes is the mirror image, to one lattice step."""
    mine = bootstrap_interval(tally_values(values)).interval
    other = bootstrap_interval(tally_values([-x for x in values])).interval
    if mine is None:
        assert other is None
        return
    step = 0.5 / len(values) + 1e-12

    assert other.low == pytest.approx(-mine.high, abs=step)
    assert other.high == pytest.approx(-mine.low, abs=step)


@given(
    st.lists(st.floats(-3, 3).map(lambda x: round(x, 1)), min_size=3, max_size=30),
    st.sampled_from(["percentile", "bc", "bca", "basic"]),
)
def test_intervals_widen_with_the_level(values, method):
    """An interval of higher level contains that of a lower level."""
    narrow = bootstrap_interval(tally_values(values), method=method, level=0.8).interval
    wide = bootstrap_interval(tally_values(values), method=method, level=0.99).interval
    if narrow is None:
        assert wide is None
        return

    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


def test_equal_clusters_are_units():
    """Three equal marks per cluster: the interval is that of the cluster means."""
    means = [0, 1, 1, 0, 1 / 3, 2 / 3, 1, 1]
    rows = [[1] * round(3 * m) + [0] * (3 - round(3 * m)) for m in means]
    clustered = tally_values(np.ravel(rows), clusters=np.repeat(np.arange(8), 3).tolist())

    got = bootstrap_interval(clustered).interval
    expected = bootstrap_interval(tally_values(means)).interval

    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_two_independent_samples_match_the_enumeration():
    """Percentile limits of a difference equal those of all pairs of resamples."""
    base, candidate = [0, 1, 1], [0, 0.5, 1, 1]
    law = two_sample_law(tally_values(base), tally_values(candidate))
    b = np.array([sum(d) for d in product(base, repeat=3)]) / 3
    c = np.array([sum(d) for d in product(candidate, repeat=4)]) / 4
    differences = np.sort(np.subtract.outer(c, b).ravel())
    for level in (0.03, 0.2, 0.5, 0.8, 0.97):
        rank = int(np.ceil(level * differences.size)) - 1
        assert law.quantile(level) == pytest.approx(differences[rank], abs=1e-12)
    for x in (-0.5, -0.25, 0.0, 1 / 12, 0.3):
        share = (differences <= x + 1e-9).mean()
        assert law.cdf(x) == pytest.approx(share, abs=1e-12)
    assert law_interval(law, n=7).point == pytest.approx(0.625 - 2 / 3)


def test_two_samples_of_one_size_swap_signs():
    """Base and candidate exchanged give the mirrored law."""
    a, b = tally_values([0, 1] * 10), tally_values([1, 1, 1, 0] * 5)
    one, other = two_sample_law(a, b), two_sample_law(b, a)

    assert one.mean == -other.mean
    assert one.probability_below(0.1) == pytest.approx(1 - other.probability_below(-0.1))


def test_continuous_two_samples_have_the_sum_of_variances():
    """Off a common lattice the law is smooth with the two variances added."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=80), rng.exponential(size=120)
    law = two_sample_law(tally_values(a), tally_values(b))
    draws = rng.choice(b, (20_000, 120)).mean(1) - rng.choice(a, (20_000, 80)).mean(1)

    assert law.se == pytest.approx((a.var() / 80 + b.var() / 120) ** 0.5)
    assert law.quantiles([0.025, 0.975]) == pytest.approx(
        np.quantile(draws, [0.025, 0.975]), abs=0.08 * law.se
    )


def test_two_constant_samples_are_a_point():
    """Two samples without spread have a point law."""
    law = two_sample_law(tally_values([1, 1]), tally_values([0.5]))

    assert law_interval(law, n=3).interval is None
    assert law.mean == -0.5


@pytest.mark.parametrize(
    ("settings", "match"),
    [({"method": "student"}, "`method` is 'student'"), ({"level": 95}, "`level` is 95")],
)
def test_settings_out_of_range_are_named(settings, match):
    """A wrong setting is refused with its value and what is allowed."""
    with pytest.raises(ArgumentError, match=match):
        bootstrap_interval(tally_values([0, 1]), **settings)
    with pytest.raises(ArgumentError, match=match):
        bootstrap_interval(tally_values([]), **settings)


def test_empty_and_clustered_samples_are_refused():
    """Laws need outcomes, and two-sample laws independent ones."""
    some, none = tally_values([0, 1]), tally_values([])
    clustered = tally_values([0, 1], clusters=["a", "b"])
    with pytest.raises(ArgumentError, match="no outcomes"):
        bootstrap_law(none)
    with pytest.raises(ArgumentError, match="`candidate` has no outcomes"):
        two_sample_law(some, none)
    with pytest.raises(ArgumentError, match="`base` has clusters"):
        two_sample_law(clustered, some)


def test_bca_level_is_held_at_its_pole():
    """Past the pole of the acceleration the level stays at the end it was heading for."""
    assert adjusted_level(0.999, bias=0.0, acceleration=0.5) == 1 - EDGE
    assert adjusted_level(0.001, bias=0.0, acceleration=-0.5) == EDGE
    assert adjusted_level(0.9, bias=0.1, acceleration=0.0) == pytest.approx(
        norm.cdf(0.2 + norm.ppf(0.9))
    )


def test_a_million_binary_outcomes_need_no_memory():
    """A million 0/1 outcomes: the half-width is 1.96 sqrt(p q / n) and nothing of size n x B."""
    import tracemalloc

    values = ((np.arange(1_000_000) * 7919) % 10 < 3).astype(float)
    tracemalloc.start()
    low, high = bounds(values, method="percentile")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (high - low) / 2 == pytest.approx(8.982e-4, rel=0.05)
    assert peak < 200 * 2**20


def test_no_warning_for_ordinary_data():
    """Continuous scores of ordinary spread raise no warning and say that they are smoothed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = bootstrap_interval(tally_values(np.random.default_rng(1).normal(size=200)))

    assert result.exactness == "lattice smoothing"


@pytest.mark.filterwarnings("ignore::evalkit.bootstrap.InversionWarning")
@example([3.0, 434.0, 0.125, 0.1, 0.0, 1.0, 2.0, 0.5, 0.25], "percentile")
@given(
    st.lists(
        st.floats(-1e100, 1e100, allow_subnormal=False) | st.floats(-1e-100, 1e-100) | st.just(0.1),
        min_size=1,
        max_size=14,
    ),
    st.sampled_from(["percentile", "bc", "bca", "basic"]),
)
def test_any_finite_outcomes_have_a_sane_result(values, method):
    """Whatever the outcomes, limits are finite and ordered and percentiles stay in their range."""
    result = bootstrap_interval(tally_values(values), method=method)
    json.dumps(result.to_dict(), allow_nan=False)
    if result.interval is None:
        assert result.note
        return
    slack = 1e-9 * max(map(abs, values))
    if method != "basic":
        assert min(values) - slack <= result.interval.low
        assert result.interval.high <= max(values) + slack
    assert -1 < result.acceleration < 1


def test_the_exact_bootstrap_loads_neither_scipy_nor_numba():
    """An interval of a mean needs numpy alone, so that a command starts quickly."""
    code = (
        "import sys; from evalkit.bootstrap import bootstrap_interval; "
        "from evalkit.tally import tally_values; "
        "print(round(bootstrap_interval(tally_values([0, 1, 1])).interval.low, 3), "
        "[m for m in ('numba', 'scipy', 'pandas') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert out.stdout.strip() == "0.0 []"


def test_public_names_exist():
    """Every exported name is importable and documented."""
    import evalkit.bootstrap as package

    assert "monte_carlo" in package.__all__
    for name in package.__all__:
        assert getattr(package, name).__doc__
    assert callable(package.monte_carlo)
