"""Rows recomputed from their items, and figures selected on the set they report."""

import pandas as pd
import pytest

from evalkit.consistency import audit
from evalkit.errors import ArgumentError


def items(**systems):
    """Items of systems: (number right, number of items) each, items shared by name."""
    rows = [
        {"system": name, "item": f"i{i}", "score": int(i < right)}
        for name, (right, n) in systems.items()
        for i in range(n)
    ]
    return pd.DataFrame(rows)


def found(report, check="items"):
    """Results of one check by row."""
    return {c.row: c for c in report if c.check == check}


def test_figure_that_its_items_do_not_give():
    """Items with 51 of 500 right give 10.2, whatever the table prints; sound rows are ok."""
    frame = items(a=(51, 500), b=(372, 500))
    rows = [{"system": "a", "resolved": "52.8"}, {"system": "b", "resolved": "74.4"}]
    cells = found(audit(rows, items=frame))
    assert (cells["a"].verdict, cells["b"].verdict) == ("mismatch", "ok")
    assert cells["a"].expected.startswith("10.2 = 100*51/500")
    assert cells["a"].distance == pytest.approx(42.6)


def test_other_denominators_are_named():
    """A rate of another n of the data is flagged with that n."""
    frame = items(a=(50, 199), b=(60, 200), c=(70, 200))
    rows = [{"system": "a", "accuracy": "25.00"}, {"system": "b", "accuracy": "30.00"}]
    cell = found(audit(rows, items=frame))["a"]
    assert cell.verdict == "mismatch"
    assert "another denominator: 200" in cell.explanation


def test_stated_n_goes_first():
    """Where n is stated, missing items are failures, and a rate over the results is flagged."""
    frame = items(a=(24, 56), b=(40, 73), c=(30, 73))
    rows = [
        {"system": "a", "n": "73", "accuracy": "42.86"},
        {"system": "b", "n": "73", "accuracy": "54.79"},
    ]
    cells = found(audit(rows, items=frame))
    assert cells["b"].verdict == "ok"
    assert "56, the number of results of this system" in cells["a"].explanation
    filled = [{"system": "a", "n": "73", "accuracy": "32.88"}]
    assert found(audit(filled, items=frame))["a"].verdict == "ok"


def test_items_left_out_are_named():
    """A rate over far fewer items than the others have is flagged; one lost item is not."""
    frame = items(a=(24, 56), b=(40, 73), c=(30, 73), d=(36, 72))
    rows = [
        {"system": s, "accuracy": x}
        for s, x in (("a", "42.86"), ("b", "54.79"), ("c", "41.10"), ("d", "50.00"))
    ]
    cells = found(audit(rows, items=frame))
    assert [cells[s].verdict for s in "abcd"] == ["mismatch", "ok", "ok", "ok"]
    assert "16 items that most systems have are left out" in cells["a"].explanation


def test_truncation_is_named():
    """118 of 728 is 16.21; 16.20 is that figure cut."""
    cell = found(audit([{"system": "a", "accuracy": "16.20"}], items=items(a=(118, 728))))["a"]
    assert (cell.verdict, "truncation" in cell.explanation) == ("rounding", True)


def test_columns_of_items_and_table():
    """Columns are named where they cannot be guessed, and the figure where there are several."""
    frame = items(a=(5, 10)).rename(columns={"score": "fixed", "item": "task"})
    rows = [{"system": "a", "dev accuracy": "10.0", "test accuracy": "50.0"}]
    report = audit(rows, items=frame, item_columns={"score": "fixed", "item": "task"})
    assert found(report)["a"].column == "test accuracy"
    named = audit(
        rows, items=frame, item_columns={"score": "fixed", "item": "task"}, items_for="dev accuracy"
    )
    assert found(named)["a"].verdict == "mismatch"
    with pytest.raises(ArgumentError, match="items_for"):
        audit(rows, items=items(a=(5, 10)), items_for="zz")


def test_systems_without_items():
    """A row that no system matches cannot be checked."""
    report = audit([{"system": "q", "accuracy": "50.0"}], items=items(a=(5, 10)))
    assert {c.verdict for c in report if c.check == "items"} == {"uncheckable"}


CANDIDATES = [
    {"domain": d, "name": f"g{i}", "test": t, "valid": v}
    for d, scores in {
        "drop": (("70.7", "80.0"), ("79.4", "75.0"), ("60.0", "50.0")),
        "mgsm": (("53.4", "60.0"), ("40.0", "55.0")),
    }.items()
    for i, (t, v) in enumerate(scores)
]


def test_maximum_on_the_reported_set():
    """The greatest test score is flagged where validation selects another candidate."""
    rows = [{"domain": "drop", "score": "79.4"}, {"domain": "mgsm", "score": "53.4"}]
    cells = found(audit(rows, candidates=CANDIDATES), "selection")
    assert (cells["drop"].verdict, cells["mgsm"].verdict) == ("mismatch", "ok")
    assert cells["drop"].expected.startswith("70.7 = the score of 'g0'")
    assert "greatest of 3 candidates" in cells["drop"].explanation
    assert "also the greatest" in cells["mgsm"].explanation


def test_systems_may_be_columns():
    """Where systems are headings, only the cell that is the maximum is judged."""
    rows = [
        {"agent": "base", "DROP": "64.2", "MGSM": "28.0"},
        {"agent": "search", "DROP": "79.4", "MGSM": "53.4"},
    ]
    report = audit(rows, candidates=CANDIDATES)
    assert [(c.row, c.column) for c in report.findings] == [("search", "DROP")]


def test_without_selection_scores():
    """With no validation score the maximum is flagged; a selected figure is not."""
    plain = [{k: v for k, v in row.items() if k != "valid"} for row in CANDIDATES]
    rows = [{"domain": "drop", "score": "79.4"}]
    assert found(audit(rows, candidates=plain), "selection")["drop"].verdict == "mismatch"
    honest = [{"domain": "drop", "score": "70.7"}]
    assert found(audit(honest, candidates=CANDIDATES), "selection")["drop"].verdict == "ok"
    other = [{"domain": "drop", "score": "11.1"}]
    assert found(audit(other, candidates=CANDIDATES), "selection")["drop"].verdict == "uncheckable"


def test_candidate_columns_are_checked():
    """Missing and unknown columns of the candidates are refused."""
    rows = [{"domain": "drop", "score": "79.4"}]
    with pytest.raises(ArgumentError, match="no score column"):
        audit(rows, candidates=[{"domain": "drop", "name": "a", "q": "1"}])
    with pytest.raises(ArgumentError, match="'zz'"):
        audit(rows, candidates=CANDIDATES, candidate_columns={"score": "zz"})
