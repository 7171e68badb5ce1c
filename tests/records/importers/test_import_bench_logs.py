"""tau-bench, tau2, cap-evolve and Inspect logs."""

import json
import math
import zipfile

import pytest
from logs import (
    cap_evolve,
    cap_report,
    inspect_eval,
    inspect_header,
    inspect_json,
    inspect_members,
    inspect_samples,
    save,
    simulation,
    tau2,
    tau2_document,
    tau2_folder,
    tau_old,
    zip_bytes,
)

from evalkit.errors import InputError, TruncatedFileError
from evalkit.records.importers import detect, load, records_for, rows_for
from evalkit.records.importers.archive import Archive
from evalkit.testtime import outcomes_from_frame, scaling
from evalkit.trajectories import trajectory


def verdicts(imported):
    """(item, attempt, score, status) of each row."""
    rows = imported.tables["verdicts"]
    return [(r["item"], r["attempt"], r["score"], r["status"]) for r in rows]


def notes(imported):
    """All notes in one text."""
    return "\n".join(imported.notes)


def test_old_lists(tmp_path):
    """Trials count from 1; a trial that raised is infra and not a failure."""
    imported = load(tau_old(tmp_path / "old.json"))
    assert verdicts(imported) == [
        ("0", "1", 1.0, "scored"),
        ("0", "2", 1.0, "scored"),
        ("1", "1", 1.0, "scored"),
        ("1", "2", 0.0, "scored"),
        ("2", "1", 0.0, "scored"),
        ("2", "2", None, "infra"),
    ]
    assert "largest k of pass^k over all tasks is 1" in notes(imported)


def test_old_lists_without_trials(tmp_path):
    """Entries without a trial are numbered in order; a timeout is told from a crash."""
    rows = [
        {"task_id": "a", "reward": 0.0, "info": {"error": "Request timed out."}},
        {"task_id": "a", "reward": 1.0, "info": {}},
    ]
    imported = load(save(tmp_path / "l.json", rows), "tau-bench")
    assert verdicts(imported) == [("a", "1", None, "timeout"), ("a", "2", 1.0, "scored")]


def test_pass_hat_k_is_not_pooled_over_lost_trials(tmp_path):
    """Ten tasks that always pass, one trial lost in five: pass^1 is 1, not .875."""
    rows = [
        {"task_id": t, "trial": k, "reward": 1.0, "info": {}, "traj": []}
        for t in range(10)
        for k in range(4)
        if not (t < 5 and k == 3)
    ]
    records = records_for(save(tmp_path / "l.json", rows))
    assert records is not None
    curve = scaling(outcomes_from_frame(records.frame, system="agent"), support="each")
    assert {point.k: point.pass_hat_k for point in curve.points} == {1: 1, 2: 1, 3: 1, 4: 1}


@pytest.mark.parametrize("make", [tau2, tau2_folder], ids=["file", "folder"])
def test_both_forms_of_tau2(make, tmp_path):
    """Success is a reward of 1 to within rounding; lost and never run trials hold no score."""
    imported = load(make(tmp_path / "results.json" if make is tau2 else tmp_path / "run"))
    assert verdicts(imported) == [
        ("0", "1", 1.0, "scored"),
        ("0", "2", 1.0, "scored"),
        ("1", "1", None, "infra"),
        ("1", "2", None, "missing"),
    ]
    row = imported.tables["verdicts"][0]
    assert (row["system"], row["domain"], row["termination"]) == (
        "model-x",
        "airline",
        "agent_stop",
    )
    assert "1 of 4 planned trials have no simulation" in notes(imported)
    assert imported.facts["num_trials"] == 2


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("user_stop", "scored"),
        ("max_steps", "scored"),
        ("too_many_errors", "scored"),
        ("agent_error", "scored"),
        ("context_window_exceeded", "scored"),
        ("timeout", "timeout"),
        ("user_error", "infra"),
        ("unexpected_error", "infra"),
        ("infrastructure_error", "infra"),
        ("TerminationReason.INFRASTRUCTURE_ERROR", "infra"),
    ],
)
def test_ends_of_tau2_runs(end, status, tmp_path):
    """The agent's own failures are failures; the others hold no score, and a note says so."""
    document = {**tau2_document(), "simulations": [simulation("s", "0", 0, 0.0, end)]}
    del document["tasks"]
    imported = load(save(tmp_path / "results.json", document))
    assert verdicts(imported) == [("0", "1", 0.0 if status == "scored" else None, status)]
    softened = end in {"timeout", "user_error", "unexpected_error"}
    assert ("tau2 counts as failures" in notes(imported)) == softened


