"""The command line: fields, formats, exit codes, and one clear message for a wrong input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evalkit import __version__
from evalkit.cli.app import app

RUNNER = CliRunner()
BASE = [0, 1, 0, 1, 0, 0, 1, 0]
CANDIDATE = [1, 1, 0, 1, 1, 0, 1, 1]


def strict(text):
    """Parse JSON and refuse NaN and infinities."""

    def refuse(token):
        raise ValueError(token)

    return json.loads(text, parse_constant=refuse)


def run(*arguments, code=0):
    """Run a command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, [str(a) for a in arguments])
    assert found.exit_code == code, found.output + found.stderr
    assert "Traceback" not in found.output + found.stderr
    return found


@pytest.fixture
def files(jsonl):
    """Two systems on the same eight items in four clusters."""
    paths = []
    for name, scores in (("a", BASE), ("b", CANDIDATE)):
        rows = [
            {"system": name.upper(), "item": f"q{i}", "score": s, "cluster": f"c{i // 2}"}
            for i, s in enumerate(scores)
        ]
        paths.append(jsonl(f"{name}.jsonl", rows))
    return paths


def test_version_and_help():
    """Both answer without reading anything."""
    assert run("--version").output == f"evalkit {__version__}\n"
    for verb in ("estimate", "compare", "trajectory", "scaling", "reproduce"):
        assert verb in run("--help").output
        assert "Usage" in run(verb, "--help").output


def test_estimate_prints_one_strict_json_object(files):
    """The object names version, command, settings, results and notes."""
    document = strict(run("estimate", *files, "--format", "json").output)
    assert set(document) == {"evalkit", "command", "settings", "results", "notes"}
    assert document["command"] == "estimate"
    first = document["results"][0]
    assert first["by"] == {"system": "A"}
    fields = [
        "estimate",
        "low",
        "high",
        "level",
        "method",
        "n",
        "clusters",
        "se",
        "attempted",
        "scored",
        "errored",
        "note",
    ]
    assert set(fields) <= set(first)
    assert (first["estimate"], first["n"], first["method"]) == (0.375, 8, "wilson")
    assert "cluster" in " ".join(document["notes"])


def test_compare_prints_every_field(files):
    """Difference, interval, p, verdict, counts, mde and the other tests."""
    document = strict(run("compare", *files, "--cluster", "cluster", "-f", "json").output)
    found = document["results"][0]
    assert found["difference"] == 0.375
    assert (found["base"], found["candidate"]) == ("A", "B")
    assert (found["n_pairs"], found["clusters"], found["ties"]) == (8, 4, 5)
    assert (found["candidate_wins"], found["base_wins"]) == (3, 0)
    assert (found["p_value"] < 0.05) == (found["low"] > 0)
    assert found["verdict"] == "not separated"
    assert "exact McNemar" in [t["test"] for t in found["also"]]
    assert not document["notes"]


def test_one_file_with_two_systems(files, jsonl):
    """--systems picks the base and the candidate."""
    both = jsonl("both.jsonl", [line for f in files for line in f.read_text().splitlines()])
    document = strict(run("compare", both, "--systems", "B", "A", "-f", "json").output)
    assert document["results"][0]["difference"] == -0.375
    assert "--systems" in run("compare", both, code=2).stderr


def test_labels_name_systems(files):
    """NAME=PATH names the system of a file, in estimates and comparisons."""
    document = strict(run("compare", f"old={files[0]}", f"new={files[1]}", "-f", "json").output)
    assert (document["results"][0]["base"], document["results"][0]["candidate"]) == ("old", "new")
    same = strict(run("compare", files[0], files[0], "-f", "json").output)["results"][0]
    assert same["base"] == same["candidate"] == str(files[0])
    assert same["difference"] == 0
    repeated = run("estimate", files[0], files[0], code=2)
    assert "q0" in repeated.stderr


@pytest.mark.parametrize("fmt", ["table", "csv", "markdown", "latex", "html"])
@pytest.mark.parametrize("verb", ["estimate", "compare"])
def test_every_format_prints_the_same_numbers(files, verb, fmt):
    """The estimate of B is .75, and the difference .375, in every format."""
    text = run(verb, *files, "--format", fmt).stdout
    assert ("0.7500" if verb == "estimate" else "+0.3750") in text


def test_output_goes_to_a_file(files, tmp_path):
    """-o writes the file and nothing to stdout."""
    target = tmp_path / "out.json"
    assert run("estimate", files[0], "-f", "json", "-o", target).stdout == ""
    assert strict(target.read_text())["results"][0]["n"] == 8


def row(i, score, **extra):
    """One verdict."""
    return {"system": "A", "item": f"q{i}", "score": score, **extra}


WRONG = {
    "duplicate": ([row(1, 1), row(1, 0)], "q1"),
    "no score": ([{"system": "A", "item": "q1"}], "score"),
    "no item": ([{"system": "A", "score": 1}], "item"),
    "text score": ([row(1, "great")], "great"),
    "broken line": (['{"item": "q1", "score": 1', json.dumps(row(2, 1))], "line 1"),
    "list": (["[1, 2]", json.dumps(row(2, 1))], "line 2"),
    "percent": ([row(1, "82%")], "82%"),
}


@pytest.mark.parametrize("kind", sorted(WRONG))
def test_a_wrong_file_is_one_message_and_exit_code_2(jsonl, kind):
    """The message names the file and what is wrong in it."""
    rows, expected = WRONG[kind]
    found = run("estimate", jsonl("wrong.jsonl", rows), code=2)
    assert "wrong.jsonl" in found.stderr
    assert expected in found.stderr
    assert found.stdout == ""


