"""Small parts of the engine: order under threads, interruption, spending, progress."""

import io
import os
import signal
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import clause_world, run_duet

from evalkit.environments.base import Component, Execution, Verdict
from evalkit.environments.draws import Draw
from evalkit.evolve.concurrency import concurrent_map
from evalkit.evolve.evaluating import evaluate_grader, evaluate_solver, spend
from evalkit.evolve.interruption import Interruption
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Labels, Parts
from evalkit.evolve.progress import describe_round
from evalkit.evolve.rows import evaluation_rows
from evalkit.models.base import Usage


def parts_of(world):
    """Parts with one worker."""
    return Parts(
        environment=world.environment,
        propose=world.propose,
        draw=Draw.of(0),
        labels=Labels(run="r", setting="s", seed="0"),
    )


@given(st.lists(st.integers(), max_size=20), st.integers(1, 8))
def test_results_stand_in_the_order_of_the_items(items, workers):
    """Whatever finishes first."""
    assert concurrent_map(lambda x: x * 2, items, workers=workers) == [x * 2 for x in items]


def test_workers_work_at_the_same_time_and_no_more_of_them():
    """Four workers on eight items: four meet at a barrier, never five."""
    barrier, now, most = threading.Barrier(4, timeout=10), [], []

    def work(item):
        now.append(item)
        most.append(len(now))
        barrier.wait()
        now.remove(item)
        return item

    assert concurrent_map(work, list(range(8)), workers=4) == list(range(8))
    assert max(most) == 4


def test_a_failing_call_ends_the_round_and_starts_no_more():
    """The error is raised; calls that wait are not made; none is left running."""
    made = []

    def work(item):
        made.append(item)
        if item == 0:
            raise RuntimeError("down")
        time.sleep(0.05)

    with pytest.raises(RuntimeError, match="down"):
        concurrent_map(work, list(range(50)), workers=2)
    count = len(made)
    time.sleep(0.1)
    assert len(made) == count < 50


def test_the_first_ctrl_c_waits_and_the_second_does_not():
    """One signal is noted and raised by `check`; another one is raised at once."""
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as interruption:
        interruption.check()
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.asked
        with pytest.raises(KeyboardInterrupt):
            interruption.check()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_ctrl_c_is_left_alone():
    """Signals belong to the main thread; elsewhere nothing is taken over and nothing fails."""
    seen = []

    def work():
        with Interruption() as interruption:
            seen.append(interruption.asked)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


def test_spending_counts_evaluations_and_keeps_unknown_costs_unknown():
    """Two evaluations are two, whatever they cost; nothing adds nothing."""
    ledger = spend(Ledger(), "solve/train", [Usage(calls=2), Usage(calls=1)])
    entry = ledger.entries["solve/train"]
    assert (entry.evaluations, entry.usage.calls, entry.usage.cost) == (2, 3, None)
    assert spend(ledger, "judge/train", []) is ledger


def test_pairs_are_credited_and_a_side_without_a_score_leaves_the_pair_out():
    """1, 0.5 and 0; a judge error is a status of the pair."""
    world = clause_world()
    scores = {
        "good": iter([0.9, 0.5, 0.2, 0.9]),
        "bad": iter([0.1, 0.5, 0.7, None]),
    }

    def judge(_component, _item, execution, /, **_):
        score = next(scores[execution.output.split()[0]])
        return Verdict(score=score, status="scored" if score is not None else "judge_error")

    world.environment.judge = judge
    found, ledger = evaluate_grader(
        parts_of(world), Component(), Ledger(), split="validation", draw=Draw.of(1)
    )
    assert [o.score for o in found.outcomes] == [1.0, 0.5, 0.0, None]
    assert found.outcomes[3].status == "judge_error"
    assert found.score == 0.5
    assert ledger.entries["judge/pairs/validation"].evaluations == 8
    assert found.facts()["successes"] is None
    rows = evaluation_rows(parts_of(world).labels, found, number=3)
    assert rows[3]["score_better"] == 0.9
    assert rows[3]["score_worse"] is None
    assert (rows[0]["system"], rows[0]["attempt"]) == ("s/grader", "0:3")


def test_an_execution_without_an_outcome_is_not_verified():
    """Nothing is judged, nothing is spent on judging, and the mean is undefined."""
    world = clause_world()
    world.environment.solve = lambda _, item, /, **__: Execution(
        item=item.id, output=None, status="timeout"
    )
    found, ledger = evaluate_solver(
        parts_of(world), Component(), Ledger(), split="test", draw=Draw.of(1)
    )
    assert found.score is None
    assert {o.status for o in found.outcomes} == {"timeout"}
    assert list(ledger.entries) == ["solve/test"]


def test_progress_says_bests_decisions_and_cost(tmp_path):
    """One line a round."""
    lines = []
    run_duet(
        tmp_path / "r", rounds=2, watch=lambda state, log: lines.append(describe_round(state, log))
    )
    assert lines[1].startswith("solver 0.0% · grader 62.5% · grader new best · ")
    assert lines[1].endswith("calls · $2.75")


def test_live_progress_draws_and_ends_at_the_total(tmp_path):
    """Runs that stop early still fill the bar."""
    from evalkit.evolve.config import Arm
    from evalkit.evolve.experiment import Planned
    from evalkit.evolve.progress import LiveProgress

    world = clause_world()
    arm = Arm(name="a", rounds=12, environment={}, loop={})
    stream = io.StringIO()
    with LiveProgress(stream, total=28) as live:
        for seed in (0, 1):
            planned = Planned(
                arm=arm, seed=seed, world=world, settings=None, initial=None, stage=None
            )
            live.begin(planned, -1)
            run_duet(
                tmp_path / str(seed),
                seed=seed,
                rounds=12,
                patience=2,
                watch=lambda state, log, planned=planned: live.round(planned, state, log),
            )
        assert live._bar.tasks[0].completed == 28
