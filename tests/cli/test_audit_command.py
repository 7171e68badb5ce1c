"""`evalkit audit` on the command line."""

import json

import pytest
import typer
from typer.testing import CliRunner

from evalkit.cli.audit import audit, pairs, sizes
from evalkit.errors import ArgumentError

app = typer.Typer()
app.callback()(lambda: None)
app.command()(audit)


def run(*arguments, code=0):
    """Run the verb in this process; return its output after checking the exit code."""
    found = CliRunner().invoke(app, ["audit", *map(str, arguments)])
    assert found.exit_code == code, found.output + found.stderr
    return found


@pytest.fixture
def games(tmp_path):
    """One row that follows from its counts, and one that does not."""
    path = tmp_path / "w.csv"
    path.write_text(
        "system,wins,ties,losses,n,win_rate\nright,120,10,70,200,62.5\nbroken,120,10,70,200,60.0\n"
    )
    return path


@pytest.fixture
def seeds(tmp_path):
    """Means over three seeds of 120 items, one of them reached from rounded seed means alone."""
    path = tmp_path / "g.csv"
    path.write_text("system,n,seeds,accuracy\na,120,3,80.3\nb,120,3,82.0\nc,120,3,89.4\n")
    return path


def test_json_has_a_result_for_every_check(games):
    """Results carry cell, check, verdict, expected, distance and explanation, findings first."""
    document = json.loads(run(games, "--format", "json").stdout)
    assert document["command"] == "audit"
    first = document["results"][0]
    assert first["cell"] == {
        "table": "w.csv", "row": "broken", "column": "win_rate", "printed": "60.0",
    }  # fmt: skip
    assert (first["verdict"], first["distance"]) == ("mismatch", -2.5)
    assert [r["verdict"] for r in document["results"][1:]] == ["ok"] * 5
    assert document["counts"]["win rate"] == {"mismatch": 1, "ok": 1}
    assert any("wins = wins" in note for note in document["notes"])


def test_strict_exits_1_on_findings(games, seeds, tmp_path):
    """Mismatches fail under --strict, roundings too unless they are allowed, sound tables never."""
    run(games)
    run(games, "--strict", code=1)
    run(games, "--strict", "--allow-rounding", code=1)
    run(seeds, "--strict", code=1)
    run(seeds, "--strict", "--allow-rounding")
    sound = tmp_path / "s.csv"
    sound.write_text("system,n,accuracy\na,40,62.5\n")
    run(sound, "--strict")


def test_table_shows_findings_and_counts(games):
    """Findings come first, with the number of cells by check; --all lists every check."""
    short, full = run(games).stdout, run(games, "--all").stdout
    assert "broken" in short
    assert "right" not in short
    assert "win rate: 1 mismatch, 1 ok" in short
    assert "1 findings (1 mismatches, 0 by rounding) in 6 checks" in short
    assert "right" in full


@pytest.mark.parametrize("fmt", ["csv", "markdown", "latex", "html"])
def test_formats(games, tmp_path, fmt):
    """Every format of the house prints the finding, also to a file."""
    run(games, "-f", fmt, "-o", tmp_path / "out")
    assert "broken" in (tmp_path / "out").read_text()


def test_settings_reach_the_library(tmp_path):
    """Constants, roles and parts given as options decide what is checked."""
    path = tmp_path / "t.csv"
    path.write_text("model,A,B,gain,all\nx,63.0,62.5,-0.5,125.5\ny,60.0,65.0,4.0,125.0\n")
    options = ["--n", "A=40", "--kind", "accuracy", "--role", "all=other", "--delta", "gain=B-A",
               "--sum", "all=A+B", "--mean", "B=B:1"]  # fmt: skip
    document = json.loads(run(path, *options, "-f", "json").stdout)
    flagged = {(r["cell"]["column"], r["check"]) for r in document["results"]
               if r["verdict"] == "mismatch"}  # fmt: skip
    assert flagged == {("A", "attainable"), ("gain", "delta")}
    assert document["settings"]["n"] == {"A": 40}


def test_items_and_candidates(tmp_path):
    """Items and candidates beside the table are read."""
    table, items, rounds = (tmp_path / n for n in ("t.csv", "i.csv", "c.csv"))
    table.write_text("system,accuracy\na,50.0\nb,75.0\n")
    items.write_text(
        "system,task,fixed\n" + "".join(f"{s},{i},{int(i < 2)}\n" for s in "ab" for i in range(4))
    )
    rounds.write_text("system,round,test,valid\nb,1,75.0,10\nb,2,50.0,20\n")
    document = json.loads(
        run(table, "--items", items, "--item-column", "score=fixed", "--item-column", "item=task",
            "--candidates", rounds, "--candidate-column", "score=test", "-f", "json").stdout
    )  # fmt: skip
    flagged = {(r["cell"]["row"], r["check"]) for r in document["results"]
               if r["verdict"] == "mismatch"}  # fmt: skip
    assert flagged == {("b", "items"), ("b", "selection")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "no such file"),
        (["T", "--n", "many"], "whole number"),
        (["T", "--n", "4", "--n", "5"], "more than once"),
        (["T", "--role", "accuracy"], "COLUMN=VALUE"),
        (["T", "--role", "zz=n"], "'zz'"),
        (["T", "--delta", "accuracy=zz"], "write B-A"),
    ],
)
def test_bad_input_exits_2(seeds, arguments, message):
    """Bad files and options give one message and exit code 2."""
    found = run(*(seeds if a == "T" else a for a in arguments), code=2)
    assert message in found.stderr


def test_option_parsers():
    """A column may hold an equals sign; thousands separators are read."""
    assert pairs("--role", ["K=1=accuracy"]) == {"K=1": "accuracy"}
    assert sizes(["1,024"]) == 1024
    assert sizes(None) is None
    with pytest.raises(ArgumentError):
        pairs("--role", ["=n"])
