"""SpreadsheetBench results: failures of the code, of the machine, and missing ones."""

from logs import save

from evalkit.records.importers import load


def row(number, result, **fields):
    """One result."""
    return {"id": number, "instruction_type": "Cell-Level", "result": result, **fields}


def test_results_keep_failures_and_errors_apart(tmp_path):
    """0 is a failure; null with a message is a timeout or an error; null alone is missing."""
    rows = [
        row("007", 1, success=True),
        row(7, 0, success=False, error_msg="NameError"),
        row("t", None, error_msg="timed out after 60 s"),
        row("e", None, error_msg="container lost"),
        row("m", None),
        row("x", 3),
    ]
    found = load(save(tmp_path / "run.jsonl", rows))
    table = found.tables["verdicts"]
    assert found.format == "spreadsheetbench"
    assert [r["item"] for r in table[:2]] == ["007", "7"]
    statuses = ["scored", "scored", "timeout", "infra", "missing", "invalid"]
    assert [r["status"] for r in table] == statuses
    assert any("success false" in note for note in found.notes)


def test_test_cases(tmp_path):
    """Without a result, the item passes if every test case does; the share is kept."""
    rows = [
        {"id": 1, "instruction_type": "s", "test_case_results": [1, 1, 0]},
        {"id": 2, "instruction_type": "s", "test_case_results": [1, 1]},
    ]
    table = load(save(tmp_path / "run.json", rows)).tables["verdicts"]
    assert [(r["score"], r["soft"]) for r in table] == [(0.0, 2 / 3), (1.0, 1.0)]


def test_rows_without_id_are_dropped(tmp_path):
    """A row that names no item is counted as dropped."""
    found = load(save(tmp_path / "run.jsonl", [row(None, 1), row("a", 1)]))
    assert (len(found.tables["verdicts"]), found.dropped[0].count) == (1, 1)
