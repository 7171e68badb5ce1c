"""Over 10,000 random paired tables, interval, p-value and verdict never disagree."""

import numpy as np
import pytest

from evalkit.comparisons import compare_pairs, sign_counts
from evalkit.tally import tally_values

METHODS = ("default", "t", "wald", "bonett-price", "tango", "newcombe", "percentile", "bca")
CLUSTERED = ("default", "cr2", "cr1", "cr0")


def random_tables(number, seed, *, grouped):
    """Paired 0/1 tables of 2 to 60 items, from rare to common disagreement."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        n = int(rng.integers(2, 61))
        disagreement = rng.uniform(0, 0.9)
        win = disagreement * rng.uniform(0, 1)
        law = [disagreement - win, 1 - disagreement, win]
        values = rng.choice([-1.0, 0.0, 1.0], size=n, p=law)
        labels = rng.integers(0, max(2, n // 3), n).tolist() if grouped else None
        yield tally_values(values, clusters=labels)


@pytest.mark.parametrize(("grouped", "methods"), [(False, METHODS), (True, CLUSTERED)])
def test_interval_p_value_and_verdict_agree(grouped, methods):
    """P < .05 exactly when the 95 % interval excludes 0, whatever the method."""
    checked = 0
    for index, table in enumerate(random_tables(5000, 21 + grouped, grouped=grouped)):
        method = methods[index % len(methods)]
        wins, losses, ties = sign_counts(table)
        base = (losses + ties // 2) / table.n
        found = compare_pairs(table, method=method, base_mean=base)
        if found.interval is None:
            assert (found.p_value, found.verdict) == (None, "undefined")
            assert found.notes
            continue
        low, high = found.interval.low, found.interval.high
        excluded = low > 0 or high < 0
        assert found.verdict == ("separated" if excluded else "not separated")
        assert 0 < found.p_value <= 1
        if min(abs(low), abs(high)) > 1e-9:
            assert (found.p_value < 0.05) == excluded, (method, wins, losses, ties)
        assert low <= table.mean + 1e-12
        assert table.mean - 1e-12 <= high
        checked += 1
    assert checked > 4000
