"""Appending line by line: crashes, torn lines, several writers, strict JSON."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit import read
from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.records.append import RecordWriter

GOOD = b'{"item": "a", "score": 1}\n'
WRITES = """
import sys
from evalkit.records.append import RecordWriter
name, count = sys.argv[2], int(sys.argv[3])
with RecordWriter(sys.argv[1]) as writer:
    for i in range(count):
        writer.append({"item": f"{name}{i}", "score": 1, "text": name * 3000})
        print(i, flush=True)
"""


def start(path, name, count):
    """Start a process that appends long lines."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITES, str(path), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


def rows(path):
    """Rows of a file, each line parsed strictly."""
    return [json.loads(line, parse_constant=pytest.fail) for line in path.read_text().splitlines()]


def test_killed_writer_loses_at_most_one_line(tmp_path):
    """After kill -9 every line that was reported is there, and the next writer goes on."""
    path = tmp_path / "run.jsonl"
    process = start(path, "a", 10**6)
    reported = -1
    for line in process.stdout:
        reported = int(line)
        if reported >= 50:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.wait()
    found = read(path)
    assert len(found) > reported
    with RecordWriter(path) as writer:
        writer.append({"item": "after", "score": 0})
    assert rows(path)[-1] == {"item": "after", "score": 0}
    assert len(read(path)) >= len(found)
    assert [row["item"] for row in rows(path)[:51]] == [f"a{i}" for i in range(51)]


def test_two_processes_do_not_mix_their_lines(tmp_path):
    """Lines of two writers at once are all there and all whole."""
    path = tmp_path / "run.jsonl"
    processes = [start(path, name, 200) for name in "ab"]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    found = [row["item"] for row in rows(path)]
    assert sorted(found) == sorted(f"{name}{i}" for name in "ab" for i in range(200))


def test_threads_share_a_writer(tmp_path):
    """Lines of several threads are whole."""
    path = tmp_path / "run.jsonl"
    with RecordWriter(path) as writer:

        def work(name):
            for i in range(50):
                writer.append({"item": f"{name}{i}", "text": name * 5000})

        threads = [threading.Thread(target=work, args=(name,)) for name in "xyz"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(rows(path)) == 150


@pytest.mark.parametrize("torn", [b'{"item": "b", "sco', b"{", b"\xff\xfe", b"null", b"7", b"\0\0"])
def test_torn_line_is_read_as_cut_and_then_moved_aside(tmp_path, torn):
    """A torn last line is never joined to the next one, and its bytes are kept."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(GOOD + torn)
    with RecordWriter(path) as writer:
        assert "cut off" in writer.notes[0]
        writer.append({"item": "c", "score": 0})
    assert path.read_bytes() == GOOD + b'{"item": "c", "score": 0}\n'
    assert (tmp_path / "run.jsonl.torn").read_bytes() == torn + b"\n"


def test_reader_reports_the_torn_line(tmp_path):
    """Before anyone appends, reading leaves the torn line out and names it."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(GOOD + b'{"item": "b", "sco')
    found = read(path)
    assert found.partial
    assert any("line 2 is cut off" in note for note in found.notes)


def test_whole_last_line_gets_its_line_end(tmp_path):
    """A file of another tool without a final line end is completed, not cut."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.strip())
    with RecordWriter(path) as writer:
        writer.append({"item": "b", "score": 0})
        assert "line end" in writer.notes[0]
    assert len(read(path)) == 2
    assert not (tmp_path / "run.jsonl.torn").exists()


def test_line_torn_by_another_writer_is_mended_while_open(tmp_path):
    """A writer that stays open repairs what a killed one left behind."""
    path = tmp_path / "run.jsonl"
    with RecordWriter(path) as writer:
        writer.append({"item": "a"})
        with path.open("ab") as handle:
            handle.write(b'{"item": "x')
        writer.append({"item": "b"})
    assert [row["item"] for row in rows(path)] == ["a", "b"]


def test_failed_write_leaves_nothing(tmp_path, monkeypatch):
    """A disk that fills up mid-line raises, and the half line is taken back."""
    path = tmp_path / "run.jsonl"
    real = os.write
    with RecordWriter(path) as writer:
        writer.append({"item": "a"})
        calls = []

        def full(descriptor, data):
            calls.append(data)
            if len(calls) > 1:
                raise OSError(28, "No space left on device")
            return real(descriptor, data[:4])

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(InputError, match="No space left"):
            writer.append({"item": "b"})
        monkeypatch.undo()
        writer.append({"item": "c"})
    assert [row["item"] for row in rows(path)] == ["a", "c"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_writers_lock_each_other(tmp_path):
    """A child opens the file anew, so parent and child do not share one lock."""
    path = tmp_path / "run.jsonl"
    code = (
        "import os, sys\n"
        "from evalkit.records.append import RecordWriter\n"
        "writer = RecordWriter(sys.argv[1])\n"
        "child = os.fork()\n"
        "for i in range(100):\n"
        "    writer.append({'item': f'{child > 0}{i}', 'text': 'x' * 9000})\n"
        "if child:\n"
        "    os.waitpid(child, 0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)
    assert len({row["item"] for row in rows(path)}) == 200


@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=4), st.none() | st.floats() | st.text(max_size=6) | st.booleans()
        ),
        max_size=5,
    )
)
def test_rows_are_strict_json(tmp_path_factory, written):
    """Whatever is appended comes back equal, with null for what is not a number."""
    path = tmp_path_factory.mktemp("append") / "x.jsonl"
    with RecordWriter(path) as writer:
        writer.extend(written)
    expected = [
        {k: None if isinstance(v, float) and v - v != 0 else v for k, v in row.items()}
        for row in written
    ]
    assert rows(path) == expected


def test_durable_lines_are_synchronised(tmp_path, monkeypatch):
    """With `durable` each line is flushed to the disk."""
    calls = []
    monkeypatch.setattr(os, "fsync", calls.append)
    with RecordWriter(tmp_path / "x.jsonl", durable=True) as writer:
        writer.extend([{"item": "a"}, {"item": "b"}])
    assert len(calls) == 3


def test_wrong_use_is_refused(tmp_path):
    """Compressed files, absent folders, rows that are none, and closed writers are errors."""
    with pytest.raises(ArgumentError, match="compressed"):
        RecordWriter(tmp_path / "x.jsonl.gz")
    with pytest.raises(FileMissingError):
        RecordWriter(tmp_path / "none" / "x.jsonl")
    with pytest.raises(InputError, match="cannot be appended"):
        RecordWriter(tmp_path)
    writer = RecordWriter(tmp_path / "x.jsonl")
    with pytest.raises(ArgumentError, match="mapping"):
        writer.extend([{"item": "a"}, ["item", "a"]])
    with pytest.raises(ArgumentError, match="twice"):
        writer.append({1: 0, "1": 0})
    writer.close()
    writer.close()
    with pytest.raises(ArgumentError, match="closed"):
        writer.append({"item": "a"})
    assert (tmp_path / "x.jsonl").read_bytes() == b""


def test_appending_is_fast_enough(tmp_path):
    """A line costs far less than a model call."""
    began = time.perf_counter()
    with RecordWriter(tmp_path / "x.jsonl") as writer:
        for i in range(1000):
            writer.append({"item": str(i), "score": 1})
    assert time.perf_counter() - began < 5
