"""Detection, the last net, and plain tables."""

from dataclasses import replace
from pathlib import Path

import pytest
from logs import FORMAT_OF, LOGS, plain_csv, save, tau_old

from evalkit.errors import (
    ArgumentError,
    DuplicateRowError,
    EvalkitError,
    FileMissingError,
    InputError,
    MissingColumnError,
)
from evalkit.records.importers import (
    Imported,
    LogFormat,
    detect,
    detect_all,
    format_by_name,
    formats,
    load,
    read_as,
    registry,
)
from evalkit.records.importers.base import summarise_drops
from evalkit.records.importers.files import decode_json, jsonable, read_bytes


def notes(imported):
    """All notes in one text."""
    return "\n".join(imported.notes)


@pytest.mark.parametrize("name", sorted(LOGS))
def test_each_log_is_one_format(name, tmp_path):
    """Detection finds the format of every log, and no other one."""
    found = detect_all(LOGS[name](tmp_path))
    assert [each.name for each in found] == [FORMAT_OF.get(name, name)]


@pytest.mark.parametrize("name", sorted(LOGS))
def test_importers_return_what_verbs_read(name, tmp_path):
    """Canonical columns, text ids, scores exactly where the status says scored."""
    imported = load(LOGS[name](tmp_path))
    assert imported.sources
    for row in imported.tables["verdicts"]:
        assert list(row)[:7] == [
            *("system", "item", "attempt", "verifier", "order", "score", "status"),
        ]
        assert type(row["item"]) is str
        assert (row["score"] is None) == (row["status"] != "scored")
    for row in imported.tables.get("history", ()):
        assert {"round", "score", "artifact", "changed", "decision"} <= set(row)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"{",
        b"[",
        b"[{",
        b"\x80\x04",
        b"PK\x03\x04",
        b"\xff\xfe",
        b"{}",
        b"[]",
        b"null",
    ],
)
def test_detection_never_raises(content, tmp_path):
    """Any bytes, any name, a folder with odd names: detection answers, and load is clear."""
    for name in ("x.json", "x.jsonl", "x.eval", "gepa_state.bin", "results.json", "x.csv"):
        path = save(tmp_path / name, content)
        detect(path)
        try:
            assert isinstance(load(path), Imported)
        except EvalkitError as fault:
            assert name in str(fault)  # noqa: PT017
    detect(tmp_path)
    detect(tmp_path / "missing")


def test_names_are_unique_and_plain_is_last():
    """Formats have distinct names and a title of one line; the fallback comes last."""
    names = [each.name for each in formats()]
    assert len(set(names)) == len(names)
    assert names[-1] == "plain"
    assert all(each.title and "\n" not in each.title for each in formats())
    with pytest.raises(ArgumentError, match="the known formats are inspect"):
        format_by_name("nothing")


def test_two_matches_are_said(tmp_path, monkeypatch):
    """The more specific format is taken and the other named."""
    first = format_by_name("tau-bench")
    second = replace(first, name="rival")
    monkeypatch.setattr(registry, "formats", lambda: (first, second))
    imported = load(tau_old(tmp_path / "old.json"))
    assert imported.format == "tau-bench"
    assert imported.notes[0] == "read as tau-bench; it looks like rival too (--from to choose)"


def test_the_net_names_the_file_and_keeps_the_cause(tmp_path):
    """A structure that no check foresaw is bad input; a defect in code still shows as such."""

    def broken(_: Path) -> Imported:
        raise KeyError("field")

    def defect(_: Path) -> Imported:
        raise AssertionError("defect")

    form = LogFormat(name="x", title="x", detects=lambda _: True, load=broken)
    path = save(tmp_path / "a.json", "{}")
    with pytest.raises(InputError, match=r"a\.json: the log is not what x writes") as caught:
        read_as(form, path)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(AssertionError):
        read_as(replace(form, load=defect), path)


