"""SkillOpt output folders: rounds, verdicts, and what the log gets wrong about itself."""

import pytest
from logs import evaluation, results, save, skillopt, skillopt_lite, step_record

from evalkit.errors import InputError
from evalkit.records.importers import detect, load
from evalkit.trajectories import strict, trajectory


def systems(imported):
    """Scores by system and item."""
    found = {}
    for row in imported.tables["verdicts"]:
        found.setdefault(row["system"], {})[row["item"]] = row["score"]
    return found


def notes(imported):
    """All notes in one text."""
    return "\n".join(imported.notes)


def test_the_parent_comes_from_the_summary(tmp_path):
    """Round 0 is the baseline of summary.json; history.json begins with step 1."""
    imported = load(skillopt(tmp_path / "run"))
    rows = imported.tables["history"]
    assert [(r["round"], r["score"], r["decision"]) for r in rows] == [
        (0, 0.5, None),
        (1, 0.25, "reject"),
        (2, 0.75, "new best"),
        (3, None, "no-op"),
        (4, 0.75, "reject"),
    ]
    assert rows[3]["changed"] is False
    found = trajectory(rows, gate=strict())
    assert (found.accounting.new_bests, found.replays[0].disagreements) == (1, ())


def test_without_a_summary_the_parent_is_measured_from_its_items(tmp_path):
    """The mean of selection_eval_baseline, else `current_score` while the parent was kept."""
    root = skillopt(tmp_path / "run")
    (root / "summary.json").unlink()
    assert load(root).tables["history"][0]["score"] == 0.5
    (root / "selection_eval_baseline" / "results.jsonl").unlink()
    imported = load(root)
    assert imported.tables["history"][0]["score"] == 0.5
    assert "taken from `current_score`" in notes(imported)
    save(root / "history.json", [step_record(1, "accept_new_best", 0.75, 0.75)])
    imported = load(root)
    assert imported.tables["history"][0]["score"] is None
    assert "give it as round 0" in notes(imported)


def test_timeouts_and_crashes_are_not_failures(tmp_path):
    """Ordinary rows with hard 0 whose phase or reason tells of the rig hold no score."""
    rows = results(0, 0, 0, 0, 0, 0, 1, 0)
    rows[0] |= {"phase": "timeout"}
    rows[1] |= {"fail_reason": "task-timeout-600s"}
    rows[2] |= {"phase": "error"}
    rows[3] |= {"fail_reason": "unexpected: ConnectionError"}
    rows[4] |= {"phase": "llm", "llm_ok": False}
    rows[5] |= {"fail_reason": "RateLimitError: 429"}
    rows[6] |= {"phase": "timeout"}
    rows[7] |= {"fail_reason": "wrong answer"}
    imported = load(save(tmp_path / "eval" / "results.jsonl", rows))
    assert [row["status"] for row in imported.tables["verdicts"]] == [
        *("timeout", "timeout", "infra", "infra", "infra", "infra", "scored", "scored"),
    ]
    assert "6 of 8 items timed out or failed" in notes(imported)


def test_the_best_score_is_named_after_the_gate(tmp_path):
    """`best_selection_hard` holds the gate's metric: the fact says so, and a note."""
    root = skillopt(tmp_path / "run")
    save(
        root / "history.json",
        [
            step_record(1, "reject", 0.25, 0.5, gate_metric="soft", candidate_gate_score=0.4),
            step_record(2, "accept_new_best", 0.75, gate_metric="soft", candidate_gate_score=0.6),
        ],
    )
    imported = load(root)
    reported = imported.facts["reported"]
    assert "best_selection_hard" not in reported
    assert reported["best_gate_score"] == 0.75
    assert imported.facts["gate_metric"] == "soft"
    assert [row["score"] for row in imported.tables["history"]] == [0.5, 0.4, 0.6]
    assert "not the hard one" in notes(imported)


def test_actions_are_counted_apart(tmp_path):
    """force_accept and skip_no_rewrite have counts of their own, unlike in the log's totals."""
    root = skillopt(tmp_path / "run")
    save(
        root / "history.json",
        [
            step_record(1, "force_accept", 0.4, 0.4),
            step_record(2, "force_accept", 0.9, 0.9),
            step_record(3, "skip_no_rewrite"),
        ],
    )
    imported = load(root)
    assert imported.facts["actions"] == {"force_accept": 2, "skip_no_rewrite": 1}
    assert [row["decision"] for row in imported.tables["history"]] == [
        *(None, "flat", "new best", "no-op"),
    ]


