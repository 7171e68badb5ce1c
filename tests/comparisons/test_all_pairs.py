"""All pairs: adjusted p-values, letters that never contradict them, ranges of ranks."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit import compare
from evalkit.comparisons import adjust_p, compare_all, letter_groups
from evalkit.errors import InputError, ScaleMismatchError


def frame(scores):
    """Rows of each system, item by item."""
    rows = [
        {"system": name, "item": i, "score": score}
        for name, values in scores.items()
        for i, score in enumerate(values)
    ]
    return pd.DataFrame(rows)


def four_systems():
    """Two good systems and two middling ones on 80 items."""
    rng = np.random.default_rng(4)
    rates = {"A": 0.9, "B": 0.8, "C": 0.55, "D": 0.5}
    return frame({name: (rng.random(80) < p).astype(float) for name, p in rates.items()})


@st.composite
def graphs(draw):
    """Draw a number of systems and which pairs are separated."""
    number = draw(st.integers(1, 7))
    pairs = list(combinations(range(number), 2))
    return number, [pair for pair in pairs if draw(st.booleans())]


@given(graphs())
def test_letters_are_the_maximal_sets_without_a_separated_pair(graph):
    """Insert-and-absorb finds what listing all subsets finds."""
    number, separated = graph
    letters = letter_groups(number, separated)
    found = {}
    for i, own in enumerate(letters):
        for letter in own:
            found.setdefault(letter, set()).add(i)
    apart = {frozenset(pair) for pair in separated}
    free = [
        set(subset)
        for size in range(1, number + 1)
        for subset in combinations(range(number), size)
        if not any(frozenset(pair) in apart for pair in combinations(subset, 2))
    ]
    maximal = [s for s in free if not any(s < other for other in free)]
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, maximal))
    for pair in combinations(range(number), 2):
        assert bool(set(letters[pair[0]]) & set(letters[pair[1]])) == (frozenset(pair) not in apart)


def test_more_than_26_letters():
    """After z comes aa."""
    assert letter_groups(28, combinations(range(28), 2))[26:] == (("aa",), ("ab",))


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_pairs_are_those_of_compare_with_adjusted_p(adjust):
    """Each pair is the comparison on its own; only the p-value is adjusted, over six pairs."""
    data = four_systems()
    found = compare_all(data, adjust=adjust)
    assert (len(found.comparisons), found.m, found.undefined) == (6, 6, 0)
    for pair in found.comparisons:
        c = pair.comparison
        alone = compare(data, systems=(c.base, c.candidate))
        assert (c.difference, c.interval, c.p_value) == (
            alone.difference,
            alone.interval,
            alone.p_value,
        )
        assert c.candidate_mean >= c.base_mean
    expected = adjust_p([p.comparison.p_value for p in found.comparisons], method=adjust)
    assert [p.p_adjusted for p in found.comparisons] == list(expected.values)
    assert "m = 6" in " ".join(found.notes)


def test_letters_ranks_and_adjusted_p_agree():
    """A shared letter, overlapping ranks and p >= .05 are one statement."""
    found = compare_all(four_systems())
    by_name = {s.system: s for s in found.systems}
    assert [s.system for s in found.systems] == sorted(by_name, key=lambda k: -by_name[k].mean)
    for pair in found.comparisons:
        a, b = by_name[pair.comparison.candidate], by_name[pair.comparison.base]
        separated = pair.p_adjusted < 0.05
        assert (pair.verdict == "separated") == separated
        assert bool(set(a.group) & set(b.group)) == (not separated)
    assert (by_name["A"].rank_low, by_name["A"].rank_high) == (1, 2)
    assert (by_name["C"].rank_low, by_name["D"].rank_high) == (3, 4)
    assert [s.group for s in found.systems] == ["a", "a", "b", "b"]


def test_identical_systems_share_a_group_and_all_ranks():
    """No separation: one letter, ranks 1 to 3."""
    found = compare_all(frame({name: [1, 0, 1, 1] for name in "XYZ"}))
    assert [(s.group, s.rank_low, s.rank_high) for s in found.systems] == [("a", 1, 3)] * 3


def test_undefined_pairs_are_counted_and_not_separated():
    """Systems without shared items: no p-value, m = 1 of 3, and the groups say nothing of it."""
    data = frame({"A": [1] * 20, "B": [0] * 20, "C": [1] * 5})
    data.loc[data.system == "C", "item"] += 100
    found = compare_all(data)
    assert (found.m, found.undefined) == (1, 2)
    verdicts = {(p.comparison.base, p.comparison.candidate): p for p in found.comparisons}
    assert verdicts["B", "A"].verdict == "separated"
    assert sum(p.p_adjusted is None for p in found.comparisons) == 2
    groups = {s.system: set(s.group) for s in found.systems}
    assert not groups["A"] & groups["B"]
    assert groups["C"] == groups["A"] | groups["B"]
    assert "2 pairs are undefined" in " ".join(found.notes)


def test_clusters_and_row_order():
    """Clusters reach every pair, and shuffled rows change nothing."""
    data = four_systems()
    data["family"] = [f"f{i // 4}" for i in data["item"]]
    found = compare_all(data, cluster="family")
    assert all(p.comparison.clusters == 20 for p in found.comparisons)
    again = compare_all(data.sample(frac=1, random_state=1), cluster="family")
    assert [p.p_adjusted for p in again.comparisons] == pytest.approx(
        [p.p_adjusted for p in found.comparisons]
    )
    assert [s.to_dict()["group"] for s in again.systems] == [s.group for s in found.systems]


def test_tables_and_json():
    """One row for each pair or system; strict JSON values."""
    found = compare_all(four_systems())
    assert list(found.to_frame()["p_adjusted"]) == [p.p_adjusted for p in found.comparisons]
    assert list(found.to_frame("systems")["group"]) == [s.group for s in found.systems]
    assert {"systems", "comparisons", "m", "undefined"} <= set(found.to_dict())


def test_rejects_one_system_two_scales_and_mixed_verifiers():
    """Each refusal says what is wrong."""
    with pytest.raises(InputError, match="1 system is in the data"):
        compare_all(frame({"A": [1, 0]}))
    with pytest.raises(InputError, match="no column 'system'"):
        compare_all(pl.LazyFrame({"item": [1, 2], "score": [0, 1]}))
    with pytest.raises(ScaleMismatchError, match="two scales"):
        compare_all(frame({"A": [0.8, 0.9], "B": [82.0, 75.0]}))
    mixed = pd.concat([four_systems().assign(verifier=v) for v in ("v0", "v1")])
    with pytest.raises(InputError, match="2 verifiers judged"):
        compare_all(mixed)


def test_family_wise_error_under_the_null():
    """With three equal systems, few families hold any separation (at most 5 % are expected)."""
    rng = np.random.default_rng(11)
    false = sum(
        any(
            p.verdict == "separated"
            for p in compare_all(
                frame({name: (rng.random(40) < 0.6).astype(float) for name in "ABC"})
            ).comparisons
        )
        for _ in range(15)
    )
    assert false <= 3  # P(Binomial(15, .05) > 3) = .005


def test_two_systems_are_one_comparison():
    """A family of one: nothing is adjusted, and the verdict is that of the interval."""
    data = four_systems()
    for names in combinations("ABCD", 2):
        pair = compare_all(data[data.system.isin(names)]).comparisons[0]
        assert pair.p_adjusted == pair.comparison.p_value
        assert pair.verdict == pair.comparison.verdict
