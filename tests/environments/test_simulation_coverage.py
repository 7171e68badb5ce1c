"""Intervals of a loop report hold the truth as often as they say, on worlds that know it."""

import pytest
from scipy.stats import binom

from evalkit.environments.simulation import interval_coverage
from evalkit.errors import ArgumentError

NOT_CORRECTED = "selected"


def too_few(coverage, worlds, nominal=0.95):
    """Chance of so few hits if the nominal coverage held."""
    return binom.cdf(round(coverage * worlds), worlds, nominal)


def test_intervals_hold_the_truth_in_small():
    """Thirty worlds: no interval misses more often than its level allows for."""
    rows = interval_coverage(
        {"validation": 24, "test": 40, "pairs": 24, "icc": 0.2}, worlds=30, seed=1
    )
    assert [row.quantity for row in rows] == [
        "score",
        "test",
        "difference",
        "agreement",
        "selected",
        "selected, corrected",
    ]
    for row in rows:
        assert row.worlds == 30
        assert row.coverage in row.interval
        assert 0 < row.width < 1
        if row.quantity != NOT_CORRECTED:
            assert too_few(row.coverage, 30) > 1e-3, row


def test_measurement_repeats():
    """A seed gives the same figures again."""
    knobs = {"validation": 8, "test": 8, "pairs": 8}
    assert interval_coverage(knobs, worlds=2, seed=3) == interval_coverage(knobs, worlds=2, seed=3)


def test_nothing_to_measure_is_refused():
    """Worlds, items and pairs are needed."""
    with pytest.raises(ArgumentError, match="`worlds`"):
        interval_coverage({}, worlds=0)
    with pytest.raises(ArgumentError, match="above 0"):
        interval_coverage({"pairs": 0}, worlds=1)


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["qa", "workbook"])
@pytest.mark.parametrize(
    ("validation", "icc", "cluster_size"), [(40, 0.1, 4), (200, 0.1, 4), (40, 0.0, 1)]
)
def test_intervals_hold_the_truth(profile, validation, icc, cluster_size):
    """Four hundred worlds: nominal coverage within simulation error; the selected best misses."""
    rows = interval_coverage(
        {"profile": profile, "validation": validation, "icc": icc, "cluster_size": cluster_size},
        worlds=400,
    )
    found = {row.quantity: row for row in rows}
    for quantity in ("score", "test", "difference", "agreement", "selected, corrected"):
        assert too_few(found[quantity].coverage, 400) > 1e-3, found[quantity]
    assert found["selected"].coverage < found["score"].coverage
