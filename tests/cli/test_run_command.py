"""`evalkit run`: killed, interrupted and resumed, it ends as if nothing had happened."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner
from worlds import tree

from evalkit.cli.app import app as evalkit_app
from evalkit.cli.run import run
from evalkit.evolve import worlds
from evalkit.evolve.reading import event_rows, history_rows

RUNNER = CliRunner()
app = typer.Typer()
app.command()(run)

CONFIG = """
[experiment]
name = "toy"
loop = "duet"
rounds = 6
seeds = [0]
[environment]
kind = "clauses"
noise = 0.1
[duet]
batch = 3
[[arm]]
name = "duet"
[[arm]]
name = "fixed"
duet.checkpoints = "last"
[[paper]]
arm = "duet"
solver = "96.5"
source = "Table 1"
"""

SCRIPT = """
import sys, time
sys.path.insert(0, {helpers!r})
import typer
import worlds as clauses
from evalkit.cli.run import run
from evalkit.evolve.worlds import WORLDS
WORLDS["clauses"] = "worlds:make_world"
solve = clauses.ClauseWorld.solve
def slow(self, *args, **settings):
    time.sleep({delay})
    return solve(self, *args, **settings)
clauses.ClauseWorld.solve = slow
app = typer.Typer()
app.command()(run)
app()
"""


@pytest.fixture(autouse=True)
def _clauses(monkeypatch):
    """Register the world of clauses under its name."""
    monkeypatch.setitem(worlds.WORLDS, "clauses", "worlds:make_world")


@pytest.fixture
def config(tmp_path):
    """Write a configuration with two arms."""
    path = tmp_path / "loop.toml"
    path.write_text(CONFIG)
    return path


def call(*arguments, code=0):
    """Run the command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, [str(a) for a in arguments])
    assert found.exit_code == code, found.output + found.stderr
    return found


def start(tmp_path, config, out, *, delay=0.003):
    """Start the command in a process of its own, with executions that take a while."""
    script = tmp_path / "run.py"
    helpers = str(Path(__file__).parents[1] / "helpers")
    script.write_text(SCRIPT.format(helpers=helpers, delay=delay))
    command = [sys.executable, str(script), str(config), "-o", str(out), "--resume"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path, *, lines, process):
    """Wait until a journal has some lines, or the process ended."""
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.002)


def test_a_run_ends_in_a_table_and_a_page(config, tmp_path):
    """Rows of each arm and seed, JSON in one object, a page that loads nothing."""
    out = tmp_path / "out"
    document = json.loads(call(config, "-o", out, "--format", "json").stdout)
    assert document["command"] == "run"
    rows = [(r["arm"], r["seed"]) for r in document["results"]]
    assert rows == [("duet", "0"), ("fixed", "0")]
    first = document["results"][0]
    finals = {
        (e["agent"], e["role"]): e["score"]
        for e in event_rows(out / "runs/duet/seed-0", kind="final")
        if e["split"] == "test"
    }
    assert first["solver"]["test_best"] == finals["solver", "best"]
    assert first["calls"] > 0
    page = (out / "report" / "index.html").read_text()
    assert "Simulated, not reproduced" in page
    assert "96.5" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert not call(config, "-o", out, "--resume").stderr.startswith("evalkit")


def test_the_page_and_the_rows_do_not_depend_on_when_they_were_made(config, tmp_path):
    """Two experiments are equal byte for byte, on one worker or three."""
    call(config, "-o", tmp_path / "a")
    call(config, "-o", tmp_path / "b", "--workers", "3")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_bad_input_is_refused_with_exit_2(config, tmp_path):
    """A missing file, a bad setting, an existing folder, other settings."""
    assert "no.toml does not exist" in call(tmp_path / "no.toml", code=2).stderr
    bad = tmp_path / "bad.toml"
    bad.write_text(CONFIG.replace("batch = 3", "batch = 0"))
    assert "`batch` is 0" in call(bad, "-o", tmp_path / "x", code=2).stderr
    assert not (tmp_path / "x").exists()
    out = tmp_path / "out"
    call(config, "-o", out)
    assert "--resume" in call(config, "-o", out, code=2).stderr
    bad.write_text(CONFIG.replace("batch = 3", "batch = 2"))
    message = call(bad, "-o", out, "--resume", code=2).stderr
    assert "settings.batch` was 3" in message
    call(config, "-o", out, "--workers", "0", code=2)


