"""Proportion intervals against published values, statsmodels and their own definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evalkit.errors import ArgumentError
from evalkit.intervals import proportion_interval

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
REFERENCES = {
    "wilson": "wilson",
    "agresti-coull": "agresti_coull",
    "clopper-pearson": "beta",
    "jeffreys": "jeffreys",
}


def bounds(k, n, **settings):
    """Return the two bounds."""
    found = proportion_interval(k, n, **settings)
    assert found is not None
    return found.low, found.high


@given(COUNTS, st.sampled_from(sorted(REFERENCES)), st.sampled_from([0.8, 0.95, 0.99]))
def test_bounds_agree_with_statsmodels(counts, method, level):
    """An independent implementation gives the same bounds."""
    k, n = counts
    low, high = proportion_confint(k, n, alpha=1 - level, method=REFERENCES[method])
    if method == "jeffreys":  # statsmodels keeps the posterior quantile at 0 and n successes
        low, high = (0.0 if k == 0 else low), (1.0 if k == n else high)
    expected = (max(low, 0.0), min(high, 1.0))
    assert bounds(k, n, method=method, level=level) == pytest.approx(expected, abs=1e-10)


def test_no_success_and_no_failure_have_published_bounds():
    """0/40: exact upper bound 1 - 0.025^(1/40); Wilson z²/(n + z²)."""
    assert bounds(0, 40, method="clopper-pearson") == pytest.approx((0, 0.08809730287880235))
    assert bounds(0, 40) == pytest.approx((0, 0.08762160119728668), abs=1e-12)
    assert bounds(40, 40) == pytest.approx((0.9123783988027134, 1), abs=1e-12)
    assert bounds(0, 4000, method="clopper-pearson")[1] == pytest.approx(1 - 0.025 ** (1 / 4000))


def test_newcombe_1998_table():
    """81/263: Wilson .2553 to .3662 (Newcombe 1998, table I)."""
    assert bounds(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)


@given(COUNTS)
def test_mid_p_solves_its_equations(counts):
    """At each bound the mid-p tail is α/2."""
    k, n = counts
    low, high = bounds(k, n, method="mid-p")
    if k:
        tail = stats.binom.sf(k, n, low) + stats.binom.pmf(k, n, low) / 2
        assert tail == pytest.approx(0.025, abs=1e-9)
    if k < n:
        tail = stats.binom.cdf(k - 1, n, high) + stats.binom.pmf(k, n, high) / 2
        assert tail == pytest.approx(0.025, abs=1e-9)


@given(COUNTS, st.sampled_from([*REFERENCES, "mid-p"]))
def test_intervals_hold_the_point_and_mirror(counts, method):
    """The bounds lie in [0, 1] around k/n, and failures mirror successes."""
    k, n = counts
    low, high = bounds(k, n, method=method)
    assert 0 <= low <= k / n <= high <= 1
    assert low < high
    mirrored = bounds(n - k, n, method=method)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(COUNTS)
def test_wilson_widens_with_the_level(counts):
    """A higher level never gives a narrower interval."""
    k, n = counts
    inner, outer = bounds(k, n, level=0.8), bounds(k, n, level=0.99)
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_undefined_is_none():
    """No trials, or a Wald interval of width 0, is not an interval."""
    assert proportion_interval(0, 0) is None
    assert proportion_interval(0, 20, method="wald") is None
    assert proportion_interval(20, 20, method="wald") is None


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        ((5, 4), {}, "0..n"),
        ((-1, 4), {}, "0..n"),
        ((1, 4), {"level": 1.0}, "strictly between"),
        ((1, 4), {"method": "exact"}, "clopper-pearson"),
    ],
)
def test_wrong_arguments_are_named(arguments, settings, message):
    """The error says what is allowed."""
    with pytest.raises(ArgumentError, match=message):
        proportion_interval(*arguments, **settings)
