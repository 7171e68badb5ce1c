"""SWE-bench: reports, submissions, flags by instance, clusters by repository."""

import pytest
from logs import save

from evalkit.records.importers import detect, load
from evalkit.records.importers.swebench import repository

A, B, C, D, E = (f"astropy__astropy-{i}" for i in range(1, 6))


def outcomes(found):
    """Item -> (score, status)."""
    return {row["item"]: (row["score"], row["status"]) for row in found.tables["verdicts"]}


def test_report_of_the_harness(tmp_path):
    """Errors are infrastructure, incomplete ones missing, empty patches failures."""
    report = {
        "total_instances": 7,
        "submitted_ids": [A, B, C, D],
        "completed_ids": [A, B],
        "resolved_ids": [A],
        "unresolved_ids": [B],
        "empty_patch_ids": [C],
        "error_ids": [D],
        "incomplete_ids": [E],
    }
    found = load(save(tmp_path / "model.run1.json", report))
    assert found.format == "swebench"
    assert outcomes(found) == {
        A: (1.0, "scored"),
        B: (0.0, "scored"),
        C: (0.0, "scored"),
        D: (None, "infra"),
        E: (None, "missing"),
    }
    assert {row["repo"] for row in found.tables["verdicts"]} == {"astropy__astropy"}
    assert any("2 of 7" in note for note in found.notes)
    assert found.tables["verdicts"][0]["system"] == "model.run1"


def test_submission_folder(tmp_path):
    """A generated patch that resolved nothing failed; timeouts and lost logs are kept apart."""
    results = {
        "generated": [A, B, C, D],
        "no_generation": [E],
        "resolved": [A],
        "test_timeout": [C],
        "no_logs": [D],
    }
    save(tmp_path / "20250101_model" / "results" / "results.json", results)
    found = load(tmp_path / "20250101_model")
    assert outcomes(found) == {
        A: (1.0, "scored"),
        B: (0.0, "scored"),
        C: (None, "timeout"),
        D: (None, "infra"),
        E: (None, "missing"),
    }
    assert found.tables["verdicts"][0]["system"] == "20250101_model"


def test_resolved_list_alone_has_no_rate(tmp_path):
    """A list of resolved instances says nothing of the others, and a note says so."""
    found = load(save(tmp_path / "r.json", {"resolved": [A], "no_generation": []}))
    assert outcomes(found) == {A: (1.0, "scored")}
    assert any("no rate" in note for note in found.notes)


def test_flags_and_details_by_instance(tmp_path):
    """Booleans by instance, and details with cost; null is missing."""
    flags = load(save(tmp_path / "eval_results.json", {A: True, B: False, C: None}))
    assert outcomes(flags) == {A: (1.0, "scored"), B: (0.0, "scored"), C: (None, "missing")}
    details = {A: {"resolved": True, "cost": 0.5, "api_calls": 3}, B: {"resolved": False}}
    found = load(save(tmp_path / "details.json", details)).tables["verdicts"]
    assert (found[0]["cost"], found[0]["api_calls"]) == (0.5, 3.0)
    assert found[1]["score"] == 0.0


@pytest.mark.parametrize(
    ("item", "repo"),
    [
        ("astropy__astropy-12907", "astropy__astropy"),
        ("scikit-learn__scikit-learn-10297", "scikit-learn__scikit-learn"),
        ("pytest-dev__pytest-5103", "pytest-dev__pytest"),
        ("instance_NodeBB__NodeBB-04998908ba6721d64eba79ae3b65a351dcfbc5b5-vnan", "NodeBB__NodeBB"),
        ("no-repo", None),
    ],
)
def test_repository(item, repo):
    """The repository is the part before the number or the commit."""
    assert repository(item) == repo


def test_other_documents_are_not_taken(tmp_path):
    """Flags under keys that are no instance ids are not SWE-bench."""
    found = detect(save(tmp_path / "x.json", {"ok": True}))
    assert found is None or found.name != "swebench"