def test_tau2_files_beside_the_index(tmp_path):
    """A simulation that the index lacks is kept, and one without a task is dropped."""
    root = tau2_folder(tmp_path / "run")
    save(root / "simulations" / "s9.json", simulation("s9", "1", 1, 1.0, "user_stop"))
    broken = simulation("s8", None, 1, 1.0, "user_stop")
    save(root / "simulations" / "s8.json", broken)
    imported = load(root)
    assert ("1", "2", 1.0, "scored") in verdicts(imported)
    assert "simulations are not in the index" in notes(imported)
    assert imported.dropped[0].reason == "has no task_id"


def test_a_reward_that_is_no_number(tmp_path):
    """The message names file and task."""
    document = tau2_document()
    document["simulations"][0]["reward_info"]["reward"] = "high"
    with pytest.raises(InputError, match=r"results\.json, item '0': the score is 'high'"):
        load(save(tmp_path / "results.json", document))


def test_cap_evolve_rounds_and_trials(tmp_path):
    """Indecisive is not a reject; errored trials are infra; undefined pass^k stays undefined."""
    imported = load(cap_evolve(tmp_path / "run"))
    rows = imported.tables["history"]
    assert [row["decision"] for row in rows] == [None, "new best", None, "reject"]
    assert rows[0]["score"] == 0.5
    found = {
        (row["system"], row["item"], row["attempt"]): (row["score"], row["status"])
        for row in imported.tables["verdicts"]
    }
    assert found["seed", "c", "1"] == (0.0, "scored")
    assert found["seed", "c", "2"] == (None, "infra")
    assert found["cand_0003", "c", "2"] == (None, "infra")
    assert found["cand_0001", "d", "1"] == (1.0, "scored")
    assert found["seed", "d", "1"] == (0.0, "scored")
    assert imported.facts["baseline val"]["pass_k"] == {"1": 0.5, "2": None}
    assert "splits train and val share 1 tasks: b" in notes(imported)
    assert "indecisive in rounds 2" in notes(imported)
    assert trajectory(rows).accounting.new_bests == 1


def test_cap_evolve_keeps_what_the_rollouts_lack(tmp_path):
    """Reports fill in trials without a rollout; final names mean candidates; archives stay out."""
    root = cap_evolve(tmp_path / "run")
    save(root / "baseline.json", cap_report())
    score = {"score": {"task_id": "b", "reward": 0.25}}
    save(root / "rollouts" / "val" / "b__seed__t0.json", score)
    save(root / "rollouts" / "test" / "d__FINAL__t0.json", {"score": {"task_id": "d", "reward": 1}})
    save(root / "rollouts" / "test_failed" / "d__FINAL__t0.json", score)
    save(root / "rollouts" / "val" / "notes.json", {})
    imported = load(root)
    found = {
        (row["system"], row["item"], row["split"], row["attempt"]): row["score"]
        for row in imported.tables["verdicts"]
    }
    assert found["seed", "b", "val", "1"] == 0.25
    assert found["seed", "c", "val", "1"] == 0.0
    assert found["cand_0001", "d", "test", "1"] == 1.0
    assert "no split were left out: test_failed" in notes(imported)
    assert "were left out: notes.json" in notes(imported)


