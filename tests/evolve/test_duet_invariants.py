"""Whole runs of DUET in a small world: what must hold whatever happens."""

from collections import Counter
from itertools import pairwise

import pytest
from worlds import ClauseUpdater, ClauseWorld, clause_world, run_duet, tree

from evalkit.environments.base import Component
from evalkit.errors import InputError
from evalkit.evolve.duet.loop import DUET
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.protocols import Proposal
from evalkit.evolve.reading import event_rows, history_rows, record_rows
from evalkit.evolve.worlds import World
from evalkit.trajectories import dead_band, trajectory

SCHEDULES = ("alternating", "simultaneous", "sequential", "solver-only", "grader-only")
SETTINGS = [
    *({"schedule": schedule} for schedule in SCHEDULES),
    {"selection": "round-robin"},
    {"edits": "free"},
    {"exploration": 0.0},
    {"checkpoints": "last"},
    {"target": "prompt+skills"},
    {"initial": "informed", "revalidate": "changed"},
]


def noisy(**settings):
    """Make a noisy world with items that never have an outcome."""
    return clause_world(noise=0.2, broken=frozenset({"train-01", "validation-02"}), **settings)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: next(iter(s.values())))
def test_invariants_of_every_setting(tmp_path, settings):
    """Ledger, candidates, turns, bests and records agree with independent counts."""
    state, world = run_duet(tmp_path / "r", world=noisy(), rounds=12, **settings)
    history, events = history_rows(tmp_path / "r"), event_rows(tmp_path / "r")
    _check_ledger(state, world)
    _check_candidates(state, history, events)
    _check_bests(state, history, settings)
    keys = Counter(
        (r["system"], r["item"], r["attempt"], r["verifier"], r["order"])
        for r in record_rows(tmp_path / "r")
    )
    assert max(keys.values()) == 1


def _check_ledger(state, world):
    """Ledger == independently counted calls."""
    entries = state.ledger.entries
    counted = {"solve": 0, "judge": 0, "verify": 0, "propose": 0}
    for purpose, entry in entries.items():
        counted[purpose.split("/")[0]] += entry.evaluations
    calls = world.environment.calls
    assert counted == {
        "solve": calls["solve"],
        "judge": calls["judge"],
        "verify": calls["verify"],
        "propose": sum(world.propose.calls.values()),
    }
    asked = sum(world.propose.calls.values())
    assert state.ledger.total.calls == 2 * calls["solve"] + calls["judge"] + asked
    assert state.ledger.total.cost == pytest.approx(0.25 * calls["solve"])


def _check_candidates(state, history, events):
    """Candidates == accepted + rejected + no-ops, and each is one turn."""
    rows = [row for row in history if row["round"] > 0]
    outcomes = Counter(update.outcome for update in state.history)
    accepted = sum(row["decision"] in {"new best", "flat"} for row in rows)
    assert len(rows) == sum(outcomes[k] for k in ("accepted", "rejected", "no-op"))
    assert accepted == outcomes["accepted"] == state.solver.updates + state.grader.updates
    adopted = [(e["round"], e["agent"]) for e in events if e["kind"] == "adoption"]
    assert sorted(adopted) == sorted((row["round"], row["system"]) for row in rows)


def _check_bests(state, history, settings):
    """Find the same new bests by replaying the scores."""
    for replay in trajectory(history, gate=dead_band(2.0)).replays:
        assert replay.disagreements == ()
        agent = state.agent(replay.run.labels["system"])
        if settings.get("checkpoints") != "last":
            assert replay.best_round == agent.best.round
            assert replay.best_score == agent.best.score


def test_only_one_agent_changes_in_a_round(tmp_path):
    """The grader on odd rounds, the solver on even ones; the other keeps its bytes."""
    seen = []
    run_duet(
        tmp_path / "r",
        world=noisy(),
        rounds=12,
        patience=12,
        watch=lambda state, log: seen.append(
            (log.round, state.solver.component.digest, state.grader.component.digest)
        ),
    )
    changes = 0
    for (_, *before), (number, *after) in pairwise(seen):
        solver, grader = (a != b for a, b in zip(before, after, strict=True))
        assert not (solver and grader)
        assert not (solver and number % 2)
        assert not (grader and not number % 2)
        changes += solver + grader
    assert changes >= 4


def test_simultaneous_rounds_change_both_from_the_same_evidence(tmp_path):
    """Both updaters see one set of rows, judged by the components that came in."""
    world = clause_world()
    run_duet(tmp_path / "r", world=world, rounds=2, schedule="simultaneous")
    (first, rows_a), (second, rows_b) = world.propose.seen[:2]
    assert (first, second) == ("grader", "solver")
    assert rows_a.rows == rows_b.rows


