"""LLMBar files: datasets, winners in both orders, ratings."""

import pytest
from logs import save

from evalkit.errors import InputError
from evalkit.grading import agreement
from evalkit.records.importers import load

ITEM = {"input": "i", "output_1": "x", "output_2": "y", "label": 1}
FOLDER = "Dataset/LLMBar/Natural"


def result(one, two, **fields):
    """One item with the winners of both orders, by original number."""
    last = {"swap = False": {"winner": one}, "swap = True": {"winner": two}, **fields}
    return {**ITEM, "results": [["step", "stop"], last]}


def test_dataset_is_pairs(tmp_path):
    """Items get their position as id, under the subset that the folders name."""
    found = load(save(tmp_path / FOLDER / "dataset.json", [ITEM, {**ITEM, "label": 2}]))
    rows = found.tables["pairs"]
    assert [row["pair_id"] for row in rows] == ["LLMBar/Natural/0", "LLMBar/Natural/1"]
    assert [row["label"] for row in rows] == ["A>B", "B>A"]


def test_winners_of_both_orders(tmp_path):
    """The swapped winner is put back as displayed, so that agreement flips it once."""
    rows = [result("1", "1"), result("1", "2"), result("2", "2"), result(None, "1")]
    path = save(tmp_path / FOLDER / "evaluators/GPT-4/CoT/result.json", rows)
    found = load(path)
    table = found.tables["judgments"]
    assert [row["decision_order2"] for row in table] == ["B>A", "A>B", "A>B", "B>A"]
    assert table[3]["decision_order1"] is None
    assert {row["grader"] for row in table} == {"GPT-4/CoT"}
    assert agreement(list(table[:3]))[0].agreement == pytest.approx(0.5)
    assert any("judge_error" in note for note in found.notes)


def test_ratings_that_hide_ties_and_failures(tmp_path):
    """Equal ratings are ties and unreadable ones missing, whatever winners are recorded."""
    rows = [
        result("2", "1", score_1=["4", "stop"], score_2=["4", "stop"]),
        result("1", "2", score_1=["good", "stop"], score_2=["4", "stop"]),
        result("1", "1", score_1=["5", "stop"], score_2=["4", "stop"]),
    ]
    found = load(save(tmp_path / FOLDER / "evaluators/GPT-4/Rating/result.json", rows))
    decisions = [(r["decision_order1"], r["decision_order2"]) for r in found.tables["judgments"]]
    assert decisions == [("A=B", "A=B"), (None, None), ("A>B", "B>A")]
    assert sum("ratings" in note for note in found.notes) == 2


def test_folder_of_evaluators(tmp_path):
    """A folder gives every evaluator's rows, told apart by their folders."""
    for name in ("GPT-4/CoT", "PaLM2/CoT"):
        save(tmp_path / FOLDER / "evaluators" / name / "result.json", [result("1", "1")])
    found = load(tmp_path / "Dataset")
    assert [row["grader"] for row in found.tables["judgments"]] == ["GPT-4/CoT", "PaLM2/CoT"]


def test_wrong_label_is_refused(tmp_path):
    """A label other than 1 and 2 is an error that names the item."""
    path = save(tmp_path / "set" / "dataset.json", [{**ITEM, "label": 3}])
    with pytest.raises(InputError, match="set/0"):
        load(path)
