"""Coverage of the worst-family interval: exact for independent families, simulated for clusters."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from evalkit.contrasts import worst_family_interval
from evalkit.contrasts.worst_family import joint_level, rate_interval
from evalkit.tally import tally_values

RATES = np.round(np.arange(0.02, 1.0, 0.02), 2)
OTHERS = ("equal", "near", "perfect")
# (families, pairs): worst coverage, mean width at rates of .9, worst coverage with mid-p, and of
# the exact interval of the family that is observed as the worst. Stated in docs/contrasts.md.
DESIGNS = {
    (3, 12): (0.972, 0.467, 0.948, 0.932),
    (6, 30): (0.973, 0.312, 0.956, 0.863),
    (2, 5): (0.976, 0.663, 0.934, 0.953),
    (9, 12): (0.977, 0.533, 0.958, 0.810),
}


def outcomes(successes: int, n: int):
    """Tally of a family."""
    return tally_values([1.0] * successes + [0.0] * (n - successes))


@cache
def bounds(families: int, n: int, method: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds by the number of successes: lower, simultaneous upper, upper of one family."""
    alone = [rate_interval(outcomes(k, n), method=method) for k in range(n + 1)]
    jointly = [
        rate_interval(outcomes(k, n), level=joint_level(0.95, families), method=method)
        for k in range(n + 1)
    ]
    return (
        np.array([i.low for i in alone]),
        np.array([i.high for i in jointly]),
        np.array([i.high for i in alone]),
    )


def rates(families: int, worst: float, others: str) -> np.ndarray:
    """One family at the worst rate, the others as named."""
    rest = {"equal": worst, "near": min(1.0, worst + 0.05), "perfect": 1.0}[others]
    return np.array([worst] + [rest] * (families - 1))


