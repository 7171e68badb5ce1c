"""The simulated world: exact truths against executions, seals, settings and starting points."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.environments import Component, Draw, Execution, Pair
from evalkit.environments.simulation import SimulationSettings, build, parse_settings
from evalkit.environments.simulation.catalogue import PROFILES
from evalkit.environments.simulation.population import calibrate
from evalkit.environments.simulation.solver_model import solver_law
from evalkit.environments.simulation.truths import correlations
from evalkit.errors import ArgumentError
from evalkit.records.schema import STATUSES

ROOT = Draw.of(11)
SMALL = {"train": 20, "validation": 24, "test": 30, "pairs": 30, "infra": 0, "timeout": 0}
WORLDS = {name: build({**SMALL, "profile": name}, 4) for name in ("qa", "workbook")}
KINDS = ("minimal", "empty", "informed", "adversarial", "full")


def runs(world, component, split, repeats, name="runs"):
    """Yield executions of every item of a split, several times."""
    for k in range(repeats):
        for item in world.items(split):
            draw = ROOT.child(name, k, item.id)
            yield item, world.solve(component, item, draw=draw)


def close(seen, expected, n, spread=0.5):
    """Whether a mean of n outcomes lies within 4.5 standard errors of its expectation."""
    return abs(seen - expected) < 4.5 * spread / math.sqrt(n)


@pytest.mark.parametrize("profile", ["qa", "workbook"])
def test_calibration_is_exact(profile):
    """New items and pairs have the rates, correlations and agreements that were asked for."""
    knobs = {"initial": 0.7, "full": 0.92, "repeatability": 0.5, "icc": 0.2}
    world = build({"profile": profile, **knobs, "grader_initial": 0.65, "grader_full": 0.82}, 1)
    bare, full = world.initial("solver"), world.initial("solver", kind="full")
    assert world.truth(bare, "population") == pytest.approx(0.7)
    assert world.truth(full, "population") == pytest.approx(0.92)
    assert world.correlation(bare) == pytest.approx((0.5, 0.2))
    assert world.grader_truth(world.initial("grader"), "population") == pytest.approx(0.65)
    checked = world.initial("grader", kind="full")
    assert world.grader_truth(checked, "population") == pytest.approx(0.82)


@pytest.mark.parametrize("profile", ["qa", "workbook"])
@pytest.mark.parametrize("kind", KINDS)
def test_solver_truth_is_the_mean_of_executions(profile, kind):
    """Under every verifier the mean verdict comes to the enumerated truth."""
    world = WORLDS[profile]
    component = world.initial("solver", kind=kind)
    found = list(runs(world, component, "validation", 25))
    for verifier in ("reference", "V0", "V1", "auxiliary"):
        scores = [world.verify(item, e, verifier=verifier).score for item, e in found]
        truth = world.truth(component, "validation", verifier=verifier)
        assert close(np.mean(scores), truth, len(scores)), verifier


def test_starting_points_are_ordered():
    """Harmful clauses are worse than none, some habits are better, all habits are best."""
    for world in WORLDS.values():
        solver = {k: world.truth(world.initial("solver", kind=k), "population") for k in KINDS}
        grader = {
            k: world.grader_truth(world.initial("grader", kind=k), "population") for k in KINDS
        }
        for found in (solver, grader):
            assert found["adversarial"] < found["minimal"] < found["informed"] < found["full"]
            assert found["empty"] == pytest.approx(found["minimal"])


def test_population_truth_is_the_limit_of_splits():
    """The mean truth of many items drawn comes to the closed form."""
    world = build({"test": 6000, "cluster_size": 1}, 8)
    for kind in ("minimal", "full"):
        component = world.initial("solver", kind=kind)
        for verifier in ("reference", "V0", "V1", "auxiliary"):
            split = world.truth(component, "test", verifier=verifier)
            limit = world.truth(component, "population", verifier=verifier)
            assert close(split, limit, 6000, spread=0.4)


def test_correlations_are_those_of_executions():
    """Two executions of an item, and of two items of a cluster, correlate as stated."""
    world = build({"test": 6000, "cluster_size": 2, "icc": 0.4, "infra": 0, "timeout": 0}, 2)
    solver = world.initial("solver")
    scores = np.array([world.verify(i, e).score for i, e in runs(world, solver, "test", 2)])
    first, second = scores.reshape(2, -1)
    same, clustered = world.correlation(solver)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(same, abs=0.06)
    pairs = first.reshape(-1, 2)
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(clustered, abs=0.08)


@pytest.mark.parametrize("profile", ["qa", "workbook"])
@pytest.mark.parametrize("kind", ["minimal", "adversarial", "full"])
def test_grader_truth_is_the_agreement_of_judgments(profile, kind):
    """The better outcome scores higher as often as enumerated, ties half."""
    world = WORLDS[profile]
    grader = world.initial("grader", kind=kind)
    credited = []
    for k, pair in itertools.product(range(30), world.pairs("validation")):
        better, worse = (
            world.judge(grader, pair.item, side, draw=ROOT.child("judge", k, pair.id, name)).score
            for name, side in (("b", pair.better), ("w", pair.worse))
        )
        if better is not None and worse is not None:
            credited.append((1 + (better > worse) - (better < worse)) / 2)
    truth = world.grader_truth(grader, "validation")
    assert close(np.mean(credited), truth, len(credited))


def test_position_bias_favours_the_first():
    """A comparison credits the outcome shown first more often, by the stated bias."""
    world = build({**SMALL, "position_bias": 0.3}, 4)
    grader = world.initial("grader")
    means = {}
    for first in ("better", "worse"):
        found = [
            world.prefer(grader, pair, first=first, draw=ROOT.child(k, pair.id)).score
            for k in range(40)
            for pair in world.pairs("train")
        ]
        means[first] = np.mean([score for score in found if score is not None])
    assert means["better"] - means["worse"] == pytest.approx(0.3, abs=0.09)
    both = world.preference_truth(grader, "train")
    assert np.mean(list(means.values())) == pytest.approx(both, abs=0.05)


def test_pairs_prefer_the_higher_quality():
    """The better outcome of every pair loses less to its faults, whichever split."""
    for world in WORLDS.values():
        for split in ("train", "validation", "test"):
            assert len(world.pairs(split)) == 30
            for pair in world.pairs(split):
                better, worse = (
                    world.verify(pair.item, side, verifier="auxiliary").score
                    for side in (pair.better, pair.worse)
                )
                assert better > worse


def test_retries_and_parallel_tries_have_exact_truths():
    """The last of three revisions, and the best of three tries, succeed as enumerated."""
    world = WORLDS["qa"]
    solver = world.initial("solver")
    last, best = [], []
    for k in range(25):
        for item in world.items("validation"):
            draw = ROOT.child("tries", k, item.id)
            tries = [world.solve(solver, item, draw=draw.child(j)) for j in range(3)]
            best.append(max(world.verify(item, e).score for e in tries))
            current = tries[0]
            for j in range(2):
                current = world.retry(solver, item, current, draw=draw.child("again", j))
            last.append(world.verify(item, current).score)
    assert close(np.mean(last), world.retry_truth(solver, "validation", tries=3), len(last))
    assert close(np.mean(best), world.parallel_truth(solver, "validation", tries=3), len(best))
    assert world.retry_truth(solver, "test", tries=1) == pytest.approx(world.truth(solver, "test"))
    assert world.parallel_truth(solver, "test", tries=1) == pytest.approx(
        world.truth(solver, "test")
    )


def test_verifiers_disagree_as_stated():
    """V0 passes whatever the reference passes; V1 passes nothing that it rejects."""
    world = WORLDS["qa"]
    verdicts = Counter()
    for item, execution in runs(world, world.initial("solver"), "validation", 40):
        found = tuple(
            world.verify(item, execution, verifier=name).score for name in ("V0", "reference", "V1")
        )
        assert found[0] >= found[1] >= found[2]
        verdicts[found] += 1
    assert len(verdicts) == 4
    with pytest.raises(ArgumentError, match="`verifier`"):
        world.verify(item, execution, verifier="V2")


def test_everything_repeats():
    """Two worlds of one seed are alike; executions depend on draw and text alone."""
    one, two, other = build(SMALL, 4), build(SMALL, 4), build(SMALL, 5)
    assert one.items("test") == two.items("test")
    assert one.pairs("test") == two.pairs("test")
    assert one.pairs("test") != other.pairs("test")
    solver = one.initial("solver")
    item = one.items("test")[3]
    first = one.solve(solver, item, draw=ROOT)
    for noise in one.items("test"):
        one.solve(solver, noise, draw=ROOT.child("noise"))
    assert one.solve(solver, item, draw=ROOT) == two.solve(solver, item, draw=ROOT) == first
    assert one.solve(one.initial("solver", kind="full"), item, draw=ROOT).output != first.output


def test_broken_executions_are_no_failures():
    """Infrastructure errors and timeouts come at their rates, without output and without score."""
    world = build({**SMALL, "infra": 0.2, "timeout": 0.1, "judge_errors": 0.2}, 4)
    solver, grader = world.initial("solver"), world.initial("grader")
    statuses: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for item, execution in runs(world, solver, "test", 40):
        statuses[execution.status] += 1
        verdict = world.verify(item, execution)
        assert (execution.output is None) == (execution.status != "ok") == (verdict.score is None)
        judgment = world.judge(grader, item, execution, draw=ROOT.child(item.id))
        judged[judgment.status] += 1
        assert (judgment.score is None) == (judgment.status != "scored")
        assert {verdict.status, judgment.status} <= set(STATUSES)
        if execution.status != "ok":
            assert verdict.status == judgment.status == execution.status
            assert execution.usage.calls == 1
    total = sum(statuses.values())
    assert close(statuses["infra"] / total, 0.2, total)
    assert close(statuses["timeout"] / total, 0.1, total)
    assert judged["judge_error"] > 0


def test_foreign_outcomes_are_invalid():
    """An output of another item, another world, or with a changed token is not scored."""
    world, other = WORLDS["qa"], build(SMALL, 99)
    solver = world.initial("solver")
    first, second = world.items("validation")[:2]
    execution = world.solve(solver, first, draw=ROOT)
    swapped = Execution(item=second.id, output=execution.output)
    forged = Execution(item=first.id, output="under record " + "0" * 28)
    for item, wrong in (
        (second, swapped),
        (first, forged),
        (first, Execution(item=first.id, output="")),
    ):
        for verdict in (
            world.verify(item, wrong),
            world.judge(world.initial("grader"), item, wrong, draw=ROOT),
        ):
            assert verdict.score is None
            assert verdict.status == "invalid"
    assert other.verify(first, execution).status == "invalid"
    with pytest.raises(ArgumentError, match="not one of this world's"):
        world.solve(solver, type(first)(id="elsewhere", input="?"), draw=ROOT)
    with pytest.raises(ArgumentError, match="`split`"):
        world.items("dev")


def test_probes_are_harder_and_shifted():
    """R1 to R3 grow harder, T1 to T3 hold one kind of task more often."""
    world = build({"probe": 900, "cluster_size": 1, "test": 900}, 3)
    solver = world.initial("solver")
    test, r1, r3 = (world.truth(solver, split) for split in ("test", "R1", "R3"))
    assert r3 < r1 + 0.02
    assert r3 < test
    kinds = Counter(item.metadata["domain"] for item in world.items("T1"))
    assert max(kinds.values()) / 900 == pytest.approx(0.5, abs=0.07)


def test_clusters_have_the_stated_size():
    """Items come in clusters of the stated size, and in none where it is 1."""
    sizes = Counter(
        item.cluster for item in build({"test": 10, "cluster_size": 4}, 0).items("test")
    )
    assert sorted(sizes.values()) == [2, 4, 4]
    assert {i.cluster for i in build({"cluster_size": 1}, 0).items("test")} == {None}


def test_costs_follow_prices():
    """Tokens grow with the text; the cost is theirs at the prices, and unknown without."""
    world = build({**SMALL, "input_price": 1.0, "output_price": 4.0}, 4)
    item = world.items("test")[0]
    bare = world.solve(world.initial("solver"), item, draw=ROOT).usage
    long = world.solve(world.initial("solver", kind="full"), item, draw=ROOT).usage
    assert long.input_tokens > bare.input_tokens
    assert bare.cost == pytest.approx((bare.input_tokens + 4 * bare.output_tokens) / 1e6)
    assert (
        WORLDS["qa"].solve(Component(), WORLDS["qa"].items("test")[0], draw=ROOT).usage.cost is None
    )


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"profile": "chess"}, "profile"),
        ({"colour": 3}, "colour"),
        ({"kind": "dataset"}, "`kind`"),
        ({"test": -1}, "`test`"),
        ({"test": "many"}, "test"),
        ({"icc": 0.7}, "`icc`"),
        ({"infra": 0.6, "timeout": 0.5}, "add up"),
        ({"infra": 1.0}, "`infra`"),
        ({"initial": 0.95}, "`initial`"),
        ({"grader_full": 0.95}, "`grader_full`"),
        ({"repeatability": 0.99}, "`repeatability`"),
        ({"cluster_size": 0}, "`cluster_size`"),
        ({"initial": math.nan}, "`initial`"),
        ({"input_price": -1.0}, "`input_price`"),
    ],
)
def test_wrong_settings_are_named(knobs, message):
    """Unknown, ill-typed and impossible settings are refused with their name."""
    with pytest.raises(ArgumentError, match=message):
        build(knobs, 0)


def test_settings_are_those_of_a_loop_file():
    """A TOML table gives the settings; whole numbers stand for fractions."""
    table = {"kind": "simulation", "profile": "workbook", "train": 80, "validation": 39, "icc": 0}
    found = parse_settings(table)
    assert found == SimulationSettings(profile="workbook", train=80, validation=39, icc=0.0)


def test_empty_splits_have_no_truth():
    """A split without items has items of none, and its truth is refused rather than 0."""
    world = build({**SMALL, "test": 0}, 0)
    assert world.items("test") == () == world.pairs("test")
    with pytest.raises(ArgumentError, match="empty"):
        world.truth(world.initial("solver"), "test")
    with pytest.raises(ArgumentError, match="empty"):
        world.grader_truth(world.initial("grader"), "test")
    foreign = WORLDS["workbook"].pairs("test")[0]
    moved = Pair(id="x", item=foreign.item, better=foreign.better, worse=foreign.worse)
    assert WORLDS["qa"].judge(Component(), moved.item, moved.better, draw=ROOT).status == "invalid"


@settings(max_examples=15)
@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.floats(0, 1))
def test_any_reachable_setting_is_reached(initial, repeatability, share):
    """Rates and correlations come out as set, over the range that is allowed."""
    knobs = parse_settings(
        {
            "initial": initial,
            "full": min(0.99, initial + 0.09),
            "repeatability": repeatability,
            "icc": share * repeatability,
        }
    )
    population = calibrate(PROFILES["qa"], knobs)
    law = solver_law(PROFILES["qa"], population, Component())
    hazards = [math.fsum(rates) for rates in law.rates]
    assert population.success(hazards) == pytest.approx(initial, abs=1e-6)
    same, clustered = correlations(population, law)
    assert same == pytest.approx(repeatability, abs=1e-3)
    assert clustered == pytest.approx(share * repeatability, abs=1e-3)


def test_unreachable_repeatability_is_refused():
    """Kinds of task differ, so that executions of one item are never quite independent."""
    with pytest.raises(ArgumentError, match="can come to"):
        build({"repeatability": 0.0001, "icc": 0.0}, 0)
