"""`import` on the command line: what it prints and writes, and that the other verbs read it."""

import gzip
import json

import pytest
import typer
from logs import LOGS, inspect_eval, plain_csv, save, skillopt, tau2, tau_old
from typer.testing import CliRunner

from evalkit.cli.estimate import estimate
from evalkit.cli.import_ import import_
from evalkit.cli.scaling import scaling
from evalkit.cli.trajectory import trajectory
from evalkit.records import read
from evalkit.records.importers import detect
from evalkit.records.raw import read_rows

RUNNER = CliRunner()
app = typer.Typer()
app.command("import")(import_)
for verb in (estimate, scaling, trajectory):
    app.command()(verb)
WITH_HISTORY = {
    *("skillopt", "skillopt-lite", "gepa", "gepa-state", "gepa-result", "gepa-iterations"),
    "cap-evolve",
}


def run(*arguments, code=0):
    """Run a command in this process; return its output after checking the exit code."""
    found = RUNNER.invoke(app, [str(a) for a in arguments])
    assert found.exit_code == code, found.output + found.stderr
    return found


def imported(source, output, *options):
    """Import with JSON output and return the document."""
    return json.loads(run("import", source, "-o", output, "-f", "json", *options).stdout)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [(name, "jsonl") for name in sorted(LOGS)]
    + [("inspect", suffix) for suffix in ("csv", "parquet", "csv.gz", "jsonl.zst")],
)
def test_verdicts_are_read_without_options(name, suffix, tmp_path):
    """`estimate` reads every written table: same statuses, ids as text, no column in doubt."""
    source, target = LOGS[name](tmp_path), tmp_path / f"out.{suffix}"
    [result] = imported(source, target, "--table", "verdicts")["results"]
    found = detect(target)
    assert found is not None
    assert found.name == "plain"
    again = read(target)
    assert len(again) == result["rows"]
    assert again.frame["status"].value_counts().to_dict() == result["by_status"]
    assert not [note for note in again.notes if "not used" in note or "was not read" in note]
    run("estimate", target, "--by", "system,verifier")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [(name, "csv") for name in sorted(WITH_HISTORY)] + [("gepa", "jsonl"), ("gepa", "parquet")],
)
def test_histories_are_read_without_options(name, suffix, tmp_path):
    """`trajectory` replays every written history, with one new best in each of these runs."""
    source, target = LOGS[name](tmp_path), tmp_path / f"history.{suffix}"
    imported(source, target, "--table", "history")
    document = json.loads(run("trajectory", target, "-f", "json").stdout)
    assert document["results"][0]["new_bests"] == 1


def test_counts_and_reasons_are_printed(tmp_path):
    """Rows, items, errored rows by status and what was dropped, in JSON and as a table."""
    source = save(
        tmp_path / "old.json",
        [
            {"task_id": 1, "reward": 1.0, "info": {}, "traj": [], "trial": 0},
            {"reward": 1.0, "info": {}, "traj": [], "trial": 0},
            {"task_id": 2, "reward": 0.0, "info": {"error": "boom"}, "traj": [], "trial": 0},
        ],
    )
    document = imported(source, tmp_path / "out.jsonl")
    [result] = document["results"]
    assert (result["format"], result["table"]) == ("tau-bench", "verdicts")
    assert (result["rows"], result["items"], result["errored"]) == (2, 2, 1)
    assert result["by_status"] == {"scored": 1, "infra": 1}
    assert result["dropped"] == [{"reason": "has no task_id", "count": 1, "examples": ["entry 2"]}]
    assert document["command"] == "import"
    shown = run("import", source, "-o", tmp_path / "out.csv")
    assert "1 dropped (has no task_id): entry 2" in shown.stderr
    assert "tau-bench" in shown.stdout


def test_scaling_reads_trials(tmp_path):
    """Trials of an old list become attempts from 1, as `scaling` wants them."""
    target = tmp_path / "out.jsonl"
    imported(tau_old(tmp_path / "old.json"), target)
    document = json.loads(run("scaling", target, "-f", "json").stdout)
    assert document["results"][0]["system"] == "agent"


def test_columns_of_plain_tables_are_printed_and_overridden(tmp_path):
    """The guess is a note; --column changes it; a log with columns of its own refuses it."""
    source = save(tmp_path / "t.csv", "id,correct,alt,score\na,1,0,0.5\nb,0,1,0.25\n")
    document = imported(source, tmp_path / "out.jsonl")
    assert any("score = score" in note for note in document["notes"])
    document = imported(source, tmp_path / "out.jsonl", "--column", "score=alt")
    assert any("score = alt (declared)" in note for note in document["notes"])
    assert read(tmp_path / "out.jsonl").frame["score"].tolist() == [0.0, 1.0]
    refused = run(
        "import", tau2(tmp_path / "r.json"), "-o", tmp_path / "x.csv", "--column", "score=a", code=2
    )
    assert "--from plain" in refused.stderr


