"""Preference pairs: texts, conversations, ids, pairs that are none."""

import pandas as pd
from logs import save

from evalkit.records.importers import detect, load


def test_pairs_have_the_chosen_answer_first(tmp_path):
    """A is the chosen one; ids come from the content where there are none."""
    rows = [
        {"prompt": "p", "chosen": "x", "rejected": "y"},
        {"prompt": "p", "chosen": "x", "rejected": "z"},
        {"prompt": "p", "chosen": "x", "rejected": "y"},
    ]
    found = load(save(tmp_path / "pairs.jsonl", rows))
    table = found.tables["pairs"]
    assert found.format == "trl"
    assert {row["label"] for row in table} == {"A>B"}
    ids = [row["pair_id"] for row in table]
    assert ids[2] == ids[0] + "#2"
    assert len(set(ids)) == 3


def test_conversations_are_kept_as_json(tmp_path):
    """Lists of messages are strict JSON text."""
    chat = [{"role": "user", "content": "h\u00e9"}]
    row = {"chosen": chat, "rejected": [], "prompt_id": "007"}
    table = load(save(tmp_path / "pairs.jsonl", [row])).tables["pairs"]
    assert table[0]["response_a"] == '[{"role": "user", "content": "h\u00e9"}]'
    assert table[0]["pair_id"] == "007"


def test_pairs_that_are_none_are_dropped(tmp_path):
    """Equal texts and missing answers cannot be a preference, and are counted."""
    rows = [
        {"chosen": "x", "rejected": "x"},
        {"chosen": "x", "rejected": None},
        {"chosen": "x", "rejected": "y"},
    ]
    found = load(save(tmp_path / "pairs.jsonl", rows))
    assert len(found.tables["pairs"]) == 1
    assert sorted(each.count for each in found.dropped) == [1, 1]


def test_scores_are_judgments(tmp_path):
    """Scores of the two answers are a grader's verdicts."""
    rows = [{"prompt": "p", "chosen": "x", "rejected": "y", "score_chosen": 8, "score_rejected": 9}]
    found = load(save(tmp_path / "pairs.jsonl", rows))
    row = found.tables["judgments"][0]
    assert (row["score_a"], row["score_b"]) == (8.0, 9.0)


def test_parquet_of_the_hub(tmp_path):
    """A Parquet file is recognised by its columns."""
    path = tmp_path / "train.parquet"
    pd.DataFrame({"prompt": ["p"], "chosen": ["x"], "rejected": ["y"]}).to_parquet(path)
    assert detect(path).name == "trl"
    assert load(path).tables["pairs"][0]["response_b"] == "y"
