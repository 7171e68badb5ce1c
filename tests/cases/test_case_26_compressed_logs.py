"""A compressed file that is cut short is never a silent shorter n."""

import gzip
import json

import pytest
import zstandard
from commands import command

from evalkit import read
from evalkit.errors import TruncatedFileError

TEXT = "".join(json.dumps({"id": f"q{i}", "score": i % 2}) + "\n" for i in range(2000)).encode()
FILES = {"gz": gzip.compress(TEXT), "zst": zstandard.ZstdCompressor().compress(TEXT)}


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize("share", [0.1, 0.6, 0.999])
def test_cut_is_an_error_that_names_the_file(tmp_path, suffix, share):
    """The message names the file, and the exit code is 2."""
    data = FILES[suffix]
    path = tmp_path / f"log.jsonl.{suffix}"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(TruncatedFileError, match=r"log\.jsonl"):
        read(path)
    assert "cut off" in command("estimate", path, code=2)


@pytest.mark.parametrize("suffix", FILES)
def test_partial_on_request(tmp_path, suffix):
    """Whole rows up to the cut, marked partial; the whole file is not."""
    data = FILES[suffix]
    path = tmp_path / f"log.jsonl.{suffix}"
    path.write_bytes(data[: int(len(data) * 0.9)])
    found = read(path, partial=True)
    assert found.partial
    assert len(found) < 2000
    path.write_bytes(data)
    whole = read(path)
    assert (len(whole), whole.partial) == (2000, False)