def test_a_slow_update_is_never_measured(tmp_path):
    """The round keeps its own score, not the stale `current_score`; the best has no round."""
    root = skillopt(tmp_path / "run")
    save(
        root / "history.json",
        [
            step_record(1, "reject", 0.25, 0.5),
            step_record(2, "accept", 0.5, 0.5, current_origin="slow_update_epoch_01"),
        ],
    )
    save(root / "slow_update" / "epoch_01" / "slow_result.json", {})
    save(root / "summary.json", {"baseline_selection_hard": 0.5, "best_origin": "slow_update"})
    imported = load(root)
    assert imported.facts["never_measured"] == ["current skill after step 2 (slow_update_epoch_01)"]
    assert "slow updates of epoch 1 changed the skill without an evaluation" in notes(imported)
    assert "has no round in the history" in notes(imported)


def test_accepts_without_a_new_best_are_odd(tmp_path):
    """A strict gate accepts without a new best only after a forced slow update."""
    root = skillopt(tmp_path / "run")
    save(root / "history.json", [step_record(1, "accept", 0.5)])
    assert "which a strict gate does only after a forced slow update" in notes(load(root))


def test_cached_scores_are_no_repeated_measurement(tmp_path):
    """A candidate with the hash of an earlier one got its score from the cache."""
    root = skillopt(tmp_path / "run")
    save(
        root / "history.json",
        [
            step_record(1, "reject", 0.25, candidate_hash="same"),
            step_record(2, "reject", 0.25, candidate_hash="same"),
        ],
    )
    assert "2 (of step 1)" in notes(load(root))


def test_a_resumed_run_shows(tmp_path):
    """A stored score of 0 becomes -1 on resume, and step 0 moves the rounds up by one."""
    root = skillopt(tmp_path / "run")
    save(root / "history.json", [step_record(0, "reject", 0.25, -1.0)])
    imported = load(root)
    assert "takes a stored score of 0 for -1" in notes(imported)
    assert [row["round"] for row in imported.tables["history"]] == [0, 1]


def test_verdicts_of_every_folder(tmp_path):
    """Baseline, steps, rollouts and slow updates are systems; splits and artifacts columns."""
    root = skillopt(tmp_path / "run")
    save(root / "steps" / "step_0001" / "rollout" / "results.jsonl", results(1))
    save(root / "steps" / "step_0001" / "batch_1" / "rollout" / "results.jsonl", results(0))
    save(root / "slow_update" / "epoch_02" / "selection_eval" / "results.jsonl", results(1))
    imported = load(root)
    found = systems(imported)
    assert found["baseline"] == {"q1": 1, "q2": 1, "q3": 0, "q4": 0}
    assert set(found) == {
        *("baseline", "best", "step 1", "step 2", "step 4"),
        *("skill before step 1", "slow update 2"),
    }
    assert "evaluated more than once by one system" in notes(imported)
    splits = {(row["system"], row["split"]) for row in imported.tables["verdicts"]}
    assert ("best", "test") in splits
    assert ("skill before step 1", "train") in splits


def test_an_item_in_two_splits_is_named_apart(tmp_path):
    """The same id in selection and test of one system does not become a repeated verdict."""
    root = skillopt(tmp_path / "run")
    save(root / "test_eval_baseline" / "results.jsonl", results(0, 1))
    imported = load(root)
    assert {"selection/q1", "test/q1"} <= set(systems(imported)["baseline"])
    assert "stand in more than one split" in notes(imported)


def test_a_row_without_an_id_is_dropped(tmp_path):
    """It is counted with its line, and identical repeats are dropped as copies."""
    rows = [*results(1, 0), {"hard": 1}, results(1)[0]]
    imported = load(save(tmp_path / "e" / "results.jsonl", rows))
    assert [(d.reason, d.count) for d in imported.dropped] == [
        ("has no id", 1),
        ("repeats another row in every column", 1),
    ]
    assert imported.dropped[0].examples == ("results.jsonl line 3",)


