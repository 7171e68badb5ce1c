"""A bar for large files on a terminal, and nothing elsewhere."""

import os
import pty
import subprocess
import sys
from pathlib import Path

EVALKIT = str(Path(sys.executable).parent / "evalkit")
SMALL_BAR = (
    "import evalkit.cli.reading_progress as p, evalkit.cli as c, sys; p._LARGE = 1000; "
    "sys.argv = ['evalkit', 'estimate', sys.argv[1]]; c.main()"
)


def write_rows(path):
    """Write two megabytes of verdicts."""
    rows = (f'{{"item": "{i}", "score": {i % 2}}}\n' for i in range(60000))
    path.write_text("".join(rows), encoding="utf-8")


def test_a_terminal_sees_the_file_being_read(tmp_path):
    """On a terminal the name of a large file is drawn on stderr; stdout holds the result alone."""
    path = tmp_path / "large.jsonl"
    write_rows(path)
    master, slave = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SMALL_BAR, str(path)], stdout=subprocess.PIPE, stderr=slave,
        check=True, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(slave)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert "reading large.jsonl" in shown
    assert "reading" not in done.stdout.decode()
    assert "0.5000" in done.stdout.decode()


def test_a_pipe_sees_nothing(tmp_path):
    """Without a terminal stderr stays empty."""
    path = tmp_path / "large.jsonl"
    write_rows(path)
    done = subprocess.run(
        [sys.executable, "-c", SMALL_BAR, str(path)], capture_output=True, check=True
    )
    assert done.stderr == b""
