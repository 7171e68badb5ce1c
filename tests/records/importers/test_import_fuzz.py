"""Damaged logs: any mutated byte either loads with a report or raises an error of evalkit."""

import random
import resource

import pytest
from logs import FORMAT_OF, LOGS

from evalkit.errors import EvalkitError
from evalkit.records.importers import format_by_name
from evalkit.records.importers.base import Imported

_TOKENS = (
    b"null",
    b"NaN",
    b'""',
    b"[]",
    b"{}",
    b"-1",
    b"1e999",
    b"true",
    b'"x"',
    b"99999999999999",
)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change, cut, double, or replace a value of `data`."""
    if not data:
        return bytes([rng.randrange(256)])
    at = rng.randrange(len(data))
    kind = rng.randrange(6)
    if kind == 0:
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if kind == 2:
        return data[:at]
    if kind == 3:
        end = min(len(data), at + rng.randrange(1, 40))
        return data[:at] + data[at:end] + data[at:]
    if kind == 4:
        return data[:at] + data[at + rng.randrange(1, 20) :]
    found = data.find(b":", at)
    if found < 0:
        return data[:at] + rng.choice(_TOKENS) + data[at:]
    end = min(
        (e for e in (data.find(c, found + 1) for c in (b",", b"}", b"]")) if e > 0),
        default=len(data),
    )
    return data[: found + 1] + rng.choice(_TOKENS) + data[end:]


def outcome(read, source) -> bool:
    """Whether the log loads; False where it is refused."""
    try:
        assert isinstance(read(source), Imported)
    except EvalkitError:
        return False
    return True


def assault(name: str, folder, count: int, seed: int) -> tuple[int, int]:
    """Mutate one file at a time; return how many loaded and how many were refused."""
    source = LOGS[name](folder)
    # the importer itself, not `load`: its net must have nothing to catch
    form = format_by_name(FORMAT_OF.get(name, name))
    files = [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file())
    rng = random.Random(seed)  # noqa: S311
    loaded = 0
    for _ in range(count):
        target = rng.choice(files)
        whole = target.read_bytes()
        target.write_bytes(mutate(whole, rng))
        form.detects(source)
        loaded += outcome(form.load, source)
        target.write_bytes(whole)
    return loaded, count - loaded


@pytest.mark.parametrize("name", sorted(LOGS))
def test_a_damaged_log_loads_or_is_refused(name, tmp_path):
    """No mutation raises anything but an EvalkitError, and some of each kind occur."""
    loaded, refused = assault(name, tmp_path, 150, 1)
    assert refused or name == "gepa"  # the run_log stands in for a state that is refused
    assert loaded


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LOGS))
def test_ten_thousand_damaged_logs(name, tmp_path):
    """The same, longer, with memory bounded."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assault(name, tmp_path, 10_000, 2)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert grown < 1 << 19
