"""Power: exact enumeration against brute force, published figures and other software."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import compositions, multinomial_weights
from scipy import stats
from statsmodels.stats.power import TTestPower

from evalkit.comparisons import (
    compare_pairs,
    gate_power,
    mcnemar_exact,
    newcombe_bounds,
    power_mean,
    power_paired_binary,
    power_two_proportions,
    sample_size,
    smallest_effect,
)
from evalkit.comparisons.power import _mcnemar_limits
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values


def test_published_mcnemar_power():
    """G*Power 3 manual, exact McNemar: N = 50, odds ratio .25, .4 discordant: power .839343."""
    # p12 = .08 and p21 = .32: effect .24. One-sided .05 is two-sided .90 but for the other tail,
    # whose chance is 1.2e-6; the figures agree to 1.4e-5.
    design = partial(power_paired_binary, 50, discordance=0.4, level=0.9, test="mcnemar")
    assert design(effect=0.24).power == pytest.approx(0.839343, abs=2e-5)
    # Its actual one-sided size is given as .032578.
    assert design(effect=0).power / 2 == pytest.approx(0.032578, abs=2e-5)


@pytest.mark.parametrize("test", ["interval", "mcnemar"])
@pytest.mark.parametrize("n", [1, 2, 9, 24])
@pytest.mark.parametrize(("effect", "discordance"), [(0.0, 0.3), (0.2, 0.35), (-0.4, 0.4), (0, 0)])
def test_paired_power_is_the_sum_over_all_tables(test, n, effect, discordance):
    """Every table of wins, losses and ties, each decided by the rule itself."""
    tables = compositions(n, 3)
    law = np.array([(discordance + effect) / 2, (discordance - effect) / 2, 1 - discordance])
    total = 0.0
    for (wins, losses, ties), weight in zip(tables, multinomial_weights(tables, law), strict=True):
        if test == "mcnemar":
            separated = mcnemar_exact(int(wins), int(losses)) < 0.05
        else:
            d = tally_values([1.0] * wins + [-1.0] * losses + [0.0] * ties)
            separated = compare_pairs(d).verdict == "separated"
        total += weight * separated
    found = power_paired_binary(n, effect=effect, discordance=discordance, test=test)
    assert found.power == pytest.approx(total, abs=1e-12)


def test_paired_power_by_simulation():
    """200 pairs, effect .1: 4,000 simulated comparisons agree within four standard errors."""
    rng = np.random.default_rng(1)
    counts = rng.multinomial(200, [0.2, 0.1, 0.7], size=4000)
    separated = [
        compare_pairs(tally_values(np.repeat([1.0, -1.0, 0.0], row))).verdict == "separated"
        for row in counts[:1000]
    ]
    found = power_paired_binary(200, effect=0.1, discordance=0.3).power
    assert abs(np.mean(separated) - found) < 4 * np.sqrt(found * (1 - found) / 1000)


@pytest.mark.parametrize("n", [2, 34, 400])
@pytest.mark.parametrize("effect", [0.0, 0.05, -0.5, 2.0, 30.0])
def test_mean_power_is_that_of_statsmodels(n, effect):
    """Two-sided noncentral t, and certainty far away where the series has no digits."""
    found = power_mean(n, effect=effect, sd=1).power
    if abs(effect) * np.sqrt(n) < 8:
        expected = TTestPower().power(effect, n, 0.05, alternative="two-sided")
        assert found == pytest.approx(float(expected), abs=1e-8)
    else:
        assert found > 0.98


def test_published_sample_size_of_the_paired_t():
    """An effect of .5 sd, 5 % two-sided, power .8: 34 pairs (Cohen 1988; power .8078)."""
    found = sample_size(partial(power_mean, effect=0.5, sd=1))
    assert (found.n, round(found.power, 4)) == (34, 0.8078)


def test_clusters_inflate_the_sample():
    """Perfectly correlated clusters count as one outcome each, independent ones in full."""
    whole = power_mean(40, effect=0.3, sd=1, icc=1, cluster_size=4)
    assert whole.power == pytest.approx(power_mean(10, effect=0.3, sd=1).power)
    powers = [power_mean(40, effect=0.3, sd=1, icc=r, cluster_size=4).power for r in (0, 0.3, 1)]
    assert powers == sorted(powers, reverse=True)
    found = sample_size(
        partial(power_mean, effect=0.3, sd=1, icc=0.2, cluster_size=4), step=4, target=0.9
    )
    assert found.n % 4 == 0
    assert found.power >= 0.9


@pytest.mark.parametrize(("n", "base", "effect"), [(1, 0.5, 0.3), (12, 0.4, 0.4), (25, 0.0, 0.2)])
def test_two_proportions_by_all_pairs_of_counts(n, base, effect):
    """Each pair of counts decided by Newcombe's interval."""
    total = 0.0
    for k1 in range(n + 1):
        for k2 in range(n + 1):
            low, high = newcombe_bounds(k1, n, k2, n, level=0.95)
            if low > 0 or high < 0:
                total += stats.binom.pmf(k1, n, base) * stats.binom.pmf(k2, n, base + effect)
    found = power_two_proportions(n, base_rate=base, effect=effect).power
    assert found == pytest.approx(total, abs=1e-12)


