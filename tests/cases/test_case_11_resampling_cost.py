"""A bootstrap of a million scores draws no matrix of a million columns."""

import tracemalloc

import numpy as np
import pytest

from evalkit import estimate_values
from evalkit.bootstrap import monte_carlo

N = 1_000_000
HALF_WIDTH = 0.0008981683389388428  # 1.96 sqrt(.3 x .7 / N)


def peak_mib(call):
    """Return the result of a call, and the memory it takes on top of what was there."""
    tracemalloc.start()
    try:
        found = call()
        return found, tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def scores():
    """Every tenth residue below three is right: a mean of .3."""
    return ((np.arange(N) * 7919) % 10 < 3).astype(float)


def test_percentile_of_a_million_scores():
    """The exact law: half-width within 5 % of the normal one, in well under 1 GiB."""
    values = scores()
    found, peak = peak_mib(lambda: estimate_values(values, method="percentile"))
    assert found.estimate == pytest.approx(0.3)
    assert found.interval.width / 2 == pytest.approx(HALF_WIDTH, rel=0.05)
    assert peak < 512


def test_sibling_half_credits():
    """Three values instead of two take no more."""
    values = scores()
    values[::7] = 0.5
    found, peak = peak_mib(lambda: estimate_values(values, method="bca"))
    normal = 1.959963984540054 * values.std() / N**0.5
    assert found.interval.width / 2 == pytest.approx(normal, rel=0.05)
    assert peak < 512


def test_sibling_a_statistic_by_resampling():
    """Resamples come in batches: 200 of 100,000 scores would be 160 MB at once."""
    values = np.random.default_rng(0).random(N // 10)

    def second_moment(weights, x):
        return weights @ x**2 / weights.sum(axis=1)

    found, peak = peak_mib(lambda: monte_carlo([values], second_moment, resamples=200, rng=0))
    spread = (values**2).std() / values.size**0.5
    assert found.se() == pytest.approx(spread, rel=0.2)
    assert peak < 150
