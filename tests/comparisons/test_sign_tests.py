"""McNemar and sign-flip tests against enumeration, scipy and statsmodels."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evalkit.comparisons import mcnemar_exact, mcnemar_mid_p, sign_flip
from evalkit.comparisons.sign_flip_law import continuous_tail, lattice_tail
from evalkit.errors import ArgumentError


@given(st.integers(0, 200), st.integers(0, 200))
def test_exact_mcnemar_agrees_with_statsmodels(b, c):
    """The exact p equals that of the 2 x 2 table."""
    expected = mcnemar([[5, b], [c, 5]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected)


def test_published_small_tables():
    """0 against 6: 2 · 0.5^6; no disagreement: 1; 48 against 30: .0535 exact, .0422 mid-p."""
    assert mcnemar_exact(6, 0) == 0.03125
    assert mcnemar_exact(0, 0) == 1
    assert mcnemar_exact(48, 30) == pytest.approx(0.0535, abs=5e-5)
    assert mcnemar_mid_p(48, 30) == pytest.approx(0.0422, abs=5e-5)


@given(st.integers(0, 100), st.integers(0, 100))
def test_mid_p_is_symmetric_and_below_the_exact_p(b, c):
    """Mid-p does not depend on which system is called the base."""
    assert mcnemar_mid_p(b, c) == pytest.approx(mcnemar_mid_p(c, b))
    assert 0 < mcnemar_mid_p(b, c) <= mcnemar_exact(b, c) + 1e-12 <= 1 + 1e-9


def test_negative_counts_are_refused():
    """A count cannot be negative."""
    with pytest.raises(ArgumentError, match="negative"):
        mcnemar_exact(-1, 3)


@pytest.mark.parametrize(
    ("units", "bound"), [(34, 30), (78, 48), (200, 110), (1400, 800), (5000, 3000), (1401, 701)]
)
def test_binomial_tails_to_twelve_digits(units, bound):
    """The tilted inversion equals the binomial tail in 60-digit arithmetic, 1e-46 included."""
    with mp.workdps(60):
        tail = mp.fsum(mp.binomial(units, j) for j in range(bound, units + 1)) / mp.mpf(2) ** units
        found = lattice_tail(np.array([1]), np.array([units]), bound)
        assert abs(found - tail) / tail < 1e-12


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.floats(0, 1))
def test_lattice_tails_equal_the_convolution(steps, position):
    """Any whole magnitudes: the inversion equals the convolution of the laws."""
    law = np.ones(1)
    for step in steps:
        wider = np.zeros(law.size + step)
        wider[: law.size] += law / 2
        wider[step:] += law / 2
        law = wider
    total = sum(steps)
    bound = -(-total // 2) + round(position * (total // 2))
    values, counts = np.unique(steps, return_counts=True)
    assert lattice_tail(values, counts, bound) == pytest.approx(law[bound:].sum(), rel=1e-10)


def test_irregular_tails_equal_the_enumeration():
    """Twenty-two irregular units: the smooth inversion is within 1e-4 of all 4 million patterns."""
    magnitudes = np.abs(np.random.default_rng(0).normal(size=22))
    sums = np.zeros(1)
    for value in magnitudes:
        sums = np.concatenate([sums + value, sums - value])
    for observed in (0.01, 3.0, 6.0):
        assert continuous_tail(magnitudes, observed) == pytest.approx(
            np.mean(sums >= observed), abs=1e-4
        )
    assert "inverted" in sign_flip(magnitudes).name


def test_p_is_never_zero_even_where_it_underflows():
    """2 · 2^-1400 is below the smallest double."""
    assert 0 < sign_flip([1.0] * 1400).p_value < 1e-300


def enumerate_p(units):
    """List every sign pattern."""
    values = np.abs(units)
    threshold = abs(float(np.sum(units))) - 1e-9
    sums = [abs(float(np.dot(p, values))) for p in itertools.product([1, -1], repeat=len(units))]
    return float(np.mean([s >= threshold for s in sums]))


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=11))
def test_lattice_differences_are_convolved_exactly(units):
    """The convolution equals the list of all sign patterns."""
    found = sign_flip(units)
    assert "exact" in found.name
    assert found.p_value == pytest.approx(enumerate_p(units))


@given(st.lists(st.floats(-1, 1).map(lambda x: x + np.pi / 1e3), min_size=1, max_size=10))
def test_irregular_differences_are_enumerated(units):
    """Without a lattice, up to twenty units are listed."""
    assert sign_flip(units).p_value == pytest.approx(enumerate_p(units))


@given(st.integers(0, 60), st.integers(0, 60))
def test_binary_sign_flip_is_mcnemar(wins, losses):
    """On 0/1 scores the permutation test is the exact McNemar test."""
    units = [1.0] * wins + [-1.0] * losses + [0.0] * 5
    assert sign_flip(units).p_value == pytest.approx(mcnemar_exact(wins, losses), rel=1e-9)


def test_far_tails_keep_their_relative_accuracy():
    """All of 400 units agree: p = 2 · 2^-400, which a sampled test could never show."""
    assert sign_flip([1.0] * 400).p_value == pytest.approx(2.0**-399, rel=1e-10)


def test_sampled_p_is_never_zero_and_is_repeatable():
    """(hits + 1) / (B + 1), the same for the same seed, seed 0 included."""
    units = np.random.default_rng(3).normal(2.0, 0.1, 60)
    found = sign_flip(units, law="monte-carlo", rng=0, resamples=99)
    assert found.p_value == 0.01
    assert "99 resamples" in found.name
    noisy = np.random.default_rng(4).normal(0.2, 1.0, 60)
    sampled = [sign_flip(noisy, law="monte-carlo", rng=r, resamples=999).p_value for r in (0, 0, 1)]
    assert sampled[0] == sampled[1]
    assert abs(sampled[0] - stats.ttest_1samp(noisy, 0).pvalue) < 0.05
    assert abs(sampled[0] - sampled[2]) < 0.05


def test_few_patterns_are_enumerated_instead_of_sampled():
    """Six units have 64 patterns: 99 resamples enumerate them, 9 do not."""
    ones = [1.0] * 6
    assert sign_flip(ones, law="monte-carlo", resamples=99).p_value == 0.03125
    assert sign_flip(ones, law="monte-carlo", resamples=9).p_value >= 0.1
    with pytest.raises(ArgumentError, match="monte-carlo"):
        sign_flip(ones, law="exact")


def test_degenerate_differences_are_said():
    """No pairs is undefined; all ties is p = 1."""
    assert sign_flip([]).p_value is None
    assert sign_flip([]).note == "no pairs"
    assert sign_flip([0.0, 0.0]).p_value == 1
    with pytest.raises(ArgumentError, match="NaN"):
        sign_flip([1.0, float("nan")])
