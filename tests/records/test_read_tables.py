"""CSV, Parquet and dataframes."""

from __future__ import annotations

import datetime as dt

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.records import read


def notes(records):
    """Return the notes as one text."""
    return "\n".join(records.notes)


def test_csv(save):
    """Every CSV cell is text; quoted cells hold separators and line feeds; empty is missing."""
    text = '\ufeffid,correct,cluster,reply\r\n007,1,a,"x, ""y""\nz"\r\n1e5,TRUE,,q\r\n\r\n,0,a,\r\n'
    frame = read(save(text, "S.csv")).frame
    assert frame["item"].tolist() == ["007", "1e5", ""]
    assert frame["score"].tolist() == [1, 1, 0]
    assert frame["cluster"].tolist() == ["a", None, "a"]
    assert frame["reply"].tolist() == ['x, "y"\nz', "q", None]
    assert frame["system"].tolist() == ["S"] * 3


@pytest.mark.parametrize(("separator", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_csv_separator(save, separator, word):
    """The separator is read off the header, and said when it is no comma."""
    records = read(save("id,score,x\na,1,u\n".replace(",", separator), "run.csv"))
    assert records.frame["score"].tolist() == [1]
    assert word in notes(records)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('id,score\na,1\n"b\nc",1\nd\n', "line 5: the row has 1 cells and the header has 2"),
        ("id,score\na,1,2\n", "line 2: the row has 3 cells"),
        ("id,score,score\na,1,2\n", "line 1: the header names 'score' more than once"),
        ('id,score\na,"1\n', "line 2: the row is not valid CSV"),
        ('id,score\na,1\n"b"c,1\n', "line 3: the row is not valid CSV"),
        ("id,score\na,1\nb,0.5.5\n", "line 3, item 'b': the score"),
        ("id,points\na,1\n", "no column holds the scores; the columns are 'id', 'points'"),
        ("id,score\ncaf\udce9,1\n", "line 2: byte 0xe9 is not UTF-8"),
        ("id,score\na,1\na,1\n", r"item 'a' \(lines 2, 3\)"),
    ],
)
def test_csv_faults(save, text, message):
    """Ragged rows, repeated names and open quotes are refused by physical line."""
    with pytest.raises(InputError, match=message):
        read(save(text.encode("utf-8", "surrogateescape"), "run.csv"))


def test_csv_empty_rows(save):
    """Rows of empty cells, as spreadsheets append them, are left out and counted."""
    records = read(save("id,score\na,1\n,\n , \n", "run.csv"))
    assert records.frame["item"].tolist() == ["a"]
    assert "2 rows whose cells are all empty were left out" in notes(records)


def test_csv_long_cell(save):
    """A cell longer than the default limit of the csv module is read."""
    reply = "x" * 200_000
    assert read(save(f"id,score,reply\na,1,{reply}\n", "r.csv")).frame["reply"].tolist() == [reply]


def test_csv_header_only(save):
    """A CSV file with a header and no rows gives no rows, and checks what was asked for."""
    path = save("id,score\n", "run.csv")
    assert len(read(path)) == 0
    with pytest.raises(MissingColumnError):
        read(path, columns={"score": "points"})


def test_format_is_told_by_content(save):
    """JSON Lines under a CSV name are read as what they are, and the format can be forced."""
    assert len(read(save('{"id": "a", "score": 1}\n', "run.csv"))) == 1
    assert len(read(save("id,score\na,1\n", "run.jsonl"), format="csv")) == 1
    with pytest.raises(InputError, match="line 1"):
        read(save("id,score\na,1\n", "run.jsonl"))
    with pytest.raises(ArgumentError, match="allowed are jsonl"):
        read(save("id,score\na,1\n", "run.jsonl"), format="xls")
    with pytest.raises(InputError, match="not Parquet"):
        read(save("id,score\na,1\n", "run.parquet"))


