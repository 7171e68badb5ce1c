"""AlpacaEval annotations: weighted and discrete preferences, draws, missing verdicts."""

import pytest
from logs import save

from evalkit import estimate, read
from evalkit.grading import rank
from evalkit.records.importers import frame, load


def row(instruction, preference, system="new"):
    """One annotation."""
    return {
        "dataset": "d",
        "instruction": instruction,
        "output_1": "x",
        "generator_1": "old",
        "output_2": "y",
        "generator_2": system,
        "annotator": "judge",
        "preference": preference,
    }


def test_preferences_become_credit(tmp_path):
    """1 is the baseline, 2 the system, 0 and 1.5 draws, a float its excess over 1."""
    rows = [row("a", 1), row("b", 2), row("c", 1.5), row("d", 0), row("e", 1.75)]
    found = load(save(tmp_path / "annotations.json", rows))
    assert [each["score"] for each in found.tables["verdicts"]] == [0, 1, 0.5, 0.5, 0.75]
    words = [each["winner"] for each in found.tables["judgments"]]
    assert words == ["model_a", "model_b", "tie", "tie", "model_b"]


def test_missing_preferences_are_judge_errors(tmp_path):
    """A null and a NaN are never 0 and never a draw, and 3 is invalid."""
    start = '{"generator_1": "o", "generator_2": "n", "instruction": '
    values = ("null", "NaN", "3", "2")
    rows = ",".join(f'{start}"{v}", "preference": {v}}}' for v in values)
    text = f"[{rows}]"
    found = load(save(tmp_path / "annotations.json", text))
    statuses = [each["status"] for each in found.tables["verdicts"]]
    assert statuses == ["judge_error", "judge_error", "invalid", "scored"]
    result = estimate(read(frame(found.tables["verdicts"])))[0]
    assert (result.estimate, result.n) == (1.0, 1)


def test_items_pair_across_files(tmp_path):
    """Items are named by content, so two systems in other orders pair; repeats are numbered."""
    save(tmp_path / "a" / "annotations.json", [row("p", 1), row("q", 2), row("p", 2)])
    save(tmp_path / "b" / "annotations.json", [row("q", 2, "two"), row("p", 1, "two")])
    found = load(tmp_path)
    items = {}
    for each in found.tables["verdicts"]:
        items.setdefault(each["system"], []).append(each["item"])
    assert set(items["two"]) < set(items["new"])
    assert items["new"][2] == items["new"][0] + "#2"
    ranks = rank(list(found.tables["judgments"]))
    assert {each.system for each in ranks} == {"old", "new", "two"}


def test_scores_are_exact(tmp_path):
    """The mean credit is the published win rate over 100."""
    rows = [row(str(i), p) for i, p in enumerate([1.2, 1.9, 1.4])]
    found = load(save(tmp_path / "annotations.json", rows))
    scores = [each["score"] for each in found.tables["verdicts"]]
    assert sum(scores) / 3 == pytest.approx(0.5)
