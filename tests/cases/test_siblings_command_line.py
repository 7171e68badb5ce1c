"""Files and names that a command meets in use: pipes, its own input as output, odd columns."""

import os
import subprocess
import sys

import pytest
from commands import command, document, jsonl

COLUMNS = ["n", "note", "method", "estimate", "clusters", "bounds", "verdict", "mde", "p"]
ROWS = [{"id": f"q{i}", "score": i % 2} for i in range(6)]


@pytest.mark.parametrize("named", ["a.jsonl", "link.jsonl", "./a.jsonl"])
@pytest.mark.parametrize("label", ["", "base="])
def test_output_is_never_an_input(tmp_path, monkeypatch, named, label):
    """Under whatever name, the input is refused as output and keeps its bytes."""
    monkeypatch.chdir(tmp_path)
    before = jsonl(tmp_path / "a.jsonl", ROWS).read_bytes()
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    out = command("estimate", f"{label}a.jsonl", "-o", named, code=2)
    assert "is the input" in out
    assert (tmp_path / "a.jsonl").read_bytes() == before


def test_second_input_is_never_the_output(tmp_path):
    """The candidate of a comparison is an input too."""
    base, new = (jsonl(tmp_path / name, ROWS) for name in ("a.jsonl", "b.jsonl"))
    assert "is the input" in command("compare", base, new, "-o", new, code=2)


def test_output_is_written_whole_or_not_at_all(tmp_path):
    """A missing folder is named, and a folder is no file."""
    path = jsonl(tmp_path / "a.jsonl", ROWS)
    assert "no such folder" in command("estimate", path, "-o", tmp_path / "x" / "o", code=2)
    assert "folder" in command("estimate", path, "-o", tmp_path, code=2)
    command("estimate", path, "-o", tmp_path / "out.txt")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "out.txt"]


@pytest.mark.parametrize("verb", ["estimate", "trajectory", "agreement", "raters", "rank"])
def test_pipe_is_refused_and_not_read_as_empty(tmp_path, verb):
    """A pipe can be read once only: an error that names it, at once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    out = command(verb, pipe, code=2)
    assert str(pipe) in out
    assert "pipe" in out


def test_the_null_device_is_an_empty_file():
    """/dev/null holds no rows, and the notes say so."""
    found = document("estimate", os.devnull)
    assert found["results"] == []
    assert any("no rows" in note for note in found["notes"])


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams_are_no_internal_error(tmp_path, closed):
    """With stdout closed there is nowhere to write, an error; stderr is not needed."""
    path = jsonl(tmp_path / "a.jsonl", ROWS)
    code = (
        f"import sys; sys.{closed} = None; from evalkit.cli.app import app; "
        f"app(['estimate', {str(path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == (2 if closed == "stdout" else 0)
    assert b"internal" not in done.stderr


@pytest.mark.parametrize(
    "name",
    [*COLUMNS, "_value", "_state", "_rows", "_n", "_base", "_cand", "_difference"],
)
def test_any_column_name_can_group(tmp_path, name):
    """Groups and clusters may be called like a column of the result."""
    rows = [row | {name: f"t{i // 2}"} for i, row in enumerate(ROWS)]
    path, other = (jsonl(tmp_path / f"{k}.jsonl", rows) for k in "ab")
    for verb in (["estimate", path], ["compare", path, other]):
        by = [each["by"] for each in document(*verb, "--by", name)["results"]]
        assert [each[name] for each in by] == ["t0", "t1", "t2"]
        assert document(*verb, "--cluster", name)["results"][0]["clusters"] == 3


@pytest.mark.parametrize("name", ["item", "score", "system", "status"])
def test_what_is_compared_is_no_group(tmp_path, name):
    """Grouping a comparison by the outcome, or by what is paired, is refused."""
    path, other = (jsonl(tmp_path / f"{k}.jsonl", ROWS) for k in "ab")
    assert f"'{name}'" in command("compare", path, other, "--by", name, code=2)


def test_cluster_without_a_name_is_refused(tmp_path):
    """An empty column name is an error and no internal one."""
    path = jsonl(tmp_path / "a.jsonl", ROWS)
    assert "column ''" in command("estimate", path, "--cluster", "", code=2)


def test_label_that_is_no_utf8(tmp_path):
    """A label with undecodable bytes names its system with U+FFFD."""
    path = jsonl(tmp_path / "a.jsonl", ROWS)
    found = document("estimate", f"m\udcc3={path}")["results"]
    assert found[0]["by"]["system"] == "m\ufffd"


def test_one_input_is_named_by_every_error(tmp_path):
    """Errors of the statistics name the file where there is one."""
    path = jsonl(tmp_path / "h.jsonl", [{"round": 0, "score": 0.5}, {"round": 0, "score": 0.6}])
    assert "h.jsonl: " in command("trajectory", path, code=2)
    path = jsonl(tmp_path / "c.jsonl", [{"id": 1, "score": 1, "g": None}])
    assert "c.jsonl: " in command("estimate", path, "--cluster", "g", code=2)


@pytest.mark.parametrize("data", [b"\0\1\2", b"%PDF-1.4\n\0"])
def test_audit_of_a_binary_file(tmp_path, data):
    """A binary file is no table without rows."""
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    assert "not a text file" in command("audit", path, code=2)


def test_reproduce_without_studies(tmp_path):
    """A folder without studies does not count as one whose reports differ."""
    assert "no analysis" in command("reproduce", "--root", tmp_path, "--check", code=2)
