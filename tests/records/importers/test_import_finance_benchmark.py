"""FinanceBenchmark results: null assertions, skipped questions, recomputed scores."""

import pytest
from logs import save

from evalkit.errors import InputError
from evalkit.records.importers import load


def document(*results, **metadata):
    """One result file."""
    base = {"judge_deployment": "j", "inf_run_id": "run1", **metadata}
    return {"metadata": base, "summary": {"total": len(results)}, "results": list(results)}


def result(question, overall, **tags):
    """One question with its assertions by tag."""
    named = {t: {f"a{i}": s for i, s in enumerate(v)} for t, v in tags.items()}
    return {"question": question, "overall_score": overall, "assertion_scores": named}


def test_null_is_not_zero(tmp_path):
    """A null assertion leaves its tag's mean, and an unscored question is a judge error."""
    path = save(
        tmp_path / "eval_results_1.json",
        document(
            result("q1", 0.75, fact=[1, None, 0.5]),
            result("q2", None, fact=[None, None]),
            result("q3", 0.5, fact=[1, 0], form=[None]),
        ),
    )
    found = load(path)
    rows = found.tables["verdicts"]
    assert [row["score"] for row in rows] == [0.75, None, 0.5]
    assert [row["status"] for row in rows] == ["scored", "judge_error", "scored"]
    assert rows[2]["tag_form"] is None
    assert rows[0]["unscored_assertions"] == 1
    assert {row["system"] for row in rows} == {"run1"}


def test_skipped_questions_are_skipped(tmp_path):
    """A skipped question is not attempted, whatever score it holds."""
    skipped = {**result("q", 0.0, fact=[0]), "skipped": True}
    rows = load(save(tmp_path / "eval_results_1.json", document(skipped))).tables["verdicts"]
    assert (rows[0]["status"], rows[0]["score"]) == ("skipped", None)


def test_overall_scores_are_recomputed(tmp_path):
    """An overall score that counted null as 0 is named, and the mean of tags is used."""
    path = save(tmp_path / "eval_results_1.json", document(result("q", 0.5, fact=[1, None])))
    found = load(path)
    assert found.tables["verdicts"][0]["score"] == 1.0
    assert found.tables["verdicts"][0]["logged_score"] == 0.5
    assert any("0.5 against 1" in note for note in found.notes)


def test_folder_and_faults(tmp_path):
    """A folder gives all runs; a document without results is refused."""
    save(tmp_path / "r" / "eval_results_1.json", document(result("q", 1, t=[1])))
    save(tmp_path / "r" / "eval_results_2.json", document(result("q", 0, t=[0]), inf_run_id="run2"))
    rows = load(tmp_path / "r").tables["verdicts"]
    assert {row["system"] for row in rows} == {"run1", "run2"}
    with pytest.raises(InputError, match="results"):
        load(
            save(tmp_path / "x.json", {"metadata": {}, "assertion_scores": 1}), "finance-benchmark"
        )
