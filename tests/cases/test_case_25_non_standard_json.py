"""NaN is missing, infinities are invalid, and nothing of it is passed on."""

import pytest
from commands import command, document, jsonl, strict

from evalkit import read, write

LINES = [
    '{"id": 1, "score": 1}',
    '{"id": 2, "score": NaN}',
    '{"id": 3, "score": 0}',
    '{"id": 4, "score": Infinity}',
    '{"id": 5, "score": -Infinity}',
]


def test_counts(tmp_path):
    """Mean .5 on n = 2, missing 1, invalid 2, named by id."""
    path = jsonl(tmp_path / "a.jsonl", LINES)
    found = document("estimate", path)
    result = found["results"][0]
    assert (result["estimate"], result["n"]) == (0.5, 2)
    assert result["errors"] == {"missing": 1, "invalid": 2}
    assert any("'4'" in note for note in read(path).notes)


@pytest.mark.parametrize("written", ['"nan"', '"NaN"', '"inf"', '"-Infinity"', "1e999"])
def test_other_spellings(tmp_path, written):
    """Texts and overflowing numbers are missing or invalid, never a score."""
    path = jsonl(tmp_path / "a.jsonl", [LINES[0], f'{{"id": "x", "score": {written}}}'])
    assert read(path).frame["status"].tolist()[1] in {"missing", "invalid"}


def test_written_files_are_strict(tmp_path):
    """What is written parses without the tokens."""
    write(read(jsonl(tmp_path / "a.jsonl", LINES)), tmp_path / "b.jsonl")
    rows = [strict(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert [row["score"] for row in rows] == [1.0, None, 0.0, None, None]


def test_repeated_keys_are_refused(tmp_path):
    """A key that stands twice in one row names the line."""
    path = jsonl(tmp_path / "a.jsonl", ['{"id": 1, "score": 1, "score": 0}'])
    assert "line 1" in command("estimate", path, code=2)


def test_trailing_comma_is_refused(tmp_path):
    """A comma before the bracket names the line."""
    path = jsonl(tmp_path / "a.jsonl", ['{"id": 1, "score": 1,}', LINES[2]])
    assert "line 1" in command("estimate", path, code=2)
