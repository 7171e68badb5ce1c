"""`contrasts build` and `contrasts score` on the command line."""

import json

import pytest
import typer
from typer.testing import CliRunner

from evalkit.cli.contrasts import contrasts

RUNNER = CliRunner()
app = typer.Typer()
app.add_typer(contrasts)


@app.command()
def other():
    """Another verb, so that the sub-app keeps its name."""


def run(*arguments, code=0):
    """Run a command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, ["contrasts", *(str(a) for a in arguments)])
    assert found.exit_code == code, found.output + found.stderr
    return found


@pytest.fixture
def responses(tmp_path):
    """Twelve responses with a citation and a number."""
    path = tmp_path / "responses.jsonl"
    rows = [
        {"id": i, "prompt": "Report.", "output": f"Site {i}: sales rose 12 % [1]. Costs fell. So."}
        for i in range(12)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_build_then_score(tmp_path, responses):
    """Blinded rows are scored, joined by the key, and give the capacity of each grader."""
    folder = tmp_path / "set"
    made = json.loads(
        run("build", responses, "-o", folder, "--family", "drop-citation,pad", "-f", "json").stdout
    )
    assert made["command"] == "contrasts build"
    assert [(r["family"], r["contrasts"]) for r in made["results"]] == [
        ("drop-citation", 12), ("pad", 12),
    ]  # fmt: skip
    scores = tmp_path / "scores.jsonl"
    lines = (folder / "blinded_responses.jsonl").read_text().splitlines()
    with scores.open("w") as out:
        for row in map(json.loads, lines):
            for grader, sign in (("short", -1), ("cites", 0)):
                text = row["response"]
                worth = sign * len(text) / 1000 + text.count("[1]")
                graded = {"grader": grader, "response_id": row["response_id"], "score": worth}
                out.write(json.dumps(graded) + "\n")
    key = folder / "contrasts.jsonl"
    found = json.loads(run("score", scores, "--key", key, "-f", "json").stdout)
    assert found["settings"]["margin"] == 0.01
    assert found["settings"]["centring"] == "half"
    assert [(r["grader"], r["capacity"]) for r in found["results"]] == [
        ("short", 0.5), ("cites", -0.5),
    ]  # fmt: skip
    assert set(found["results"][0]) == {
        "grader", "capacity", "low", "high", "worst_family", "families", "capacity_if_nulls_fail",
        "capacity_if_nulls_pass", "margin", "centring", "level", "method", "note",
    }  # fmt: skip
    assert found["results"][1]["families"][0]["ties"] == 12
    chosen = run("score", scores, "--key", key, "--graders", "cites", "short")
    assert "short replaces cites: capacity 0.5000 [" in chosen.stdout
    table = run("score", scores, "--key", folder, "--centring", "double").stdout
    assert "1.0000 [" in table
    assert "-1.0000 [" in table


def test_score_reads_own_logs(tmp_path):
    """A log with its own column names is scored without a key."""
    path = tmp_path / "log.csv"
    path.write_text("kind,good,bad,q\n" + "cut,0.9,0.1,1\ncut,0.9,0.89,1\nlie,0.9,0.1,2\n")
    columns = ["--column", "family=kind", "--column", "score_base=good", "--column"]
    columns += ["score_degraded=bad", "--family", "cut,lie,pad"]
    found = json.loads(run("score", path, *columns, "-f", "json").stdout)["results"][0]
    assert found["capacity"] is None
    assert "no scored contrast in pad" in found["note"]
    assert "cut" in run("score", path, *columns, "--cluster", "q").stdout
    for fmt in ("csv", "markdown", "latex", "html"):
        assert "cut" in run("score", path, *columns, "-f", fmt).stdout


def test_bad_input_is_one_message(tmp_path, responses):
    """Unknown families, a folder that is a file and missing keys exit with 2."""
    out = tmp_path / "o"
    assert "allowed are" in run("build", responses, "-o", out, "--family", "typo", code=2).stderr
    assert "name a folder" in run("build", responses, "-o", responses, code=2).stderr
    assert "no such key" in run("score", responses, "--key", out, code=2).stderr
    assert "no column holds" in run("score", responses, code=2).stderr


def test_build_is_reproducible(tmp_path, responses):
    """Equal seeds write equal bytes; reasons of what does not apply are in the table."""
    first = run("build", responses, "-o", tmp_path / "a", "--seed", 3, "--per-family", 4)
    run("build", responses, "-o", tmp_path / "b", "--seed", 3, "--per-family", 4)
    assert "no numbered list of two steps" in first.stdout
    assert "keep contrasts.jsonl and families.json from graders" in first.stderr
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
