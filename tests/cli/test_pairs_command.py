"""`pairs build`, `pairs check` and `pairs export` on the command line."""

import json
import re
from pathlib import Path

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from evalkit.cli.pairs import pairs, parse_shares
from evalkit.pairs import read_pairs

RUNNER = CliRunner()
app = typer.Typer()
app.add_typer(pairs)


@app.callback()
def root():
    """Keep the sub-command's name."""


def run(*arguments, code=0):
    """Run a command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, ["pairs", *(str(a) for a in arguments)])
    assert found.exit_code == code, found.output + found.stderr
    return found


@pytest.fixture
def outputs(tmp_path):
    """Twelve tasks with two outputs; the longer one is worse in all but two."""
    lines = ["question,score,grounded,words_n,model,judge_score,answer"]
    for k in range(12):
        good, bad = ("0.58", "0.50")
        long = k not in (3, 7)
        lines.append(f"q{k},{good},1,10,a,0.1,{' '.join(f'g{k}x{n}' for n in range(9))}")
        n = 20 if long else 5
        lines.append(f"q{k},{bad},0,{n},b,0.9,{' '.join(f'b{k}x{m}' for m in range(n))}")
    path = tmp_path / "outputs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


BASE = ("--task", "question", "--reference", "score", "--model", "model")


def test_build_reports_and_saves(outputs, tmp_path):
    """The report adds up, the grader's column is left out, and the pairs are written."""
    out = tmp_path / "set"
    found = run("build", outputs, *BASE, "--text", "answer", "--cue", "words", "--models",
                "different", "--second-reference", "grounded", "--splits", "train=0.5,test=0.5",
                "--save", out, "--as", "datasets", "-f", "json")  # fmt: skip
    document = json.loads(found.stdout)
    report = document["results"][0]
    assert document["command"] == "pairs build"
    assert (report["pairs"], report["considered"]) == (10, 12)
    assert report["dropped"] == {"cue_favours_better": 2}
    assert report["cue_agreement"]["estimate"] == pytest.approx(2 / 12)
    assert report["by_split"] == {"train": 5, "test": 5}
    assert document["settings"]["seed"] == 0
    assert any("'judge_score'" in note for note in document["notes"])
    assert len(read_pairs(out)) == 10
    assert "wrote" in found.stderr


def test_table_shows_drops_and_power(outputs):
    """The table names each reason, the cue's agreement with its interval, and the power."""
    out = run("build", outputs, *BASE, "--cue", "column:words_n", "--per-task", 0).stdout
    assert "dropped: the cue favours the better output" in out
    assert "0.1667 [" in out
    assert "power at a gain of 0.1" in out
    empty = run("build", outputs, *BASE, "--cue", "column:words_n", "--margin", 0.09).stdout
    assert "no pairs" in empty


def test_graders_cannot_be_passed(outputs):
    """As cue, reference or declared grader a judge's score is refused with the reason, code 2."""
    args = ("build", outputs, "--task", "question", "--model", "model")
    for more in (("--reference", "score", "--cue", "column:judge_score"),
                 ("--reference", "judge_score", "--cue", "column:words_n"),
                 ("--reference", "score", "--cue", "words_n", "--grader", "words_n")):  # fmt: skip
        assert "grader" in run(*args, *more, code=2).stderr
    declared = ("--reference", "judge_score", "--cue", "words_n", "--not-a-grader", "judge_score")
    assert "pairs" in run(*args, *declared).stdout


def test_check_is_a_gate(outputs, tmp_path):
    """A clean set is 0; the same file as two splits is 1, with the faults on stdout."""
    path = tmp_path / "set.jsonl"
    run("build", outputs, *BASE, "--text", "answer", "--cue", "length", "--save", path)
    clean = run("check", path, "--margin", "0.08")
    assert "longer output is better in 0 pairs" in clean.stdout
    faulty = run("check", f"train={path}", f"test={path}", "-f", "json", code=1)
    result = json.loads(faulty.stdout)["results"][0]
    assert not result["ok"]
    assert "tasks across splits" in {
        f["check"] for f in result["findings"] if f["status"] == "fault"
    }
    assert "split of its own" in run("check", f"train={path}", path, code=2).stderr
    assert "margin" in run("check", path, "--margin", "x", code=2).stderr


@pytest.mark.parametrize("form", ["judgebench", "rewardbench", "trl"])
def test_export_keeps_pairs(outputs, tmp_path, form):
    """From one format to another and on, the pairs stay equal."""
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    run("build", outputs, *BASE, "--text", "answer", "--cue", "length", "--save", first)
    said = run("export", first, second, "--as", form).stderr
    assert "no column for" in said
    assert read_pairs(second).pairs == read_pairs(first).pairs


def test_bad_input_is_one_message(outputs, tmp_path):
    """Missing files, columns and shares end with code 2 and no traceback."""
    assert "column 'q'" in run("build", outputs, "--task", "q", "--reference", "score", "--cue",
                               "length", code=2).stderr  # fmt: skip
    assert "no candidate has" in run("build", outputs, *BASE, "--cue", "length", code=2).stderr
    for splits in ("train", "train=x", "a=0.5,a=0.5", "a=0.4,b=0.4"):
        run("build", outputs, *BASE, "--cue", "words_n", "--splits", splits, code=2)
    run("check", tmp_path / "none.jsonl", code=2)
    run("export", tmp_path / "none.jsonl", tmp_path / "x", code=2)
    assert parse_shares(None) is None


@pytest.mark.parametrize("page", ["pairs.md", "cookbook/adversarial-pairs.md"])
def test_documented_options_exist(page):
    """Every option of a documented command is one of that command."""
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    commands = re.findall(r"^    evalkit pairs (\w+)((?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert len(commands) >= 3
    for name, rest in commands:
        known = {
            o for p in get_command(app).commands["pairs"].commands[name].params for o in p.opts
        }
        assert set(re.findall(r"(?<= )--[a-z-]+", rest)) <= known, name


def test_same_seed_same_bytes(outputs, tmp_path):
    """Two runs write equal bytes."""
    paths = [tmp_path / f"{k}.jsonl" for k in "ab"]
    for path in paths:
        run("build", outputs, *BASE, "--text", "answer", "--cue", "length", "--seed", 5,
            "--save", path)  # fmt: skip
    assert paths[0].read_bytes() == paths[1].read_bytes()
