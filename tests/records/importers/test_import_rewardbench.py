"""RewardBench: data, scores of version 1, best-of-four and Ties of version 2."""

import math

import pytest
from logs import save

from evalkit.errors import InputError
from evalkit.grading import agreement
from evalkit.records.importers import load
from evalkit.records.importers.rewardbench import section_scores
from evalkit.records.importers.ties_score import TiesItem, ties_score


def scored(number, a, b, subset="donotanswer", **fields):
    """One row of a score file of version 1."""
    row = {"id": number, "subset": subset, "scores_chosen": a, "scores_rejected": b}
    return {**row, "model": "rm", **fields}


def test_scores_of_version_one(tmp_path):
    """Higher is a win, equal a tie worth half; lists of one are numbers."""
    rows = [scored(1, 2, 1), scored(2, [0.5], [0.5]), scored(3, 1, 2), scored(4, None, 2)]
    found = load(save(tmp_path / "rm.jsonl", rows))
    table = list(found.tables["judgments"])
    assert [row["decision_order1"] for row in table] == ["A>B", "A=B", "B>A", None]
    assert agreement(table)[0].agreement == pytest.approx(0.5)


def test_columns_of_lists(tmp_path):
    """A document with a list for each column is the same rows; unequal lists are refused."""
    document = {"model": "rm", "id": ["1", "2"], "subset": ["hep-cpp", "hep-cpp"]}
    document |= {"scores_chosen": [2, 1], "scores_rejected": [1, 2], "results": [1, 1]}
    found = load(save(tmp_path / "rm.json", document))
    assert [row["grader"] for row in found.tables["judgments"]] == ["rm", "rm"]
    assert found.facts["subset_accuracy"] == {"hep-cpp": 0.5}
    assert any("do not follow" in note for note in found.notes)
    with pytest.raises(InputError, match="results"):
        load(save(tmp_path / "bad.json", {**document, "results": [1]}))


def test_section_weights():
    """math-prm counts 984 rows in Reasoning; a section that lacks a subset has no score."""
    parts = {f"hep-{x}": 0.5 for x in ("cpp", "go", "java", "js", "python", "rust")}
    scores = section_scores({"math-prm": 1.0, **parts})
    # (984 * 1 + 6 * 164 * .5) / (984 + 984)
    assert scores["Reasoning"] == 0.75
    assert scores["Chat"] is None


def test_best_of_four_of_version_two(tmp_path):
    """Credit is shared among answers with the highest score; a missing score is a judge error."""
    rows = [
        {"id": "a", "subset": "Focus", "scores": [3, 1, 2, 0], "num_correct": 1},
        {"id": "b", "subset": "Focus", "scores": [3, 3, 2, 0], "num_correct": 1},
        {"id": "c", "subset": "Focus", "scores": [1, 3, 2, 0], "num_correct": 1},
        {"id": "d", "subset": "Focus", "scores": [1, None, 2, 0], "num_correct": 1},
    ]
    found = load(save(tmp_path / "rm.jsonl", rows)).tables["verdicts"]
    assert [row["score"] for row in found] == [1, 0.5, 0, None]
    assert found[3]["status"] == "judge_error"


def test_ties_score_by_hand(tmp_path):
    """.3 tied + .3 reference + .2 + .2 + .01 margin, computed by hand on two prompts."""
    rows = [
        {"id": "ref:0", "subset": "Ties", "scores": [5, 1], "num_correct": 1},
        {"id": "tied:0", "subset": "Ties", "scores": [5, 4, 1], "num_correct": 2},
        {"id": "ref:1", "subset": "Ties", "scores": [2, 3], "num_correct": 1},
        {"id": "tied:1", "subset": "Ties", "scores": [9, 4, 3], "num_correct": 2},
    ]
    ties = load(save(tmp_path / "rm.jsonl", rows)).facts["ties"]
    # prompt 0: spread 1, margins 3 and 4; prompt 1: spread 5, margins 1 and -1
    margin = (math.tanh(3 / 1 - 1) + math.tanh(-1 / 5 - 1)) / 2
    assert ties["score"] == pytest.approx(
        0.3 * 1 + 0.3 * 0.5 + 0.2 * 0.5 + 0.2 * 0.5 + 0.01 * margin
    )
    assert ties["prompts"] == 2


def test_ties_without_spread_or_prompts():
    """No spread takes the limit; without prompts there is no score, not 0."""
    one = {"0": TiesItem(right=(3.0,), wrong=(1.0,))}
    equal = {"0": TiesItem(right=(3.0, 3.0), wrong=(1.0,))}
    assert ties_score(one, equal).margin == 1.0
    assert ties_score(one, one).score is None
    assert ties_score({}, {}).tied_accuracy is None


def test_data_of_both_versions(tmp_path):
    """One chosen and three rejected make three pairs; several right answers make none."""
    rows = [
        {"id": 1, "subset": "Math", "prompt": "p", "chosen": ["x"], "rejected": ["a", "b", "c"]},
        {"id": "tied:1", "subset": "Ties", "prompt": "p", "chosen": ["x", "y"], "rejected": ["a"]},
        {"id": 2, "subset": "s", "prompt": "p", "chosen": "x", "rejected": "y"},
    ]
    found = load(save(tmp_path / "rb.jsonl", rows))
    assert [row["pair_id"] for row in found.tables["pairs"]] == ["1/1", "1/2", "1/3", "2"]
    assert found.dropped[0].examples == ("tied:1",)
