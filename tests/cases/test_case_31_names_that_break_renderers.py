"""Pipes, dollar signs and very long names."""

import re

import pytest
from commands import command, jsonl

from evalkit.tables import Column, Row, Table, text, to_markdown

LONG = "x" * 300


@pytest.mark.parametrize("name", ["a|b", "pri$$ce", LONG, "a\nb", "a\\|b", "*a* <b>", "||", ""])
def test_markdown_rows_have_equal_cells(name):
    """Every row parses to two cells, whatever the name holds."""
    columns = (Column(key="m", header=name or "m"), Column(key="n", header="n"))
    rows = (Row(cells=(text(name), text("1"))), Row(cells=(text("plain"), text("2"))))
    lines = [
        line
        for line in to_markdown(Table(columns=columns, rows=rows)).splitlines()
        if line.startswith("|")
    ]
    cells = {len(re.split(r"(?<!\\)(?:\\\\)*\|", line)) - 2 for line in lines}
    assert cells == {2}
    assert len(lines) == 4


def test_long_names_stay_apart(tmp_path):
    """Two names that differ at the end only are two rows, in every format with the full name."""
    rows = [{"id": "q", "system": LONG + end, "score": s} for end, s in (("a", 1), ("b", 0))]
    path = jsonl(tmp_path / "a.jsonl", rows)
    out = command("estimate", path, "--by", "system", "--format", "csv")
    assert LONG + "a" in out
    assert LONG + "b" in out
