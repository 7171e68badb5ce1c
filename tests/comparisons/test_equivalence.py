"""Equivalence: two one-sided tests that agree with the interval they invert."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from evalkit.comparisons import compare_pairs, equivalence_test, non_inferiority_test, paired_pivot
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values

DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=2, max_size=60)
TABLE = [1.0] * 48 + [-1.0] * 30 + [0.0] * 122


def test_published_one_sample_statistics():
    """Lakens (2017) and the TOSTER manual: t = 5.86 and -4.53 at margins of .3 sd, n = 300."""
    # mean .52 - .50 = .02, sd .52: values .02 ± a in equal numbers have sd a sqrt(300/299).
    a = 0.52 * math.sqrt(299 / 300)
    d = tally_values([0.02 + a] * 150 + [0.02 - a] * 150)
    found = equivalence_test(d, margin=0.3 * 0.52, method="t", score_range=None)
    pivot = paired_pivot(d, method="t", score_range=None)
    assert round((pivot.centre + 0.156) / pivot.se, 2) == 5.86
    assert round((pivot.centre - 0.156) / pivot.se, 2) == -4.53
    assert found.verdict == "equivalent"
    assert found.p_value == found.p_upper < 1e-5


@given(DIFFERENCES, st.floats(0.02, 0.9))
def test_matches_an_independent_implementation(values, margin):
    """With method t, the p-values are those of statsmodels."""
    found = equivalence_test(tally_values(values), margin=margin, method="t")
    if np.ptp(values) == 0:
        assert (found.verdict, found.p_value) == ("undefined", None)
        assert found.note
        return
    p, lower, upper = DescrStatsW(np.array(values)).ttost_mean(-margin, margin)
    assert (found.p_value, found.p_lower, found.p_upper) == pytest.approx(
        (p, lower[1], upper[1]), abs=1e-12
    )


@given(DIFFERENCES, st.floats(0.02, 0.9), st.sampled_from([0.9, 0.95, 0.975]), st.booleans())
def test_verdict_interval_and_p_are_one_statement(values, margin, level, grouped):
    """Equivalent exactly when the 1 - 2α interval is inside the margins, and when p < α."""
    clusters = [i // 2 for i in range(len(values))] if grouped else None
    d = tally_values(values, clusters=clusters)
    found = equivalence_test(d, margin=margin, level=level)
    if found.interval is None:
        assert compare_pairs(d).verdict == "undefined"
        return
    inside = -margin < found.interval.low and found.interval.high < margin
    assert (found.verdict == "equivalent") == inside
    assert found.interval.level == pytest.approx(2 * level - 1)
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.p_value < 1 - level) == inside


@given(DIFFERENCES, st.floats(0.0, 0.9))
def test_non_inferiority_is_the_lower_half(values, margin):
    """Its bound is the low end of the equivalence interval, and margin 0 is superiority."""
    d = tally_values(values)
    found = non_inferiority_test(d, margin=margin)
    assert (found.verdict == "non-inferior") == (found.bound > -margin)
    if abs(found.p_value - 0.05) > 1e-9:
        assert (found.p_value < 0.05) == (found.verdict == "non-inferior")
    if margin > 0:
        other = equivalence_test(d, margin=margin)
        assert (found.bound, found.p_value) == (other.interval.low, other.p_lower)
    two_sided = compare_pairs(d)
    superior = non_inferiority_test(d, margin=0, level=0.975)
    assert (superior.verdict == "non-inferior") == (two_sided.interval.low > 0)


@given(DIFFERENCES, st.floats(0.02, 0.9))
def test_exchanging_the_systems_exchanges_the_sides(values, margin):
    """Equivalence does not depend on which system is the base."""
    one = equivalence_test(tally_values(values), margin=margin)
    two = equivalence_test(tally_values([-v for v in values]), margin=margin)
    assert (one.p_lower, one.verdict) == (pytest.approx(two.p_upper), two.verdict)


def test_not_separated_is_not_equivalent():
    """Twelve pairs of equal systems are too few to show equivalence within .05."""
    found = equivalence_test(tally_values([0.0] * 12), margin=0.05)
    assert (found.verdict, found.difference) == ("not shown", 0)


def test_undefined_without_pairs_or_with_one_cluster():
    """The reasons of the comparison are kept."""
    assert "no item" in equivalence_test(tally_values([]), margin=0.1).note
    one = tally_values([1, 0, 0], clusters="ccc")
    for found in (equivalence_test(one, margin=0.1), non_inferiority_test(one, margin=0.1)):
        assert (found.verdict, found.p_value) == ("undefined", None)
        assert "one cluster" in found.note
        assert found.to_dict()["verdict"] == "undefined"


def test_size_at_the_margin():
    """A true difference equal to the margin passes in at most about 5 % of samples."""
    rng = np.random.default_rng(5)
    passed = 0
    for _ in range(1000):
        u = rng.random(200)
        d = (u < 0.2).astype(float) - (u > 0.9)  # .2 wins, .1 losses: mean .1
        passed += equivalence_test(tally_values(d), margin=0.1).verdict == "equivalent"
    assert passed <= 72  # P(Binomial(1000, .05) > 72) < .001


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margin": 0}, "it must be above 0"),
        ({"margin": 1.0}, "every result would pass"),
        ({"margin": 0.1, "level": 0.5}, "a one-sided level"),
        ({"margin": 0.1, "method": "tango"}, "the t-type statistics are"),
        ({"margin": 0.1, "method": "cr2"}, "needs clusters"),
    ],
)
def test_rejects_impossible_settings(settings, message):
    """Each message names the setting and what is allowed."""
    with pytest.raises(ArgumentError, match=message):
        equivalence_test(tally_values(TABLE), **settings)


def test_pivot_is_that_of_the_comparison():
    """The shared statistic gives the interval and p-value of compare_pairs."""
    d = tally_values(TABLE)
    pivot, decision = paired_pivot(d), compare_pairs(d)
    assert pivot.interval(level=0.95, low=-1, high=1) == decision.interval
    assert pivot.p_value() == decision.p_value
    assert paired_pivot(d, method="tango") is None
    assert paired_pivot(tally_values([])) is None


def test_pieces_of_the_two_tests_are_the_same():
    """Both read one pivot: method, p-value of the lower side and notes agree, clusters or not."""
    values = [1.0] * 12 + [-1.0] * 10 + [0.0] * 38
    for clusters in (None, [i // 3 for i in range(60)]):
        d = tally_values(values, clusters=clusters)
        two, one = equivalence_test(d, margin=0.2), non_inferiority_test(d, margin=0.2)
        assert (one.method, one.p_value) == (two.interval.method, two.p_lower)
        assert (one.note, one.difference, one.n_pairs) == (two.note, two.difference, two.n_pairs)
