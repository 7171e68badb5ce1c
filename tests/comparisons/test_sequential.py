"""Confidence sequences: valid at every look at once."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.comparisons import confidence_sequence
from evalkit.errors import ArgumentError
from evalkit.intervals.mean import mean_interval

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def brute_lower(x, m, alpha):
    """Whether betting on 'more than m' has ever refuted m, outcome by outcome."""
    wealth, total, squares, variance = 1.0, 0.5, 0.25, 0.25
    for t, value in enumerate(x, start=1):
        bet = math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t)))
        wealth *= 1 + min(bet, 0.5 / m) * (value - m)
        if wealth >= 2 / alpha:
            return True
        total += value
        squares += (value - total / (t + 1)) ** 2
        variance = squares / (t + 1)
    return False


@settings(max_examples=25)
@given(VALUES)
def test_bounds_refute_what_the_bets_refute(values):
    """The lower bound separates refuted from possible means, to one grid step."""
    low = confidence_sequence(values).low[-1]
    if low is None:
        return
    if low > 0.01:
        assert brute_lower(values, low - 1e-6, 0.05)
    if low < 0.99:
        assert not brute_lower(values, low + 0.0011, 0.05)


@settings(max_examples=25)
@given(VALUES)
def test_bounds_shrink_and_mirror(values):
    """Intervals are nested, and reversing the scale reverses them."""
    found = confidence_sequence(values)
    other = confidence_sequence([1 - v for v in values])
    lows = [v for v in found.low if v is not None]
    assert lows == sorted(lows)
    for low, high in zip(found.low, other.high, strict=True):
        if low is not None and high is not None:
            assert low == pytest.approx(1 - high, abs=0.0011)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.96])
def test_time_uniform_coverage(rate):
    """The true mean is excluded at any of 200 looks in at most 5 % of runs."""
    rng = np.random.default_rng(8)
    missed = sum(
        confidence_sequence(rng.random(200) < rate).first_excluding(rate) is not None
        for _ in range(100)
    )
    assert missed <= 12  # P(Binomial(100, .05) > 12) = .0015


def test_peeking_with_fixed_intervals_does_not_cover():
    """The intervals of single looks exclude the truth at some look far too often."""
    rng = np.random.default_rng(9)
    missed = 0
    for _ in range(60):
        x = (rng.random(200) < 0.5).astype(float)
        missed += any(0.5 not in mean_interval(x[:k]) for k in range(10, 201, 10))
    assert missed > 9


def test_it_finds_a_real_difference():
    """Paired differences in -1..1 with a mean of .3 are separated from 0 before 200 pairs."""
    rng = np.random.default_rng(10)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.6, 0.35], size=400)
    found = confidence_sequence(d, score_range=(-1, 1))
    look = found.first_excluding(0)
    assert 10 < look < 200
    assert found.interval.low > 0
    assert found.at(look).low > 0
    assert found.at(1).low == -1


def test_range_is_rescaled():
    """Scores on 0..10 give ten times the bounds."""
    x = np.array([0.2, 0.9, 0.7, 0.6] * 20)
    one, ten = confidence_sequence(x), confidence_sequence(10 * x, score_range=(0, 10))
    assert ten.low == pytest.approx(tuple(10 * v for v in one.low), abs=0.011)
    assert ten.mean == pytest.approx(10 * one.mean)


def test_a_changing_mean_empties_the_sequence():
    """No mean fits 200 zeros after 200 ones; the note says from which look on."""
    found = confidence_sequence([1.0] * 200 + [0.0] * 200)
    assert found.interval is None
    assert "the mean changed" in found.note
    assert found.low[0] is not None
    assert found.to_dict()["low"][-1] is None


def test_long_sequences_do_not_depend_on_their_chunks():
    """Beyond one chunk of outcomes, looks agree with those of the shorter sequence."""
    x = np.random.default_rng(1).random(1500)
    assert confidence_sequence(x).low[:900] == confidence_sequence(x[:900]).low


def test_empty_and_degenerate_sequences():
    """No outcomes: nothing. All ones: the lower bound rises, the upper stays 1."""
    empty = confidence_sequence([])
    assert (empty.n, empty.mean, empty.interval, empty.note) == (0, None, None, "no scored rows")
    ones = confidence_sequence([1.0] * 50)
    assert ones.high[-1] == 1
    assert 0.7 < ones.low[-1] < 1


def test_rejects_missing_and_outlying_outcomes():
    """The range is a premise, so it is enforced."""
    with pytest.raises(ArgumentError, match=r"outside the range 0\.\.1"):
        confidence_sequence([0.5, 2.0])
    with pytest.raises(ArgumentError, match="NaN"):
        confidence_sequence([0.5, float("nan")])
    with pytest.raises(ArgumentError, match="`level` is 1"):
        confidence_sequence([0.5], level=1)
    with pytest.raises(ArgumentError, match=r"looks 1\.\.1"):
        confidence_sequence([0.5]).at(2)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.5, 0.785, 0.96])
def test_time_uniform_coverage_over_500_looks(rate):
    """2,000 runs: all 500 intervals hold the rate in at least 95 % of them, noise apart."""
    rng = np.random.default_rng(21)
    missed = sum(
        confidence_sequence(rng.random(500) < rate).first_excluding(rate) is not None
        for _ in range(2000)
    )
    assert missed <= 130  # P(Binomial(2000, .05) > 130) = .0013
