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
