"""Rows become runs, exactly and without guessing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.trajectories import replay, runs_from_rows


def test_rows_are_grouped_by_label_columns_and_sorted():
    """Known label columns tell runs apart, whatever the order of rows."""
    rows = [
        {"view": "F", "seed": 1, "round": 1, "score": 0.6},
        {"view": "N", "seed": 1, "round": 0, "score": 0.5},
        {"view": "F", "seed": 1, "round": 0, "score": 0.4},
        {"view": "N", "seed": 1, "round": 2, "score": None, "decision": "Flat"},
        {"view": "N", "seed": 1, "round": 1, "score": 0.7, "changed": False},
    ]
    fail, normal = runs_from_rows(rows)
    assert fail.labels == {"view": "F", "seed": "1"}
    assert (fail.baseline, fail.candidates[0].score) == (0.4, 0.6)
    assert [c.round for c in normal.candidates] == [1, 2]
    assert normal.candidates[0].changed is False
    assert normal.candidates[1].decision == "flat"


def test_text_numbers_are_read_exactly():
    """Cells of a CSV file become fractions, so 32/39 keeps its value."""
    rows = [
        {"round": "0", "score": "80.0", "changed": ""},
        {"round": "1", "score": "32/39", "changed": "no"},
        {"round": "2", "score": "", "changed": "TRUE", "decision": "no-op"},
    ]
    [run] = runs_from_rows(rows)
    assert run.baseline == Fraction(80)
    assert run.candidates[0].score == Fraction(32, 39)
    assert [c.changed for c in run.candidates] == [False, True]
    assert run.candidates[1].score is None


def test_numpy_cells_are_unboxed():
    """Rows of a frame hold numpy scalars and NaN, which mean what they say."""
    rows = [
        {"round": np.int64(0), "score": np.float64(0.5), "changed": float("nan")},
        {"round": np.int64(1), "score": np.int64(1), "changed": np.bool_(True)},
        {"round": 2.0, "score": float("nan"), "decision": "reject"},
    ]
    [run] = runs_from_rows(rows)
    assert [c.score for c in run.candidates] == [1, None]
    assert run.candidates[0].changed is True
    assert replay(run).new_bests == (1,)


def test_constant_text_columns_become_labels():
    """A text column that is constant in each run is kept, one that varies is not."""
    rows = [
        {"view": "N", "cohort": "main", "note": "a", "round": 0, "score": 0.5},
        {"view": "N", "cohort": "main", "note": "b", "round": 1, "score": 0.6},
    ]
    [run] = runs_from_rows(rows)
    assert run.labels == {"view": "N", "cohort": "main"}


def test_explicit_labels_are_the_only_labels():
    """Naming the label columns switches the guess off."""
    rows = [{"arm": 3, "view": "N", "round": 0, "score": 0.5}]
    [run] = runs_from_rows(rows, labels=["arm"])
    assert run.labels == {"arm": "3"}


def test_no_rows_make_no_runs():
    """An empty table has no runs."""
    assert runs_from_rows([]) == ()


def test_duplicate_round_is_refused():
    """A round that stands twice is named with its run."""
    rows = [{"view": "N", "round": 1, "score": 0.5}] * 2
    with pytest.raises(DuplicateRowError, match="view='N': round 1 stands in two rows"):
        runs_from_rows(rows)


def test_missing_baseline_is_refused():
    """Scores without a row for round 0 are refused, naming run and round."""
    with pytest.raises(InputError, match="view='N': round 1 has a score"):
        runs_from_rows([{"view": "N", "round": 1, "score": 0.5}])


def test_missing_column_is_refused():
    """A table without rounds says which columns it has."""
    with pytest.raises(MissingColumnError, match="'round' is missing; the columns are 'score'"):
        runs_from_rows([{"score": 1}])
    with pytest.raises(MissingColumnError, match="'arm' is missing"):
        runs_from_rows([{"round": 0, "score": 1}], labels=["arm"])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ({"round": -1}, "`round` is -1"),
        ({"round": 1.5}, r"`round` is 1\.5"),
        ({"score": "high"}, "score of round 1 is 'high'"),
        ({"score": float("inf")}, "score of round 1 is inf"),
        ({"score": True}, "score of round 1"),
        ({"changed": "maybe"}, "`changed` of round 1 is 'maybe'"),
        ({"decision": "kept"}, "decision of round 1 is 'kept'"),
    ],
)
def test_unreadable_cells_are_refused(cell, message):
    """A cell that cannot be read is named."""
    with pytest.raises(ValueError, match=message):
        runs_from_rows([{"round": 0, "score": 0.5}, {"round": 1, "score": 0.5, **cell}])


def test_empty_label_and_data_label_are_refused():
    """A label is neither empty nor a data column."""
    with pytest.raises(InputError, match="line 1: label column 'view' is empty"):
        runs_from_rows([{"view": None, "round": 0, "score": 0.5}])
    with pytest.raises(ArgumentError, match="data and not a label"):
        runs_from_rows([{"round": 0, "score": 0.5}], labels=["round"])