def misses(p: np.ndarray, n: int, low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    """Exact chance that the interval lies above, and below, the smallest rate."""
    worst = p.min()
    pmf = stats.binom.pmf(np.arange(n + 1)[:, None], n, p)
    above = np.prod((pmf * (low > worst + 1e-12)[:, None]).sum(axis=0))
    below = 1 - np.prod((pmf * (high >= worst - 1e-12)[:, None]).sum(axis=0))
    return float(above), float(below)


def worst_coverage(families: int, n: int, method: str, *, joint: bool = True) -> float:
    """Smallest exact coverage over worst rates and laws of the other families."""
    low, high, alone = bounds(families, n, method)
    return min(
        1 - sum(misses(rates(families, w, o), n, low, high if joint else alone))
        for w in RATES
        for o in OTHERS
    )


def mean_width(families: int, n: int, p: np.ndarray, method: str) -> float:
    """Exact mean width: with one n, both bounds follow from the smallest count."""
    low, high, _ = bounds(families, n, method)
    survival = np.prod(stats.binom.sf(np.arange(-1, n)[:, None], n, p), axis=1)
    pmf = survival - np.append(survival[1:], 0.0)
    return float(pmf @ (high - low))


@pytest.mark.parametrize("design", DESIGNS)
def test_exact_coverage_is_at_least_nominal(design):
    """Over 147 laws of independent families the interval covers .95 and more, as stated."""
    families, n = design
    worst = worst_coverage(families, n, "clopper-pearson")
    assert worst >= 0.95
    width = mean_width(families, n, rates(families, 0.9, "equal"), "clopper-pearson")
    stated = DESIGNS[design]
    assert (worst, width) == pytest.approx(stated[:2], abs=6e-4)
    assert worst_coverage(families, n, "mid-p") == pytest.approx(stated[2], abs=6e-4)
    naive = worst_coverage(families, n, "clopper-pearson", joint=False)
    assert naive == pytest.approx(stated[3], abs=6e-4)


@pytest.mark.parametrize("design", DESIGNS)
def test_coverage_holds_when_families_move_together(design):
    """Families that succeed on the same tasks are one binomial, and are covered too."""
    families, n = design
    low, high, _ = bounds(families, n, "clopper-pearson")
    for p in RATES:
        inside = (low <= p + 1e-12) & (high >= p - 1e-12)
        assert stats.binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 0.95


def test_interval_is_made_of_the_bounds_that_were_enumerated():
    """The public interval is the smallest lower bound and the smallest simultaneous upper bound."""
    low, high, _ = bounds(3, 12, "clopper-pearson")
    for counts in ((11, 12, 12), (0, 6, 12), (7, 7, 7)):
        found = worst_family_interval([outcomes(k, 12) for k in counts])
        assert found.low == min(low[list(counts)])
        assert found.high == min(high[list(counts)])


def test_simulation_agrees_with_enumeration():
    """Drawn families of 3 x 12 and 6 x 30 are covered as often as enumerated."""
    rng = np.random.default_rng(20)
    for families, n in ((3, 12), (6, 30)):
        p = np.array([0.85] + [0.92] * (families - 1))
        low, high, _ = bounds(families, n, "clopper-pearson")
        drawn = rng.binomial(n, p, size=(20_000, families))
        inside = (low[drawn].min(axis=1) <= 0.85) & (high[drawn].min(axis=1) >= 0.85)
        exact = 1 - sum(misses(p, n, low, high))
        assert stats.binomtest(int(inside.sum()), 20_000, exact).pvalue > 1e-4
        assert inside.mean() >= 0.95


@cache
def clustered_bounds(
    sums: tuple[int, ...], sizes: tuple[int, ...], level: float
) -> tuple[float, float]:
    """Bounds of a family with these sums and sizes of its clusters."""
    values = [float(j < s) for s, m in zip(sums, sizes, strict=True) for j in range(m)]
    labels = [i for i, m in enumerate(sizes) for _ in range(m)]
    found = rate_interval(tally_values(values, clusters=labels), level=level)
    return found.low, found.high


def clustered_coverage(
    p: np.ndarray, sizes: tuple[int, ...], share: float, samples: int, seed: int
) -> float:
    """Simulate coverage; half of the shared variance is of the task, half of task and family."""
    rng = np.random.default_rng(seed)
    families, tasks, most = p.size, len(sizes), max(sizes)
    used = np.arange(most) < np.array(sizes)[:, None]
    cut = stats.norm.ppf(p)[:, None, None]
    level = joint_level(0.95, families)
    hits = 0
    for _ in range(samples):
        z = (
            np.sqrt(share / 2) * rng.standard_normal((1, tasks, 1))
            + np.sqrt(share / 2) * rng.standard_normal((families, tasks, 1))
            + np.sqrt(1 - share) * rng.standard_normal((families, tasks, most))
        )
        sums = ((z < cut) & used).sum(axis=2)
        sums = np.sort(sums, axis=1) if len(set(sizes)) == 1 else sums
        rows = [tuple(row) for row in sums.tolist()]
        low = min(clustered_bounds(row, sizes, 0.95)[0] for row in rows)
        high = min(clustered_bounds(row, sizes, level)[1] for row in rows)
        hits += low <= p.min() + 1e-12 and high >= p.min() - 1e-12
    return hits / samples


CLUSTERS = ((2,) * 6, (2,) * 12, (4,) * 12, (4,) * 30, (1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8))
LAWS = ((0.7, 0.7), (0.9, 0.9), (0.5, 1.0), (0.6, 0.99), (0.9, 1.0))


def test_clusters_are_covered_where_tasks_repeat():
    """Twelve tasks with two contrasts each, strongly correlated, are covered at .95."""
    p = np.array([0.6, 0.99, 0.99])
    assert clustered_coverage(p, (2,) * 12, 0.5, 400, 3) >= 0.95


@pytest.mark.slow
def test_clustered_coverage_grid():
    """Of 75 designs of three families with repeated tasks none falls below .965."""
    found = {
        (sizes, law, share): clustered_coverage(
            np.array([law[0], law[1], law[1]]), sizes, share, 1000, 5
        )
        for sizes in CLUSTERS
        for law in LAWS
        for share in (0.1, 0.5, 0.9)
    }
    assert min(found.values()) >= 0.965, min(found.items(), key=lambda cell: cell[1])


def replacement(families: int, n: int, current: float, challenger: float) -> float:
    """Exact chance that an independent challenger has the strictly higher capacity."""
    laws = []
    for p in (current, challenger):
        survival = stats.binom.sf(np.arange(-1, n), n, p) ** families
        laws.append(survival - np.append(survival[1:], 0.0))
    return float(sum(laws[1][k] * laws[0][:k].sum() for k in range(n + 1)))


@pytest.mark.parametrize(
    ("design", "equal", "better"),
    [((3, 12), 0.352, 0.749), ((6, 30), 0.388, 0.944), ((3, 100), 0.441, 0.996)],
)
def test_the_rule_replaces_equally_good_graders(design, equal, better):
    """Chances of replacement at equal rates of .9, and at .9 against .8, as stated."""
    assert replacement(*design, 0.9, 0.9) == pytest.approx(equal, abs=6e-4)
    assert replacement(*design, 0.8, 0.9) == pytest.approx(better, abs=6e-4)
