"""``evalkit sensitivity``: fields, forms of ``--verifiers``, exit codes."""

import json

import pytest
import typer
from typer.testing import CliRunner

from evalkit.cli.sensitivity import sensitivity

APP = typer.Typer()
APP.command()(sensitivity)
SCORES = {
    ("parent", "V0"): [1, 0, 0, 1],
    ("evolved", "V0"): [1, 1, 0, 1],
    ("parent", "V1"): [1, 1, 0, 1],
    ("evolved", "V1"): [1, 1, 0, 1],
}


@pytest.fixture
def file(jsonl):
    """Four items, two systems, two verifiers, two clusters."""
    return jsonl(
        "verdicts.jsonl",
        [
            {"system": s, "item": f"q{i}", "verifier": v, "score": x, "output": f"{s}{i}"}
            | {"task": f"t{i // 2}"}
            for (s, v), values in SCORES.items()
            for i, x in enumerate(values)
        ],
    )


def run(*arguments, code=0):
    """Run the command in this process; return its output after checking the exit code."""
    found = CliRunner().invoke(APP, [str(a) for a in arguments])
    assert found.exit_code == code, found.output + found.stderr
    assert "Traceback" not in found.output + found.stderr
    return found


SYSTEMS = ("--systems", "parent", "evolved")


def test_json_fields(file):
    """The object holds the fields of the verb, and the gains and rankings beside the results."""
    document = json.loads(run(file, *SYSTEMS, "--format", "json").output)
    row = document["results"][0]
    expected = {"delta_v0": 0.25, "delta_v1": 0.0, "difference": -0.25, "disagreements": 1, "n": 4}
    assert {key: row[key] for key in expected} == expected
    assert {"low", "high", "p_value", "level", "method", "flips", "ranking_survives"} <= set(row)
    assert row["low"] < -0.25 < row["high"]
    assert document["command"] == "sensitivity"
    assert [gain["verifier"] for gain in document["gains"]] == ["V0", "V1"]
    assert document["outputs_checked"] is True
    assert document["notes"] == []


@pytest.mark.parametrize(
    "form",
    [
        ("--verifiers", "V1", "V0"),
        ("--verifiers", "V1,V0"),
        ("--verifiers", "V1", "--verifiers", "V0"),
    ],
)
def test_forms_of_verifiers(file, form):
    """Two words, a comma, and the option given twice name the same verifiers in order."""
    document = json.loads(run(file, *form, *SYSTEMS, "--format", "json").output)
    assert document["settings"]["verifiers"] == ["V1", "V0"]
    assert document["results"][0]["difference"] == 0.25


def test_table_shows_flips_and_order(file):
    """The table has intervals, disagreements of verdicts, flips and changed pairs."""
    text = run(file, *SYSTEMS, "--cluster", "task").output
    assert "1 of 8" in text
    assert "V0 and V1 on parent: both pass 2, only V0 0, only V1 1, neither 1" in text
    assert "evolved above parent becomes a tie" in text
    assert "augmented-cluster-t" in text


def test_unchecked_outputs_are_noted(jsonl):
    """Without outputs in the file a note says so on stderr."""
    rows = [
        {"system": s, "item": "q", "verifier": v, "score": 1}
        for s in ("parent", "evolved")
        for v in ("V0", "V1")
    ]
    found = run(jsonl("bare.jsonl", rows), *SYSTEMS)
    assert "could not be compared between verifiers" in found.stderr


def test_wrong_inputs_exit_2(file, jsonl):
    """Unknown names, a second file, and outputs that differ are told in one message."""
    assert "'V9'" in run(file, "--verifiers", "V0", "V9", *SYSTEMS, code=2).stderr
    assert "drop it" in run(file, "other.jsonl", *SYSTEMS, code=2).stderr
    assert "nobody" in run(file, "--systems", "parent", "nobody", code=2).stderr
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows[-1]["output"] = "changed"
    assert "q3" in run(jsonl("changed.jsonl", rows), *SYSTEMS, code=2).stderr
