"""Whole runs of skill evolution in a small world: what must hold whatever happens."""

import random
from collections import Counter

import pytest
from skill_worlds import PARENT, ledger_counts, run_loop, skill_world
from worlds import tree

from evalkit.environments.base import Component
from evalkit.errors import InputError
from evalkit.evolve.protocols import Proposal
from evalkit.evolve.reading import (
    event_rows,
    history_rows,
    record_rows,
    run_folders,
    run_state,
)
from evalkit.trajectories import trajectory

VIEWS = ("Normal", "Fail-only", "Success-only")
FULL = {
    "auxiliary": "auxiliary",
    "probes": ["R1", "T1"],
    "probe_repeats": 2,
    "verifiers": ["reference", "lenient"],
    "attempts": 3,
    "shares": [1.0, 0.5],
    "trajectories": 8,
}
SETTINGS = [
    {},
    FULL,
    {"gate": "strict", "revalidate": False},
    {"gate": "sign-test:0.5", "patience": 3},
    {"gate": "dead-band:0.3:best", "max_edits": 1},
    {"views": ["Fail-only"], "attempts": 1, "repeats": 1},
]


def noisy(**settings):
    """Make a noisy world with items that never have an outcome."""
    return skill_world(noise=0.2, broken=frozenset({"train-01", "validation-02"}), **settings)


def view(folder, name="Normal"):
    """Folder of a view."""
    return folder / "runs/arm" / name / "seed-0"


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_invariants_of_every_setting(tmp_path, settings):
    """Ledger, candidates, bests and records agree with independent counts."""
    out = tmp_path / "r"
    world = run_loop(out, world=noisy(), **settings)
    states = [run_state(folder) for folder in run_folders(out)]
    assert all(state["stopped"] for state in states)
    _check_ledger(states, world)
    for name in settings.get("views", VIEWS):
        _check_candidates(view(out, name))
    for replay in trajectory(history_rows(out), gate=_score_gate(settings)).replays:
        best = run_state(view(out, replay.run.labels["view"]))["best"]
        assert (replay.best_round, replay.best_score) == (best["round"], best["score"])
        if "sign" not in settings.get("gate", ""):
            assert replay.disagreements == ()
    keys = Counter(
        (r["system"], r["item"], r["attempt"], r["verifier"], r["order"]) for r in record_rows(out)
    )
    assert max(keys.values()) == 1


def _score_gate(settings):
    gate = settings.get("gate", "non-decreasing")
    return "non-decreasing" if gate.startswith("sign") else gate


def _check_ledger(states, world):
    """Ledger == independently counted calls."""
    calls = world.environment.calls
    asked = sum(world.propose.calls.values())
    expected = {"solve": calls["solve"], "verify": calls["verify"], "propose": asked}
    assert ledger_counts(states) == {k: v for k, v in expected.items() if v}
    spent = sum(
        entry["usage"]["calls"] for state in states for entry in state["ledger"]["entries"].values()
    )
    assert spent == 2 * calls["solve"] + asked


def _check_candidates(folder):
    """Candidates == accepted + rejected + no-ops; a best is strictly higher, with other bytes."""
    rows = [row for row in history_rows(folder) if row["round"] > 0]
    outcomes = Counter(e["decision"] for e in event_rows(folder, kind="adoption"))
    assert len(rows) == sum(outcomes[k] for k in ("accepted", "rejected", "no-op", "unscored"))
    start = history_rows(folder)[0]
    best = (start["score"], start["artifact"])
    for row in rows:
        if row["decision"] == "new best":
            assert row["score"] > best[0]
            assert row["artifact"] != best[1]
            best = (row["score"], row["artifact"])
        elif row["score"] is not None:
            assert row["score"] <= best[0] or row["artifact"] == best[1]
        if row["decision"] == "no-op":
            assert (row["score"], row["changed"]) == (None, False)


