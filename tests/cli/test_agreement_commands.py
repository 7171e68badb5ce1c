"""`agreement`, `raters` and `rank` on the command line."""

import json

import pytest
import typer
from typer.testing import CliRunner

from evalkit.cli.agreement import agreement
from evalkit.cli.rank import rank
from evalkit.cli.raters import raters

RUNNER = CliRunner()
app = typer.Typer()
for verb in (agreement, raters, rank):
    app.command()(verb)


def run(*arguments, code=0):
    """Run a command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, [str(a) for a in arguments])
    assert found.exit_code == code, found.output + found.stderr
    return found


@pytest.fixture
def decisions(tmp_path):
    """Two judges in both orders, labels in a file beside."""
    lines = ["judge_name,judge_model,pair_id,decision_order1,decision_order2"]
    for model, verdicts in (("m1", ["A>B,B>A", "A>B,A>B", "A>B,A=B"]), ("m2", ["B>A,A>B"] * 3)):
        lines += [f"arena,{model},p{i},{v}" for i, v in enumerate(verdicts)]
    (tmp_path / "decisions.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "pairs.csv").write_text("pair_id,label,topic\np0,A>B,x\np1,A>B,x\np2,A>B,y\n")
    return tmp_path / "decisions.csv"


def test_agreement_reads_labels_beside_the_file(decisions):
    """Conventions side by side for each judge: official 2/3, half credit 2.5/3, average 2.25/3."""
    document = json.loads(run("agreement", decisions, "--format", "json").stdout)
    first, second = document["results"]
    assert first["by"] == {"judge_name": "arena", "judge_model": "m1"}
    assert first["agreement"] == pytest.approx(2.25 / 3)
    assert first["conventions"]["ties_wrong"]["value"] == pytest.approx(2 / 3)
    assert first["conventions"]["half_credit"]["value"] == pytest.approx(2.5 / 3)
    assert first["position_bias"]["value"] == 1.0
    assert second["agreement"] == 0.0
    assert any("pairs.csv" in note for note in document["notes"])


def test_agreement_settings_are_passed_on(decisions):
    """Groups, clusters, rule and order reach the library."""
    named = json.loads(
        run(
            "agreement", decisions, "--by", "topic", "--rule", "consistent", "--order2",
            "original", "--labels", decisions.parent / "pairs.csv", "-f", "json",
        ).stdout
    )  # fmt: skip
    assert [r["by"]["topic"] for r in named["results"]] == ["x", "y", "x", "y"]
    assert named["results"][0]["agreement"] == 0.75
    grouped = json.loads(run("agreement", decisions, "--cluster", "topic", "-f", "json").stdout)
    assert grouped["results"][0]["clusters"] == 2
    margins = run("agreement", decisions, "--bin", "topic=a,b", code=2)
    assert "write numbers" in margins.stderr


def test_two_graders_are_compared(decisions):
    """The candidate's agreement less the base's, on the shared pairs."""
    found = json.loads(
        run("agreement", decisions, "--graders", "arena/m2", "arena/m1", "-f", "json").stdout
    )["results"][0]
    assert (found["n_pairs"], found["difference"]) == (3, 0.75)
    table = run("agreement", decisions, "--graders", "arena/m2", "arena/m1").stdout
    assert "0.7500 [" in table
    refused = run(
        "agreement", decisions, "--graders", "arena/m2", "arena/m1", "--by", "topic", code=2
    )
    assert "drop --by" in refused.stderr


def test_agreement_table_shows_intervals(decisions):
    """Every convention stands in the table with its bounds."""
    out = run("agreement", decisions).stdout
    assert "half credit" in out
    assert "0.7500 [" in out


def test_raters_command(tmp_path):
    """Kappa of 7/11 with its ingredients, and a reason where only one label is used."""
    path = tmp_path / "ratings.csv"
    path.write_text("item,rater1,rater2\n1,A,A\n2,A,B\n3,B,B\n4,T,T\n")
    document = json.loads(run("raters", path, "--coefficient", "kappa,raw", "-f", "json").stdout)
    values = {r["coefficient"]: r["value"] for r in document["results"]}
    assert values == {"raw agreement": 0.75, "Cohen kappa": pytest.approx(7 / 11)}
    path.write_text("item,rater1,rater2\n1,A,A\n2,A,A\n")
    out = run("raters", path, "--resamples", 10)
    assert "only one label used" in out.stdout
    assert "nan" not in out.stdout


def test_rank_command(tmp_path):
    """Scores, groups and ranks; an unbeaten system is bad input."""
    path = tmp_path / "games.csv"
    rows = ["x,y,left"] * 30 + ["x,y,right"] * 10 + ["y,x,tie"] * 4
    path.write_text("\n".join(["left,right,winner", *rows]) + "\n")
    document = json.loads(run("rank", path, "--resamples", 100, "-f", "json").stdout)
    assert [r["system"] for r in document["results"]] == ["x", "y"]
    assert [r["group"] for r in document["results"]] == ["a", "b"]
    assert "1-1" in run("rank", path, "--resamples", 100).stdout
    path.write_text("left,right,winner\nx,y,left\n")
    assert "x never lost" in run("rank", path, code=2).stderr