@settings(max_examples=40)
@given(
    st.integers(1, 25),
    st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    st.sampled_from([0.0, 0.5, 0.85]),
    st.sampled_from(["strict", "non-decreasing"]),
    st.sampled_from([0.0, 0.1, -0.04, 0.3]),
)
def test_gate_by_all_pairs_of_counts(n, parent, candidate, gate, margin):
    """Every parent and candidate count, the scores compared as exact fractions."""
    needed = Fraction(str(margin))
    total, given_parent = 0.0, 0.0
    known = n // 2
    for x in range(n + 1):
        for y in range(n + 1):
            gain = Fraction(y - x, n)
            if gain > needed or (gate == "non-decreasing" and gain == needed):
                total += stats.binom.pmf(x, n, parent) * stats.binom.pmf(y, n, candidate)
                given_parent += stats.binom.pmf(y, n, candidate) if x == known else 0
    ask = partial(
        gate_power, n, parent_rate=parent, candidate_rate=candidate, gate=gate, margin=margin
    )
    assert ask().power == pytest.approx(total, abs=1e-12)
    assert ask(parent_score=known / n).power == pytest.approx(given_parent, abs=1e-12)


def test_gate_on_the_same_items():
    """With paired items only wins and losses count, and equal rates accept by noise alone."""
    n, discordance = 12, 0.4
    tables = compositions(n, 3)
    weights = multinomial_weights(tables, np.array([0.3, 0.1, 0.6]))
    for gate, margin, limit in (("strict", 0, 0.5), ("non-decreasing", -0.25, -3.5)):
        found = gate_power(
            n,
            parent_rate=0.5,
            candidate_rate=0.7,
            gate=gate,
            margin=margin,
            discordance=discordance,
        )
        expected = weights[tables[:, 0] - tables[:, 1] > limit].sum()
        assert found.power == pytest.approx(expected, abs=1e-12)
    same = gate_power(40, parent_rate=0.6, candidate_rate=0.6, discordance=0.0)
    assert same.power == 0
    noise = gate_power(40, parent_rate=0.6, candidate_rate=0.6, gate="non-decreasing").power
    assert noise > 0.5


@pytest.mark.parametrize("test", ["interval", "mcnemar"])
def test_sample_size_reaches_and_keeps_its_target(test):
    """One item fewer misses the target, and no later n in the stated span misses it."""
    design = partial(power_paired_binary, effect=0.1, discordance=0.25, test=test)
    found = sample_size(design)
    assert design(found.n - 1).power < 0.8
    span = 30 + 6 * int(found.n**0.5)
    assert all(design(n).power >= 0.8 for n in range(found.n, found.n + span))


