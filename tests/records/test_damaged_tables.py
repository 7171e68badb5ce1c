"""Ten thousand damaged files of each format of tables: records, or an error of evalkit."""

import random
import resource
import time

import pandas as pd
import pytest

from evalkit.errors import EvalkitError
from evalkit.records import Records, read, write

SUFFIXES = [f"{form}{end}" for form in ("jsonl", "csv", "parquet") for end in ("", ".gz", ".zst")]
TOKENS = (
    b"NaN",
    b"null",
    b'"',
    b"{",
    b"}",
    b",",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff\xfe",
    b"1e999",
    b"\\u",
)


def mutate(data, rng):
    """Flip, drop, repeat or insert a few bytes, or cut the file off."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(out) + 1)
        kind = rng.randrange(5)
        if kind == 0 and place < len(out):
            out[place] ^= rng.randint(1, 255)
        elif kind == 1:
            del out[place : place + rng.randint(1, 20)]
        elif kind == 2:
            out[place:place] = out[place : place + rng.randint(1, 40)]
        elif kind == 3:
            out[place:place] = rng.choice(TOKENS)
        elif rng.random() < 0.3:
            del out[place:]
    return bytes(out)


def assault(path, count, seed):
    """Read `count` damaged copies; return how many loaded and the longest read in seconds."""
    rows = {
        "system": ["a", "b"] * 20,
        "item": [f"q{i // 2}" for i in range(40)],
        "score": [i % 3 / 2 for i in range(40)],
        "cluster": [f"c{i // 10}" for i in range(40)],
    }
    write(read(pd.DataFrame(rows)), path)
    whole, rng = path.read_bytes(), random.Random(seed)  # noqa: S311
    loaded, longest = 0, 0.0
    for _ in range(count):
        path.write_bytes(mutate(whole, rng))
        began = time.process_time()
        try:
            loaded += isinstance(read(path, partial=rng.random() < 0.5), Records)
        except EvalkitError as fault:
            assert path.name in str(fault)  # noqa: PT017 - most reads fail, and each must say where
        longest = max(longest, time.process_time() - began)
    return loaded, longest


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_tables_load_or_are_refused(tmp_path, suffix):
    """No damage raises anything but an error of evalkit that names the file."""
    _, longest = assault(tmp_path / f"rows.{suffix}", 60, 1)
    assert longest < 5


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_ten_thousand_damaged_tables(tmp_path, suffix):
    """The same, longer: no hang, and memory bounded."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _, longest = assault(tmp_path / f"rows.{suffix}", 10_000, 2)
    assert longest < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 19