def test_cap_evolve_without_events(tmp_path):
    """history.jsonl stands in, with accepted candidates only."""
    root = cap_evolve(tmp_path / "run")
    (root / "events.jsonl").unlink()
    save(root / "history.jsonl", [{"candidate_id": "cand_0001", "val": 0.75}])
    imported = load(root)
    assert [row["score"] for row in imported.tables["history"]] == [0.5, 0.75]
    assert "rejected candidates are not in the history" in notes(imported)


@pytest.mark.parametrize("method", [93, 8, 0], ids=["zstd", "deflate", "stored"])
def test_inspect_archives(method, tmp_path):
    """Epochs are attempts, scorers and their parts verifiers; every compression is read."""
    imported = load(inspect_eval(tmp_path / "log.eval", method=method))
    found = {
        (row["item"], row["attempt"], row["verifier"]): (row["score"], row["status"])
        for row in imported.tables["verdicts"]
    }
    assert len(found) == 4 * 2 * 3
    assert found["1", "1", "match"] == (1.0, "scored")
    assert found["3", "1", "match"] == (0.5, "scored")
    assert found["two", "1", "match"] == (None, "infra")
    assert found["two", "1", "rubric/style"] == (None, "infra")
    assert found["1", "2", "rubric/facts"] == (1.0, "scored")
    assert found["4", "2", "match"] == (None, "missing")
    assert "6 of 8 planned samples are there" in notes(imported)
    assert imported.facts["metrics"] == {"match/accuracy": 0.7, "match/stderr": None}


def test_inspect_forms_agree(tmp_path):
    """The .json log gives the same rows as the .eval log, NaN scores as missing."""
    archive = load(inspect_eval(tmp_path / "a.eval"))
    document = load(inspect_json(tmp_path / "b.json"))
    key = lambda row: (row["item"], row["attempt"], row["verifier"])  # noqa: E731
    rows = [sorted(x.tables["verdicts"], key=key) for x in (archive, document)]
    assert rows[0] == rows[1]
    nan = next(r for r in rows[0] if key(r) == ("two", "2", "match"))
    assert (nan["score"], nan["status"]) == (None, "missing")


def test_failed_and_unfinished_logs(tmp_path):
    """Null results, a status of error and a missing header are notes; journals are read."""
    header = {**inspect_header("error"), "results": None}
    document = {**header, "samples": inspect_samples()[:1]}
    told = notes(load(save(tmp_path / "log.json", document)))
    assert "`results` is null" in told
    assert "the status of the log is 'error'" in told
    members = inspect_members()
    del members["header.json"]
    sample = json.loads(members.pop("samples/1_epoch_1.json"))
    members["_journal/summaries/1.json"] = json.dumps([sample]).encode()
    imported = load(save(tmp_path / "log.eval", zip_bytes(members)))
    assert "no header.json" in notes(imported)
    assert "1 samples stand in the summaries only" in notes(imported)
    assert ("1", "1", 1.0, "scored") in verdicts(imported)


def test_values_of_inspect(tmp_path):
    """Letters, booleans, numbers, lists and texts; what is no score is invalid, not 0."""
    values = ["C", "I", "P", "N", True, 0.25, "0.5", [1, 0], "maybe", None, math.inf]
    samples = [
        {"id": f"s{i}", "epoch": 1, "scores": {"m": {"value": v}}} for i, v in enumerate(values)
    ]
    samples.append({"id": "late", "epoch": 1, "scores": {}, "limit": {"type": "time"}})
    header = inspect_header()
    header["eval"]["dataset"] = {}
    imported = load(save(tmp_path / "log.json", {**header, "samples": samples}))
    found = {
        row["item"]: (row["score"], row["status"])
        for row in imported.tables["verdicts"]
        if row["verifier"] == "m"
    }
    assert [found[f"s{i}"] for i in range(7)] == [
        (score, "scored") for score in (1.0, 0.0, 0.5, 0.0, 1.0, 0.25, 0.5)
    ]
    assert found["s8"] == (None, "invalid")
    assert found["s9"] == (None, "missing")
    assert found["s10"] == (None, "invalid")
    assert found["late"] == (None, "timeout")
    parts = {r["verifier"]: r["score"] for r in imported.tables["verdicts"] if r["item"] == "s7"}
    assert (parts["m/0"], parts["m/1"]) == (1.0, 0.0)
    assert '"maybe"' in notes(imported)