def test_a_label_names_the_system(tmp_path):
    """NAME=PATH names the one system; several systems and histories refuse a label."""
    target = tmp_path / "out.jsonl"
    run("import", f"gpt={tau_old(tmp_path / 'old.json')}", "-o", target)
    assert set(read(target).frame["system"]) == {"gpt"}
    wide = plain_csv(tmp_path / "wide.csv")
    assert "cannot name 2 systems" in run("import", f"x={wide}", "-o", target, code=2).stderr
    folder = skillopt(tmp_path / "run")
    refused = run("import", f"x={folder}", "-o", target, "--table", "history", code=2)
    assert "has none" in refused.stderr


def test_the_format_can_be_forced(tmp_path):
    """--from takes names with hyphens or underscores; an unknown one lists the known."""
    source = tau_old(tmp_path / "old.json")
    target = tmp_path / "out.jsonl"
    assert imported(source, target, "--from", "tau_bench")["results"][0]["format"] == "tau-bench"
    plain = imported(source, target, "--from", "plain", "--column", "attempt=trial")
    assert plain["results"][0]["format"] == "plain"
    refused = run("import", source, "-o", target, "--from", "wandb", code=2)
    assert "skillopt" in refused.stderr
    assert "inspect" in refused.stderr


def test_other_tables_are_named(tmp_path):
    """A run folder holds verdicts and a history: the note says how to get the other."""
    source = skillopt(tmp_path / "run")
    document = imported(source, tmp_path / "out.jsonl")
    assert any("--table history" in note for note in document["notes"])
    refused = run("import", source, "-o", tmp_path / "o.jsonl", "--table", "pairs", code=2)
    assert "holds verdicts (19 rows), history (5 rows)" in refused.stderr


def test_rows_can_be_kept_by_value(tmp_path):
    """--where keeps the rows of a value; an unknown column or value lists what is there."""
    source, target = skillopt(tmp_path / "run"), tmp_path / "out.jsonl"
    [result] = imported(source, target, "--where", "split=test")["results"]
    assert (result["rows"], result["systems"]) == (3, 1)
    for option, said in (
        ("split=exam", "there are 'selection', 'test'"),
        ("colour=red", "the columns are system, item"),
        ("split", "write COLUMN=VALUE"),
    ):
        assert said in run("import", source, "-o", target, "--where", option, code=2).stderr


def test_a_compressed_table_that_is_cut_off(tmp_path):
    """Refused by default; --partial takes the whole rows and says so, in logs it is refused."""
    rows = "".join(json.dumps({"item": f"i{k}", "score": k % 2}) + "\n" for k in range(2000))
    whole = gzip.compress(rows.encode(), mtime=0)
    path, target = save(tmp_path / "t.jsonl.gz", whole[: len(whole) // 2]), tmp_path / "o.jsonl"
    assert "cut off" in run("import", path, "-o", target, code=2).stderr
    assert not target.exists()
    document = imported(path, target, "--partial")
    assert 0 < document["results"][0]["rows"] < 2000
    assert any("cut off before its end mark" in note for note in document["notes"])
    log = tau_old(tmp_path / "old.json")
    assert "is for plain tables" in run("import", log, "-o", target, "--partial", code=2).stderr


def test_unknown_and_missing_sources(tmp_path):
    """A file that no format knows is refused with what was looked at; so is a missing one."""
    odd = save(tmp_path / "odd.bin", b"\x00\x01\x02nothing")
    refused = run("import", odd, "-o", tmp_path / "o.jsonl", code=2)
    assert "no known format" in refused.stderr
    assert "skillopt" in refused.stderr
    empty = tmp_path / "folder"
    empty.mkdir()
    save(empty / "notes.md", "hello")
    assert "notes.md" in run("import", empty, "-o", tmp_path / "o.jsonl", code=2).stderr
    assert "no such" in run("import", tmp_path / "nope", "-o", tmp_path / "o.jsonl", code=2).stderr
    assert not (tmp_path / "o.jsonl").exists()


def test_inspect_metadata_can_be_the_cluster(tmp_path):
    """Metadata of samples stand in columns that --cluster takes."""
    target = tmp_path / "out.jsonl"
    imported(inspect_eval(tmp_path / "log.eval"), target)
    assert {row["metadata_repo"] for row in read_rows(target).rows} == {"r1", None}