def test_what_is_unknown_says_what_was_looked_at(tmp_path):
    """The message lists the formats and the content; a missing path is told apart."""
    with pytest.raises(FileMissingError):
        load(tmp_path / "nope")
    with pytest.raises(InputError, match="the folder holds nothing; known are inspect"):
        load(tmp_path)
    odd = save(tmp_path / "doc.json", {"hello": 1})
    with pytest.raises(InputError, match="read as a plain table, since no other format knows it"):
        load(odd)
    no_items = save(tmp_path / "t.csv", "colour,size\nred,1\n")
    with pytest.raises(MissingColumnError, match="no other format knows it"):
        load(no_items)


def test_wide_tables_become_rows(tmp_path):
    """A column for each system is a system each, with ids as written; the ending can be named."""
    imported = load(plain_csv(tmp_path / "wide.csv"))
    rows = imported.tables["verdicts"]
    assert {(r["system"], r["item"], r["score"]) for r in rows} == {
        *(("base", "007", 1.0), ("new", "007", 0.0), ("base", "7", 1.0)),
        *(("new", "7", 1.0), ("base", "8", 0.0), ("new", "8", 1.0)),
    }
    assert "a column for each system: base, new" in notes(imported)
    path = save(
        tmp_path / "w.csv", "id,set,a_ok,b_ok,a_correct,b_correct\n1,x,1,0,0,0\n1,y,1,1,0,0\n"
    )
    imported = load(path, columns={"item": "set,id", "score": "*_ok"})
    assert [r["item"] for r in imported.tables["verdicts"]] == ["x/1", "x/1", "y/1", "y/1"]
    assert [r["score"] for r in imported.tables["verdicts"]] == [1, 0, 1, 1]
    assert {r["set"] for r in imported.tables["verdicts"]} == {"x", "y"}


def test_items_of_several_columns(tmp_path):
    """`item=A,B` joins two columns, and names one that is not there."""
    path = save(tmp_path / "t.csv", "set,id,score\nx,1,1\ny,1,0\n")
    with pytest.raises(DuplicateRowError):
        load(path)
    imported = load(path, columns={"item": "set,id"})
    assert [row["item"] for row in imported.tables["verdicts"]] == ["x/1", "y/1"]
    with pytest.raises(MissingColumnError, match="'nope' is not there"):
        load(path, columns={"item": "set,nope"})


def test_plain_histories(tmp_path):
    """Rows with a round and a score and no item are a history."""
    imported = load(
        save(tmp_path / "h.jsonl", [{"round": 0, "score": 0.5}, {"round": 1, "score": 1}])
    )
    assert imported.tables["history"] == ({"round": 0, "score": 0.5}, {"round": 1, "score": 1})


def test_columns_belong_to_plain_tables(tmp_path):
    """A log has columns of its own, so `columns` is refused for it."""
    with pytest.raises(ArgumentError, match="--from plain"):
        load(tau_old(tmp_path / "old.json"), columns={"item": "task_id"})


def test_documents_are_strict_and_bounded(tmp_path):
    """Doubled keys, depth, size and encoding are faults that name the file."""
    for text, said in (
        (b'{"a": 1, "a": 2}', "stands twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ', "cut off"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ):
        with pytest.raises(InputError, match=said):
            decode_json(text, "file.json")
    assert decode_json('\ufeff{"a": NaN}'.encode(), "x")["a"] != 0
    with pytest.raises(InputError, match="more than 10 bytes"):
        read_bytes(save(tmp_path / "big.json", b" " * 11), limit=10)
    assert jsonable(decode_json(b'{"n": 1e999, "m": 12345678901234567890}', "x")) == {
        "n": "1e999",
        "m": pytest.approx(1.2345678901234567e19),
    }


def test_drops_are_grouped():
    """Reasons in order of appearance, five examples at most."""
    found = summarise_drops([("a", str(i)) for i in range(7)] + [("b", "x")])
    assert [(each.reason, each.count) for each in found] == [("a", 7), ("b", 1)]
    assert len(found[0].examples) == 5
