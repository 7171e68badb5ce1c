"""Error bars that hold "N/A" or an empty list are missing, and the import goes on."""

import json

import pytest

from evalkit import read
from evalkit.records.importers import load


@pytest.mark.parametrize("bar", ["N/A", [], None, "nan", "", "n/a"])
def test_error_bar_that_is_none(tmp_path, bar):
    """All metrics import; the bar is missing and not 0."""
    results = {
        "t1": {"alias": "t1", "acc,none": 0.5, "acc_stderr,none": 0.02},
        "t2": {"alias": "t2", "em,none": 0.25, "em_stderr,none": bar},
    }
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": results}))
    found = load(path)
    rows = found.tables["verdicts"]
    assert [row["score"] for row in rows] == [0.5, 0.25]
    assert [row["stderr"] for row in rows] == [0.02, None]


def test_scores_that_are_none_are_missing(tmp_path):
    """The same words in a score column are missing scores."""
    path = tmp_path / "a.jsonl"
    cells = ['"N/A"', "[]", "null", "1"]
    path.write_text("".join(f'{{"id": "{i}", "score": {c}}}\n' for i, c in enumerate(cells)))
    assert read(path).frame["status"].tolist() == ["missing"] * 3 + ["scored"]


def test_columns_that_come_and_go(tmp_path):
    """Rows that lack a column, or bring a new one, load with the cell missing."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "score": 1}\n{"id": "b", "score": 0, "topic": "x"}\n')
    assert read(path).frame["topic"].tolist() == [None, "x"]
