"""Half a surrogate pair in a reply does not lose the run."""

import json

import pytest
from commands import command, document, jsonl

from evalkit import read, write
from evalkit.records.append import RecordWriter

LONE = '{"id": "s1", "score": 1, "model": "m\\ud835", "reply": "x\\ud835y"}'


def test_loads_and_scores(tmp_path):
    """Mean 1 on one row."""
    found = document("estimate", jsonl(tmp_path / "a.jsonl", [LONE]))["results"][0]
    assert (found["estimate"], found["n"]) == (1.0, 1)


@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex", "html"])
def test_every_output_finishes(tmp_path, fmt):
    """Whatever the format, the output can be encoded."""
    path = jsonl(tmp_path / "a.jsonl", [LONE])
    out = command("estimate", path, "--by", "system", "--format", fmt)
    assert out.encode("utf-8", "strict" if fmt == "json" else "surrogatepass")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_every_writer_finishes(tmp_path, suffix):
    """Files are written and read back with one row."""
    records = read(jsonl(tmp_path / "a.jsonl", [LONE]))
    write(records, tmp_path / f"b.{suffix}")
    assert len(read(tmp_path / f"b.{suffix}")) == 1


def test_appended_rows_keep_the_escape(tmp_path):
    """The appending writer escapes it."""
    with RecordWriter(tmp_path / "c.jsonl") as writer:
        writer.append({"id": "s\ud835", "score": 1})
    assert json.loads((tmp_path / "c.jsonl").read_text())["id"] == "s\ud835"
