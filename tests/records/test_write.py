"""Writing, and reading back what was written."""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalkit.errors import (
    ArgumentError,
    DuplicateRowError,
    EvalkitError,
    FileMissingError,
    ScaleMismatchError,
)
from evalkit.records import Records, concat, read, write

SUFFIXES = [f"{form}{end}" for form in ("jsonl", "csv", "parquet") for end in ("", ".gz", ".zst")]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
SCORES = st.one_of(st.none(), st.integers(-3, 3), st.floats(allow_nan=False, allow_infinity=False))


def strict(line):
    """Return JSON, refusing the tokens that the standard does not have."""

    def refuse(token):
        raise ValueError(token)

    return json.loads(line, parse_constant=refuse)


@st.composite
def tables(draw):
    """Draw records with awkward texts."""
    items = draw(st.lists(TEXT, unique=True, max_size=6))
    return read(
        pd.DataFrame(
            {
                "item": pd.Series(items, dtype=object),
                "score": pd.Series([draw(SCORES) for _ in items], dtype=object),
                "system": pd.Series([draw(TEXT) or "s" for _ in items], dtype=object),
                "cluster": pd.Series(
                    [draw(st.none() | TEXT.filter(bool)) for _ in items], dtype=object
                ),
            }
        )
    )


@given(records=tables(), suffix=st.sampled_from(SUFFIXES))
@settings(max_examples=100, deadline=None)
def test_round_trip(records, suffix):
    """What is written in any format and compression reads back equal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out.{suffix}"
        write(records, path)
        back = read(path)
        assert list(Path(folder).iterdir()) == [path]
    if len(records):
        pd.testing.assert_frame_equal(back.frame, records.frame)
    else:
        assert len(back) == 0


@given(
    suffix=st.sampled_from(SUFFIXES),
    cut=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), max_size=4),
    partial=st.booleans(),
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_mutated_files(suffix, cut, flips, partial):
    """A damaged file of any format gives records or an error of evalkit, nothing else."""
    rows = {"item": [f"q{i}" for i in range(40)], "score": [i % 2 for i in range(40)]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out.{suffix}"
        write(read(pd.DataFrame(rows)), path)
        data = bytearray(path.read_bytes())
        for place, bits in flips:
            data[int(place * len(data))] ^= bits
        if cut > 0.5:
            del data[int(cut * len(data)) :]
        path.write_bytes(data)
        try:
            outcome = read(path, partial=partial)
        except EvalkitError as fault:
            outcome = str(fault)
            assert "out." in outcome
    assert isinstance(outcome, (Records, str))


def test_strict_json(tmp_path):
    """NaN and infinities are written as null, and half surrogates as escapes."""
    path = tmp_path / "out.jsonl"
    frame = pd.DataFrame(
        {"id": ["a", "b\ud835"], "score": [math.nan, math.inf], "n": [1, 2]}, dtype=object
    )
    write(frame, path)
    lines = [strict(line) for line in path.read_text("ascii").splitlines()]
    assert lines == [
        {"id": "a", "score": None, "n": 1},
        {"id": "b\ud835", "score": None, "n": 2},
    ]
    write(read(frame), path)
    assert [strict(x)["status"] for x in path.read_text().splitlines()] == ["missing", "invalid"]
    assert read(path).frame["status"].tolist() == ["missing", "invalid"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_half_surrogates_are_replaced(tmp_path, form):
    """A format that cannot hold half a surrogate pair gets the replacement character."""
    path = tmp_path / f"out.{form}"
    write(read(pd.DataFrame({"id": ["b\ud835", "é😀"], "score": [1, 0]}, dtype=object)), path)
    assert read(path).frame["item"].tolist() == ["b\ufffd", "é😀"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_half_surrogate_names(save, tmp_path, suffix):
    """A column whose name holds half a surrogate pair loads and is written."""
    records = read(save('{"id": "a", "score": 1, "x\\ud835": "v"}'))
    path = tmp_path / f"out.{suffix}"
    write(records, path)
    assert read(path).frame.iloc[0, -1] == "v"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_same_bytes(tmp_path, suffix):
    """Equal records give equal bytes, under any name."""
    records = read(pd.DataFrame({"id": ["a", "b"], "score": [1, 0]}))
    write(records, tmp_path / f"one.{suffix}")
    write(records, tmp_path / f"other.{suffix}")
    one, other = (tmp_path / f"{name}.{suffix}" for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_write_faults(tmp_path):
    """A name without a format, a missing folder and a folder are refused."""
    records = read(pd.DataFrame({"id": ["a"], "score": [1]}))
    with pytest.raises(ArgumentError, match="names no format"):
        write(records, tmp_path / "out.xls")
    with pytest.raises(FileMissingError, match="no such folder"):
        write(records, tmp_path / "absent" / "out.csv")
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(ArgumentError, match="is a folder"):
        write(records, tmp_path / "dir.csv")
    write(records, tmp_path / "plain", format="csv")
    assert (tmp_path / "plain").read_text().splitlines()[0].startswith("system,item,attempt")


def test_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """A write that fails half way leaves the old file and no other."""
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def fail(_handle):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(EvalkitError, match="disk full"):
        write(read(pd.DataFrame({"id": ["a"], "score": [1]})), path)
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]
    assert path.read_text() == "old"


def frame(system, *items, **extra):
    """Return passing records of one system."""
    return read(pd.DataFrame({"item": items, "score": 1, **extra}), system=system)


def test_concat():
    """Sources are put end to end; a column that one lacks is missing there."""
    both = concat([frame("A", "a", cluster="c"), frame("B", "a", tag="t")])
    assert both.frame["cluster"].tolist() == ["c", None]
    assert both.frame["tag"].tolist() == [None, "t"]
    assert both.frame["score"].dtype == float
    one = frame("A", "a")
    assert concat([one]) is one
    with pytest.raises(ArgumentError, match="empty"):
        concat([])


def test_concat_refuses_the_same_verdict_twice(save):
    """The same verdict in two files is refused, naming both, numbers and texts alike."""
    one = read(save('{"id": 7, "score": 1, "model": "A"}', "one.jsonl"))
    two = read(save('{"id": "7", "score": 0, "model": "A"}', "two.jsonl"))
    with pytest.raises(DuplicateRowError, match=r"item '7'.*one\.jsonl.*two\.jsonl.*NAME=PATH"):
        concat([one, two])


def test_concat_refuses_two_scales():
    """Sources that declare different score ranges are not put together."""
    table = pd.DataFrame({"item": ["a"], "score": [1]})
    one, two = (read(table, system=s, score_range=r) for s, r in (("A", (0, 1)), ("B", (0, 100))))
    with pytest.raises(ScaleMismatchError, match="different score ranges"):
        concat([one, two])


@pytest.mark.slow
def test_memory(tmp_path):
    """A million rows with long unkept texts are read in a small part of the file size."""
    import tracemalloc

    path = tmp_path / "big.jsonl"
    with path.open("w") as out:
        for i in range(1_000_000):
            out.write(f'{{"id": "q{i}", "score": {i % 2}, "reply": "{"x" * 200}"}}\n')
    tracemalloc.start()
    records = read(path, keep=())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(records) == 1_000_000
    assert records.frame["score"].mean() == 0.5
    assert peak < 250e6
