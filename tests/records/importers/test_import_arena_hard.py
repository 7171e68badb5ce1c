"""Arena-Hard judgments: two games, strong verdicts, games without a score."""

import pytest
from logs import save

from evalkit.errors import InputError
from evalkit.grading import agreement
from evalkit.records.importers import load


def row(uid, *scores, **fields):
    """One judgment with its games."""
    games = [{"score": s, "judgment": "...", "prompt": []} for s in scores]
    base = {"uid": uid, "category": "hard", "judge": "j", "model": "new", "baseline": "old"}
    return {**base, "games": games, **fields}


def test_baseline_is_a_and_game_two_is_displayed(tmp_path):
    """The model that wins both games is preferred in both orders after the flip."""
    rows = [row("u1", "B>A", "A>B"), row("u2", "A>>B", "B>A"), row("u3", "A=B", "A=B")]
    found = load(save(tmp_path / "new.jsonl", rows))
    table = [{**each, "label": "B"} for each in found.tables["judgments"]]
    assert (table[0]["model_a"], table[0]["model_b"]) == ("old", "new")
    assert agreement(table)[0].agreement == pytest.approx(0.5)
    assert any("three times" in note for note in found.notes)


def test_games_without_a_score_are_not_ties(tmp_path):
    """A null score is a judge error, an absent game is missing."""
    found = load(save(tmp_path / "new.jsonl", [row("u1", None)]))
    table = found.tables["judgments"][0]
    assert (table["status_order1"], table["status_order2"]) == ("judge_error", "missing")
    assert table["decision_order1"] is None


def test_first_version_and_folders(tmp_path):
    """The older form names question_id and no baseline; a folder holds one file a model."""
    old = {"question_id": 7, "model": "m", "judge": "j", "games": [{"score": "[[A>B]]"}]}
    save(tmp_path / "judge" / "m.jsonl", [old])
    save(tmp_path / "judge" / "n.jsonl", [row("u", "A>B", "A>B")])
    found = load(tmp_path / "judge")
    first = found.tables["judgments"][0]
    assert (first["pair_id"], first["decision_order1"], first["model_a"]) == (
        "7",
        "A>B",
        "baseline",
    )
    assert len(found.tables["judgments"]) == 2


def test_unknown_scores_are_refused(tmp_path):
    """A score that is no verdict is an error that names the item."""
    with pytest.raises(InputError, match="'u1'"):
        load(save(tmp_path / "new.jsonl", [row("u1", "7", "A>B")]))