def test_folders_of_inspect_logs(tmp_path):
    """Logs of one task are attempts of each other; of several tasks, items carry the task."""
    inspect_eval(tmp_path / "logs" / "a.eval")
    inspect_eval(tmp_path / "logs" / "b.eval")
    imported = load(tmp_path / "logs")
    assert len(imported.dropped) == 1  # the second is a copy of the first
    header = inspect_header()
    header["eval"]["task"] = "other"
    save(tmp_path / "logs" / "b.eval", zip_bytes({"header.json": json.dumps(header).encode()}))
    items = {row["item"] for row in load(tmp_path / "logs").tables["verdicts"]}
    assert {"demo/1", "other/1"} <= items


def test_zip_bombs_are_refused(tmp_path):
    """A member that unpacks beyond the limit, or a thousandfold, stops there with a message."""
    members = {**inspect_members(), "samples/bomb_epoch_1.json": b" " * (1 << 25)}
    for method in (93, 8):
        path = save(tmp_path / "bomb.eval", zip_bytes(members, method=method))
        with pytest.raises(InputError, match="as a zip bomb does"):
            load(path)
    with (
        Archive(inspect_eval(tmp_path / "log.eval"), limit=10) as archive,
        pytest.raises(InputError, match="more than 10,"),
    ):
        archive.read("header.json")


def test_damaged_archives(tmp_path):
    """Cut off, no archive, damaged, encrypted, unknown compression, no log: each is named."""
    data = inspect_eval(tmp_path / "log.eval").read_bytes()
    with pytest.raises(TruncatedFileError, match="cut off, or still being written"):
        load(save(tmp_path / "cut.eval", data[: len(data) // 2]))
    with pytest.raises(InputError, match="not a zip archive"):
        Archive(save(tmp_path / "x.eval", b"hello"))
    members = inspect_members()
    packed = {"header.json": b"not zstd"}
    with pytest.raises(InputError, match=r"'header\.json': the member is damaged"):
        load(save(tmp_path / "bad.eval", zip_bytes(members, packed=packed)))
    wrong = {name: value + b" " for name, value in members.items()}
    with pytest.raises(InputError, match="checksum does not match"):
        load(save(tmp_path / "sum.eval", zip_bytes(members, method=0, packed=wrong)))
    with pytest.raises(InputError, match="compression method 12"):
        load(save(tmp_path / "bz2.eval", zip_bytes(members, method=12)))
    with pytest.raises(InputError, match="it is no Inspect log"):
        load(save(tmp_path / "other.eval", zip_bytes({"a.txt": b"x"})))


def test_archives_of_the_standard_library(tmp_path):
    """What zipfile writes is read too; a zip of something else is not taken for a log."""
    path = tmp_path / "log.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in inspect_members().items():
            archive.writestr(name, data)
    found = detect(path)
    assert found is not None
    assert found.name == "inspect"
    other = save(tmp_path / "other.zip", zip_bytes({"a.txt": b"x"}))
    assert detect(other) is None


def test_rows_for_a_verb(tmp_path):
    """A verb gets the table of a known log, None for a plain one, an error for another table."""
    log = inspect_eval(tmp_path / "log.eval")
    found = rows_for(log, "verdicts")
    assert found is not None
    assert found.notes[0] == "read as inspect"
    with pytest.raises(InputError, match="holds verdicts and no history"):
        rows_for(log, "history")
    assert rows_for(save(tmp_path / "t.csv", "item,score\na,1\n"), "verdicts") is None
    records = records_for(log)
    assert records is not None
    assert records.sources == (str(log),)
    assert len(records) == 24
