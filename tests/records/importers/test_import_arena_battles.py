"""Arena votes and MT-Bench judgments."""

import pytest
from logs import save

from evalkit.errors import InputError
from evalkit.grading import agreement, rank
from evalkit.records.importers import load


def vote(number, winner, **fields):
    """One arena vote."""
    return {"question_id": number, "model_a": "x", "model_b": "y", "winner": winner, **fields}


def test_votes(tmp_path):
    """Votes are ranked; both-bad votes and errors are named and never silent ties."""
    words = ["model_a", "model_b", "tie", "tie (bothbad)", None, "model_a"]
    found = load(save(tmp_path / "v.jsonl", [vote(f"q{i}", w) for i, w in enumerate(words)]))
    assert found.format == "arena-battles"
    assert [row["winner"] for row in found.tables["judgments"]] == words
    assert any("bothbad" in note for note in found.notes)
    ranks = rank(list(found.tables["judgments"]))
    assert {each.system for each in ranks} == {"x", "y"}


def test_repeated_questions_are_numbered(tmp_path):
    """One judge's battles under one question stay apart, and the question can cluster."""
    rows = [vote(1, "tie", judge="h"), vote(1, "model_a", judge="h"), vote(1, "tie", judge="g")]
    table = load(save(tmp_path / "v.jsonl", rows)).tables["judgments"]
    assert [row["pair_id"] for row in table] == ["1", "1#2", "1"]
    assert {row["question"] for row in table} == {"1"}


def test_votes_that_name_one_model_are_dropped(tmp_path):
    """A model against itself is no battle."""
    found = load(save(tmp_path / "v.jsonl", [vote(1, "tie", model_b="x"), vote(2, "tie")]))
    assert (len(found.tables["judgments"]), found.dropped[0].count) == (1, 1)


def pairwise(number, one, two, **fields):
    """One pairwise judgment of MT-Bench."""
    row = {"question_id": number, "model_1": "x", "model_2": "y", "judge": ["gpt-4", "pair-v2"]}
    return {**row, "g1_winner": one, "g2_winner": two, "turn": 1, **fields}


def test_both_games_of_mt_bench(tmp_path):
    """Winners are by name in both games; a contradiction is a tie, an error is missing."""
    rows = [
        pairwise(1, "model_1", "model_1"),
        pairwise(2, "model_1", "model_2"),
        pairwise(3, "error", "model_2"),
        pairwise(4, "tie", "tie"),
    ]
    table = load(save(tmp_path / "p.jsonl", rows)).tables["judgments"]
    assert [row["winner"] for row in table] == ["model_a", "tie", None, "tie"]
    assert [row["decision_order2"] for row in table] == ["B", "A", "A", "tie"]
    labelled = [{**row, "label": "A"} for row in table[:2]]
    assert agreement(labelled)[0].agreement == pytest.approx(0.75)


def test_unknown_game_winner_is_refused(tmp_path):
    """A game winner outside the four words is an error that names the item."""
    with pytest.raises(InputError, match="g2_winner"):
        load(save(tmp_path / "p.jsonl", [pairwise(1, "tie", "x")]))


def test_single_scores_of_minus_one_are_judge_errors(tmp_path):
    """-1 is what the benchmark writes for a reply it cannot read; it is no score."""
    base = {"model": "x", "judge": ["gpt-4", "single-v1"], "turn": 1}
    rows = [{**base, "question_id": 81, "score": 9}, {**base, "question_id": 82, "score": -1}]
    table = load(save(tmp_path / "s.jsonl", rows)).tables["verdicts"]
    assert [row["status"] for row in table] == ["scored", "judge_error"]
    assert [row["score"] for row in table] == [9.0, None]
