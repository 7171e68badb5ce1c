"""Adjusted p-values: the family is what was tested, missing values stay in place."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evalkit.comparisons import adjust_p
from evalkit.errors import ArgumentError

FAMILY = [0.012, None, 0.031, 0.2, 0.008]
P = st.floats(0, 1)


def rounded(values):
    """Round to six digits, missing values kept."""
    return [None if v is None else round(v, 6) for v in values]


def test_missing_p_value_stays_in_its_place():
    """R's p.adjust on the four values: Holm and BH of a family of 4."""
    holm, bh = adjust_p(FAMILY), adjust_p(FAMILY, method="bh")
    assert rounded(holm.values) == [0.036, None, 0.062, 0.2, 0.032]
    assert rounded(bh.values) == [0.024, None, 0.041333, 0.2, 0.024]
    assert (holm.m, holm.missing, bh.m) == (4, 1, 4)
    assert adjust_p([0.012, math.nan, 0.031, 0.2, 0.008]) == holm
    assert holm.to_dict()["p_adjusted"][1] is None


@settings(max_examples=25)
@given(st.lists(P, min_size=1, max_size=12), st.sampled_from(["holm", "bh"]))
def test_matches_the_definitions(values, method):
    """Holm and Benjamini-Hochberg step by step."""
    m = len(values)
    order = sorted(range(m), key=lambda i: values[i])
    expected = [0.0] * m
    if method == "holm":
        running = 0.0
        for rank, i in enumerate(order):
            running = max(running, min(1.0, (m - rank) * values[i]))
            expected[i] = running
    else:
        running = 1.0
        for rank in range(m - 1, -1, -1):
            running = min(running, m * values[order[rank]] / (rank + 1))
            expected[order[rank]] = running
    assert adjust_p(values, method=method).values == pytest.approx(expected)


@pytest.mark.parametrize(("method", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_matches_statsmodels(method, theirs):
    """Families with ties, zeros and ones: the values of multipletests."""
    rng = np.random.default_rng(4)
    families = [[0.0, 1.0, 0.5, 0.5], [0.04] * 7, [1e-300, 1e-5, 1e-5], rng.random(50).tolist()]
    for family in families:
        expected = multipletests(family, method=theirs)[1]
        assert adjust_p(family, method=method).values == pytest.approx(expected, rel=1e-12)


def test_adjusting_loads_no_statsmodels():
    """The adjustment is arithmetic: it imports nothing heavy and collects no garbage."""
    code = (
        "import sys; from evalkit.comparisons.multiplicity import adjust_p; "
        "adjust_p([.01, .2]); print('statsmodels' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "False"


@settings(max_examples=20)
@given(st.lists(st.none() | P, max_size=10), st.integers(0, 99))
def test_order_does_not_matter(values, seed):
    """Shuffled p-values get the shuffled adjustment."""
    order = np.random.default_rng(seed).permutation(len(values))
    found = adjust_p([values[i] for i in order]).values
    base = adjust_p(values).values
    assert [base[i] for i in order] == pytest.approx(found)


def test_empty_and_all_missing_families():
    """Nothing was tested: m is 0 and nothing is made up."""
    assert adjust_p([]).values == ()
    assert (adjust_p([None, None]).values, adjust_p([None]).m) == ((None, None), 0)


def test_rejects_what_is_no_p_value():
    """The index of the fault and the choice of methods are named."""
    with pytest.raises(ArgumentError, match=r"`p_values\[1\]` is 1.2"):
        adjust_p([0.1, 1.2])
    with pytest.raises(ArgumentError, match="use 'holm' or 'bh'"):
        adjust_p([0.1], method="bonferroni")