def test_undefined_is_said_in_json(jsonl):
    """Empty file, NaN, one cluster: null with a reason, never NaN or SE 0."""
    empty = strict(run("estimate", jsonl("e.jsonl", []), "-f", "json").output)
    assert empty["results"] == []
    assert "no rows" in " ".join(empty["notes"])
    lines = [json.dumps(row(1, 1)), '{"system":"A","item":"q2","score":NaN}', json.dumps(row(3, 0))]
    nan = strict(run("estimate", jsonl("n.jsonl", lines), "-f", "json").output)["results"][0]
    assert (nan["n"], nan["attempted"], nan["errored"]) == (2, 3, 1)
    one = jsonl("o.jsonl", [row(i, i % 2, cluster="c") for i in range(6)])
    found = strict(run("estimate", one, "--cluster", "cluster", "-f", "json").output)["results"][0]
    assert (found["low"], found["se"]) == (None, None)
    assert "one cluster" in found["note"]
    zero = jsonl("z.jsonl", [row(i, 0) for i in range(20)])
    found = strict(run("estimate", zero, "-f", "json").output)["results"][0]
    assert (found["low"], found["se"]) == (0, None)
    assert found["high"] == pytest.approx(0.1611, abs=5e-5)


def test_a_cut_line_is_named(jsonl):
    """A crash loses at most the line being written, and it is said which."""
    lines = [json.dumps(row(1, 1)), json.dumps(row(2, 0)), '{"system":"A","item":"q3","sco']
    document = strict(run("estimate", jsonl("cut.jsonl", lines), "-f", "json").output)
    assert "line 3" in " ".join(document["notes"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["estimate", "absent.jsonl"], "absent.jsonl"),
        (["estimate", "{a}", "--level", "95"], "strictly between"),
        (["estimate", "{a}", "--method", "magic"], "use one of"),
        (["estimate", "{a}", "--by", "model"], "'model'"),
        (["estimate", "{a}", "--cluster", "nope"], "'nope'"),
        (["estimate", "{a}", "--column", "score"], "NAME=SOURCE"),
        (["estimate", "{a}", "--range", "1", "0"], "low"),
        (["estimate", "{a}", "--range", "0", "0.5"], "0.5"),
        (["compare", "{a}", "{b}", "--method", "cr2"], "needs clusters"),
        (["estimate", "{a}", "--format", "yaml"], "yaml"),
        (["estimate"], "FILE"),
        (["reproduce", "nothing"], "nothing"),
    ],
)
def test_a_wrong_argument_is_one_message_and_exit_code_2(files, arguments, message):
    """The message names the argument and what is allowed."""
    filled = [a.format(a=files[0], b=files[1]) for a in arguments]
    if message == "0.5":
        found = strict(run(*filled, "-f", "json").output)
        assert found["results"][0]["errors"] == {"invalid": 3}
        return
    assert message in run(*filled, code=2).stderr


def test_errors_fail_policy(jsonl):
    """--errors fail counts a missing score as 0."""
    path = jsonl("m.jsonl", [row(1, 1), row(2, None)])
    found = strict(run("estimate", path, "--errors", "fail", "-f", "json").output)["results"][0]
    assert (found["estimate"], found["n"]) == (0.5, 2)


def test_trajectory_accounts_for_runs(jsonl):
    """Candidates, new bests and yields, by round and by view; gates are replayed."""
    rows = [
        {"view": view, "round": r, "score": s}
        for view, scores in (("Normal", (0.5, 0.6, 0.55, 0.7)), ("Fail-only", (0.5, 0.4, 0.5)))
        for r, s in enumerate(scores)
    ]
    document = strict(run("trajectory", jsonl("runs.jsonl", rows), "-f", "json").output)
    found = document["results"][0]
    assert (found["runs"], found["candidates"], found["new_bests"]) == (2, 5, 2)
    assert found["yield"] == pytest.approx(0.4)
    assert [r["attempted"] for r in found["by_round"]] == [2, 2, 1]
    assert [g["by"]["view"] for g in found["groups"]] == ["Normal", "Fail-only"]
    assert found["histories"][0]["best_round"] == 3
    strict_gate = run("trajectory", jsonl("r.jsonl", rows), "--gate", "strict", "-f", "json")
    assert strict(strict_gate.output)["results"][0]["gate"] == "strict"
    assert "dead-band" in run("trajectory", jsonl("q.jsonl", rows), "--gate", "x", code=2).stderr
    assert "round 3" in run("trajectory", jsonl("t.jsonl", rows)).stdout


def test_scaling_scores_attempts(jsonl):
    """Oracle, last and calls from one row for each attempt."""
    rows = [
        {"system": "S", "item": i, "attempt": k + 1, "score": int(s)}
        for i, tries in (("a", "01"), ("b", "10"), ("c", "00"), ("d", "11"))
        for k, s in enumerate(tries)
    ]
    document = strict(run("scaling", jsonl("s.jsonl", rows), "-f", "json").output)
    points = document["results"][0]["points"]
    assert [(p["k"], p["parallel"], p["sequential"]) for p in points] == [
        (1, 0.5, 0.5),
        (2, 0.75, 0.5),
    ]
    assert document["results"][0]["calls_all"] == 8


def test_the_installed_command_runs_from_anywhere(files, tmp_path):
    """The console script works in a process of its own, and stops quietly at a closed pipe."""
    command = Path(sys.executable).parent / "evalkit"
    found = subprocess.run(
        [command, "estimate", files[0], "-f", "csv"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "0.3750" in found.stdout
    pipe = f"{command} estimate {files[0]} -f json | head -c 1"
    piped = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, check=True)
    assert piped.stderr == ""
