"""Prediction-powered means: limits, brute force, coverage, and what is undefined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.comparisons import prediction_powered_mean
from evalkit.errors import ArgumentError
from evalkit.intervals.clustered import augmented_cluster_t, cluster_pivot
from evalkit.intervals.independent import augmented_t
from evalkit.intervals.mean import mean_interval
from evalkit.tally import tally_values

SCORE = st.sampled_from([0.0, 0.25, 0.5, 1.0])
GOLD = st.lists(st.tuples(SCORE, SCORE), min_size=3, max_size=30)


def draw(rng, n, *, rate, sensitivity, specificity):
    """Draw truth and judge of n items."""
    truth = rng.random(n) < rate
    judge = np.where(truth, rng.random(n) < sensitivity, rng.random(n) >= specificity)
    return truth.astype(float), judge.astype(float)


@given(GOLD, st.lists(SCORE, min_size=2, max_size=30), st.floats(0, 1))
def test_matches_the_definition_at_any_weight(gold, judged, weight):
    """Estimate and standard error term by term; weight 1 is the original estimator."""
    judge, truth = np.array(gold).T
    found = prediction_powered_mean(judged, judge, truth, judge_weight=weight)
    assert found.estimate == pytest.approx(
        np.mean(truth) + weight * (np.mean(judged) - np.mean(judge)), abs=1e-12
    )
    residuals = truth - weight * judge
    if found.se is not None:
        expected = math.sqrt(
            np.var(residuals, ddof=1) / len(gold) + weight**2 * np.var(judged, ddof=1) / len(judged)
        )
        assert found.se == pytest.approx(expected)
    assert found.interval.width > 0
    assert found.rectifier == pytest.approx(np.mean(truth - judge), abs=1e-12)


@given(GOLD, st.integers(2, 200))
def test_tuned_weight_has_the_least_variance(gold, size):
    """No weight in 0..1 has a smaller variance, with the judge's variance taken on the gold."""
    judge, truth = np.array(gold).T
    found = prediction_powered_mean(np.resize(judge, size), judge, truth)
    n = len(gold)

    def variance(weight):
        return np.var(truth - weight * judge, ddof=1) / n + weight**2 * np.var(judge, ddof=1) / size

    assert 0 <= found.judge_weight <= 1
    assert all(variance(found.judge_weight) <= variance(w) + 1e-12 for w in np.linspace(0, 1, 101))


def test_perfect_judge_gives_the_mean_of_all_outcomes():
    """λ = N/(n+N), and the estimate is the mean of n + N outcomes."""
    gold, judged = np.array([1.0, 0, 1, 1, 0]), np.array([1.0, 1, 0, 1, 1, 1, 0, 1, 1, 1])
    found = prediction_powered_mean(judged, gold, gold)
    assert found.judge_weight == pytest.approx(10 / 15)
    assert found.estimate == pytest.approx(np.concatenate([gold, judged]).mean())
    assert (found.sensitivity.rate, found.specificity.rate) == (1, 1)
    assert found.rectifier == 0


def test_weight_zero_is_the_gold_only_mean():
    """Without the judge, estimate and interval are those of the gold subset."""
    truth = [1.0] * 15 + [0.0] * 5
    judge = [1.0, 0.0] * 10
    found = prediction_powered_mean([1.0] * 50, judge, truth, judge_weight=0)
    alone = augmented_t(tally_values(truth), low=0, high=1).interval(level=0.95, low=0, high=1)
    assert found.interval == alone
    assert found.estimate == found.gold_only.estimate == 0.75
    assert found.se == found.gold_only.se


def test_useless_judges_get_weight_zero():
    """A judge that contradicts the truth, or says one thing only, is left out with a note."""
    truth = [1.0, 0.0] * 10
    for judge in ([0.0, 1.0] * 10, [1.0] * 20):
        found = prediction_powered_mean([1.0] * 90 + [0.0] * 10, judge, truth)
        assert (found.judge_weight, found.estimate) == (0, 0.5)
        assert "does not help" in found.note


def test_sensitivity_and_specificity_have_wilson_intervals():
    """45 of 55 true items and 40 of 45 false ones are judged right."""
    judge = [1] * 45 + [0] * 10 + [1] * 5 + [0] * 40
    truth = [1] * 55 + [0] * 45
    found = prediction_powered_mean([1] * 600 + [0] * 400, judge, truth)
    assert (found.sensitivity.right, found.sensitivity.n) == (45, 55)
    assert (found.specificity.right, found.specificity.n) == (40, 45)
    assert found.sensitivity.interval == mean_interval([1] * 45 + [0] * 10)
    assert found.judge_mean == 0.6
    one_sided = prediction_powered_mean([1, 0], [1, 0, 1], [1, 1, 1])
    assert one_sided.specificity.rate is None
    assert "no gold item has the truth 0" in one_sided.specificity.note
    assert prediction_powered_mean([0.5, 1], [0.5, 1], [1, 0]).sensitivity is None


