"""Decisions on differences: one pivot for interval and p, and named alternatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.comparisons import compare_pairs, compare_samples, detectable, other_tests
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values

DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=50)
TABLE = [1.0] * 48 + [-1.0] * 30 + [0.0] * 122


def test_paired_t_has_the_published_interval():
    """200 pairs, 48 against 30: t interval .0036 to .1764, p .0412."""
    found = compare_pairs(tally_values(TABLE), method="t")
    expected = stats.ttest_1samp(TABLE, 0)
    low, high = expected.confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval.low == pytest.approx(0.0036, abs=5e-5)


def test_tango_p_is_the_uncorrected_mcnemar():
    """The score test at 0 is (b - c)/√(b + c): p .0415."""
    found = compare_pairs(tally_values(TABLE), method="tango")
    assert found.p_value == pytest.approx(2 * stats.norm.sf(18 / np.sqrt(78)))
    assert found.p_value == pytest.approx(0.0415, abs=5e-5)


@given(DIFFERENCES, st.sampled_from(["default", "t", "wald", "augmented-t"]), st.booleans())
def test_interval_and_p_value_never_disagree(values, method, grouped):
    """P < 1 - level exactly when the interval excludes 0."""
    clusters = [i // 2 for i in range(len(values))] if grouped else None
    found = compare_pairs(tally_values(values, clusters=clusters), method=method)
    if found.interval is None:
        assert found.verdict == "undefined"
        assert found.p_value is None
        assert found.notes
        return
    assert 0 < found.p_value <= 1
    separated = found.interval.low > 0 or found.interval.high < 0
    assert (found.verdict == "separated") == separated
    if abs(found.p_value - 0.05) > 1e-9:
        assert (found.p_value < 0.05) == separated


@given(DIFFERENCES)
def test_default_has_width_and_holds_the_difference(values):
    """Rare or absent disagreement never gives a zero-width interval."""
    found = compare_pairs(tally_values(values))
    assert found.interval.width > 0.02
    assert found.interval.low <= np.mean(values) <= found.interval.high
    assert found.mde is None or 0 < found.mde <= 1


@given(DIFFERENCES)
def test_exchanging_the_systems_mirrors_the_decision(values):
    """The comparison is antisymmetric."""
    one = compare_pairs(tally_values(values))
    two = compare_pairs(tally_values([-v for v in values]))
    assert one.interval.low == pytest.approx(-two.interval.high)
    assert one.p_value == pytest.approx(two.p_value)


def test_one_cluster_and_no_pairs_are_undefined():
    """Both reasons are said."""
    one = compare_pairs(tally_values([1, 0, 1], clusters="ccc"))
    assert (one.verdict, one.p_value) == ("undefined", None)
    assert "one cluster" in one.notes[0]
    assert "no item" in compare_pairs(tally_values([])).notes[0]


def test_identical_systems_are_not_separated():
    """No disagreement: difference 0, p = 1, and an interval with width."""
    found = compare_pairs(tally_values([0.0] * 12))
    assert (found.verdict, found.p_value) == ("not separated", 1)
    assert found.interval.low < 0 < found.interval.high
    assert compare_pairs(tally_values([0.0] * 12), method="t").interval is None


def test_tests_that_point_the_other_way_say_so():
    """48 against 30: t separates, exact McNemar does not."""
    d = tally_values(TABLE)
    tests = other_tests(d, verdict="separated", level=0.95)
    assert [t.name for t in tests] == ["exact McNemar", "mid-p McNemar"]
    assert "other way" in tests[0].note
    assert tests[1].note is None


def test_item_tests_on_clusters_carry_a_warning():
    """Treating clustered items as independent is anticonservative."""
    d = tally_values([1, 1, 0, -1, 0, 1], clusters="aabbcc")
    tests = other_tests(d, verdict="not separated", level=0.95)
    assert "independent" in tests[0].note
    assert tests[-1].name == "cluster sign-flip permutation (exact)"


def test_no_range_means_no_augmentation():
    """Scores without a range get t, and CR2 with clusters, and it is said."""
    found = compare_pairs(tally_values([3.0, -1.0, 5.0]), score_range=None)
    assert found.test.startswith("t ")
    assert "no range" in found.notes[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "cr2"}, "needs clusters"),
        ({"method": "tango"}, "0/1 scores"),
        ({"method": "augmented-t", "score_range": None}, "needs the range"),
        ({"method": "bayes"}, "use one of"),
        ({"level": 1.5}, "strictly between"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, message):
    """The message says what would fit."""
    with pytest.raises(ArgumentError, match=message):
        compare_pairs(tally_values([0.5, 0.0, -1.0]), **settings)


def test_welch_agrees_with_scipy():
    """The plain Welch t equals scipy's."""
    a, b = [3.0, 5.0, 4.0, 8.0, 1.0], [6.0, 9.0, 7.0]
    expected = stats.ttest_ind(b, a, equal_var=False)
    found = compare_samples(tally_values(a), tally_values(b), score_range=None)
    low, high = expected.confidence_interval()
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_two_sample_default_follows_the_data():
    """Newcombe for 0/1 scores, augmented Welch for credits."""
    binary = compare_samples(tally_values([1, 0, 1]), tally_values([0, 0, 1]))
    credit = compare_samples(tally_values([1, 0.5, 1]), tally_values([0, 0, 1]))
    assert binary.interval.method == "newcombe"
    assert credit.interval.method.startswith("augmented-welch-t")
    empty = compare_samples(tally_values([]), tally_values([1]))
    assert empty.verdict == "undefined"


def test_detectable_effect_has_its_power():
    """At the smallest detectable effect a z test rejects 80 % of the time."""
    effect = detectable(0.05, float("inf"), level=0.95)
    rejects = stats.norm.sf(1.959964 - effect / 0.05)
    assert rejects == pytest.approx(0.8, abs=1e-5)
