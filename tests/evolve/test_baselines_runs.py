"""Whole runs of the baselines in a small world."""

import random
from collections import Counter

import pytest
from skill_worlds import PARENT, ledger_counts, run_loop, skill_world
from worlds import tree

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.errors import InputError, RunFolderError
from evalkit.evolve.baselines.gepa_adapter import GepaAdapter
from evalkit.evolve.baselines.state import Answer
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Labels, Parts
from evalkit.evolve.reading import event_rows, history_rows, record_rows, run_state
from evalkit.evolve.report import write_run_report
from evalkit.evolve.round_log import RoundLog
from evalkit.trajectories import trajectory

METHODS = [
    ("skillopt", {}),
    ("skillopt", {"grader": "initial", "gate": "non-decreasing"}),
    ("gepa", {"metric_calls": 120}),
    ("gepa", {"grader": "initial", "metric_calls": 90, "selection": "current_best"}),
    ("direct", {}),
    ("parallel", {"attempts": 3}),
    ("sequential", {"attempts": 3, "shares": [1.0, 0.5]}),
]


def noisy(**settings):
    """Make a noisy world with items that never have an outcome."""
    return skill_world(noise=0.2, broken=frozenset({"train-01", "validation-02"}), **settings)


def run_folder(out):
    """Folder of the one run."""
    return out / "runs/arm/seed-0"


@pytest.mark.parametrize(("method", "settings"), METHODS, ids=str)
def test_every_method_keeps_one_protocol(tmp_path, method, settings):
    """Ledger == counted calls; candidates add up; a page; one start; unique records; workers."""
    out = tmp_path / "r"
    world = run_loop(out, method, world=noisy(), rounds=12, **settings)
    state = run_state(run_folder(out))
    calls = world.environment.calls
    counted = {k: calls[k] for k in ("solve", "verify", "judge") if calls[k]}
    asked = sum(world.propose.calls.values())
    assert ledger_counts([state]) == {**counted, **({"propose": asked} if asked else {})}
    history = history_rows(out)
    outcomes = Counter(e["decision"] for e in event_rows(out, kind="adoption"))
    assert len(history) - 1 == sum(outcomes.values())
    assert set(outcomes) <= {"accepted", "rejected", "no-op"}
    [start] = event_rows(out, kind="start")
    assert start["artifact"] == PARENT.digest == history[0]["artifact"]
    for replay in trajectory(history, gate="strict").replays:
        assert replay.best_round == state["solver"]["best"]["round"]
    keys = Counter((r["system"], r["item"], r["attempt"], r["verifier"]) for r in record_rows(out))
    assert max(keys.values()) == 1
    again = tmp_path / "w"
    run_loop(again, method, world=noisy(), rounds=12, workers=3, **settings)
    assert tree(again) == tree(out)


def test_a_baseline_ends_in_a_page(tmp_path):
    """The report of the loops reads every method, controls included."""
    for method in ("gepa", "sequential"):
        run_loop(tmp_path / method, method, world=noisy(), rounds=4)
        page = write_run_report(tmp_path / method).read_text()
        assert "Simulated, not reproduced" in page
        assert "test score went from" in page


def test_the_baselines_share_starts_splits_and_the_test_of_the_start(tmp_path):
    """The same initial bytes have the same test score under every method that revises."""
    scores = set()
    for method in ("skillopt", "gepa", "direct"):
        run_loop(tmp_path / method, method, world=noisy(), rounds=4)
        scores |= {
            (e["artifact"], e["score"])
            for e in event_rows(tmp_path / method, kind="final")
            if (e["role"], e["split"]) == ("initial", "test")
        }
    assert len(scores) == 1


def test_skillopt_clips_a_proposal_to_its_budget_and_gates_strictly(tmp_path):
    """Six added lines against a budget of 4; a candidate of equal score is rejected."""
    more = PARENT.prompt + "".join(f"line {k}\n" for k in range(6))
    run_loop(tmp_path / "r", "skillopt", world=skill_world(script=[more]), rounds=1)
    [event] = event_rows(tmp_path / "r", kind="adoption")
    assert (event["decision"], event["edits"]["prompt"], event["proposed_edits"]) == (
        "rejected",
        4,
        6,
    )
    text = (run_folder(tmp_path / "r") / f"artifacts/{event['artifact']}.txt").read_text()
    assert text == PARENT.prompt + "".join(f"line {k}\n" for k in range(4))
    assert history_rows(tmp_path / "r")[1]["decision"] == "reject"


def test_skillopt_validates_equal_bytes_once(tmp_path):
    """The selection cache: the same candidate twice is one validation and two decisions."""
    text = PARENT.prompt + "again\n"
    run_loop(tmp_path / "r", "skillopt", world=skill_world(script=[text, text, None]), rounds=3)
    assert len(event_rows(tmp_path / "r", kind="validated")) == 2
    decisions = [row["decision"] for row in history_rows(tmp_path / "r")[1:]]
    assert decisions == ["reject", "reject", "no-op"]


def test_the_fixed_grader_never_sees_the_reference(tmp_path):
    """With the initial grader the reference is asked on test only."""
    for method in ("skillopt", "gepa"):
        run_loop(tmp_path / method, method, world=noisy(), rounds=3, grader="initial")
        verifiers = {(row["split"], row["verifier"]) for row in record_rows(tmp_path / method)}
        assert verifiers == {
            ("train", "grader"),
            ("validation", "grader"),
            ("test", "reference"),
        }


