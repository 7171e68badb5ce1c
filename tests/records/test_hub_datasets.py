"""Records as data sets of the hub and back."""

import datasets
import pandas as pd
import pytest

from evalkit import read
from evalkit.errors import ArgumentError
from evalkit.records.hub import arrow_table, read_dataset, to_dataset

FRAME = pd.DataFrame(
    {"id": ["007", "7", "1e5", ""], "score": [1.0, 0.0, None, 0.5], "topic": ["a", "b", None, "d"]}
)


def test_there_and_back():
    """Ids, scores, statuses and extra columns survive both ways."""
    records = read(FRAME, system="S")
    data = to_dataset(records)
    assert data["item"][:] == ["007", "7", "1e5", ""]
    assert data["score"][:] == [1.0, 0.0, None, 0.5]
    again = read_dataset(data)
    pd.testing.assert_frame_equal(again.frame, records.frame)


def test_selection_and_order_are_kept():
    """A shuffled or filtered data set gives the rows it shows."""
    data = to_dataset(read(FRAME, system="S")).select([1, 0])
    assert read_dataset(data).frame["item"].tolist() == ["7", "007"]
    assert arrow_table(data.filter(lambda row: row["item"] == "7")).num_rows == 1


def test_half_surrogates_become_replacement_characters():
    """What Arrow cannot hold is replaced, not lost."""
    ids = pd.Series(["a\ud835"], dtype=object)
    data = to_dataset(pd.DataFrame({"id": ids, "score": [1]}))
    assert data["id"][:] == ["a\ufffd"]


def test_empty_records():
    """No rows are no rows."""
    data = to_dataset(read(FRAME.iloc[:0], system="S"))
    assert data.num_rows == 0


def test_splits_streams_and_others_are_refused():
    """What is not one data set is named, with the remedy."""
    data = datasets.Dataset.from_dict({"id": ["a"], "score": [1]})
    with pytest.raises(ArgumentError, match="'test'"):
        read_dataset(datasets.DatasetDict({"test": data}))
    with pytest.raises(ArgumentError, match="stream"):
        read_dataset(data.to_iterable_dataset())
    with pytest.raises(ArgumentError, match="list"):
        read_dataset([{"id": "a"}])
