"""The best of several: naive scores are optimistic, corrected ones much less."""

import numpy as np
import pytest

from evalkit.comparisons import selection_corrected
from evalkit.errors import ArgumentError
from evalkit.intervals.mean import mean_interval


def simulate(rates, n, runs, seed):
    """Mean error of the naive and the corrected score, and how often the bound holds."""
    rng = np.random.default_rng(seed)
    naive, corrected, held = [], [], []
    for _ in range(runs):
        scores = {str(i): (rng.random(n) < p).astype(float) for i, p in enumerate(rates)}
        found = selection_corrected(scores, resamples=200, rng=1)
        truth = rates[int(found.winner)]
        naive.append(found.best - truth)
        corrected.append(found.corrected - truth)
        held.append(found.lower <= truth)
    return np.mean(naive), np.mean(corrected), np.mean(held)


def test_naive_score_is_biased_and_the_corrected_one_much_less():
    """Eight equal candidates on 50 items: the winner is .09 too high, less than half after."""
    naive, corrected, held = simulate([0.6] * 8, 50, 250, seed=3)
    assert naive > 0.07
    assert abs(corrected) < naive / 2
    assert held >= 0.9


def test_clear_winner_needs_no_correction():
    """When one candidate always wins, nothing is added."""
    naive, corrected, _ = simulate([0.2, 0.2, 0.9], 60, 60, seed=4)
    assert abs(naive) < 0.02
    assert abs(corrected - naive) < 0.002


def test_two_items_by_enumeration():
    """Two items, two candidates: the four resamples give the exact optimism."""
    # A = (1, 0), B = (0, 1), both .5. Resamples: items 11 -> A wins with 1 (optimism .5);
    # 22 -> B wins with 1 (.5); 12 and 21 -> tie at .5 (0). Mean optimism .25.
    found = selection_corrected({"A": [1, 0], "B": [0, 1]}, resamples=40_000)
    assert found.optimism == pytest.approx(0.25, abs=0.005)
    assert found.chances["A"] == pytest.approx(0.5, abs=0.01)
    assert (found.winner, found.best) == ("A", 0.5)
    assert found.corrected == pytest.approx(0.25, abs=0.005)
    assert "share the highest mean" in found.note


def test_identical_candidates_add_no_optimism_beyond_chance():
    """Copies of one candidate split every win, and there is nothing to select."""
    values = [1, 0, 1, 1, 0, 1]
    found = selection_corrected({"A": values, "B": values, "C": values})
    assert found.chances == pytest.approx({"A": 1 / 3, "B": 1 / 3, "C": 1 / 3})
    assert found.optimism == pytest.approx(0, abs=0.01)


def test_order_of_items_and_seed():
    """The same seed repeats the figures exactly, whatever kind of generator."""
    scores = {"A": [1, 0, 1, 0, 1], "B": [0, 1, 1, 1, 0]}
    one, two = (selection_corrected(scores, rng=7) for _ in range(2))
    assert one == two
    assert one == selection_corrected(scores, rng=np.random.default_rng(7))
    assert one.optimism != selection_corrected(scores, rng=8).optimism


def test_lower_bound_is_bonferroni_over_the_candidates():
    """Three candidates at 95 %: the lower end of the winner's interval at 1 - 2 (.05) / 3."""
    scores = {"A": [1] * 14 + [0] * 6, "B": [1] * 10 + [0] * 10, "C": [0] * 20}
    found = selection_corrected(scores)
    assert found.lower == mean_interval(scores["A"], level=1 - 0.1 / 3).low


def test_held_out_is_shown_beside_the_correction():
    """The re-evaluation has its own interval, and the tax is the drop."""
    scores = {"A": [1] * 9 + [0], "B": [1] * 7 + [0] * 3}
    found = selection_corrected(scores, held_out=[1] * 12 + [0] * 8)
    assert found.held_out.estimate == 0.6
    assert found.held_out.interval is not None
    assert found.selection_tax == pytest.approx(0.3)
    assert found.to_dict()["held_out"]["n"] == 20


def test_degenerate_selections_say_why():
    """No candidates, no items, one item, one candidate."""
    assert selection_corrected({}).note == "no candidates"
    assert selection_corrected({"A": []}).note == "no items"
    one = selection_corrected({"A": [1], "B": [0]})
    assert (one.best, one.corrected) == (1, None)
    assert "one item" in one.note
    alone = selection_corrected({"A": [1, 0, 1]})
    assert (alone.optimism, alone.corrected) == (0, alone.best)
    assert "nothing was selected" in alone.note


def test_rejects_unequal_or_missing_items():
    """Candidates must share their items, all scored."""
    with pytest.raises(ArgumentError, match="different numbers of items"):
        selection_corrected({"A": [1, 0], "B": [1]})
    with pytest.raises(ArgumentError, match="'B' hold NaN"):
        selection_corrected({"A": [1, 0], "B": [1, float("nan")]})
    with pytest.raises(ArgumentError, match=r"between 0\.5 and 1"):
        selection_corrected({"A": [1, 0]}, level=0.4)
    with pytest.raises(ArgumentError, match="`resamples` is 0"):
        selection_corrected({"A": [1, 0]}, resamples=0)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "n"), [(5, 40), (10, 100), (20, 34)])
def test_bias_is_reduced_by_more_than_half(number, n):
    """2,000 selections among equal candidates: the bound holds, and most of the bias is gone."""
    naive, corrected, held = simulate([0.6] * number, n, 2000, seed=22)
    assert 0 < corrected < naive / 2
    assert held >= 0.935  # .95 less three standard errors