def test_the_folder_is_named_after_the_experiment(config, monkeypatch):
    """Without -o it is runs/NAME."""
    monkeypatch.chdir(config.parent)
    call(config)
    assert (config.parent / "runs/toy/report/index.html").is_file()


def _kill_and_resume(tmp_path, config, moments):
    """Kill a run whenever a journal has so many lines; finish it; compare with a whole one."""
    call(config, "-o", tmp_path / "whole")
    out = tmp_path / "cut"
    for folder, lines, delay in moments:
        process = start(tmp_path, config, out)
        wait_for(out / "runs" / folder / "journal.jsonl", lines=lines, process=process)
        time.sleep(delay)
        process.kill()
        process.communicate()
    held = history_rows(out)
    call(config, "-o", out, "--resume")
    assert tree(out) == tree(tmp_path / "whole")
    assert history_rows(out)[0] == held[0]


def test_a_killed_run_resumes_to_the_same_files(config, tmp_path):
    """SIGKILL twice, then resumed: byte for byte the uninterrupted run, page included."""
    moments = [("duet/seed-0", 2, 0.0), ("fixed/seed-0", 1, 0.01)]
    _kill_and_resume(tmp_path, config, moments)


@pytest.mark.slow
def test_ten_kills_at_random_moments(config, tmp_path):
    """SIGKILL at ten random moments."""
    rng = random.Random(7)  # noqa: S311
    folders = ["duet/seed-0", "fixed/seed-0"]
    moments = sorted((rng.choice(folders), rng.randint(0, 7), rng.random() / 20) for _ in range(10))
    _kill_and_resume(tmp_path, config, moments)


def test_ctrl_c_finishes_the_round_and_says_how_to_continue(config, tmp_path):
    """Exit 130, one line, whole rounds only; resumed, the run is the uninterrupted one."""
    call(config, "-o", tmp_path / "whole")
    out = tmp_path / "cut"
    process = start(tmp_path, config, out)
    wait_for(out / "runs/duet/seed-0/journal.jsonl", lines=2, process=process)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert (
        stderr == f"evalkit: interrupted; continue with `evalkit run {config} -o {out} --resume`\n"
    )
    before = {p: p.stat().st_size for p in (out / "runs").rglob("*.jsonl")}
    call(config, "-o", out, "--resume")
    assert all(p.stat().st_size >= size for p, size in before.items())
    assert tree(out) == tree(tmp_path / "whole")


def test_two_commands_never_write_one_folder(config, tmp_path):
    """The second one is refused while the first runs."""
    out = tmp_path / "out"
    process = start(tmp_path, config, out, delay=0.02)
    wait_for(out / "runs/duet/seed-0/journal.jsonl", lines=1, process=process)
    try:
        assert "another process" in call(config, "-o", out, "--resume", code=2).stderr
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def test_other_verbs_read_the_run(config, tmp_path):
    """Doctor, import, estimate and trajectory take the folder that a run wrote."""
    out, rows = tmp_path / "out", tmp_path / "rows.jsonl"
    call(config, "-o", out)

    def ask(*arguments):
        found = RUNNER.invoke(evalkit_app, [str(a) for a in (*arguments, "--format", "json")])
        assert found.exit_code == 0, found.output
        return json.loads(found.stdout)["results"]

    assert ask("doctor", out)[0]["format"] == "evalkit"
    assert ask("import", out, "-o", rows)[0]["rows"] > 0
    by = ("--by", "system,split")
    assert ask("estimate", out, *by) == ask("estimate", rows, *by)
    assert ask("trajectory", out)[0]["runs"] > 0