def test_errors_are_excluded_and_never_scores(tmp_path):
    """A broken item has a status and no score; the updater sees the status; means leave it out."""
    state, world = run_duet(tmp_path / "r", world=noisy(), rounds=6)
    rows = [r for r in record_rows(tmp_path / "r") if r["item"] in {"train-01", "validation-02"}]
    solver = [row for row in rows if row["system"].split("/")[1] == "solver"]
    assert solver
    assert {(row["status"], row["score"]) for row in solver} == {("infra", None)}
    assert all(run.score is None for run in state.tasks["train-01"])
    validated = [e for e in event_rows(tmp_path / "r", kind="validated") if e["agent"] == "solver"]
    assert {(e["attempted"], e["scored"]) for e in validated} == {(4, 3)}
    shown = [r for _, e in world.propose.seen for r in e.rows if r.item.id == "train-01"]
    assert {(r.execution.status, r.verdict.status, r.verdict.score) for r in shown} == {
        ("infra", "infra", None)
    }


def test_the_updater_never_sees_a_reference(tmp_path):
    """Evidence holds training items only, and verdicts of the grader only."""
    world = clause_world()
    run_duet(tmp_path / "r", world=world)
    rows = [row for _, evidence in world.propose.seen for row in evidence.rows]
    assert {row.item.id.split("-")[0] for row in rows} == {"train"}
    train_rows = record_rows(tmp_path / "r", split="train")
    assert {row["verifier"] for row in train_rows} == {"grader"}


def scripted(**script):
    """Make a world whose updater follows a script."""
    environment = ClauseWorld()
    return World(
        environment=environment,
        propose=ClauseUpdater(script=script),
        initials={"empty": {"solver": Component(), "grader": Component()}},
        truth=environment.truth,
    )


def test_the_first_update_is_exempt_and_a_large_one_later_is_turned_down(tmp_path):
    """A whole prompt from nothing; then 9 edits against a budget of 4, and its retry with 9."""
    long = " ".join(f"w{i}" for i in range(30))
    large = " ".join(f"X{i}" if i % 3 == 0 else f"w{i}" for i in range(30))
    world = scripted(grader=[long, large, large])
    state, _ = run_duet(tmp_path / "r", world=world, rounds=3)
    first, second = [
        e for e in event_rows(tmp_path / "r", kind="adoption") if e["agent"] == "grader"
    ]
    assert (first["decision"], first["budget"]) == ("accepted", None)
    assert (second["decision"], second["edits"]["prompt"]) == ("rejected", 10)
    assert second["budget"]["prompt"] == 3
    assert second["retried"]
    assert state.grader.component.prompt == long
    retry = world.propose.seen[-1][1]
    assert (retry.too_large.prompt, retry.max_edits) == (large, 3)
    row = history_rows(tmp_path / "r")[-1]
    assert (row["decision"], row["score"], row["changed"]) == ("reject", None, True)
    assert row["artifact"] == Component(prompt=large).digest


def test_budgets_are_asked_for_on_schedule(tmp_path):
    """Free, then 4, 4, ..., 2 for an agent that adopts every turn."""
    prompts = [" ".join("ab"[: k % 2 + 1] for _ in range(k)) for k in range(1, 16)]
    world = scripted(grader=list(prompts))
    run_duet(tmp_path / "r", world=world, rounds=15, patience=15, schedule="grader-only")
    asked = [e.max_edits for _, e in world.propose.seen if e.too_large is None]
    state_asked = [None, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 2, 2]
    adopted = sum(e["decision"] == "accepted" for e in event_rows(tmp_path / "r", kind="adoption"))
    assert asked[: adopted + 1] == state_asked[: adopted + 1]
    assert adopted > 4


def test_a_failed_updater_makes_no_candidate(tmp_path):
    """An infrastructure error is an event, not a rejection, and counts as no update."""
    down = Proposal(component=None, status="infra")
    state, _ = run_duet(tmp_path / "r", world=scripted(grader=[down, "check alpha."]), rounds=3)
    assert [u.outcome for u in state.history if u.agent == "grader"] == ["infra", "accepted"]
    rows = [r for r in history_rows(tmp_path / "r") if r["system"] == "grader"]
    assert [row["round"] for row in rows] == [0, 3]
    assert state.grader.updates == 1
    assert event_rows(tmp_path / "r", kind="proposal")[0]["status"] == "infra"


def test_prompt_only_ignores_skills_and_both_keep_them(tmp_path):
    """Skills are dropped where they may not change, and bounded apart where they may."""
    with_skill = Component(prompt="look", skills={"alpha": "handle it"})
    state, _ = run_duet(tmp_path / "a", world=scripted(solver=[with_skill]), rounds=2)
    assert state.solver.component == Component(prompt="look")
    four = Component(prompt="look", skills=dict.fromkeys("abcdefghijkl", "x"))
    state, world = run_duet(
        tmp_path / "b",
        world=scripted(solver=[with_skill, four, four]),
        rounds=4,
        target="prompt+skills",
    )
    assert dict(state.solver.component.skills) == {"alpha": "handle it"}
    evidence = [e for agent, e in world.propose.seen if agent == "solver"]
    assert [(e.skills, e.max_edits, e.max_skill_edits) for e in evidence] == [
        (True, None, None), (True, 3, 3), (True, 3, 3),
    ]  # fmt: skip
    artifact = history_rows(tmp_path / "b")[-1]["artifact"]
    assert (tmp_path / "b" / "artifacts" / f"{artifact}.txt").exists()