def test_ids_stay_text(tmp_path):
    """Ids "007", 7 and one of 17 digits are kept as written."""
    rows = [{"id": i, "hard": 1} for i in ("007", 7, 72057594038135103, "1e5")]
    imported = load(save(tmp_path / "e" / "results.jsonl", rows))
    assert [row["item"] for row in imported.tables["verdicts"]] == [
        *("007", "7", "72057594038135103", "1e5"),
    ]


def test_an_id_as_number_and_as_text_is_refused(tmp_path):
    """7 and "7" in one file would silently become one item."""
    path = save(tmp_path / "e" / "results.jsonl", [{"id": 7, "hard": 1}, {"id": "7", "hard": 0}])
    with pytest.raises(
        InputError, match=r"line 2, item '7': the id stands as a number and as text"
    ):
        load(path)


def test_framing_and_scores_that_are_no_numbers(tmp_path):
    """A byte-order mark, CRLF and blank lines; NaN is missing, infinities invalid, never 0."""
    lines = ["\ufeff" + '{"id": "a", "hard": 1}', "", "  ", '{"id": "b", "hard": NaN}']
    lines += ['{"id": "c", "hard": -Infinity}', '{"id": "d", "hard": 0}']
    imported = load(save(tmp_path / "e" / "results.jsonl", "\r\n".join(lines).encode()))
    found = [(row["item"], row["score"], row["status"]) for row in imported.tables["verdicts"]]
    assert found == [
        ("a", 1.0, "scored"),
        ("b", None, "missing"),
        ("c", None, "invalid"),
        ("d", 0.0, "scored"),
    ]


def test_evaluation_folders_are_compared_with_their_summary(tmp_path):
    """System and split come from eval_summary.json; another count of items is a note."""
    evaluation(tmp_path / "e", "valid_unseen", 1, 0)
    save(tmp_path / "e" / "eval_summary.json", {"skill": "a/best_skill.md", "n_items": 3})
    imported = load(tmp_path / "e")
    assert set(systems(imported)) == {"best_skill"}
    assert "counts 3 items and results.jsonl holds 2" in notes(imported)


def test_means_alone_have_no_rows(tmp_path):
    """A folder that kept eval_summary.json only tells its means, and what is not there."""
    save(tmp_path / "c" / "eval_summary.json", {"skill": "s.md", "n_items": 1400, "hard": 0.79})
    for path in (tmp_path / "c", tmp_path / "c" / "eval_summary.json"):
        imported = load(path)
        assert imported.tables["verdicts"] == ()
        assert imported.dropped[0].reason == "only means are logged, no items"
        assert imported.facts["reported"] == {"hard": 0.79, "soft": None, "n_items": 1400}


def test_a_cut_off_line_is_left_out(tmp_path):
    """A results file that ends in the middle of a row keeps its whole rows, with a note."""
    path = save(tmp_path / "e" / "results.jsonl", results(1, 0))
    path.write_bytes(path.read_bytes() + b'{"id": "q3", "ha')
    imported = load(path)
    assert len(imported.tables["verdicts"]) == 2
    assert "line 3 is cut off" in notes(imported)


def test_malformed_records_name_their_place(tmp_path):
    """An unknown action, a missing step or a wrong type name file and step."""
    root = skillopt(tmp_path / "run")
    save(root / "history.json", [step_record(1, "celebrate", 1)])
    with pytest.raises(InputError, match=r"history\.json, item 'step 1': `action` is 'celebrate'"):
        load(root)
    save(root / "history.json", [{"action": "reject"}])
    with pytest.raises(InputError, match="record 1 has no `step`"):
        load(root)
    save(root / "history.json", {"action": "reject"})
    with pytest.raises(InputError, match="must be a list"):
        load(root)


def test_step_records_stand_in_for_the_history(tmp_path):
    """Without history.json the records of the steps are read."""
    root = skillopt(tmp_path / "run")
    (root / "history.json").unlink()
    save(root / "steps" / "step_0002" / "step_record.json", step_record(2, "accept_new_best", 0.75))
    rows = load(root).tables["history"]
    assert [(row["round"], row["score"]) for row in rows] == [(0, 0.5), (2, 0.75)]


def test_sleep_reports_are_one_round(tmp_path):
    """The nightly report is a run of one round, with leaks and unverified refusals in notes."""
    report = {
        "night": 3,
        "baseline_score": 0.5,
        "candidate_score": 0.6,
        "accepted": False,
        "gate_action": "reject_unverified",
        "holdout_leaked": True,
    }
    save(tmp_path / "night" / "report.json", report)
    imported = load(tmp_path / "night")
    assert [r["decision"] for r in imported.tables["history"]] == [None, "reject"]
    assert "could not be verified" in notes(imported)
    assert "leaked" in notes(imported)


