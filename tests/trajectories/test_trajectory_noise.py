"""The chance that a new best is noise, and what a selected score loses."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.trajectories import aa_new_best, false_new_best, selection_tax

small = st.integers(1, 8)
rates = st.integers(0, 10).map(lambda k: Fraction(k, 10))


def _at_most(b, n, p):
    return sum((comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(b + 1)), Fraction(0))


@settings(deadline=None)
@given(small, st.data(), rates, st.integers(1, 5))
def test_false_new_best_is_exact(n, data, rate, rounds):
    """It equals the binomial sum in exact fractions."""
    b = data.draw(st.integers(0, n))
    exact = 1 - _at_most(b, n, rate) ** rounds
    found = false_new_best(n, b, rounds=rounds, rate=float(rate))
    assert found == pytest.approx(float(exact), abs=1e-12)


@settings(deadline=None)
@given(small, rates, st.integers(1, 5))
def test_aa_new_best_is_exact(n, rate, rounds):
    """It equals the enumeration over parent counts in exact fractions."""
    exact = sum(
        comb(n, b) * rate**b * (1 - rate) ** (n - b) * (1 - _at_most(b, n, rate) ** rounds)
        for b in range(n + 1)
    )
    assert aa_new_best(n, float(rate), rounds=rounds) == pytest.approx(float(exact), abs=1e-12)


def test_rate_defaults_to_the_observed_share():
    """Without a rate, the parent's share is taken as the truth."""
    assert false_new_best(200, 160) == false_new_best(200, 160, rate=0.8)
    exact = 1 - _at_most(160, 200, Fraction(4, 5))
    assert false_new_best(200, 160) == pytest.approx(float(exact), abs=1e-12)


def test_more_rounds_mean_more_false_bests():
    """On 200 items, ten rounds of nothing almost surely beat a typical parent."""
    chances = [false_new_best(200, 160, rounds=rounds) for rounds in (1, 2, 5, 10)]
    assert chances == sorted(chances)
    assert chances[-1] > 0.99
    assert aa_new_best(200, 0.8, rounds=10) < 10 / 11


def test_edges_are_certain():
    """A full score cannot be beaten, and rates of 0 and 1 leave nothing to chance."""
    assert false_new_best(10, 10, rounds=9, rate=0.9) == 0
    assert false_new_best(10, 4, rate=1.0) == 1
    assert aa_new_best(10, 0.0) == aa_new_best(10, 1.0, rounds=3) == 0


def test_small_chances_keep_their_digits():
    """A chance far below the float epsilon is not lost."""
    assert false_new_best(20, 19, rate=0.1, rounds=3) == pytest.approx(3e-20, rel=1e-9)


def test_selection_tax_is_a_difference_of_shares():
    """32/39 at selection and 30/39 again cost 2/39."""
    tax = selection_tax(32, 39, 30, 39)
    assert tax.tax == float(Fraction(2, 39))
    assert json.loads(json.dumps(tax.to_dict()))["again_successes"] == 30
    assert selection_tax(1, 2, 3, 4).tax == -0.25


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: false_new_best(0, 0), "number of items is 0"),
        (lambda: false_new_best(5, 6), "`baseline_successes` is 6"),
        (lambda: false_new_best(5, 3, rounds=0), "`rounds` is 0"),
        (lambda: false_new_best(5, 3, rate=1.5), r"`rate` is 1\.5"),
        (lambda: aa_new_best(0, 0.5), "number of items is 0"),
        (lambda: aa_new_best(5, float("nan")), "`rate` is nan"),
        (lambda: selection_tax(1, 2, 3, 2), "`again_successes` is 3"),
    ],
)
def test_bad_counts_are_refused(call, message):
    """Counts and rates out of range are named."""
    with pytest.raises(ArgumentError, match=message):
        call()
