"""Kernels as plain Python where numba would hide them: the scalar functions and the counting."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.bootstrap.kernels.counting import count_pairs, count_values, lattice_steps
from evalkit.bootstrap.kernels.scalar import adjusted_z, normal_cdf, probit
from evalkit.bootstrap.normal import normal_quantile


@given(st.floats(1e-15, 1 - 1e-12))
def test_probit_is_the_normal_quantile(p):
    """The iteration on erfc reaches the library quantile."""
    assert probit(p) == pytest.approx(normal_quantile(p), rel=1e-9, abs=1e-14)


def test_probit_at_the_ends():
    """Probabilities 0 and 1 have infinite quantiles."""
    assert (probit(0.0), probit(1.0)) == (-math.inf, math.inf)
    assert normal_cdf(0.0) == 0.5
    assert adjusted_z(3.0, 0.0, 0.5) == pytest.approx(normal_quantile(1e-12) * -1)
    assert adjusted_z(-3.0, 0.0, -0.5) == pytest.approx(normal_quantile(1e-12))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=200))
def test_counting_values(values):
    """Counts equal np.unique; too many values are reported."""
    x = np.array(values, dtype=float)
    found, counts = np.empty(16), np.zeros(16)
    number = count_values(x, found, counts)
    distinct, expected = np.unique(x, return_counts=True)
    if distinct.size > 16:
        assert number == -1
    else:
        order = np.argsort(found[:number])
        assert found[:number][order].tolist() == distinct.tolist()
        assert counts[:number][order].tolist() == expected.tolist()


def test_counting_long_arrays_and_pairs():
    """Blocks that hold a new value are read again; pairs are counted as pairs."""
    x = np.zeros(5000)
    x[3000:3005] = 1.0
    found, counts = np.empty(16), np.zeros(16)
    assert count_values(x, found, counts) == 2
    assert counts[:2].tolist() == [4995, 5]

    pairs, numbers = np.empty((2, 4)), np.zeros(4)
    assert count_pairs(np.array([1.0, 0, 1]), np.array([2.0, 2, 2]), pairs, numbers) == 2
    assert numbers[:2].tolist() == [2, 1]
    assert count_pairs(np.arange(5.0), np.ones(5), pairs, np.zeros(4)) == -1


@pytest.mark.parametrize(
    ("values", "step"), [([0.0, 1.0], 1.0), ([1.0, 0.0, 0.4], 0.2), ([0.0, 1.0, 2**0.5], 0.0)]
)
def test_lattice_of_a_kernel(values, step):
    """Steps are found in any order of the values; 0 says that there is no lattice."""
    steps = np.empty(len(values))
    origin, found = lattice_steps(np.array(values), steps)

    assert found == pytest.approx(step)
    if step:
        assert origin + found * steps == pytest.approx(values)
