"""Guessing of columns, extra columns, and schema drift."""

from __future__ import annotations

import json

import pytest

from evalkit.errors import ArgumentError, InputError, MissingColumnError
from evalkit.records import ALIASES, KEY_COLUMNS, read


def dump(rows):
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def notes(records):
    """Return the notes as one text."""
    return "\n".join(records.notes)


def test_best_claim_wins_and_is_said(save):
    """Of several columns that could hold the score the first alias wins, with a note."""
    path = save(dump([{"id": "a", "correct": 0, "hard": 1}]))
    records = read(path)
    assert records.frame["score"].tolist() == [1]
    assert records.frame["correct"].tolist() == ["0"]
    assert "`score` was read from `hard`; `correct` was not used" in notes(records)
    assert "--column score=correct" in notes(records)
    records = read(path, columns={"score": "correct"})
    assert records.frame["score"].tolist() == [0]
    assert not records.notes


@pytest.mark.parametrize("canonical", ["system", "attempt", "verifier", "order"])
def test_each_alias(save, canonical):
    """Every alias is read, whatever its case."""
    for name in ALIASES[canonical]:
        row = {"id": "a", "score": 1, name.upper(): "v"}
        records = read(save(dump([row])))
        assert records.frame[canonical].tolist() == ["v"]
        assert records.columns[canonical] == name.upper()


def test_defaults(save):
    """Unfilled key columns hold the documented defaults, empty cells included."""
    rows = [{"id": "a", "score": 1, "epoch": None}, {"id": "b", "score": 1, "epoch": ""}]
    frame = read(save(dump(rows), "sys.v2.jsonl")).frame
    assert frame[list(KEY_COLUMNS)].to_numpy().tolist() == [
        ["sys.v2", "a", "1", "", ""],
        ["sys.v2", "b", "1", "", ""],
    ]


def test_system_of_the_source_wins(save):
    """A system column wins over the argument, which fills its gaps."""
    rows = [{"id": "a", "score": 1, "model": "M"}, {"id": "b", "score": 1, "model": None}]
    records = read(save(dump(rows)), system="S")
    assert records.frame["system"].tolist() == ["M", "S"]
    assert "`system` 'S' is used only where" in notes(records)


def test_keep(save):
    """Only the extra columns that are asked for are kept, nested ones as JSON text."""
    row = {"id": "a", "score": 1, "cluster": 1.10, "doc": {"q": [1, 2.5, None]}, "x": "y"}
    path = save(dump([row]).replace("1.1,", "1.10,"))
    records = read(path)
    assert list(records.frame.columns[7:]) == ["cluster", "x"]
    assert records.frame["cluster"].tolist() == ["1.10"]
    assert records.other_columns == ("doc",)
    records = read(path, keep=("doc",))
    assert json.loads(records.frame["doc"].iloc[0]) == {"q": [1, 2.5, None]}
    assert records.other_columns == ("cluster", "x")
    assert read(path, keep=("system", "id")).frame["id"].tolist() == ["a"]
    with pytest.raises(MissingColumnError, match=r"'absent'.*the columns are"):
        read(path, keep=("absent",))
    with pytest.raises(ArgumentError, match="collection"):
        read(path, keep="cluster")


def test_keys_differ_between_rows(save):
    """A column that only some rows have is missing in the others, and nested late is dropped."""
    rows = [{"id": "a", "score": 1}, {"id": "b", "score": 0, "cluster": "c", "model": "M"}]
    frame = read(save(dump(rows), "S.jsonl")).frame
    assert frame["cluster"].tolist() == [None, "c"]
    assert frame["system"].tolist() == ["S", "M"]


def test_late_columns(save):
    """A new column after the first thousand rows is taken in, unless it would change a guess."""
    rows = [{"id": i, "correct": 1} for i in range(1500)]
    late = [{"id": "x", "correct": 0, "error": "boom", "tag": "t", "raw": [1]}]
    records = read(save(dump(rows + late)))
    assert records.frame["status"].iloc[-1] == "infra"
    assert records.frame["tag"].tolist() == [None] * 1500 + ["t"]
    assert records.other_columns == ("raw",)
    with pytest.raises(InputError, match=r"line 1501.*'score' appears.*--column score=score"):
        read(save(dump([*rows, {"id": "x", "score": 0}])))
    assert "`exact_match`, which appears from line 1501" in notes(
        read(save(dump([*rows, {"id": "x", "correct": 0, "exact_match": 0}])))
    )
    late_score = dump([*rows, {"id": "x", "correct": 0, "score": 0}])
    assert len(read(save(late_score), columns={"score": "correct"})) == 1501
    assert len(read(save(dump(rows + late)), columns={"error": "error"}, keep=("tag",))) == 1501
    with pytest.raises(MissingColumnError, match="'absent'"):
        read(save(dump(rows + late)), columns={"error": "absent"})


def test_nested_guess_is_passed_over(save):
    """A column that holds objects is no guess for a key or a score with a rival."""
    row = {"id": "a", "score": {"m": 1}, "correct": 1, "sample": {"n": 1}}
    records = read(save(dump([row])))
    assert records.columns == {"item": "id", "score": "correct"}
    assert set(records.other_columns) == {"score", "sample"}


def test_column_settings(save):
    """A canonical name that does not exist is refused, and an optional one can be left out."""
    path = save(dump([{"id": "a", "score": 1, "seed": 3, "error": "boom"}]))
    with pytest.raises(ArgumentError, match="'cluster'; allowed are item"):
        read(path, columns={"cluster": "x"})
    with pytest.raises(ArgumentError, match="name a column"):
        read(path, columns={"score": ""})
    records = read(path, columns={"error": "", "attempt": ""})
    assert records.frame["attempt"].tolist() == ["1"]
    assert records.frame["status"].tolist() == ["scored"]


def test_name_clash_is_renamed(save):
    """An extra column that bears a canonical name is kept under another."""
    path = save(dump([{"id": "a", "score": 1, "correct": 0}]))
    records = read(path, columns={"score": "correct"})
    assert records.frame["source_score"].tolist() == ["1"]
    assert "'score' was kept as 'source_score'" in notes(records)
