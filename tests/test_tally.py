"""Tallies: the same counts whatever engine holds the rows."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, InputError, MissingColumnError
from evalkit.tally import Tally, tally, tally_values

ROWS = {
    "system": ["A", "A", "A", "B", "B", "B", "B"],
    "item": ["1", "2", "3", "1", "2", "3", "4"],
    "cluster": ["x", "x", "y", "x", "x", "y", "y"],
    "score": [1.0, 0.0, 0.5, None, 1.0, 1.0, 0.0],
    "status": ["scored", "scored", "scored", "infra", "scored", "scored", "skipped"],
}


def engines(rows: dict[str, list[object]]) -> dict[str, object]:
    """Hold the same rows in every engine."""
    table = pa.table(rows)
    connection = duckdb.connect()
    return {
        "pandas": pd.DataFrame(rows),
        "polars": pl.DataFrame(rows),
        "polars lazy": pl.LazyFrame(rows),
        "pyarrow": table,
        "duckdb": connection.from_arrow(table),
    }


def plain(t: Tally) -> tuple[object, ...]:
    """Return what must agree between engines."""
    sums = None
    if t.clusters is not None:
        sums = (t.clusters.sums.tolist(), t.clusters.sizes.tolist())
    return dict(t.by), t.values.tolist(), t.counts.tolist(), sums, t.rows.to_dict()


@pytest.mark.parametrize("engine", ["pandas", "polars", "polars lazy", "pyarrow", "duckdb"])
def test_every_engine_gives_the_same_tally(engine):
    """Counts, cluster sums and statuses do not depend on the engine."""
    a, b = tally(engines(ROWS)[engine], by=["system"], cluster="cluster", status="status")
    assert plain(a) == (
        {"system": "A"},
        [0.0, 0.5, 1.0],
        [1, 1, 1],
        ([1.0, 0.5], [2.0, 1.0]),
        {"attempted": 3, "scored": 3, "errored": 0, "by_status": {}},
    )
    assert plain(b) == (
        {"system": "B"},
        [1.0],
        [2],
        ([1.0, 1.0], [1.0, 1.0]),
        {"attempted": 3, "scored": 2, "errored": 1, "by_status": {"infra": 1, "skipped": 1}},
    )


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_null_scores_are_missing_without_a_status_column(engine):
    """A null is an attempted row without a verdict, never a 0."""
    rows = {k: v for k, v in ROWS.items() if k != "status"}
    b = tally(engines(rows)[engine], by=["system"])[1]
    assert (b.n, b.rows.attempted, b.rows.errored) == (3, 4, 1)
    assert b.rows.by_status == {"missing": 1}


def test_an_arrow_table_may_come_in_chunks():
    """Chunks with different texts are one table."""
    table = pa.concat_tables([pa.table(ROWS), pa.table({k: v[::-1] for k, v in ROWS.items()})])
    found = tally(table, by=["system"], cluster="cluster", status="status")
    assert [t.n for t in found] == [6, 4]


def test_minus_zero_is_zero():
    """Engines group -0.0 apart from 0.0; a tally does not."""
    t = tally(pa.table({"score": [0.0, -0.0, 1.0]}))[0]
    assert (t.values.tolist(), t.counts.tolist(), t.is_binary) == ([0.0, 1.0], [2, 1], True)


def test_nan_is_missing():
    """NaN is not an outcome."""
    t = tally(pd.DataFrame({"score": [1.0, float("nan"), 0.0]}))[0]
    assert (t.n, t.mean, t.rows.attempted) == (2, 0.5, 3)


def test_infinite_scores_are_refused():
    """An infinity would make every mean infinite."""
    with pytest.raises(InputError, match="infinite"):
        tally(pl.DataFrame({"score": [1.0, float("inf")]}))
    with pytest.raises(ArgumentError, match="infinity"):
        tally_values([1.0, float("inf")])


def test_a_missing_column_names_those_that_are_there():
    """The message lists the columns to choose from."""
    with pytest.raises(MissingColumnError, match=r"'passed'.*'score'"):
        tally(pd.DataFrame({"score": [1]}), by=["passed"])


def test_scored_rows_need_a_cluster():
    """A row without a cluster cannot be placed in one silently."""
    frame = pl.DataFrame({"score": [1.0, 0.0], "cluster": ["a", None]})
    with pytest.raises(InputError, match="1 scored rows have no cluster"):
        tally(frame, cluster="cluster")


def test_an_empty_frame_has_no_groups():
    """No rows, no estimate."""
    assert tally(pd.DataFrame({"score": []}), by=[]) == ()


def test_lengths_must_match():
    """Clusters are given value by value."""
    with pytest.raises(ArgumentError, match="length 1"):
        tally_values([1, 0], clusters=["a"])


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.25, 0.5, 1.0, None]),
            st.sampled_from("AB"),
            st.sampled_from("uvw"),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_tallies_agree_with_a_plain_loop(rows):
    """Counts, totals and cluster sums equal those of a loop over the rows, in any order."""
    frame = pd.DataFrame(rows, columns=["score", "system", "cluster"])
    frame["score"] = frame["score"].astype(float)
    shuffled = frame.sample(frac=1, random_state=1)
    for t in tally(shuffled, by=["system"], cluster="cluster"):
        mine = [(s, c) for s, name, c in rows if name == t.by["system"]]
        scores = [s for s, _ in mine if s is not None]
        assert t.n == len(scores)
        assert t.total == pytest.approx(sum(scores))
        assert t.rows.errored == len(mine) - len(scores)
        assert t.clusters is not None
        assert t.clusters.number == len({c for s, c in mine if s is not None})
        assert t.clusters.sums.sum() == pytest.approx(t.total)
        if scores:
            assert t.sum_of_squares == pytest.approx(np.var(scores) * len(scores))