def test_clusters_of_gold_items_widen_the_interval():
    """The gold part takes the cluster-robust rules; singletons change nothing."""
    rng = np.random.default_rng(2)
    truth, judge = draw(rng, 40, rate=0.6, sensitivity=0.8, specificity=0.7)
    order = np.argsort(truth - 0.5 * judge)
    truth, judge = truth[order], judge[order]
    judged = draw(rng, 300, rate=0.6, sensitivity=0.8, specificity=0.7)[1]
    plain = prediction_powered_mean(judged, judge, truth, judge_weight=0.5)
    grouped = prediction_powered_mean(
        judged, judge, truth, judge_weight=0.5, clusters_gold=[i // 4 for i in range(40)]
    )
    single = prediction_powered_mean(
        judged, judge, truth, judge_weight=0.5, clusters_gold=range(40)
    )
    assert grouped.interval.width > plain.interval.width
    assert single.interval.low == pytest.approx(plain.interval.low)
    assert grouped.estimate == plain.estimate
    residuals = tally_values(truth - 0.5 * judge, clusters=[i // 4 for i in range(40)])
    pivot = cluster_pivot(residuals.clusters)
    assert grouped.se == pytest.approx(
        math.hypot(pivot.se, 0.5 * np.std(judged, ddof=1) / math.sqrt(300))
    )
    assert "augmented-cluster-t" in grouped.interval.method
    assert augmented_cluster_t(residuals, low=-0.5, high=1).se > pivot.se * 0.9


@pytest.mark.parametrize(
    ("n", "judge"),
    [(30, (0.9, 0.8)), (50, (0.99, 0.97)), (50, (0.5, 0.5)), (30, (1.0, 1.0))],
)
def test_coverage(n, judge):
    """Nominal 95 % holds for good, excellent, worthless and perfect judges."""
    rng = np.random.default_rng(6)
    hits = 0
    for _ in range(250):
        rates = {"rate": 0.7, "sensitivity": judge[0], "specificity": judge[1]}
        truth, seen = draw(rng, n, **rates)
        found = prediction_powered_mean(draw(rng, 400, **rates)[1], seen, truth)
        hits += 0.7 in found.interval
    assert hits >= 225  # P(Binomial(250, .95) < 225) = .0006


def test_good_judge_narrows_the_interval():
    """100 gold items and 1,000 judged ones with an accurate judge beat the gold alone."""
    rng = np.random.default_rng(7)
    rates = {"rate": 0.7, "sensitivity": 0.95, "specificity": 0.95}
    truth, seen = draw(rng, 100, **rates)
    found = prediction_powered_mean(draw(rng, 1000, **rates)[1], seen, truth)
    assert found.interval.width < 0.8 * found.gold_only.interval.width


def test_unbounded_scores_take_students_t():
    """Scores beyond 0..1 without a declared range: plain t, and constant judges move the centre."""
    truth, judge = [3.0, 5.0, 9.0, 4.0], [2.0, 5.0, 8.0, 5.0]
    found = prediction_powered_mean([5.0] * 6, judge, truth, judge_weight=1)
    residuals = np.array(truth) - judge
    assert found.estimate == pytest.approx(5 + residuals.mean())
    assert found.se == pytest.approx(residuals.std(ddof=1) / 2)
    assert "3 df" in found.interval.method


def test_undefined_parts_say_why():
    """No gold, one cluster, one judged item, no spread: None with a reason, never a guess."""
    none = prediction_powered_mean([1, 0, 1], [], [])
    assert (none.estimate, none.interval, none.judge_weight) == (None, None, None)
    assert "judge's bias is unknown" in none.note
    cluster = prediction_powered_mean([1, 0], [1, 0, 1], [1, 0, 0], clusters_gold="ccc")
    assert cluster.interval is None
    assert "one cluster" in cluster.note
    lone = prediction_powered_mean([7.0], [2.0, 5.0], [3.0, 5.0], judge_weight=1)
    assert (lone.interval, lone.se) == (None, None)
    assert "one judged item" in lone.note
    flat = prediction_powered_mean([7.0, 8.0], [2.0, 5.0], [2.0, 5.0], judge_weight=1)
    assert (flat.interval, flat.se) == (None, None)
    assert "no spread" in flat.note
    empty = prediction_powered_mean([], [1, 0, 1], [1, 1, 0])
    assert empty.estimate == pytest.approx(2 / 3)
    assert "adds nothing" in empty.note
    assert empty.to_dict()["judge_mean"] is None


def test_rejects_mismatched_or_missing_inputs():
    """Lengths, missing outcomes and settings are named."""
    with pytest.raises(ArgumentError, match="`judge_gold` has length 2 and `truth_gold` 1"):
        prediction_powered_mean([1], [1, 0], [1])
    with pytest.raises(ArgumentError, match="`clusters_gold` has length 1"):
        prediction_powered_mean([1], [1, 0], [1, 0], clusters_gold=["a"])
    with pytest.raises(ArgumentError, match="`judge_all` holds NaN"):
        prediction_powered_mean([float("nan")], [1], [1])
    with pytest.raises(ArgumentError, match="`judge_weight` is 2"):
        prediction_powered_mean([1], [1], [1], judge_weight=2)
    with pytest.raises(ArgumentError, match="`level` is 0"):
        prediction_powered_mean([1], [1], [1], level=0)
    with pytest.raises(ArgumentError, match="outside the declared range"):
        prediction_powered_mean([3.0], [1], [1], score_range=(0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("rate", [0.5, 0.9])
@pytest.mark.parametrize("judge", [(0.9, 0.8), (0.98, 0.9), (0.5, 0.5), (1.0, 1.0)])
def test_coverage_over_a_grid(n, rate, judge):
    """2,000 samples of each design: coverage is not below .93, and the bias is small."""
    rng = np.random.default_rng(20)
    rates = {"rate": rate, "sensitivity": judge[0], "specificity": judge[1]}
    hits, errors = 0, []
    for _ in range(2000):
        truth, seen = draw(rng, n, **rates)
        found = prediction_powered_mean(draw(rng, 500, **rates)[1], seen, truth)
        hits += rate in found.interval
        errors.append(found.estimate - rate)
    assert hits >= 0.93 * 2000
    assert abs(np.mean(errors)) < 0.5 / n