def test_sample_size_of_the_other_designs():
    """Two proportions and the gate are searched the same way; start 1 can be the answer."""
    two = sample_size(partial(power_two_proportions, base_rate=0.6, effect=0.2))
    assert two.power >= 0.8 > power_two_proportions(two.n - 1, base_rate=0.6, effect=0.2).power
    gate = sample_size(partial(gate_power, parent_rate=0.6, candidate_rate=0.7), target=0.9)
    assert gate.power >= 0.9
    assert sample_size(partial(power_mean, effect=50, sd=0.1), target=0.5).n == 2


def test_smallest_effect_inverts_power():
    """The effect found has the target power, a smaller one has not."""
    design = partial(power_paired_binary, 200, discordance=0.3)
    found = smallest_effect(lambda d: design(effect=d), largest=0.3)
    assert found.power == pytest.approx(0.8, abs=1e-6)
    assert design(effect=0.99 * found.effect).power < 0.8
    mean = smallest_effect(lambda d: power_mean(34, effect=d, sd=1), largest=5)
    assert mean.effect == pytest.approx(TTestPower().solve_power(None, 34, 0.05, 0.8), abs=1e-5)


def test_power_is_fast_and_symmetric_at_large_n():
    """100,000 pairs are one sum; the sign of the effect does not matter."""
    one, two = (power_paired_binary(100_000, effect=e, discordance=0.2) for e in (0.004, -0.004))
    assert one.power == pytest.approx(two.power, abs=1e-9)
    assert 0.79 < one.power < 0.82  # (.004 sqrt(1e5) / sqrt(.2) - 1.96) = .868: normal power .807
    assert one.to_dict()["n"] == 100_000


def test_size_of_the_interval_rule():
    """At no effect the chance of a separation is at most 5 % at any discordance."""
    for discordance in (0.02, 0.1, 0.3, 0.7):
        for n in (20, 34, 200):
            size = power_paired_binary(n, effect=0, discordance=discordance).power
            assert size <= 0.0501, (n, discordance)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (partial(power_paired_binary, 0, effect=0, discordance=0.1), "`n` is 0"),
        (partial(power_paired_binary, 9, effect=0.3, discordance=0.1), "at least as many"),
        (partial(power_paired_binary, 9, effect=0, discordance=1.1), "`discordance` is 1.1"),
        (partial(power_paired_binary, 9, effect=0, discordance=0.1, test="t"), "'interval' or"),
        (partial(power_mean, 9, effect=1, sd=0), "`sd` is 0"),
        (partial(power_mean, 9, effect=1, sd=1, cluster_size=5), "at least two clusters"),
        (partial(power_two_proportions, 9, base_rate=0.9, effect=0.2), "must lie in 0..1"),
        (partial(gate_power, 9, parent_rate=0, candidate_rate=0, gate="x"), "use 'strict'"),
        (partial(gate_power, 9, parent_rate=0, candidate_rate=0, parent_score=0.5), "multiple"),
        (
            partial(gate_power, 9, parent_rate=0, candidate_rate=0, parent_score=0, discordance=0),
            "exclude each other",
        ),
        (partial(gate_power, 9, parent_rate=0, candidate_rate=1, discordance=0.5), "as many"),
        (partial(sample_size, partial(power_mean, effect=0, sd=1)), "is not reached"),
        (partial(sample_size, partial(power_mean, effect=1, sd=1), target=1), "`target` is 1"),
        (
            partial(smallest_effect, lambda d: power_mean(3, effect=d, sd=1), largest=0.1),
            "more items are needed",
        ),
    ],
)
def test_rejects_impossible_designs(call, message):
    """Each message names the setting, its value and what is allowed."""
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999, 1 - 1e-9])
def test_mcnemar_limits_are_quantiles_of_the_binomial(level):
    """The special functions give scipy's quantile for every number of discordant pairs."""
    m = np.arange(1, 1500)
    expected = m - 2.0 * stats.binom.ppf((1 - level) / 2, m, 0.5)
    assert (_mcnemar_limits(m, level) == expected).all()
