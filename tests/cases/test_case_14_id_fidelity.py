"""Ids are text exactly as written."""

import pytest
from commands import document, jsonl

from evalkit import read, write
from evalkit.errors import EvalkitError

IDS = ["007", "7", "0x07", "72057594038135103", "72057594038135101", "1e5", ""]


def rows():
    """Seven rows with ids that look like numbers."""
    return [{"id": name, "score": 1 - i % 2} for i, name in enumerate(IDS)]


def test_seven_distinct_ids(tmp_path):
    """Leading zeros, big integers, exponents and the empty text stay themselves; mean 4/7."""
    path = jsonl(tmp_path / "a.jsonl", rows())
    assert read(path).frame["item"].tolist() == IDS
    assert document("estimate", path)["results"][0]["estimate"] == pytest.approx(4 / 7)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet", "jsonl.gz", "jsonl.zst"])
def test_ids_survive_every_format(tmp_path, suffix):
    """Written and read back, ids are equal; the empty one is refused by CSV, which has none."""
    wanted = [name for name in IDS if name or suffix != "csv"]
    records = read(jsonl(tmp_path / "a.jsonl", [r for r in rows() if r["id"] in wanted]))
    write(records, tmp_path / f"out.{suffix}")
    assert read(tmp_path / f"out.{suffix}").frame["item"].tolist() == wanted


def test_numbers_keep_their_digits(tmp_path):
    """An id written as a JSON number of 17 digits is not rounded."""
    path = jsonl(tmp_path / "a.jsonl", ['{"id": 72057594038135103, "score": 1}'])
    assert read(path).frame["item"].tolist() == ["72057594038135103"]


def test_seven_as_number_and_text_in_one_file_is_refused(tmp_path):
    """One file that writes one id in two ways does not say whether they are one item."""
    path = jsonl(tmp_path / "a.jsonl", [{"id": 7, "score": 1}, {"id": "7", "score": 0}])
    with pytest.raises(EvalkitError, match="7"):
        read(path)
