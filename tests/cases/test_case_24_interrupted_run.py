"""A last line that is cut off is left out and said; the run is partial."""

import json

import pytest
from commands import command, jsonl

from evalkit import read

WHOLE = [{"id": "t1", "score": 1}, {"id": "t2", "score": 0}, {"id": "t3", "score": 1}]
FOURTH = json.dumps({"id": "t4", "score": 1.5, "ok": True, "t": "\u00e9\n"})


@pytest.mark.parametrize("cut", range(1, len(FOURTH)))
def test_cut_anywhere_in_the_last_line(tmp_path, cut):
    """Wherever the line is cut, three rows load and line 4 is named."""
    path = jsonl(tmp_path / "a.jsonl", WHOLE)
    with path.open("a", encoding="utf-8") as handle:
        handle.write(FOURTH[:cut])
    found = read(path)
    assert found.frame["item"].tolist() == ["t1", "t2", "t3"]
    assert found.partial
    assert any("line 4" in note for note in found.notes)


def test_planned_rows_give_the_coverage(tmp_path):
    """A header that planned five rows: 3 of 5, coverage .6."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"planned": 5, "results": WHOLE}))
    found = read(path)
    assert found.partial
    assert any("3 of 5" in note and "0.6" in note for note in found.notes)


def test_cut_line_in_the_middle_is_an_error(tmp_path):
    """A resumed run that wrote behind the cut is not read past it."""
    path = jsonl(tmp_path / "a.jsonl", [WHOLE[0], '{"id": "t4", "sco', WHOLE[1]])
    assert "line 2" in command("estimate", path, code=2)
