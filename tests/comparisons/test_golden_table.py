"""One data set, every analysis: the numbers that any tool should print for it.

200 items in 50 clusters of 4; base right on 108, candidate on 126; 48 items won, 30 lost. Cluster
sums of the differences: eight of 3, fifteen of 1, twenty-one of -1, six of 0, so that
Σ S = 18 and Σ S² = 108.
"""

import math
from dataclasses import replace

import pandas as pd
import pytest

import evalkit
from evalkit.comparisons import (
    compare_pairs,
    compare_samples,
    mcnemar_chi2,
    mcnemar_exact,
    mcnemar_mid_p,
    sign_flip,
)
from evalkit.intervals import cluster_pivot
from evalkit.tally import tally_values

CLUSTERS = (
    [[1, 1, 1, 0]] * 8
    + [[1, 0, 0, 0]] * 15
    + [[-1, 0, 0, 0]] * 21
    + [[1, -1, 1, -1]] * 4
    + [[1, -1, 0, 0]]
    + [[0, 0, 0, 0]]
)
DIFFERENCES = [d for cluster in CLUSTERS for d in cluster]
LABELS = [g for g, cluster in enumerate(CLUSTERS) for _ in cluster]
FLAT = tally_values(DIFFERENCES)
GROUPED = tally_values(DIFFERENCES, clusters=LABELS)
BASE, CANDIDATE = tally_values([1] * 108 + [0] * 92), tally_values([1] * 126 + [0] * 74)


def interval(decision):
    """Return the bounds."""
    return decision.interval.low, decision.interval.high


def test_the_table_is_the_one_described():
    """Wins, losses, cluster sums."""
    assert (FLAT.n, FLAT.total) == (200, 18)
    assert (DIFFERENCES.count(1), DIFFERENCES.count(-1)) == (48, 30)
    assert (GROUPED.clusters.sums**2).sum() == 108


@pytest.mark.parametrize(
    ("method", "bounds", "p"),
    [
        ("wald", (0.0041, 0.1759), 0.0399),
        ("t", (0.0036, 0.1764), 0.0412),
        ("tango", (0.0035, 0.1757), 0.0415),
        ("newcombe", (0.0035, 0.1744), None),
        ("bonett-price", (0.003, 0.175), None),
        ("percentile", (0.005, 0.175), 0.0453),
        ("bca", (0.005, 0.175), 0.0458),
    ],
)
def test_paired_intervals(method, bounds, p):
    """Paired z, paired t, Tango, Newcombe and Bonett-Price, to the printed digits."""
    found = compare_pairs(FLAT, method=method, base_mean=0.54)
    digits = 5e-5 if method in ("wald", "t", "tango", "newcombe") else 5e-4
    assert interval(found) == pytest.approx(bounds, abs=digits)
    if p is not None:
        assert found.p_value == pytest.approx(p, abs=digits)


def test_unpaired_z():
    """Taking the two as independent: SE .0492, [-.006, .186], p .067."""
    found = compare_samples(BASE, CANDIDATE, method="wald")
    assert interval(found) == pytest.approx((-0.006, 0.186), abs=5e-4)
    assert found.p_value == pytest.approx(0.067, abs=5e-4)


def test_mcnemar_four_ways():
    """Exact .0535, corrected .0542, mid-p .0422, plain chi-square .0415."""
    found = (
        mcnemar_exact(48, 30),
        mcnemar_chi2(48, 30, correction=True),
        mcnemar_mid_p(48, 30),
        mcnemar_chi2(48, 30),
    )
    assert found == pytest.approx((0.0535, 0.0542, 0.0422, 0.0415), abs=5e-5)


def test_cluster_robust_z_and_t():
    """CR1: SE .0509, z [-.0097, .1897] p .077, t(49) [-.0123, .1923] p .083."""
    pivot = cluster_pivot(GROUPED.clusters, estimator="cr1")
    assert pivot.se == pytest.approx(0.0509, abs=5e-5)
    normal = replace(pivot, df=math.inf)
    bounds = normal.interval(level=0.95)
    assert (bounds.low, bounds.high) == pytest.approx((-0.0097, 0.1897), abs=5e-5)
    assert normal.p_value() == pytest.approx(0.077, abs=5e-4)
    found = compare_pairs(GROUPED, method="cr1")
    assert interval(found) == pytest.approx((-0.0123, 0.1923), abs=5e-5)
    assert found.p_value == pytest.approx(0.083, abs=5e-4)


def test_default_and_cr2_through_the_public_function():
    """`evalkit.compare` with clusters: [-.0158, .1923], p .0948, not separated; CR2 on 49 df."""
    # 78 items right for both gives the base 108 and the candidate 126.
    both = [i for i, d in enumerate(DIFFERENCES) if d == 0][:78]
    rows = []
    for i, (d, g) in enumerate(zip(DIFFERENCES, LABELS, strict=True)):
        a = int(d == -1 or i in both)
        rows += [
            {"system": "A", "item": f"q{i}", "cluster": g, "score": a},
            {"system": "B", "item": f"q{i}", "cluster": g, "score": a + d},
        ]
    frame = pd.DataFrame(rows)
    found = evalkit.compare(frame, systems=("A", "B"), cluster="cluster")
    assert (found.base_mean, found.candidate_mean) == (0.54, 0.63)
    assert found.difference == pytest.approx(0.09)
    assert interval(found) == pytest.approx((-0.0158, 0.1923), abs=5e-5)
    assert found.p_value == pytest.approx(0.0948, abs=5e-5)
    assert found.verdict == "not separated"
    cr2 = evalkit.compare(frame, systems=("A", "B"), cluster="cluster", method="cr2")
    assert interval(cr2) == pytest.approx((-0.0123, 0.1923), abs=5e-5)
    assert cr2.p_value == pytest.approx(0.0832, abs=5e-5)
    assert "49 df" in cr2.test


def test_sign_flips_of_items_and_clusters():
    """Items: the exact McNemar p; clusters: larger than the item test, as the sums demand."""
    assert sign_flip(DIFFERENCES).p_value == pytest.approx(mcnemar_exact(48, 30))
    assert 0.06 < sign_flip(GROUPED.clusters.sums, unit="cluster").p_value < 0.11
