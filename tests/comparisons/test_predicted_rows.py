"""Prediction-powered means from rows: who is labelled, who is judged only, who is left out."""

import numpy as np
import pandas as pd
import pytest

from evalkit.comparisons import prediction_powered_mean
from evalkit.comparisons.predicted_rows import beside_labels, estimate_predicted
from evalkit.errors import ArgumentError, EvalkitError, InputError, MissingColumnError
from evalkit.records import read

RNG = np.random.default_rng(12)
TRUTH = (RNG.random(90) < 0.7).astype(float)
JUDGE = np.where(RNG.random(90) < 0.85, TRUTH, 1 - TRUTH)
LABELLED = np.arange(90) < 30


def rows(**extra):
    """Thirty labelled items of ninety; passages of three."""
    return pd.DataFrame(
        {
            "system": "S",
            "item": [f"q{i}" for i in range(90)],
            "score": np.where(LABELLED, TRUTH, np.nan),
            "predicted": JUDGE,
            "passage": [f"p{i // 3}" for i in range(90)],
            **extra,
        }
    )


def test_rows_give_what_the_arrays_give():
    """Any order of rows: the mean of the arrays, with its group."""
    shuffled = rows().sample(frac=1, random_state=2)
    found = estimate_predicted(shuffled, predicted="predicted")[0]
    expected = prediction_powered_mean(JUDGE[30:], JUDGE[:30], TRUTH[:30])
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-12)
    assert found.interval.low == pytest.approx(expected.interval.low, abs=1e-9)
    assert (found.by, found.n_gold, found.n_judged) == ({"system": "S"}, 30, 60)


def test_groups_are_estimated_apart():
    """One result for each group, sorted."""
    frame = rows(kind=["b", "a"] * 45)
    found = estimate_predicted(frame, predicted="predicted", by=["kind"])
    assert [r.by["kind"] for r in found] == ["a", "b"]
    assert sum(r.n_gold for r in found) == 30


def test_clusters_widen_both_parts():
    """Passages of alike items: a wider interval, and the note says what is still ignored."""
    groups = np.repeat((np.random.default_rng(3).random(30) < 0.6).astype(float), 3)
    frame = rows(score=np.where(np.arange(90) % 9 < 3, groups, np.nan), predicted=groups)
    plain = estimate_predicted(frame, predicted="predicted")[0]
    whole = estimate_predicted(frame, predicted="predicted", cluster="passage")[0]
    assert whole.interval.width > plain.interval.width
    assert whole.se > plain.se
    assert "sensitivity and specificity ignore clusters" in whole.note


@pytest.mark.parametrize("name", ["judge", "Grader", "metric", "prediction", "run"])
def test_the_name_of_the_column_does_not_matter(name):
    """A judge's column that reads like a verifier, or an attempt, is neither."""
    frame = rows().rename(columns={"predicted": name})
    found = estimate_predicted(frame, predicted=name)
    assert len(found) == 1
    assert found[0].n_judged == 60


def test_failed_rows_are_not_rows_without_a_label():
    """Timeouts, and rows that the judge did not score, are left out and counted."""
    frame = rows(status=["timeout"] * 2 + ["scored"] * 28 + ["missing"] * 60)
    frame.loc[10:12, "predicted"] = np.nan
    frame.loc[50, "predicted"] = np.inf
    found = estimate_predicted(frame, predicted="predicted")[0]
    assert (found.n_gold, found.n_judged) == (25, 59)
    assert "2 timeout" in found.note
    assert "3 no score in 'predicted'" in found.note
    assert "1 a score that is not finite" in found.note


def test_scores_outside_the_declared_range_are_left_out():
    """They are never clamped."""
    frame = rows()
    frame.loc[80, "predicted"] = 90.0
    found = estimate_predicted(frame, predicted="predicted", score_range=(0, 1))[0]
    assert found.n_judged == 59
    assert "outside the range" in found.note


def test_repeated_items_enter_once():
    """Attempts of an item are one outcome; its rows without a label are not used."""
    twice = pd.concat([rows().assign(attempt=1), rows(score=np.nan).assign(attempt=2)])
    found = estimate_predicted(twice, predicted="predicted")[0]
    assert (found.n_gold, found.n_judged) == (30, 60)
    assert "30 items have labels on some rows" in found.note


def test_without_labels_or_rows():
    """Nothing labelled is undefined with the reason; no rows give no result."""
    none = estimate_predicted(rows(score=np.nan), predicted="predicted")[0]
    assert (none.estimate, none.interval) == (None, None)
    assert "no gold items" in none.note
    everything = estimate_predicted(rows(score=TRUTH), predicted="predicted")[0]
    assert everything.judge_weight == 0
    assert everything.estimate == pytest.approx(TRUTH.mean())


def test_words_are_read_as_scores():
    """Pass and fail in the judge's column are 1 and 0, as they are in the label's."""
    words = np.where(JUDGE == 1, "pass", "fail")
    found = estimate_predicted(rows(predicted=words), predicted="predicted")[0]
    assert found.n_judged == 60
    assert found.judge_mean == pytest.approx(JUDGE[30:].mean())


def test_wrong_columns_are_refused():
    """The label itself, a column that is not there, a reply in prose, an item in two clusters."""
    with pytest.raises(ArgumentError, match="beside the label"):
        estimate_predicted(rows(), predicted="score")
    with pytest.raises(MissingColumnError, match="'other'"):
        estimate_predicted(rows(), predicted="other")
    with pytest.raises(InputError, match=r"item 'q0'.*column 'predicted'"):
        estimate_predicted(rows(predicted="quite good"), predicted="predicted")
    twice = pd.concat([rows().assign(attempt=1), rows(passage="z").assign(attempt=2)])
    with pytest.raises(EvalkitError, match="an item belongs to one"):
        estimate_predicted(twice, predicted="predicted", cluster="passage")
    frame = rows().drop(columns="score").rename(columns={"predicted": "correct"})
    with pytest.raises(ArgumentError, match="read as the label"):
        estimate_predicted(read(frame), predicted="correct")


def test_declared_columns_are_kept():
    """A column that was given a role keeps it."""
    assert beside_labels("reward", {"score": "human"}) == {"score": "human"}
    assert beside_labels("judge", {"verifier": "judge"}) == {"verifier": "judge"}
    assert beside_labels("model", None) == {"system": ""}