def test_each_view_sees_its_own_outcomes_and_nothing_else(tmp_path):
    """Fail-only sees no success, Success-only no failure; no digest, no errors, training only."""
    for name in VIEWS:
        world = run_loop(tmp_path / name, world=noisy(), views=[name], attempts=1)
        seen = [evidence for _, evidence in world.propose.seen]
        rows = [row for evidence in seen for row in evidence.rows]
        scores = {row.verdict.score for row in rows}
        allowed = {"Normal": {0.0, 1.0}, "Fail-only": {0.0}, "Success-only": {1.0}}[name]
        assert rows
        assert scores <= allowed
        assert {row.item.id.split("-")[0] for row in rows} == {"train"}
        assert {(evidence.digest, evidence.max_edits) for evidence in seen} == {("", 4)}


def test_views_of_one_seed_run_the_same_training_draws(tmp_path):
    """The panel of a round is matched across views."""
    run_loop(tmp_path / "r", trajectories=5, attempts=1, repeats=1)
    drawn = {}
    for name in VIEWS:
        rows = record_rows(view(tmp_path / "r", name), split="train")
        assert {sum(r["round"] == k for r in rows) for k in {r["round"] for r in rows}} == {5}
        drawn[name] = {
            k: {r["item"] for r in rows if r["round"] == k} for k in {r["round"] for r in rows}
        }
    for number in set.intersection(*(set(found) for found in drawn.values())):
        assert drawn["Normal"][number] == drawn["Fail-only"][number]


def test_an_empty_pool_stops_without_a_call_of_the_optimizer(tmp_path):
    """The parent always fails: Success-only has nothing to show in round 1."""
    world = run_loop(tmp_path / "r", views=["Success-only"], attempts=1)
    assert world.propose.calls == {}
    state = run_state(view(tmp_path / "r", "Success-only"))
    assert (state["stopped"], state["outcomes"]) == ("empty pool", [])
    [shown] = event_rows(tmp_path / "r", kind="shown")
    assert (shown["shown"], shown["failures"]) == (0, 12)


def test_five_unchanged_candidates_stop_a_view_and_measure_the_noise(tmp_path):
    """No-ops are validated again, move nothing, and stop the run."""
    world = skill_world(script=[None] * 9, noise=0.3)
    run_loop(tmp_path / "r", world=world, views=["Normal"], rounds=9, attempts=1)
    state = run_state(view(tmp_path / "r"))
    assert (state["stopped"], state["outcomes"]) == ("regressions", ["no-op"] * 5)
    assert state["best"]["round"] == state["incumbent"]["round"] == 0
    scores = [e["score"] for e in event_rows(view(tmp_path / "r"), kind="validated")]
    assert len(scores) == 6
    assert len(set(scores)) > 1


def test_a_candidate_with_too_many_edits_is_not_validated(tmp_path):
    """Rejected unseen, and a rejection for the streak; the cap itself is allowed."""
    wide = "A\n" + PARENT.prompt + "B\n"
    world = skill_world(script=[wide, wide])
    run_loop(tmp_path / "a", world=world, views=["Normal"], rounds=1, max_edits=1, attempts=1)
    assert run_state(view(tmp_path / "a"))["outcomes"] == ["rejected"]
    assert len(event_rows(view(tmp_path / "a"), kind="validated")) == 1
    run_loop(tmp_path / "b", world=world, views=["Normal"], rounds=1, max_edits=2, attempts=1)
    assert len(event_rows(view(tmp_path / "b"), kind="validated")) == 2


def test_an_updater_that_fails_makes_no_candidate(tmp_path):
    """The round is spent, the streak is not, and the history has no row."""
    lost = Proposal(component=None, status="timeout")
    world = skill_world(script=[lost, None, lost])
    run_loop(tmp_path / "r", world=world, views=["Normal"], rounds=3, attempts=1)
    assert run_state(view(tmp_path / "r"))["outcomes"] == ["timeout", "no-op", "timeout"]
    assert [row["round"] for row in history_rows(view(tmp_path / "r"))] == [0, 2]


def test_odd_text_is_kept_as_it_can_be_written(tmp_path):
    """A lone surrogate becomes a question mark; skills beside the document stay."""
    text = PARENT.prompt + "é\u2028\ud800\n"
    made = Proposal(component=Component(prompt=text, skills={"s": "t"}))
    world = skill_world(script=[made])
    run_loop(tmp_path / "r", world=world, views=["Normal"], rounds=1, attempts=1)
    kept = run_state(view(tmp_path / "r"))["incumbent"]["component"]
    assert kept == {"prompt": PARENT.prompt + "é\u2028?\n", "skills": {}}


