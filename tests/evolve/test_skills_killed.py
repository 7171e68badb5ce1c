"""Skill evolution and GEPA killed with SIGKILL: resumed, they end as if nothing had happened."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from skill_worlds import HELD
from typer.testing import CliRunner
from worlds import tree

from evalkit.cli.run import run
from evalkit.evolve import worlds
from evalkit.evolve.reading import event_rows

RUNNER = CliRunner()
app = typer.Typer()
app.command()(run)

CONFIG = """
[experiment]
name = "toy"
loop = "skills"
rounds = 4
seeds = [0]
[environment]
kind = "lines"
noise = 0.2
[skills]
trajectories = 6
probes = ["R1"]
verifiers = ["reference", "lenient"]
attempts = 3
repeats = 2
[[paper]]
arm = "Normal"
solver = "82.2"
source = "Table A7"
"""

GEPA = """
[experiment]
name = "toy"
loop = "gepa"
rounds = 6
[environment]
kind = "lines"
noise = 0.2
"""

SCRIPT = """
import sys, time
sys.path.insert(0, {helpers!r})
import typer
import skill_worlds
from evalkit.cli.run import run
from evalkit.evolve.worlds import WORLDS
WORLDS["lines"] = "skill_worlds:lines_world"
solve = skill_worlds.ProbedWorld.solve
def slow(self, *args, **settings):
    time.sleep(0.002)
    return solve(self, *args, **settings)
skill_worlds.ProbedWorld.solve = slow
app = typer.Typer()
app.command()(run)
app()
"""


@pytest.fixture(autouse=True)
def _lines(monkeypatch):
    """Register the world of lines under its name."""
    monkeypatch.setitem(worlds.WORLDS, "lines", "skill_worlds:lines_world")
    HELD.clear()


def call(*arguments):
    """Run the command in this process."""
    found = RUNNER.invoke(app, [str(a) for a in arguments])
    assert found.exit_code == 0, found.output + found.stderr
    return found


def kill_and_resume(tmp_path, text, moments):
    """Kill a run whenever a stage's journal has so many lines; finish it; compare."""
    config = tmp_path / "loop.toml"
    config.write_text(text)
    call(config, "-o", tmp_path / "whole")
    script = tmp_path / "run.py"
    script.write_text(SCRIPT.format(helpers=str(Path(__file__).parents[1] / "helpers")))
    out = tmp_path / "cut"
    killed = 0
    for folder, lines, delay in moments:
        command = [sys.executable, str(script), str(config), "-o", str(out), "--resume"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        _wait_for(out / "runs/default" / folder / "journal.jsonl", lines, process)
        time.sleep(delay)
        killed += process.poll() is None
        process.kill()
        process.communicate()
    assert killed == len(moments)
    call(config, "-o", out, "--resume")
    assert tree(out) == tree(tmp_path / "whole")


def _wait_for(path, lines, process):
    """Wait until a journal has some lines, or the process ended."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.001)


def test_a_killed_skill_evolution_resumes_to_the_same_files(tmp_path):
    """SIGKILL in a view and in the selection, then resumed: byte for byte, page included."""
    moments = [("Fail-only/seed-0", 2, 0.004), ("selection/seed-0", 2, 0.0)]
    kill_and_resume(tmp_path, CONFIG, moments)


@pytest.mark.slow
def test_a_killed_gepa_resumes_to_the_same_files(tmp_path):
    """SIGKILL between and within iterations."""
    kill_and_resume(tmp_path, GEPA, [("seed-0", 3, 0.01)])


@pytest.mark.slow
def test_ten_kills_at_random_moments(tmp_path):
    """SIGKILL at ten random moments of all stages, in their order."""
    rng = random.Random(11)  # noqa: S311
    stages = ["parent", "Normal", "Fail-only", "Success-only", "selection", "scaling"]
    places = [(seed, k, stage) for seed in (0, 1) for k, stage in enumerate(stages)]
    chosen = sorted(rng.sample(places, 10))
    moments = [(f"{stage}/seed-{seed}", 1, rng.random() / 25) for seed, _, stage in chosen]
    kill_and_resume(tmp_path, CONFIG.replace("seeds = [0]", "seeds = [0, 1]"), moments)


def test_the_closing_table_has_a_row_for_each_stage(tmp_path):
    """Arm and stage, and a page with the published value beside."""
    config = tmp_path / "loop.toml"
    config.write_text(CONFIG)
    shown = call(config, "-o", tmp_path / "out").stdout
    row = next(line for line in shown.splitlines() if line.startswith("default/Normal"))
    finals = {
        e["returned_by"]: f"{100 * e['score']:.1f}"
        for e in event_rows(tmp_path / "out/runs/default/selection/seed-0", kind="final")
    }
    assert row.split()[-4:-2] == [finals[None], finals["Normal"]]
    for stage in ("parent", "Normal", "Fail-only", "Success-only", "selection", "scaling"):
        assert f"default/{stage}" in shown
    page = (tmp_path / "out/report/index.html").read_text()
    assert "82.2" in page