def clustered(groups, size, number, rate, icc, seed):
    """Equal candidates whose scores are alike within clusters."""
    rng = np.random.default_rng(seed)
    a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc
    labels = np.repeat(np.arange(groups), size)
    scores = {
        str(k): (rng.random(labels.size) < rng.beta(a, b, groups)[labels]).astype(float)
        for k in range(number)
    }
    return scores, labels.tolist()


def test_whole_clusters_are_resampled():
    """Two clusters of two items are two units: the optimism is that of two items."""
    one = selection_corrected({"A": [1, 0], "B": [0, 1]}, rng=5)
    two = selection_corrected({"A": [1, 1, 0, 0], "B": [0, 0, 1, 1]}, clusters="aabb", rng=5)
    assert two.optimism == one.optimism
    assert (two.n, two.clusters, one.clusters) == (4, 2, None)


def test_every_item_its_own_cluster_is_no_clusters():
    """Singletons resample as items do, and the bound stays within the clustered rule."""
    scores = {"A": [1] * 14 + [0] * 6, "B": [1] * 10 + [0] * 10}
    plain = selection_corrected(scores, rng=1)
    single = selection_corrected(scores, clusters=range(20), rng=1)
    assert (single.optimism, single.chances) == (plain.optimism, plain.chances)
    assert single.lower <= plain.lower + 0.02


def test_order_of_candidates_and_names_of_clusters_do_not_matter():
    """Shuffled candidates and renamed clusters give the same bound."""
    scores, labels = clustered(12, 4, 4, 0.6, 0.4, seed=2)
    one = selection_corrected(scores, clusters=labels, resamples=1)
    names = [f"cluster {label}" for label in labels]
    two = selection_corrected(dict(reversed(scores.items())), clusters=names, resamples=1)
    assert one.best == two.best
    assert one.lower == pytest.approx(two.lower, abs=1e-12)


def test_bound_of_a_winner_without_spread_counts_clusters():
    """Ten clusters all right are ten successes, however many items they hold."""
    scores = {"A": [1.0] * 80, "B": [1.0] * 80}
    labels = [i // 8 for i in range(80)]
    found = selection_corrected(scores, clusters=labels, level=0.95)
    assert found.lower < 0.025 ** (1 / 10)  # the exact bound of ten out of ten at .05 / 2
    assert selection_corrected(scores, level=0.95).lower > found.lower


def test_one_cluster_has_neither_correction_nor_bound():
    """What cannot be estimated is None with its reason."""
    found = selection_corrected({"A": [1, 0, 1], "B": [0, 0, 1]}, clusters="ccc")
    assert (found.optimism, found.corrected, found.lower, found.interval) == (None,) * 4
    assert "one cluster" in found.note
    assert found.winner == "A"


def test_held_out_items_have_their_own_clusters():
    """Their interval is the clustered one."""
    found = selection_corrected(
        {"A": [1, 0, 1], "B": [0, 1, 1]}, held_out=[1, 1, 0, 0], held_out_clusters="ccdd"
    )
    assert found.held_out.clusters == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"clusters": "ab"}, "`clusters` has length 2"),
        ({"clusters": ["a", None, "b"]}, r"`clusters\[1\]` is None"),
        ({"clusters": ["a", float("nan"), "b"]}, r"`clusters\[1\]` is nan"),
        ({"held_out_clusters": "ab"}, "without `held_out`"),
        ({"score_range": "01"}, "two finite numbers"),
        ({"rng": True}, "seed|rng"),
        ({"rng": -1}, "seed|rng"),
        ({"rng": "0"}, "seed|rng"),
        ({"score_range": (0, 0.5)}, "outside the declared range"),
    ],
)
def test_rejects_clusters_that_do_not_fit(settings, message):
    """Each message names the argument."""
    with pytest.raises(ArgumentError, match=message):
        selection_corrected({"A": [1, 0, 1], "B": [0, 1, 1]}, **settings)


def test_interval_is_wider_with_clusters_and_holds_in_small():
    """Eight candidates, 25 clusters of 8 at an ICC of .6: items miss often, clusters do not."""
    held = {"items": 0, "clusters": 0}
    for seed in range(60):
        scores, labels = clustered(25, 8, 8, 0.6, 0.6, seed)
        for name, own in (("items", None), ("clusters", labels)):
            found = selection_corrected(
                scores, clusters=own, level=0.975, score_range=(0, 1), resamples=1
            )
            held[name] += found.lower <= 0.6
    assert held["items"] < 50
    assert held["clusters"] >= 56  # P(Binomial(60, .975) < 56) = .02


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "size"), [(10, 4), (25, 8), (50, 4), (15, (1, 2, 5, 12))])
@pytest.mark.parametrize("number", [4, 20])
@pytest.mark.parametrize("rate", [0.6, 0.95])
@pytest.mark.parametrize("icc", [0.1, 0.4, 0.8])
def test_bound_is_at_least_nominal_in_clusters(groups, size, number, rate, icc):
    """400 selections a design: at least .975 beyond simulation error."""
    sizes = np.random.default_rng(3).choice(np.atleast_1d(size), groups)
    rng = np.random.default_rng(9)
    labels = np.repeat(np.arange(groups), sizes)
    a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc
    held = 0
    for _ in range(400):
        scores = {
            str(k): (rng.random(labels.size) < rng.beta(a, b, groups)[labels]).astype(float)
            for k in range(number)
        }
        found = selection_corrected(
            scores, clusters=labels.tolist(), level=0.975, score_range=(0, 1), resamples=1
        )
        held += found.lower <= rate
    assert held >= 382  # P(Binomial(400, .975) < 382) = .006
