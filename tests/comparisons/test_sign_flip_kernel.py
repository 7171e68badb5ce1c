"""The compiled sign-flip law against the one in numpy, closed forms and enumeration."""

import itertools

import numpy as np
import pytest

from evalkit.comparisons.sign_flip_law import lattice_tail
from evalkit.comparisons.sign_tests import mcnemar_exact, sign_flip
from evalkit.errors import ArgumentError

pytest.importorskip("numba")


def compiled(differences):
    """P-value of the compiled engine."""
    return sign_flip(differences, engine="numba").p_value


@pytest.mark.parametrize(
    "magnitudes",
    [[1.0], [0.5, 1.0], [1 / 3, 2 / 3, 1.0], [2.0, 3.0], [0.25, 0.5, 0.75, 1.0], [1.0, 2.0, 50.0]],
)
def test_engines_agree(magnitudes):
    """Random tables, from no effect to tails below 1e-80, agree to ten digits."""
    rng = np.random.default_rng(4)
    for size, up in itertools.product((8, 60, 900), (0.5, 0.56, 0.7, 0.97)):
        signs = np.where(rng.random(size) < up, 1.0, -1.0)
        units = np.append(rng.choice(magnitudes, size) * signs, np.zeros(20))
        assert compiled(units) == pytest.approx(sign_flip(units).p_value, rel=1e-10)
    assert compiled(units) < 1e-80


def test_signs_alone_are_the_exact_mcnemar_test():
    """Wins and losses of one size give the binomial tail, far out too."""
    for wins, losses in ((6, 0), (48, 30), (300, 10), (7, 7), (400, 400)):
        units = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 9)
        assert compiled(units) == pytest.approx(mcnemar_exact(wins, losses), rel=1e-10)
    assert compiled([1.0] * 400) == pytest.approx(2.0**-399, rel=1e-10)
    assert 0 < compiled([1.0] * 1400) < 1e-300


def test_small_tables_are_those_of_enumeration():
    """All sign patterns of ten units, listed."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        units = rng.choice([-1.5, -1.0, -0.5, 0.5, 1.0], 10)
        sums = [abs(np.dot(s, units)) for s in itertools.product((-1, 1), repeat=10)]
        expected = np.mean(np.array(sums) >= abs(units.sum()) - 1e-9)
        assert compiled(units) == pytest.approx(expected, rel=1e-10)


def test_second_peak_of_the_characteristic_function_is_found():
    """Even steps with two odd ones have a peak near π, which must not be dropped."""
    from evalkit.comparisons.sign_flip_kernel import tilted_tail

    steps, counts = np.array([2, 3]), np.array([200, 2])
    for bound in (203, 230, 300):
        expected = lattice_tail(steps, counts, bound)
        found = tilted_tail(steps.astype(float), counts.astype(float), float(bound))
        assert found == pytest.approx(expected, rel=1e-10)


def test_what_has_no_coarse_lattice_takes_the_general_path():
    """Irregular magnitudes, no pairs, ties alone and NaN are treated as without numba."""
    rng = np.random.default_rng(2)
    for units in (rng.normal(size=50), rng.normal(size=9), [1.0, 2**0.5, -3.0], [0.0, 0.0], []):
        assert sign_flip(units, engine="numba") == sign_flip(units)
    with pytest.raises(ArgumentError, match="NaN or an infinity"):
        sign_flip([1.0, float("nan")], engine="numba")
    with pytest.raises(ArgumentError, match="`engine` is 'fortran'"):
        sign_flip([1.0], engine="fortran")
