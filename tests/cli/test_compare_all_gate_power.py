"""`compare --all`, `compare --gate` and `power` on the command line."""

import json

import pytest
from typer.testing import CliRunner

from evalkit.cli.app import app
from evalkit.cli.gates import apply_gate, with_bare_gate
from evalkit.comparisons import power_paired_binary
from evalkit.errors import ArgumentError

RUNNER = CliRunner()


def run(*arguments, code=0):
    """Run a command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, [str(a) for a in arguments])
    assert found.exit_code == code, found.output + found.stderr
    return found


@pytest.fixture
def four(jsonl):
    """Four systems on 60 items: two poor, one middling, one good."""
    rates = {"poor": 12, "low": 14, "middling": 30, "good": 57}
    rows = [
        {"system": name, "item": f"q{i}", "score": int((i * 7) % 60 < right)}
        for name, right in rates.items()
        for i in range(60)
    ]
    return jsonl("four.jsonl", rows)


def test_all_pairs_have_adjusted_p_values_and_groups(four):
    """Six pairs, Holm by default; systems that are not separated share a letter."""
    document = json.loads(run("compare", four, "--all", "-f", "json").stdout)
    assert len(document["results"]) == 6
    for row in document["results"]:
        assert row["p_adjusted"] >= row["p_value"]
        shared = set(row["group"]["base"]) & set(row["group"]["candidate"])
        assert bool(shared) == (row["verdict_adjusted"] == "not separated")
    systems = {row["system"]: row for row in document["systems"]}
    assert next(iter(systems)) == "good"
    assert (systems["good"]["rank_low"], systems["good"]["rank_high"]) == (1, 1)
    assert (systems["poor"]["rank_low"], systems["poor"]["rank_high"]) == (3, 4)
    assert systems["poor"]["group"] == systems["low"]["group"]
    assert "3-4" in run("compare", four, "--all").stdout
    assert "poor" in run("compare", four, "--all", "--adjust", "bh", "-f", "csv").stdout


def test_all_pairs_of_several_files(four, jsonl):
    """Systems of several files are compared together."""
    lines = four.read_text().splitlines()
    halves = [jsonl("one.jsonl", lines[:120]), jsonl("two.jsonl", lines[120:])]
    document = json.loads(run("compare", *halves, "--all", "-f", "json").stdout)
    assert len(document["systems"]) == 4
    assert "--systems" in run("compare", four, "--all", "--systems", "a", "b", code=2).stderr


@pytest.mark.parametrize(
    ("base", "candidate", "gate", "code"),
    [
        ("poor", "good", "better", 0),
        ("good", "poor", "better", 1),
        ("poor", "low", "better", 1),
        ("poor", "low", "not-worse", 0),
        ("good", "poor", "not-worse", 1),
        ("poor", "low", "non-inferior:0.2", 0),
        ("low", "poor", "non-inferior:0.01", 1),
    ],
)
def test_gates_set_the_exit_code(four, base, candidate, gate, code):
    """0 when every comparison passes, 1 with the reason when one does not."""
    found = run(
        "compare", four, "--systems", base, candidate, "--gate", gate, "-f", "json", code=code
    )
    outcome = json.loads(found.stdout)["gate"]
    assert outcome["passed"] == (code == 0)
    assert ("failed" in found.stderr) == (code == 1)


def test_an_undefined_comparison_fails_the_gate(jsonl):
    """Nothing compared is nothing shown."""
    a = jsonl("a.jsonl", [{"system": "A", "item": "x", "score": 1}])
    b = jsonl("b.jsonl", [{"system": "B", "item": "y", "score": 1}])
    assert "undefined" in run("compare", a, b, "--gate", "not-worse", code=1).stderr


def test_unknown_gates_are_refused(four):
    """The message lists the gates."""
    found = run("compare", four, "--systems", "poor", "good", "--gate", "best", code=2)
    assert "non-inferior:MARGIN" in found.stderr
    for name in ("non-inferior:x", "non-inferior:-1", "non-inferior:nan"):
        with pytest.raises(ArgumentError, match="MARGIN"):
            apply_gate(name, [])


def test_a_bare_gate_means_better():
    """`--gate` may stand last or before another option."""
    assert with_bare_gate(["compare", "a", "b", "--gate"])[-1] == "better"
    assert with_bare_gate(["--gate", "-f", "json"]) == ["--gate", "better", "-f", "json"]
    assert with_bare_gate(["--gate", "not-worse"]) == ["--gate", "not-worse"]
    assert with_bare_gate(["--gate", "nonsense"]) == ["--gate", "nonsense"]


def test_power_three_ways():
    """N and effect give the power; each alone gives the other at 80 %."""

    def row(*arguments):
        return json.loads(run("power", *arguments, "-f", "json").stdout)["results"][0]

    both = row("--n", 200, "--effect", 0.09, "--discordance", 0.39)
    assert both["power"] == power_paired_binary(200, effect=0.09, discordance=0.39).power
    items = row("--effect", 0.05, "--discordance", 0.2)
    assert items["power"] >= 0.8
    assert row("--n", items["n"] - 1, "--effect", 0.05, "--discordance", 0.2)["power"] < 0.8
    smallest = row("--n", 200, "--discordance", 0.39)
    assert smallest["power"] == pytest.approx(0.8, abs=1e-6)
    assert row("--n", 460, "--design", "mean", "--sd", 0.6, "--effect", 0.1)["power"] > 0.8
    gate = row("--design", "gate", "--n", 39, "--base-rate", 0.41, "--effect", 0)
    assert 0.3 < gate["power"] < 0.5
    assert row("--design", "two-sample", "--n", 100, "--base-rate", 0.5)["effect"] > 0.15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "third figure"),
        (["--n", 10], "--discordance"),
        (["--n", 10, "--design", "mean"], "--sd"),
        (["--n", 10, "--design", "gate"], "--base-rate"),
        (["--n", 3, "--discordance", 0.1], "more items"),
    ],
)
def test_power_says_what_it_needs(arguments, message):
    """A missing figure is named."""
    assert message in run("power", *arguments, code=2).stderr
