"""Numbers of the report, on hand-made runs and on a whole experiment."""

import pytest
from worlds import clause_world, run_duet

from evalkit.evolve.report import write_run_report
from evalkit.evolve.report_data import AgentRun, OutcomeRow, gather
from evalkit.evolve.report_numbers import (
    chance_of_noise,
    held_out_gain,
    held_out_score,
    noise_floor,
    real_changes,
    selection_taxes,
)
from evalkit.evolve.report_tables import score_table
from evalkit.tables import to_csv
from evalkit.trajectories import false_new_best


def validated(number, artifact, successes, *, n=10, truth=None):
    """Make an event of a validation."""
    return {
        "round": number, "artifact": artifact, "score": successes / n, "scored": n,
        "attempted": n, "successes": successes, "truth": truth,
    }  # fmt: skip


def row(number, artifact, score, decision=None):
    """Make a history row."""
    return {"round": number, "artifact": artifact, "score": score, "decision": decision}


def agent(**fields):
    """Make an agent's run from its parts."""
    empty = {"validations": (), "adoptions": (), "history": (), "proposals": (), "starts": ()}
    return AgentRun(**{**empty, "finals": {}, "tests": {}, **fields})


def outcomes_of(scores):
    """Test rows of items i0, i1, ..."""
    return tuple(OutcomeRow(item=f"i{k}", cluster=f"i{k}", score=s) for k, s in enumerate(scores))


def test_noise_floor_pools_byte_identical_validations():
    """a: 4, 6 of 10; b: 5, 5, 8: squares .02 + .06, three repeats, two of them higher."""
    run = agent(
        validations=tuple(
            validated(k, name, x)
            for k, (name, x) in enumerate(zip("abbab", (4, 5, 5, 6, 8)))  # noqa: B905
        )
    )
    found = noise_floor([run])
    assert (found.repeats, found.higher) == (3, 2)
    assert found.sd == pytest.approx((0.08 / 3) ** 0.5)
    assert noise_floor([agent()]).sd is None


def test_changes_that_did_not_help_are_counted_by_the_truth():
    """Accepted: up, down, up; new bests: the first is real, the second is below the best."""
    history = (
        row(0, "a", 0.5), row(1, "b", 0.6, "new best"), row(2, "c", 0.6, "flat"),
        row(3, "d", 0.7, "new best"), row(4, "x", None, "reject"), row(5, "d", None, "no-op"),
    )  # fmt: skip
    truths = {"a": 0.5, "b": 0.6, "c": 0.4, "d": 0.55, "x": 0.9}
    events = tuple(validated(0, k, 5, truth=v) for k, v in truths.items())
    found = real_changes([agent(history=history, validations=events)])
    assert (found.accepted, found.accepted_real) == (3, 2)
    assert (found.bests, found.bests_real) == (2, 1)
    assert real_changes([agent(history=history)]) is None


def test_chance_of_noise_is_binomial():
    """The mean over new bests of the chance that the best before would beat itself."""
    history = (row(0, "a", 0.5), row(2, "b", 0.6, "new best"), row(4, "c", 0.8, "new best"))
    events = (
        validated(0, "a", 5),
        validated(2, "b", 6),
        validated(3, "b", 9),
        validated(4, "c", 8),
    )
    found = chance_of_noise([agent(history=history, validations=events)])
    assert found == pytest.approx((false_new_best(10, 5) + false_new_best(10, 6)) / 2)
    ties = tuple({**event, "successes": None} for event in events)
    assert chance_of_noise([agent(history=history, validations=ties)]) is None


def test_selection_tax_is_the_best_minus_its_later_scores():
    """0.8 at selection, 0.6 again and 0.5 on test."""
    history = (row(0, "a", 0.5), row(1, "b", 0.8, "new best"))
    finals = {("validation", "best"): {"score": 0.6}, ("test", "best"): {"score": 0.5}}
    again, test = selection_taxes([agent(history=history, finals=finals), agent()])
    assert again == (pytest.approx(0.2),)
    assert test == (pytest.approx(0.3),)


def test_test_scores_cluster_items_over_seeds_and_show_the_spread_of_seeds():
    """Two seeds of four items: the mean is over all, the clusters are the items."""
    runs = [
        agent(tests={"initial": outcomes_of([0, 0, 1, None]), "best": outcomes_of(best)})
        for best in ([1, 0, 1, 1], [1, 1, 1, 0])
    ]
    found = held_out_score(runs, "best")
    assert found.estimate == 0.75
    assert (found.clusters, found.attempts, found.attempt_sd) == (4, 2, 0.0)
    gain = held_out_gain(runs)
    # Item 3 has no initial score, so six differences: 1, 0, 0 and 1, 1, 0.
    assert gain.estimate == pytest.approx(0.5)
    assert gain.attempt_sd == pytest.approx((1 / 18) ** 0.5)
    assert held_out_score([agent()], "best") is None
    assert held_out_gain([agent()]) is None


def test_an_unfinished_experiment_has_a_page_that_says_so(tmp_path):
    """Runs without a final evaluation are named; the page is written all the same."""

    def stop(_, log):
        if log.round == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_duet(tmp_path / "r", watch=stop)
    page = write_run_report(tmp_path / "r").read_text()
    assert "unfinished after round 2" in page
    assert "no run has reached its final evaluation" in page


def test_errors_are_named_on_the_page(tmp_path):
    """Outcomes without a score are left out of every score, and counted."""
    world = clause_world(broken=frozenset({"test-01"}), pair_count=0)
    run_duet(tmp_path / "r", world=world, rounds=3)
    page = write_run_report(tmp_path / "r", path=tmp_path / "page.html").read_text()
    assert "3 test outcomes errored" in page
    data = gather(tmp_path / "r")
    assert data.arms == ("arm",)
    assert "arm" in to_csv(score_table(data))
