"""DUET in the simulation: the study's arms, the bridge, and runs that repeat."""

from dataclasses import replace
from pathlib import Path

import pytest
from worlds import tree

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.errors import InputError
from evalkit.evolve.config import read_config
from evalkit.evolve.experiment import plan, run_experiment
from evalkit.evolve.progress import SilentProgress
from evalkit.evolve.protocols import Evidence, EvidenceRow
from evalkit.evolve.reading import event_rows, history_rows
from evalkit.evolve.report import write_run_report
from evalkit.evolve.simulated import make_world
from evalkit.trajectories import trajectory

STUDY = Path(__file__).parents[2] / "analysis" / "duet" / "loop.toml"
SMALL = {"train": 6, "validation": 6, "test": 6, "pairs": 6}


def small(experiment, *, rounds, seeds=(0,)):
    """Shrink an experiment: few rounds, small splits."""
    arms = tuple(
        replace(arm, rounds=rounds, environment={**arm.environment, **SMALL})
        for arm in experiment.arms
    )
    return replace(experiment, arms=arms, seeds=seeds)


def test_the_study_asks_for_what_the_issue_names():
    """30 rounds, 3 seeds, every ablation; published values name their arms and sources."""
    experiment = read_config(STUDY)
    _, planned = plan(experiment)
    arms = {one.arm.name: one.settings for one in planned}
    assert experiment.seeds == (0, 1, 2)
    assert {arm.rounds for arm in experiment.arms} == {30}
    assert {s.schedule for s in arms.values()} == {
        "alternating", "simultaneous", "sequential", "solver-only", "grader-only",
    }  # fmt: skip
    assert {s.exploration for s in arms.values()} == {0.0, 0.01, 0.1}
    assert {s.initial for s in arms.values()} >= {"empty", "informed", "adversarial"}
    assert arms["edits-8-to-4"].budget_max == 8
    assert arms["skills"].target == "prompt+skills"
    assert arms["fixed-rounds"].checkpoints == "last"
    assert all(value.arm in arms and value.source for value in experiment.paper)


def test_every_arm_of_the_study_runs_and_repeats(tmp_path):
    """All arms for two rounds: a page, a history that can be read, and equal files again."""
    experiment = small(read_config(STUDY), rounds=2)
    run_experiment(experiment, tmp_path / "a", watch=SilentProgress())
    again = replace(experiment, arms=experiment.arms[:2])
    run_experiment(again, tmp_path / "b", watch=SilentProgress())
    for arm in again.arms:
        assert tree(tmp_path / "a/runs" / arm.name) == tree(tmp_path / "b/runs" / arm.name)
    assert len(trajectory(history_rows(tmp_path / "a")).replays) == 2 * 14 - 2
    page = write_run_report(tmp_path / "a").read_text()
    assert "Simulated, not reproduced" in page
    assert "raised its true quality" in page
    events = event_rows(tmp_path / "a", kind="adoption")
    assert all(round(event["truth"], 9) == event["truth"] for event in events)


@pytest.fixture(scope="module")
def world():
    """Make a small simulated world."""
    return make_world({"profile": "qa", **SMALL, "disregard": 1.0}, path=Path("loop.toml"))


def test_the_truth_orders_the_starts(world):
    """Informed above minimal above adversarial, for both agents."""
    for agent in ("solver", "grader"):
        truths = [
            world.truth(agent, world.initials[kind][agent])
            for kind in ("informed", "minimal", "adversarial")
        ]
        assert truths == sorted(truths, reverse=True)
        assert len(set(truths)) == 3
    assert set(world.initials["skills"]["solver"].skills) == set(world.environment.profile.domains)


def test_a_heedless_first_try_exceeds_the_budget_and_its_retry_does_not(world):
    """The updater forgets the budget at first; asked again, it keeps to it."""
    solver = world.initials["minimal"]["solver"]
    item = world.environment.items("train")[0]
    execution = world.environment.solve(solver, item, draw=Draw.of(0))
    verdict = world.environment.judge(Component(), item, execution, draw=Draw.of(0))
    rows = (EvidenceRow(item=item, execution=execution, verdict=verdict),)
    first = Evidence(rows=rows, max_edits=1)
    again = replace(first, too_large=solver)
    draws = [Draw.of(k) for k in range(30)]
    made = [world.propose("solver", solver, first, draw=d).edits or 0 for d in draws]
    retried = [world.propose("solver", solver, again, draw=d).edits or 0 for d in draws]
    assert max(made) > 1
    assert max(retried) == 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"trian": 3}, "in `environment`, .*trian"),
        ({"disregard": 2.0}, "`disregard` is 2"),
        ({"seed": -1}, "`seed` is -1"),
        ({"updater": {"skil": 1.0}}, r"`environment\.updater\.skil` is not a setting"),
        ({"updater": {"skill": 2.0}}, "`skill` is 2"),
        ({"updater": 3}, r"`environment\.updater` is 3"),
    ],
)
def test_a_bad_world_is_named(table, message):
    """File, key and value."""
    with pytest.raises(InputError, match=rf"(?s)loop\.toml.*{message}"):
        make_world(table, path=Path("loop.toml"))
