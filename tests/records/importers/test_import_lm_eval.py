"""lm-eval: one row a document and filter, hashes, error bars that are no numbers."""

import pytest
from logs import save

from evalkit import estimate, read
from evalkit.errors import InputError
from evalkit.records.importers import frame, load


def sample(number, rule, value, **fields):
    """One row of a sample log."""
    base = {"doc_id": number, "doc": {"q": number}, "filter": rule, "exact_match": value}
    return {**base, "doc_hash": f"h{number}", "metrics": ["exact_match"], **fields}


def test_filters_are_verifiers_and_not_items(tmp_path):
    """Four documents under two filters are two estimates of n = 4."""
    strict, flexible = [1, 0, 0, 1], [1, 1, 0, 1]
    rows = [sample(i, "strict-match", v) for i, v in enumerate(strict)]
    rows += [sample(i, "flexible-extract", v) for i, v in enumerate(flexible)]
    path = save(tmp_path / "m" / "samples_gsm8k_2025-01-01T00-00-00.000000.jsonl", rows)
    found = load(path)
    records = read(frame(found.tables["verdicts"]))
    results = {each.by["verifier"]: each for each in estimate(records, by=["verifier"])}
    assert results["exact_match,strict-match"].estimate == 0.5
    assert results["exact_match,flexible-extract"].estimate == 0.75
    assert {each.n for each in results.values()} == {4}
    assert found.tables["verdicts"][0]["item"] == "gsm8k/h0"
    assert found.tables["verdicts"][0]["system"] == "m"


def test_items_are_named_by_hash(tmp_path):
    """A document keeps its name under another number; equal documents get numbers."""
    one = load(save(tmp_path / "a" / "samples_t.jsonl", [sample(0, "none", 1)]))
    two = load(save(tmp_path / "b" / "samples_t.jsonl", [sample(9, "none", 0, doc_hash="h0")]))
    assert one.tables["verdicts"][0]["item"] == two.tables["verdicts"][0]["item"]
    twins = [sample(i, "none", 1, doc_hash="h") for i in (0, 1)]
    rows = load(save(tmp_path / "c" / "samples_t.jsonl", twins)).tables["verdicts"]
    assert [row["item"] for row in rows] == ["t/h", "t/h#2"]


def test_rows_without_hash(tmp_path):
    """The number is the name then, and a note warns."""
    rows = [{"doc_id": i, "filter": "none", "acc": 1, "doc": {}} for i in range(2)]
    found = load(save(tmp_path / "samples_t.jsonl", rows))
    assert [row["item"] for row in found.tables["verdicts"]] == ["t/0", "t/1"]
    assert any("doc_hash" in note for note in found.notes)


def test_metrics_that_are_no_numbers_are_left_out(tmp_path):
    """A metric that holds a list is not a score; NaN and null are missing."""
    rows = [
        sample(0, "none", 1, bleu=["a", "b"], metrics=["exact_match", "bleu"]),
        sample(1, "none", None, bleu=["a", "b"], metrics=["exact_match", "bleu"]),
    ]
    found = load(save(tmp_path / "samples_t.jsonl", rows))
    assert [row["status"] for row in found.tables["verdicts"]] == ["scored", "missing"]
    assert any("bleu" in note for note in found.notes)


def test_error_bars_that_are_no_numbers(tmp_path):
    """Three metrics import; "N/A" and [] are missing error bars, never 0."""
    results = {
        "t1": {"alias": "t1", "acc,none": 0.5, "acc_stderr,none": 0.02},
        "t2": {"alias": "t2", "em,none": 0.25, "em_stderr,none": "N/A"},
        "t3": {"alias": "t3", "f1,none": 0.75, "f1_stderr,none": []},
        "t4": {"f1,none": 0.1, "f1_stderr,none": None},
        "t5": {"f1,none": "N/A"},
    }
    path = save(tmp_path / "results_x.json", {"results": results, "model_name": "m"})
    found = load(path)
    rows = found.tables["verdicts"]
    assert [row["score"] for row in rows] == [0.5, 0.25, 0.75, 0.1, None]
    assert [row["stderr"] for row in rows] == [0.02, None, None, None, None]
    assert any("not 0" in note for note in found.notes)
    assert found.facts["reported"][0]["stderr"] == 0.02


def test_folder_of_a_model(tmp_path):
    """Samples give the rows, and the result file beside them the name of the model."""
    save(tmp_path / "org__m" / "samples_t_2025-01-01T00-00-00.1.jsonl", [sample(0, "none", 1)])
    document = {"results": {"t": {"exact_match,none": 1.0}}, "model_name": "org/m"}
    save(tmp_path / "org__m" / "results_2025.json", document)
    found = load(tmp_path / "org__m")
    assert found.tables["verdicts"][0]["system"] == "org/m"
    assert found.facts["reported"][0]["value"] == 1.0


def test_bad_documents_are_refused(tmp_path):
    """A row without a document number is an error that names the line."""
    path = save(tmp_path / "samples_t.jsonl", [sample(0, "none", 1), sample(None, "none", 1)])
    with pytest.raises(InputError, match="line 2"):
        load(path)