def test_text_that_no_file_can_hold_is_made_writable(tmp_path):
    """A lone surrogate in a proposal does not end the run."""
    state, _ = run_duet(tmp_path / "r", world=scripted(grader=["check \ud835."]), rounds=1)
    assert state.grader.component.prompt == "check ?."


def test_the_final_evaluation_shares_equal_components(tmp_path):
    """Initial, last and best on test; equal bytes have equal scores and are run once."""
    _, world = run_duet(tmp_path / "r", rounds=1)
    finals = [e for e in event_rows(tmp_path / "r", kind="final") if e["agent"] == "solver"]
    assert [(e["split"], e["role"]) for e in finals] == [
        ("test", "initial"), ("test", "last"), ("test", "best"), ("validation", "best"),
    ]  # fmt: skip
    assert len({e["score"] for e in finals[:3]}) == 1
    # validation of rounds 0 and 1, train, test once, validation once more.
    assert world.environment.calls["solve"] == 4 + 4 + 3 + 4 + 4
    rows = record_rows(tmp_path / "r", split="test")
    assert {row["attempt"] for row in rows} == {"0"}


def test_without_checkpoints_no_label_is_looked_at(tmp_path):
    """Fixed rounds: nothing is verified before the end, and the last components are returned."""
    state, world = run_duet(tmp_path / "r", rounds=12, checkpoints="last", patience=1)
    assert (state.stopped, state.round) == ("rounds", 13)
    roles = {e["role"]: e["artifact"] for e in event_rows(tmp_path / "r", kind="final")}
    assert roles["best"] == roles["last"]
    assert world.environment.calls["verify"] == 2 * 4
    assert {row["score"] for row in history_rows(tmp_path / "r")} == {None}


def test_patience_stops_a_run_that_gets_nowhere(tmp_path):
    """No best in ten rounds; the final evaluation still follows."""
    state, _ = run_duet(tmp_path / "r", world=scripted(grader=[None] * 9), rounds=30, patience=4)
    assert state.stopped == "patience"
    assert event_rows(tmp_path / "r", kind="stopped") == (
        {"kind": "stopped", "round": state.round, "reason": "patience"},
    )


def test_revalidation_measures_noise_and_moves_no_best(tmp_path):
    """Unchanged components are validated again; only their own round can make them the best."""
    state, _ = run_duet(tmp_path / "r", world=noisy(), rounds=12, patience=12)
    events = event_rows(tmp_path / "r", kind="validated")
    scores = [e["score"] for e in events if e["artifact"] == state.solver.best.component.digest]
    assert len(events) == 2 * 13
    assert len(set(scores)) > 1
    assert state.solver.best.score == next(
        e["score"]
        for e in events
        if (e["round"], e["agent"]) == (state.solver.best.round, "solver")
    )


def test_arms_of_one_seed_share_their_random_numbers(tmp_path):
    """Until their first difference, two settings see the same outcomes."""
    for name, c in (("a", 0.0), ("b", 0.1)):
        run_duet(tmp_path / name, world=noisy(), rounds=3, exploration=c)
    a, b = (tree(tmp_path / name)["records.jsonl"] for name in "ab")
    assert a == b


@pytest.mark.parametrize(
    ("sizes", "settings", "message"),
    [
        ({"train": 0}, {}, "no train items"),
        ({"validation": 0}, {}, "no validation items.*set `duet.checkpoints` to 'last'"),
        ({"pair_count": 0}, {"schedule": "grader-only"}, "no validation pairs"),
        ({}, {"initial": "polite"}, "`duet.initial` is 'polite'; .* 'empty', 'informed'"),
    ],
)
def test_a_world_that_does_not_fit_is_refused(sizes, settings, message):
    """Before anything runs."""
    with pytest.raises(InputError, match=f"loop.toml.*{message}"):
        DUET.initial(DuetSettings(**settings), clause_world(**sizes), path="loop.toml")


def test_an_item_in_two_splits_is_refused():
    """Training on a test item is named."""
    world = clause_world()
    items = world.environment._items
    items["test"] = (*items["test"], items["train"][0])
    with pytest.raises(InputError, match=r"item 'train-00': stands in train and in test"):
        DUET.initial(DuetSettings(), world, path="loop.toml")


def test_a_start_without_a_score_can_still_be_replayed(tmp_path):
    """If every validation outcome of round 0 errors, candidates carry decisions, not scores."""
    broken = frozenset(f"validation-0{i}" for i in range(4))
    run_duet(tmp_path / "r", world=clause_world(broken=broken), rounds=6)
    found = trajectory(history_rows(tmp_path / "r"), gate=dead_band(2.0))
    solver = next(r for r in found.replays if r.run.labels["system"] == "solver")
    assert solver.run.baseline is None
    assert {step.basis for step in solver.steps} == {"recorded"}
