"""Gates accept what their rule says, without float noise."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.trajectories import dead_band, non_decreasing, strict
from evalkit.trajectories.scores import compare_scores

percent = st.integers(0, 200).map(lambda k: k / 200)


def test_ties_after_float_noise_are_ties():
    """0.1 + 0.2 ties with 0.3 for every gate."""
    noisy = 0.1 + 0.2
    assert not strict()(noisy, 0.3, 0.3)
    assert non_decreasing()(0.3, noisy, noisy)
    assert not dead_band(0)(noisy, 0.3, 0.3)


def test_fractions_are_compared_exactly():
    """A difference far below the float tolerance still counts between fractions."""
    tiny = Fraction(1, 10**30)
    assert strict()(Fraction(1, 3) + tiny, Fraction(1, 3), Fraction(1, 3))
    assert not non_decreasing()(Fraction(1, 3) - tiny, Fraction(1, 3), Fraction(1, 3))


def test_dead_band_excludes_its_edge():
    """A drop of exactly the width is refused although 0.81 - 0.02 is not 0.79 in binary."""
    assert not dead_band(0.02)(0.79, 0.81, 0.9)
    assert dead_band(0.02)(0.795, 0.81, 0.9)
    assert not dead_band(0.02, reference="best")(0.795, 0.79, 0.9)


@given(percent, percent, percent)
def test_gates_are_nested(candidate, incumbent, best):
    """Strict implies non-decreasing, which implies any dead band of positive width."""
    if strict()(candidate, incumbent, best):
        assert non_decreasing()(candidate, incumbent, best)
    if non_decreasing()(candidate, incumbent, best):
        assert dead_band(0.01)(candidate, incumbent, best)
    assert dead_band(0)(candidate, incumbent, best) == strict()(candidate, incumbent, best)


@given(percent, percent)
def test_comparison_is_antisymmetric_and_agrees_with_fractions(first, second):
    """Swapping two scores flips the sign, in floats as in exact fractions."""
    exact = compare_scores(Fraction(round(first * 200)), Fraction(round(second * 200)))
    assert compare_scores(first, second) == -compare_scores(second, first) == exact


def test_gates_carry_a_name():
    """Names are fit to print."""
    assert [strict().name, non_decreasing().name] == ["strict", "non-decreasing"]
    assert dead_band(0.02, reference="best").name == "dead band 0.02 below best"


@pytest.mark.parametrize("width", [-0.1, float("nan"), float("inf"), True])
def test_dead_band_rejects_bad_width(width):
    """A width is a finite number of at least 0."""
    with pytest.raises(ArgumentError, match="`width`"):
        dead_band(width)


def test_dead_band_rejects_unknown_reference():
    """The reference is the incumbent or the best."""
    with pytest.raises(ArgumentError, match="'parent'; it must be 'incumbent' or 'best'"):
        dead_band(0.1, reference="parent")
