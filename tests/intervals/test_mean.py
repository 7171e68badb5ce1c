"""The choice of an interval for a mean, and the independent-outcome rules behind it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalkit.errors import ArgumentError
from evalkit.intervals import (
    augmented_t,
    effective_n,
    mean_interval,
    proportion_interval,
    student_t,
    tally_interval,
)
from evalkit.tally import tally_values

CREDITS = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60)


def test_student_t_agrees_with_scipy():
    """The t interval equals scipy's."""
    values = [0.2, 0.9, 0.4, 0.7, 0.1]
    expected = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    found = student_t(tally_values(values)).interval(level=0.95)
    assert (found.low, found.high) == pytest.approx(expected)


def test_augmented_t_is_t_of_the_augmented_sample():
    """Adding -1 and 1 to the sample and taking t gives the same interval."""
    values = [1, 0, 0, 0.5, -0.5, 0, 1]
    longer = [*values, -1, 1]
    expected = stats.t.interval(0.95, 8, np.mean(longer), stats.sem(longer))
    found = augmented_t(tally_values(values), low=-1, high=1).interval(level=0.95)
    assert (found.low, found.high) == pytest.approx(expected)


def test_wilson_neff_is_wilson_for_binary_scores():
    """n_eff = n for 0/1 scores, so the two rules meet."""
    values = [1] * 27 + [0] * 7
    plain = proportion_interval(27, 34)
    found = mean_interval(values, method="wilson-neff")
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert mean_interval(values).method == "wilson"


def test_effective_n_by_hand():
    """0, ½, ½, 1: m(1-m)/s² = .25/.125 = 2, so four scores are worth eight."""
    assert effective_n(tally_values([0, 0.5, 0.5, 1]), low=0, high=1) == pytest.approx(8)


@given(CREDITS)
def test_default_interval_holds_the_mean_and_has_width(values):
    """The default never degenerates, whatever the scores."""
    found = mean_interval(values)
    assert 0 <= found.low <= np.mean(values) <= found.high <= 1
    assert found.width > 0.01


@given(CREDITS, st.floats(-3, 3), st.floats(0.5, 4))
def test_interval_moves_with_a_change_of_scale(values, shift, scale):
    """Rescaling scores and range rescales the bounds."""
    plain = mean_interval(values, method="wilson-neff")
    moved = mean_interval(
        [shift + scale * v for v in values],
        score_range=(shift - 1e-9, shift + scale + 1e-9),
        method="wilson-neff",
    )
    expected = (shift + scale * plain.low, shift + scale * plain.high)
    assert (moved.low, moved.high) == pytest.approx(expected, abs=1e-5)


@given(CREDITS)
def test_interval_mirrors(values):
    """1 - score mirrors the bounds."""
    plain = mean_interval(values)
    mirrored = mean_interval([1 - v for v in values])
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - plain.high, 1 - plain.low))


@pytest.mark.parametrize(
    ("values", "settings", "method"),
    [
        ([1, 0, 1], {}, "wilson"),
        ([1, 0.5, 0], {}, "augmented-t"),
        ([1, 0.5, 0] * 10, {}, "wilson-neff"),
        ([3, 7, 5], {"score_range": None}, "t"),
        ([3, 7, 5], {"score_range": (0, 10)}, "augmented-t"),
        ([3, 7, 5] * 10, {"score_range": (0, 10)}, "wilson-neff"),
        ([1, 0, 1, 0], {"clusters": "aabb"}, "augmented-cluster-t"),
        ([3, 7, 5, 2], {"clusters": "abab", "score_range": None}, "cr2"),
    ],
)
def test_default_follows_the_data(values, settings, method):
    """Each kind of data gets its rule, by name."""
    found = mean_interval(values, **settings)
    assert found.method.split(" ")[0] == method


def test_equal_scores_have_no_standard_error():
    """A spread of 0 is said, not printed as SE 0."""
    found = tally_interval(tally_values([0] * 20))
    assert found.se is None
    assert "degenerate" in found.notes[0]
    assert found.interval.high == pytest.approx(0.1611251581)
    assert tally_interval(tally_values([0.7] * 10), method="t").interval is None


def test_no_rows_is_undefined():
    """Nothing in, nothing out."""
    found = tally_interval(tally_values([]))
    assert (found.interval, found.se, found.notes) == (None, None, ("no scored rows",))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "cr2"}, "needs clusters"),
        ({"method": "mid-p"}, "0/1 scores"),
        ({"method": "augmented-t"}, "needs the range"),
        ({"method": "bootstrap"}, "use one of"),
        ({"level": 0}, "strictly between"),
        ({"score_range": (0, 1)}, "outside the declared range"),
        ({"score_range": (1, 1)}, "low < high"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, message):
    """The message says what would fit."""
    with pytest.raises(ArgumentError, match=message):
        tally_interval(tally_values([0.2, 3.0, 0.5]), **settings)


def test_ignored_clusters_are_said():
    """A method without clusters, on clustered data, says so."""
    found = tally_interval(tally_values([1, 0, 1, 0], clusters="aabb"), method="wilson")
    assert "ignores the clusters" in found.notes[-1]