def test_parquet_types(tmp_path):
    """Integers keep their digits, dictionaries their texts, and dates their ISO form."""
    table = pa.table(
        {
            "id": pa.array([72057594038135103, 7], pa.int64()),
            "score": pa.array([None, 0.5], pa.float64()),
            "model": pa.array(["m", "m"]).dictionary_encode(),
            "when": pa.array([dt.datetime(2031, 3, 1, 12, tzinfo=dt.UTC), None]),
            "flag": pa.array([True, None]),
            "doc": pa.array([{"q": 1}, None]),
        }
    )
    path = tmp_path / "run.parquet"
    pq.write_table(table, path)
    records = read(path)
    assert records.frame["item"].tolist() == ["72057594038135103", "7"]
    assert records.frame["status"].tolist() == ["missing", "scored"]
    assert records.frame["system"].tolist() == ["m", "m"]
    assert records.frame["when"].tolist() == ["2031-03-01T12:00:00+00:00", None]
    assert records.frame["flag"].tolist() == ["true", None]
    assert records.other_columns == ("doc",)
    kept = read(path, keep=("doc",))
    assert kept.frame["doc"].tolist() == ['{"q": 1}', None]
    assert set(kept.other_columns) == {"when", "flag"}


def test_parquet_nested_guess_is_passed_over(tmp_path):
    """A nested column is no score, and is listed where no other column is one."""
    path = tmp_path / "run.parquet"
    table = pa.table({"id": ["a", "b"], "score": [{"m": 1}, {"m": 0}], "correct": [1, 0]})
    pq.write_table(table, path)
    assert read(path).columns == {"item": "id", "score": "correct"}
    pq.write_table(table.drop_columns("correct"), path)
    with pytest.raises(InputError, match="no column holds the scores; the columns are 'id', 'sc"):
        read(path)


def test_parquet_faults(tmp_path):
    """Float ids and cut-off files are refused."""
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({"id": [1.0, 2.0], "score": [1, 0]}), path)
    with pytest.raises(InputError, match=r"row 1.*cast the column to text"):
        read(path)
    pq.write_table(pa.table({"id": range(2000), "score": [1] * 2000}), path)
    for missing in ("item", "score", "status"):
        with pytest.raises(MissingColumnError, match=r"'absent'.*'id', 'score'"):
            read(path, columns={missing: "absent"})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged or cut off"):
        read(path)


@pytest.mark.parametrize(
    "engine",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda data: pl.DataFrame(data).lazy(),
        lambda data: duckdb.from_arrow(pa.table(data)),
    ],
    ids=["pandas", "polars", "pyarrow", "polars-lazy", "duckdb"],
)
def test_dataframes(engine):
    """Every dataframe engine gives the same records."""
    data = {"id": ["007", "b"], "correct": [True, False], "cluster": ["c", None], "x": [1, 2]}
    records = read(engine(data))
    assert records.frame["item"].tolist() == ["007", "b"]
    assert records.frame["score"].tolist() == [1, 0]
    assert records.frame["cluster"].tolist() == ["c", None]
    assert records.frame["x"].tolist() == ["1", "2"]
    assert records.sources == ("dataframe",)


def test_dataframe_faults():
    """Faults in a frame name the data row; what is no frame is refused."""
    with pytest.raises(DuplicateRowError, match=r"rows 1, 2"):
        read(pd.DataFrame({"id": [1, 1], "score": [1, 1]}))
    with pytest.raises(InputError, match=r"row 2.*id is missing"):
        read(pd.DataFrame({"id": ["a", None], "score": [1, 1]}))
    with pytest.raises(InputError, match=r"id.*2 times"):
        read(pd.DataFrame([[1, 1]], columns=["id", "id"]))
    with pytest.raises(ArgumentError, match="`source` is int"):
        read(3)


def test_arrays_in_frames():
    """A column of arrays is not kept unless asked for."""
    frame = pd.DataFrame({"id": ["a"], "score": [1], "v": [np.array([1, 2])], "w": [[1]]})
    assert read(frame).other_columns == ("w", "v")
    assert read(frame, keep=("v",)).frame["v"].tolist() == ["[1, 2]"]


def test_pandas_missing_marks():
    """NaN, None and NA of pandas are missing."""
    frame = pd.DataFrame(
        {"id": list("abc"), "score": pd.array([1, None, 0], dtype="Int64"), "x": [1.5, None, 2]}
    )
    records = read(frame)
    assert records.frame["status"].tolist() == ["scored", "missing", "scored"]
    assert records.frame["x"].tolist() == ["1.5", None, "2.0"]