def test_a_parent_without_a_score_is_kept(tmp_path):
    """Nothing can be compared with it, so the views end and nothing is asked of the updater."""
    broken = frozenset(f"validation-{k:02d}" for k in range(8))
    world = run_loop(tmp_path / "r", world=skill_world(broken=broken), **FULL)
    assert world.propose.calls == {}
    assert run_state(view(tmp_path / "r"))["stopped"] == "parent not scored"
    [selected] = event_rows(tmp_path / "r", kind="selected")
    assert (selected["view"], selected["facts"]) == ("Parent", None)


def test_byte_identical_skills_share_their_deployments(tmp_path):
    """All views keep the parent: one run a deployment, one record a role, equal scores."""
    world = skill_world(script=[None] * 30, noise=0.3)
    run_loop(tmp_path / "r", world=world, repeats=2, attempts=1)
    rows = record_rows(tmp_path / "r/runs/arm/selection/seed-0", split="test")
    by_role = {}
    for row in rows:
        by_role.setdefault(row["system"], []).append((row["item"], row["attempt"], row["score"]))
    assert set(by_role) == {f"arm/solver/{r}" for r in ("Parent", *VIEWS)}
    assert len({tuple(found) for found in by_role.values()}) == 1
    state = run_state(tmp_path / "r/runs/arm/selection/seed-0")
    assert state["ledger"]["entries"]["solve/test"]["evaluations"] == 2 * 12


def test_selection_is_over_before_a_test_item_is_run(tmp_path):
    """Until the selection event no record of the test split or of a probe exists."""
    run_loop(tmp_path / "r", **FULL)
    for stage in ("parent", *VIEWS):
        splits = {row["split"] for row in record_rows(view(tmp_path / "r", stage))}
        assert splits <= {"train", "validation"}
    events = event_rows(view(tmp_path / "r", "selection"))
    assert [e["round"] for e in events if e["kind"] == "selected"] == [0]
    assert min(e["round"] for e in events if e["kind"] in {"final", "deployed"}) == 1
    [left] = [e for e in events if e["kind"] == "left out"]
    assert left["panel"] == "T1"


def test_results_do_not_depend_on_workers(tmp_path):
    """One worker or three: the same files."""
    run_loop(tmp_path / "a", world=noisy(), seeds=(0, 1), **FULL)
    run_loop(tmp_path / "b", world=noisy(), seeds=(0, 1), workers=3, **FULL)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_a_run_that_fails_at_any_call_continues_to_the_same_files(tmp_path):
    """Crash after a random number of executions, again and again."""
    run_loop(tmp_path / "whole", world=noisy(), **FULL)
    total = noisy_total(tmp_path)
    rng = random.Random(3)  # noqa: S311
    out = tmp_path / "cut"
    for _ in range(12):
        world = noisy()
        _fail_after(world.environment, rng.randrange(total // 3))
        try:
            run_loop(out, world=world, **FULL)
        except ConnectionError:
            continue
    run_loop(out, world=noisy(), **FULL)
    assert tree(out) == tree(tmp_path / "whole")


def noisy_total(tmp_path):
    """Count the executions of a whole run."""
    states = [run_state(folder) for folder in run_folders(tmp_path / "whole")]
    return ledger_counts(states)["solve"]


def _fail_after(environment, count):
    solve = environment.solve

    def failing(*args, **settings):
        if environment.calls["solve"] >= count:
            raise ConnectionError("down")
        return solve(*args, **settings)

    environment.solve = failing


def test_worlds_that_do_not_fit_are_refused(tmp_path):
    """No validation items, an unknown start, a verifier that the environment lacks."""
    with pytest.raises(InputError, match="no validation items"):
        run_loop(tmp_path / "a", world=skill_world(validation=0))
    with pytest.raises(InputError, match=r"`skills\.initial` is 'rich'"):
        run_loop(tmp_path / "b", initial="rich")
    assert not (tmp_path / "b").exists()
