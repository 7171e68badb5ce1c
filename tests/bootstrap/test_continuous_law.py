"""Smooth laws against simulation, lattices and direct summation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.bootstrap.characteristic import Draws, characteristic_minus_one
from evalkit.bootstrap.choose import bootstrap_law, mean_law, two_sample_law
from evalkit.bootstrap.continuous import ContinuousLaw, InversionWarning, invert_continuous
from evalkit.bootstrap.enumeration import can_enumerate, enumerated_mean, resamples
from evalkit.bootstrap.law import DiscreteLaw
from evalkit.bootstrap.power_sums import central_power_sums, series_minus_one
from evalkit.tally import tally_values


def smooth(values):
    """Return the smooth law of a mean, whatever the values."""
    values = np.asarray(values, dtype=float)
    part = Draws.of(values, np.ones(values.size))
    return ContinuousLaw.of((part,), mean=float(values.mean()), scale=values.size)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.beta(2, 3, 400),
        lambda rng: rng.lognormal(0, 1, 400),
        lambda rng: rng.pareto(2.5, 400),
    ],
    ids=["beta", "lognormal", "pareto"],
)
def test_law_is_what_resampling_draws(draw):
    """Quantiles agree with 40,000 resamples of bounded, skewed and heavy-tailed scores."""
    rng = np.random.default_rng(11)
    x = draw(rng)
    law = smooth(x)
    draws = np.concatenate([rng.choice(x, (2000, 400)).mean(axis=1) for _ in range(20)])

    assert law.se == pytest.approx(x.std() / 20)
    for level in (0.025, 0.5, 0.975):
        # Standard deviation of an order statistic at the tails is about 0.013 standard errors.
        assert law.quantile(level) == pytest.approx(np.quantile(draws, level), abs=0.06 * law.se)


def test_smooth_law_of_a_lattice_is_its_mid_p_law():
    """On a lattice of many steps the smooth law passes through the mid-p probabilities."""
    values = np.arange(8.0)
    counts = np.array([5.0, 9, 14, 20, 17, 11, 7, 3])
    exact = mean_law(values, counts)
    law = smooth(np.repeat(values, counts.astype(int)))
    for k in range(-40, 41, 8):
        x = exact.value(k)
        assert law.cdf(x) == pytest.approx(exact.probability_below(x), abs=1e-4)


def test_power_series_equals_the_direct_sum():
    """Power sums and direct summation give one characteristic function, far values included."""
    rng = np.random.default_rng(0)
    part = Draws.of(rng.standard_t(2, 3000), np.ones(3000))
    theta = np.linspace(0.01, 2.0, 40)
    series = series_minus_one(theta, part)
    direct = characteristic_minus_one(theta, part.values, part.weights)

    assert np.allclose(series, direct, atol=2e-14)


def test_power_sums_add_up_across_shards():
    """Sums of two shards are the sums of the whole."""
    rng = np.random.default_rng(1)
    u, w = rng.uniform(-1, 1, 40_000), np.full(40_000, 1 / 40_000)
    whole = central_power_sums(u, w, degree=12)
    parts = central_power_sums(u[:1000], w[:1000], degree=12) + central_power_sums(
        u[1000:], w[1000:], degree=12
    )

    assert whole == pytest.approx(parts, abs=1e-14)
    assert whole == pytest.approx([(u**p).mean() for p in range(13)], abs=1e-14)


def test_long_direct_sums_are_blocked():
    """A direct sum too large for one block equals one frequency at a time."""
    rng = np.random.default_rng(2)
    y, w = rng.normal(size=5000), np.full(5000, 1 / 5000)
    theta = np.linspace(0.1, 3, 90)
    q, p = characteristic_minus_one(theta, y, w)
    for j in (0, 60, 89):
        single = characteristic_minus_one(theta[j : j + 1], y, w)

        assert q[j] == pytest.approx(float(single[0][0]), abs=1e-14)
        assert p[j] == pytest.approx(float(single[1][0]), abs=1e-14)


def test_quantiles_at_the_ends_of_the_window():
    """Levels 0 and 1 are the ends of the window; F is monotone between them."""
    law = smooth(np.random.default_rng(3).exponential(size=50))
    low, high = law.quantiles([0.0, 1.0])
    grid = [law.cdf(x) for x in np.linspace(low, high, 200)]

    assert low < law.mean < high
    assert np.diff(grid).min() > -1e-12
    assert (law.cdf(low - 1), law.cdf(high + 1)) == pytest.approx((0.0, 1.0), abs=1e-12)
    assert law.probability_below(law.mean) == law.cdf(law.mean)


@given(st.floats(-100, 100), st.floats(0.01, 100))
def test_shift_and_scale_move_the_smooth_law(shift, scale):
    """Quantiles follow shift and scale."""
    x = np.random.default_rng(4).normal(size=80)
    plain, moved = smooth(x), smooth(shift + scale * x)
    for level in (0.025, 0.5):
        assert moved.quantile(level) == pytest.approx(
            shift + scale * plain.quantile(level), abs=1e-9 * (scale + abs(shift))
        )


def test_one_huge_outlier_warns():
    """A law with atoms off every lattice says that its smoothing is rough."""
    x = np.random.default_rng(5).normal(size=60)
    x[0] = 1e6
    with pytest.warns(InversionWarning, match="atoms that no lattice carries"):
        bootstrap_law(tally_values(x))


def test_a_few_irregular_values_are_enumerated():
    """Five irregular values have 126 resamples, and the law is exact."""
    values = np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0])
    law = bootstrap_law(tally_values(values))
    draws = np.array([np.mean(d) for d in np.stack(np.meshgrid(*[values] * 5), -1).reshape(-1, 5)])

    assert isinstance(law, DiscreteLaw)
    assert law.points.size == 126
    assert law.se == pytest.approx(values.std() / 5**0.5)
    for x in law.points[::20]:
        assert law.cdf(x) == pytest.approx((draws <= x + 1e-9).mean(), abs=1e-12)
        middle = (draws < x - 1e-9).mean() / 2 + (draws <= x + 1e-9).mean() / 2
        assert law.probability_below(x) == pytest.approx(middle, abs=1e-12)


@given(st.lists(st.integers(1, 3), min_size=2, max_size=4))
def test_enumeration_is_a_multinomial_law(counts):
    """Probabilities add up to 1 and give back the mean counts."""
    drawn, probability = resamples(np.array(counts, dtype=float))

    assert probability.sum() == pytest.approx(1)
    assert probability @ drawn == pytest.approx(counts)


def test_enumeration_equals_inversion_on_a_lattice():
    """Two independent routes to one law agree."""
    values, counts = np.array([0.0, 0.5, 1.0]), np.array([4.0, 3.0, 6.0])
    listed, inverted = enumerated_mean(values, counts), mean_law(values, counts)
    for x in listed.points:
        assert inverted.cdf(x) == pytest.approx(listed.cdf(x), abs=1e-13)
    assert listed.acceleration == pytest.approx(inverted.acceleration)
    assert listed.quantiles([0.0, 1.0]) == [0.0, 1.0]
    assert not can_enumerate(34, 30)


def test_cut_off_is_reported():
    """The last modulus says how much the cut-off left out."""
    fine = invert_continuous([Draws.of(np.linspace(0, 1, 200), np.ones(200))])
    rough = invert_continuous([Draws.of(np.array([0.0, 1.0]), np.array([3.0, 3.0]))])

    assert fine.last < 1e-13
    assert rough.last > 0.1
    assert rough.theta.size == 512


def test_lattices_too_long_to_invert_are_smooth():
    """Four million outcomes on 4,097 points: the lattice is finer than any printed digit."""
    steps = np.arange(4097.0)
    law = mean_law(steps, np.full(4097, 1000.0))

    assert isinstance(law, ContinuousLaw)
    assert law.se == pytest.approx(steps.std() / 4_097_000**0.5)
    assert law.quantile(0.5) == pytest.approx(2048, abs=0.01 * law.se)


def test_two_samples_whose_common_lattice_is_too_fine_are_smooth():
    """Sizes without a common divisor make a lattice of step 1 / (n_b n_c)."""
    base = tally_values(np.repeat([0.0, 1.0], [50_000, 50_003]))
    candidate = tally_values(np.repeat([0.0, 1.0], [40_000, 59_991]))
    law = two_sample_law(base, candidate)
    p, q = 50_003 / 100_003, 59_991 / 99_991

    assert isinstance(law, ContinuousLaw)
    assert law.mean == pytest.approx(q - p)
    assert law.se == pytest.approx((p * (1 - p) / 100_003 + q * (1 - q) / 99_991) ** 0.5)
    assert law.quantile(0.975) == pytest.approx(law.mean + 1.959964 * law.se, abs=1e-3 * law.se)