def test_gepa_overshoots_its_budget_by_what_the_ledger_shows(tmp_path):
    """Evaluated items == GEPA's own count; the budget is looked at between iterations."""
    world = run_loop(tmp_path / "r", "gepa", world=noisy(), rounds=40, metric_calls=50)
    last = event_rows(tmp_path / "r", kind="budget")[-1]
    entries = run_state(run_folder(tmp_path / "r"))["ledger"]["entries"]
    final = 8  # the best once more on validation, after GEPA is done
    ran = entries["solve/train"]["evaluations"] + entries["solve/validation"]["evaluations"] - final
    assert ran == last["metric_calls"] == last["evaluated"]
    assert last["overshoot"] == last["metric_calls"] - 50 > 0
    assert run_state(run_folder(tmp_path / "r"))["stopped"] == "budget"
    assert world.propose.calls["solver"] > 0


def test_gepa_improves_in_a_world_without_noise(tmp_path):
    """Each accepted candidate handles one more mode; the best is on test what it promises."""
    run_loop(tmp_path / "r", "gepa", world=skill_world(), rounds=25, metric_calls=400)
    finals = {
        e["role"]: e["score"]
        for e in event_rows(tmp_path / "r", kind="final")
        if e["split"] == "test"
    }
    assert finals["initial"] == 0.0
    assert finals["best"] >= 0.75


def test_an_updater_that_fails_gives_gepa_no_candidate(tmp_path):
    """The iteration is an event without a history row."""
    from evalkit.evolve.protocols import Proposal

    world = skill_world(script=[Proposal(component=None, status="infra")])
    run_loop(tmp_path / "r", "gepa", world=world, rounds=1)
    assert len(history_rows(tmp_path / "r")) == 1
    [event] = event_rows(tmp_path / "r", kind="no candidate")
    assert event["reason"] == "the updater failed"


def test_a_replay_that_diverges_is_refused():
    """Another question than the kept one stops the run instead of mixing answers."""
    world = skill_world()
    adapter = GepaAdapter(
        Parts(
            environment=world.environment,
            propose=world.propose,
            draw=Draw.of(0),
            labels=Labels(run="r", setting="s", seed="0"),
        ),
        grader="reference",
        judge=Component(),
        start=PARENT,
        answers=(Answer(kind="evaluation", key="other", scores=(1.0,)),),
        ledger=Ledger(),
        log=RoundLog(round=1),
    )
    with pytest.raises(RunFolderError, match="another question"):
        adapter.evaluate([], {"prompt": "x"})


@pytest.mark.parametrize("method", ["skillopt", "gepa", "sequential"])
def test_a_run_that_fails_at_any_call_continues_to_the_same_files(tmp_path, method):
    """Crash after a random number of executions, again and again; nothing is asked twice."""
    whole = run_loop(tmp_path / "whole", method, world=noisy(), rounds=10)
    total = whole.environment.calls["solve"]
    rng = random.Random(5)  # noqa: S311
    out = tmp_path / "cut"
    for _ in range(10):
        world = noisy()
        _fail_after(world.environment, rng.randrange(total // 3))
        try:
            run_loop(out, method, world=world, rounds=10)
        except ConnectionError:
            continue
    last = noisy()
    run_loop(out, method, world=last, rounds=10)
    assert tree(out) == tree(tmp_path / "whole")
    assert last.environment.calls["solve"] < total


def _fail_after(environment, count):
    solve = environment.solve

    def failing(*args, **settings):
        if environment.calls["solve"] >= count:
            raise ConnectionError("down")
        return solve(*args, **settings)

    environment.solve = failing


def test_controls_start_from_the_same_first_attempts(tmp_path):
    """Attempt 1 of both is equal; Parallel returns the best, Sequential the last."""
    tests = {}
    for method in ("parallel", "sequential"):
        run_loop(tmp_path / method, method, world=noisy(), attempts=3)
        tests[method] = record_rows(tmp_path / method, split="test")
    first = {
        method: {r["item"]: r["score"] for r in rows if r["system"].endswith("initial")}
        for method, rows in tests.items()
    }
    assert first["parallel"] == first["sequential"]
    for method, pick in (("parallel", max), ("sequential", lambda values: values[-1])):
        attempts = {}
        for row in tests[method]:
            if row["system"].endswith(method):
                attempts.setdefault(row["item"], []).append(row["score"])
        best = {r["item"]: r["score"] for r in tests[method] if r["system"].endswith("best")}
        assert best == {item: pick(values) for item, values in attempts.items()}


def test_arms_of_one_experiment_compare_the_methods(tmp_path):
    """One configuration, an arm a method; a world without the start is refused."""
    run_loop(tmp_path / "r", "baselines", world=noisy(), rounds=2, method="skillopt", batch=4)
    assert run_state(run_folder(tmp_path / "r"))["stopped"] == "rounds"
    with pytest.raises(InputError, match=r"`gepa\.initial` is 'rich'"):
        run_loop(tmp_path / "x", "baselines", method="gepa", initial="rich")


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("skillopt", {"batch": 500, "gate": "lower-bound"}),
        ("gepa", {"batch": 500, "metric_calls": 60}),
        ("gepa", {"metric_calls": 1}),
        ("parallel", {"attempts": 1}),
        ("sequential", {"attempts": 2, "shares": [0.01]}),
    ],
    ids=str,
)
def test_extreme_sizes_end_like_others(tmp_path, method, settings):
    """Batches beyond the training items, a spent budget, a single attempt, nobody's second one."""
    world = noisy(validation=3)
    run_loop(tmp_path / "r", method, world=world, rounds=3, **settings)
    state = run_state(run_folder(tmp_path / "r"))
    expected = {"gepa": {"budget", "rounds"}, "skillopt": {"rounds"}}
    assert state["stopped"] in expected.get(method, {"attempts"})
    finals = event_rows(tmp_path / "r", kind="final")
    assert {e["role"] for e in finals} >= {"initial", "best"}
    if settings.get("metric_calls") == 1:
        assert (state["stopped"], world.propose.calls) == ("budget", {})