def test_lite_rounds_are_reconstructed(tmp_path):
    """New best, null round and rollback follow from snapshots; the last run of a window counts."""
    imported = load(skillopt_lite(tmp_path / "workspace"))
    rows = imported.tables["history"]
    assert [(r["round"], r["score"], r["decision"]) for r in rows] == [
        (0, 0.25, None),
        (1, 0.75, "new best"),
        (2, 0.5, None),
        (3, 0.0, "reject"),
    ]
    assert rows[1]["artifact"] == rows[2]["artifact"]
    assert "20310101_101100" in notes(imported)
    assert "rounds 2 evaluated byte-identical skills again" in notes(imported)
    assert set(systems(imported)) == {
        *("baseline", "round 1", "round 2", "round 3", "round 1, run 20310101_101100"),
    }
    found = trajectory(rows)
    assert found.accounting.new_bests == 1


def test_lite_ambiguity_is_reported(tmp_path):
    """Several snapshots, no run before the first round, an unknown outcome: each is said."""
    root = skillopt_lite(tmp_path / "workspace")
    history = root / ".skillopt" / "history"
    save(history / "round1__20310101_100500__before.md", "again")
    save(history / "readme.txt", "x")
    save(history / "20310101_100500__before.md", "single")
    save(root / "skill.md", "edited by hand")
    runs = root / ".skillopt" / "_eval_run"
    for path in (runs / "20310101_095000").iterdir():
        path.unlink()
    (runs / "20310101_095000").rmdir()
    (runs / "scratch").mkdir()
    told = notes(load(root))
    assert "several snapshots of round 1 before" in told
    assert "no val run before the first round" in told
    assert "do not tell what became of rounds 3" in told
    assert "files that are no snapshots were left out: readme.txt" in told
    assert "1 snapshots of single improvements" in told
    assert "without a time stamp were left out: scratch" in told


def test_lite_best_snapshots_that_disagree(tmp_path):
    """A best that the next round does not begin with, or that changed nothing, is ambiguous."""
    root = skillopt_lite(tmp_path / "workspace")
    history = root / ".skillopt" / "history"
    save(history / "round2__20310101_111500__best.md", "first candidate")
    save(history / "round3__20310101_121500__best.md", "something else")
    told = notes(load(root))
    assert "round 2 has a best snapshot and changed nothing" in told
    assert "the best snapshot of round 3 is not its `after`" in told
    assert "round 3 set a best that the next round does not begin with" in told


def test_lite_metrics_table(tmp_path):
    """round_metrics of the collector, as JSON Lines or CSV, is a history without decisions."""
    rows = [
        {"round": 0, "window_start": "a", "window_end": "b", "val_hard": 0.5, "test_hard": 0.4},
        {"round": 1, "window_start": "b", "window_end": "c", "val_hard": 0.6, "test_hard": None},
    ]
    imported = load(save(tmp_path / "round_metrics.jsonl", rows))
    assert imported.format == "skillopt-lite"
    assert [row["score"] for row in imported.tables["history"]] == [0.5, 0.6]
    text = "round,window_start,window_end,val_hard,test_hard\n0,a,b,0.5,0.4\n1,b,c,0.6,\n"
    again = load(save(tmp_path / "round_metrics.csv", text))
    assert [row["test"] for row in again.tables["history"]] == [0.4, None]


def test_several_lite_workspaces(tmp_path):
    """workspaces/<model> are several runs, each with its label."""
    for model in ("m1", "m2"):
        skillopt_lite(tmp_path / "workspaces" / model)
    imported = load(tmp_path)
    assert {row["run"] for row in imported.tables["history"]} == {"m1", "m2"}
    assert "m1, round 1" in systems(imported)
    assert trajectory(imported.tables["history"]).accounting.runs == 2


def test_lite_is_not_taken_for_skillopt(tmp_path):
    """A workspace, its store and its parent are SkillOpt-Lite."""
    root = skillopt_lite(tmp_path / "repo" / "workspace")
    for path in (root, root / ".skillopt", root.parent):
        found = detect(path)
        assert found is not None
        assert found.name == "skillopt-lite"
