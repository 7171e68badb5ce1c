"""The exact bootstrap of a quantile against brute force and the binomial law."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from evalkit.bootstrap.intervals import law_interval
from evalkit.bootstrap.order_statistic import quantile_law
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values


@settings(max_examples=25)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.sampled_from([0.1, 0.25, 0.5, 0.8]))
def test_law_is_the_enumeration(sample, probability):
    """For n <= 5 the law is that of the order statistic over all n^n resamples."""
    law = quantile_law(tally_values(sample), probability=probability)
    rank = int(np.ceil(len(sample) * probability - 1e-9))
    draws = np.array([sorted(d)[rank - 1] for d in product(sample, repeat=len(sample))])

    assert law.mean == sorted(sample)[rank - 1]
    for x in sorted(set(sample)):
        assert law.cdf(x) == pytest.approx((draws <= x).mean(), abs=1e-12)


def test_median_law_is_binomial():
    """P(median* <= x_(j)) is P(Binomial(n, j/n) >= 8) for n = 15."""
    law = quantile_law(tally_values(np.arange(15.0)))
    for j in (3, 7, 11):
        assert law.cdf(float(j)) == pytest.approx(binom.sf(7, 15, (j + 1) / 15), abs=1e-13)


def test_median_interval_and_degenerate_median():
    """A median has a percentile interval; equal outcomes have none."""
    values = np.arange(1.0, 102.0)
    result = law_interval(quantile_law(tally_values(values)), n=101, method="percentile")
    constant = law_interval(quantile_law(tally_values([0.4] * 6)), n=6)

    # Binomial(101, .5): 41 and 61 are the 2.5 % and 97.5 % points.
    assert (result.interval.low, result.interval.high) == (41.0, 61.0)
    assert (constant.interval, constant.point) == (None, 0.4)
    assert "point at 0.4" in constant.note


def test_bad_quantiles_are_refused():
    """Empty or clustered tallies and probabilities outside (0, 1) are refused."""
    with pytest.raises(ArgumentError, match="no outcomes"):
        quantile_law(tally_values([]))
    with pytest.raises(ArgumentError, match="clusters"):
        quantile_law(tally_values([1, 2], clusters=["a", "b"]))
    with pytest.raises(ArgumentError, match="`probability` is 1"):
        quantile_law(tally_values([1, 2]), probability=1)
