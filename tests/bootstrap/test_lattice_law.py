"""The lattice law against the binomial, high precision and brute force."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from evalkit.bootstrap.characteristic import Draws, sum_moments
from evalkit.bootstrap.choose import mean_law
from evalkit.bootstrap.inversion import invert_lattice
from evalkit.bootstrap.lattice import common_lattice, find_lattice
from evalkit.bootstrap.law import BootstrapLaw, LatticeLaw, PointLaw
from evalkit.bootstrap.window import bernstein_window

LEVELS = (0.0005, 0.005, 0.025, 0.05, 0.5, 0.95, 0.975, 0.995, 0.9995)


def binary_law(n, k):
    """Law of a mean of k ones and n - k zeros."""
    return mean_law(np.array([0.0, 1.0]), np.array([n - k, k], dtype=float))


@pytest.mark.parametrize("n", [5, 8, 13, 20, 34, 50, 78, 100, 148, 281, 500, 1400])
def test_quantiles_are_binomial_quantiles(n):
    """Every quantile of every 0/1 sample is the binomial quantile, to the exact count."""
    # At 0.5 a symmetric law meets the level exactly and rounding decides; it is tested by hand.
    levels = [a for a in LEVELS if a != 0.5]
    for k in range(1, n):
        got = [round(n * x) for x in binary_law(n, k).quantiles(levels)]

        assert got == binom.ppf(levels, n, k / n).tolist()


def test_level_met_exactly_is_reached():
    """A level that equals F to the last digit counts as reached: F(1/3) = 1/2 for n = 3."""
    law = mean_law(np.array([0.0, 1.0]), np.array([2.0, 2.0]))

    # F = 1/16, 5/16, 11/16, 15/16, 1.
    assert law.quantiles([1 / 16, 5 / 16, 11 / 16, 15 / 16]) == [0.0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize(
    ("n", "k"), [(34, 27), (1400, 1100), (100_000, 30_000), (1_000_000, 300_000)]
)
def test_cdf_is_the_binomial_cdf(n, k):
    """The distribution function is right to 1e-11 wherever there is mass."""
    inversion = binary_law(n, k).inversion
    steps = np.unique(np.linspace(inversion.first, inversion.last, 1001).round())

    assert np.abs(inversion.cdf(steps) - binom.cdf(steps + k, n, k / n)).max() <= 1e-11


def test_rare_successes_in_a_million_match_high_precision():
    """Three successes in a million: F is right to 1e-11 against 50 digits."""
    n, k = 1_000_000, 3
    law = binary_law(n, k)
    with mpmath.workdps(50):
        p = mpmath.mpf(k) / n
        total = mpmath.mpf(0)
        for s in range(12):
            total += mpmath.binomial(n, s) * p**s * (1 - p) ** (n - s)
            assert abs(law.cdf(s / n) - float(total)) <= 1e-11


def reference_cdf(steps, counts, digits=50):
    """Distribution function of a sum of n draws by exact convolution powers."""
    n = sum(counts)
    with mpmath.workdps(digits):
        base = [mpmath.mpf(0)] * (max(steps) + 1)
        for step, count in zip(steps, counts, strict=True):
            base[step] = mpmath.mpf(count) / n
        pmf = [mpmath.mpf(1)]
        for _ in range(n):
            out = [mpmath.mpf(0)] * (len(pmf) + len(base) - 1)
            for j, b in enumerate(base):
                if b:
                    for i, a in enumerate(pmf):
                        out[i + j] += a * b
            pmf = out
        total, cdf = mpmath.mpf(0), []
        for mass in pmf:
            total += mass
            cdf.append(float(total))
    return np.array(cdf)


@pytest.mark.parametrize("counts", [(10, 6, 24), (20, 2, 20), (1, 30, 1), (39, 1, 0)])
def test_half_credits_match_fifty_digits(counts):
    """Half-credit tallies agree with a 50-digit convolution; 20/2/20 has a second peak near pi."""
    kept = [i for i, c in enumerate(counts) if c]
    law = mean_law(np.array(kept) / 2, np.array([counts[i] for i in kept], dtype=float))
    n = sum(counts)
    expected = reference_cdf(range(3), counts)
    got = np.array([law.cdf(s / (2 * n)) for s in range(2 * n + 1)])

    assert np.abs(got - expected).max() <= 1e-13


def test_second_peak_survives_the_scan():
    """Frequencies near pi are kept when most values are two steps apart."""
    law = mean_law(np.array([0.0, 0.5, 1.0]), np.array([20.0, 2.0, 20.0]))

    assert law.inversion.theta.max() > 3.0


@settings(max_examples=25)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=6))
def test_law_is_the_enumeration_of_all_resamples(sample):
    """For n <= 6 law, mid-p and quantiles equal those of all n^n resamples."""
    values = np.array(sample, dtype=float) / 4
    distinct, counts = np.unique(values, return_counts=True)
    law = mean_law(distinct, counts.astype(float))
    if distinct.size == 1:
        assert isinstance(law, PointLaw)
        return
    n = len(sample)
    sums = np.array([sum(draw) for draw in product(sample, repeat=n)])
    below = (sums < sum(sample)).mean() + (sums == sum(sample)).mean() / 2
    assert law.probability_below(law.mean) == pytest.approx(below, abs=1e-13)
    for level in (0.025, 0.1, 0.5, 0.9, 0.975):
        ordered = np.sort(sums)
        index = math.ceil(level * len(sums) - 1e-6) - 1
        assert law.quantile(level) == pytest.approx(ordered[index] / 4 / n, abs=1e-13)
    for s in range(sum(sample) - 2, sum(sample) + 3):
        assert law.cdf(s / 4 / n) == pytest.approx((sums <= s).mean(), abs=1e-13)


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=5),
    st.floats(-5, 5),
    st.sampled_from([0.1, 0.5, 1 / 3, 2.0]),
)
def test_shift_and_scale_move_the_law(counts, shift, scale):
    """Quantiles follow a shift and a positive scale of the outcomes."""
    steps = np.arange(len(counts), dtype=float)
    weights = np.array(counts, dtype=float)
    plain = mean_law(steps, weights).quantiles([0.025, 0.5, 0.975])
    moved = mean_law(shift + scale * steps, weights).quantiles([0.025, 0.5, 0.975])

    assert moved == pytest.approx([shift + scale * x for x in plain], abs=1e-9)


@given(st.lists(st.integers(1, 60), min_size=2, max_size=5))
def test_sign_flip_mirrors_the_law(counts):
    """Negated outcomes mirror mid-p probabilities, spread and acceleration."""
    steps = np.arange(len(counts), dtype=float)
    law = mean_law(steps, np.array(counts, dtype=float))
    mirror = mean_law(-steps[::-1], np.array(counts[::-1], dtype=float))

    assert mirror.se == pytest.approx(law.se)
    assert mirror.acceleration == pytest.approx(-law.acceleration, abs=1e-12)
    assert mirror.probability_below(-law.mean) == pytest.approx(
        1 - law.probability_below(law.mean), abs=1e-12
    )


def test_law_at_the_ends():
    """Levels 0 and 1 give the ends of the window, and F is 0 and 1 beyond them."""
    law = binary_law(20, 8)

    assert isinstance(law, BootstrapLaw)
    assert isinstance(law, LatticeLaw)
    assert law.quantiles([0.0, 1.0]) == [0.0, 1.0]
    assert (law.cdf(-0.1), law.cdf(1.5)) == pytest.approx((0.0, 1.0), abs=1e-14)
    assert law.probability_below(0.41) == pytest.approx(law.cdf(0.4))


def test_search_recovers_from_a_far_start():
    """Extreme levels of a very skewed law, where Cornish-Fisher is off, are still exact."""
    n, k = 2000, 1
    levels = [1e-9, 1e-6, 1 - 1e-6, 1 - 1e-9]

    got = [round(n * x) for x in binary_law(n, k).quantiles(levels)]

    assert got == binom.ppf(levels, n, k / n).tolist()


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0, 1], 1),
        ([0, 0.5, 1], 0.5),
        ([0.2, 0.5, 0.9], 0.1),
        ([0, 2 / 3, 1], 1 / 3),
        ([6, 10, 15], 1),
    ],
)
def test_lattice_step_is_the_greatest_common_divisor(values, step):
    """The step is the common divisor of the gaps, not their minimum."""
    found = find_lattice(np.array(values, dtype=float))

    assert found.step == pytest.approx(step)
    assert found.origin + found.step * found.steps == pytest.approx(values)


@pytest.mark.parametrize("values", [[0, 1, 2**0.5], [0, 1e-4, 1], [0, 0.5 + 1e-6, 1]])
def test_off_and_fine_lattices_are_refused(values):
    """Values off a lattice, or more than 4096 steps apart, have no lattice."""
    assert find_lattice(np.array(values)) is None


def test_differences_that_differ_by_rounding_are_one_step():
    """0.3 and 0.8 - 0.5 lie on the same point of the lattice."""
    found = find_lattice(np.array([0.0, 0.3, 0.8 - 0.5, 1.0]))

    assert found.steps[1] == found.steps[2] == 3


def test_samples_on_different_steps_share_the_finer_one():
    """Halves and thirds meet on sixths."""
    a, b = common_lattice(np.array([0.0, 0.5]), np.array([0.0, 1 / 3]))

    assert a.step == b.step == pytest.approx(1 / 6)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=4))
def test_window_leaves_no_mass_outside(counts):
    """The Bernstein window holds all the mass of the exact law."""
    steps = np.arange(len(counts), dtype=float)
    draws = Draws.of(steps, np.array(counts, dtype=float))
    below, above = bernstein_window(sum_moments([draws]))
    pmf = np.zeros(1)
    pmf[0] = 1.0
    for _ in range(draws.number):
        pmf = np.convolve(pmf, draws.weights)
    place = np.arange(pmf.size) - draws.number * (draws.weights @ steps)

    assert pmf[(place < -below) | (place > above)].sum() <= 1e-15


def test_longer_period_gives_the_same_law():
    """The window may be longer than it has to be."""
    draws = Draws.of(np.array([0.0, 1.0]), np.array([12.0, 22.0]))
    short = invert_lattice([draws], support=(-22.0, 12.0))
    long = invert_lattice([draws], support=(-22.0, 12.0), period=200)
    steps = np.arange(-22.0, 13.0)

    assert np.abs(short.cdf(steps) - long.cdf(steps)).max() < 1e-14
