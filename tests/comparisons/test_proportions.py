"""Newcombe and Tango intervals against published values and independent solvers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from evalkit.comparisons import newcombe_bounds, tango_bounds, two_proportions
from evalkit.errors import ArgumentError

COUNTS = st.integers(1, 120).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, COUNTS)
def test_newcombe_agrees_with_statsmodels(first, second):
    """The hybrid score interval equals statsmodels' `newcomb`."""
    (k1, n1), (k2, n2) = first, second
    expected = confint_proportions_2indep(k2, n2, k1, n1, method="newcomb", compare="diff")
    assert newcombe_bounds(k1, n1, k2, n2, level=0.95) == pytest.approx(
        tuple(np.clip(expected, -1, 1)), abs=1e-9
    )


def test_newcombe_1998_example():
    """56/70 - 48/80: .0524 to .3339 (Newcombe 1998, table II, example a, method 10)."""
    assert newcombe_bounds(48, 80, 56, 70, level=0.95) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(COUNTS, COUNTS)
def test_p_value_is_that_of_the_interval(first, second):
    """P < .05 exactly when the 95 % interval excludes 0."""
    found = two_proportions(*first, *second)
    low, high = found.interval.low, found.interval.high
    assert 0 < found.p_value <= 1
    if abs(low) > 1e-9 and abs(high) > 1e-9:
        assert (found.p_value < 0.05) == (low > 0 or high < 0)


@given(COUNTS, COUNTS)
def test_swapping_base_and_candidate_flips_the_sign(first, second):
    """The comparison is antisymmetric."""
    one, two = two_proportions(*first, *second), two_proportions(*second, *first)
    assert one.interval.low == pytest.approx(-two.interval.high)
    assert one.p_value == pytest.approx(two.p_value, rel=1e-6)


def test_empty_samples_are_undefined():
    """No trials, no difference."""
    assert two_proportions(0, 0, 3, 5).interval is None
    with pytest.raises(ArgumentError, match=r"0\.\.n"):
        two_proportions(4, 3, 1, 2)


def score_at(d, wins, losses, n):
    """Tango's statistic from the maximum likelihood found by a grid, not by the quadratic."""
    q = np.linspace(max(0, -d), (1 - d) / 2, 200_001)[1:-1]
    win, tie = q + d, 1 - 2 * q - d
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = wins * np.log(win) + losses * np.log(q) + (n - wins - losses) * np.log(tie)
    best = q[np.nanargmax(likelihood)]
    return (wins - losses - n * d) / np.sqrt(n * (2 * best + d * (1 - d)))


@pytest.mark.parametrize("table", [(48, 30, 200), (3, 1, 34), (12, 5, 60), (1, 9, 40)])
def test_tango_bounds_solve_the_score_equation(table):
    """At each bound the score statistic is ±1.96."""
    low, high = tango_bounds(*table, level=0.95)
    assert score_at(low, *table) == pytest.approx(1.959964, abs=2e-3)
    assert score_at(high, *table) == pytest.approx(-1.959964, abs=2e-3)


def test_tango_published_and_boundary_values():
    """43 against 0 of 44 discordant-free and all-tied tables (Tango 1998, table II style)."""
    assert tango_bounds(48, 30, 200, level=0.95) == pytest.approx((0.0035, 0.1757), abs=5e-5)
    z2 = 1.959963984540054**2
    # All ties: d²n = z²|d|(1+|d|)... the bound is z²/(n + z²), as Wilson's is.
    assert tango_bounds(0, 0, 34, level=0.95) == pytest.approx(
        (-z2 / (34 + z2), z2 / (34 + z2)), abs=1e-9
    )
    assert tango_bounds(5, 0, 5, level=0.95)[1] == 1
    assert tango_bounds(0, 5, 5, level=0.95)[0] == -1


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40))
def test_tango_is_antisymmetric_and_holds_the_estimate(wins, losses, ties):
    """Swapping systems mirrors the bounds around 0."""
    n = wins + losses + ties
    low, high = tango_bounds(wins, losses, n, level=0.95)
    mirrored = tango_bounds(losses, wins, n, level=0.95)
    assert mirrored == pytest.approx((-high, -low), abs=1e-8)
    assert -1 <= low <= (wins - losses) / n <= high <= 1
