"""Configurations: what they say, and what is wrong with them."""

import pytest
from worlds import tree

from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.evolve import worlds
from evalkit.evolve.config import read_config
from evalkit.evolve.experiment import plan, run_experiment
from evalkit.evolve.progress import SilentProgress, total_rounds

BASE = """
[experiment]
name = "toy"
loop = "duet"
rounds = 4
seeds = [0, 3]

[environment]
kind = "clauses"

[duet]
batch = 3
"""


@pytest.fixture(autouse=True)
def _clauses(monkeypatch):
    """Register the world of clauses under its name."""
    monkeypatch.setitem(worlds.WORLDS, "clauses", "worlds:make_world")


@pytest.fixture
def config(tmp_path):
    """Write a configuration and return its path."""

    def write(text):
        path = tmp_path / "loop.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_arms_change_keys_of_the_tables(config):
    """Each arm is the base with its own keys; folders are named after arm and seed."""
    path = config(
        BASE
        + """
[[arm]]
name = "base"
[[arm]]
name = "greedy+1"
duet.exploration = 0.0
environment.noise = 0.5
experiment.rounds = 2
[initial.mine]
solver = "handle beta."
[[arm]]
name = "mine"
duet.initial = "mine"
"""
    )
    experiment = read_config(path)
    _, planned = plan(experiment)
    assert [one.folder for one in planned][:3] == [
        "runs/base/seed-0", "runs/base/seed-3", "runs/greedy+1/seed-0",
    ]  # fmt: skip
    greedy = planned[2]
    assert (greedy.settings.exploration, greedy.settings.batch) == (0.0, 3)
    assert (greedy.world.environment.noise, greedy.arm.rounds) == (0.5, 2)
    assert planned[0].settings.exploration == 0.01
    assert planned[4].initial.solver.component.prompt == "handle beta."


def test_without_arms_there_is_one(config):
    """A configuration without arms runs its base."""
    experiment = read_config(config(BASE))
    assert [arm.name for arm in experiment.arms] == ["default"]
    assert total_rounds(experiment) == 2 * (4 + 2)


def test_a_byte_order_mark_and_crlf_are_read(tmp_path):
    """Files of other systems are the same files."""
    path = tmp_path / "loop.toml"
    path.write_bytes(b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode())
    assert read_config(path).seeds == (0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[experiment", "not TOML"),
        ("", r"the table `\[experiment\]` is missing"),
        (BASE.replace("rounds = 4", ""), r"`experiment\.rounds` is missing"),
        (BASE.replace("rounds = 4", "rounds = 0"), "`rounds` is 0"),
        (BASE.replace("rounds = 4", "rounds = 4.0"), r"`experiment\.rounds` is 4\.0"),
        (BASE.replace("[0, 3]", "[0, 0]"), r"`seeds` is \[0, 0\]; give distinct"),
        (BASE.replace("[0, 3]", "[]"), "at least one"),
        (BASE.replace("[0, 3]", "[-1]"), "0 or more"),
        (BASE.replace("[0, 3]", "3"), r"`experiment\.seeds` is 3"),
        (BASE.replace('"toy"', '"../up"'), r"`name` is '\.\./up'; it names a folder"),
        (BASE.replace("[environment]", "[world]"), "`world` is not a table of this file"),
        (BASE.replace('"clauses"', '"moon"'), r"`environment\.kind` is 'moon'; .*'clauses'"),
        (BASE.replace('kind = "clauses"', ""), r"`environment\.kind` is None"),
        (BASE.replace('loop = "duet"', 'loop = "solo"').replace("[duet]", "[solo]"),
         r"`experiment\.loop` is 'solo'; it must be one of .*'duet'"),
        (BASE.replace("batch", "bach"), r"`duet\.bach` is not a setting"),
        (BASE + "[[arm]]\n", r"`arm\.name` is None"),
        (BASE + "[[arm]]\nname = 'a/b'\n", r"`arm\.name` is 'a/b'"),
        (BASE + "[[arm]]\nname = 'a'\n[[arm]]\nname = 'a'\n", "two arms are named 'a'"),
        (BASE + "[[arm]]\nname = 'a'\nbatch = 3\n", "arm 'a': `batch` is not a table"),
        (BASE + "[[arm]]\nname = 'a'\nexperiment.seeds = [1]\n", "may change `rounds` only"),
        (BASE + "[[arm]]\nname = 'a'\nduet = 3\n", "`duet` is 3; it must be a table"),
        (BASE + "[arm]\nname = 'a'\n", r"`arm` must be written as `\[\[arm\]\]`"),
        (BASE + "[[paper]]\nsolver = '9'\n", r"`paper\.0\.arm` is missing"),
        (BASE + "[initial.x]\nsover = 'a'\n", r"`initial\.x\.sover` is not a setting"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(config, text, message):
    """File, key, value and what is allowed."""
    with pytest.raises((InputError, ArgumentError), match=r"(?s)loop\.toml.*" + message):
        plan(read_config(config(text)))


def test_a_missing_file_is_named(tmp_path):
    """And a file that is not UTF-8."""
    with pytest.raises(FileMissingError, match=r"no\.toml does not exist"):
        read_config(tmp_path / "no.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(InputError, match="not UTF-8"):
        read_config(tmp_path / "latin.toml")


def test_an_output_is_never_overwritten(config, tmp_path):
    """An existing folder needs --resume, and the same settings."""
    experiment = read_config(config(BASE))
    out = tmp_path / "out"
    run_experiment(experiment, out, watch=SilentProgress())
    before = tree(out)
    with pytest.raises(ArgumentError, match="continue it with --resume"):
        run_experiment(experiment, out, watch=SilentProgress())
    run_experiment(experiment, out, resume=True, watch=SilentProgress())
    assert tree(out) == before
    other = read_config(config(BASE.replace("batch = 3", "batch = 2")))
    with pytest.raises(ArgumentError, match=r"`arms\.default\.settings\.batch` was 3 .* is 2 now"):
        run_experiment(other, out, resume=True, watch=SilentProgress())
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArgumentError, match="file"):
        run_experiment(experiment, tmp_path / "file", resume=True, watch=SilentProgress())
    with pytest.raises(ArgumentError, match="`workers` is 0"):
        run_experiment(experiment, tmp_path / "new", workers=0, watch=SilentProgress())
