"""The Double Ratchet study: a transcribed abstract and a simulation with known truth."""

import numpy as np
import pytest

from evalkit.studies import build_study, load_module, reproduce, sum_line


@pytest.fixture(scope="module")
def simulate(root):
    """Return the module of the simulation."""
    return load_module(root / "analysis/ratchet/simulate.py")


@pytest.fixture(scope="module")
def world(root, simulate):
    """Return the committed settings."""
    study = load_module(root / "analysis/ratchet/study.py")
    return study.world(root / "fixtures/ratchet", simulate)


@pytest.fixture(scope="module")
def outcomes(simulate, world):
    """Return every seed."""
    return simulate.simulate(world)


def test_the_committed_report_is_what_the_study_makes(root):
    """Running the study again gives the committed report, byte by byte."""
    assert reproduce(["ratchet"], root=root, check=True).studies[0].differences == ()


def test_the_abstract_is_transcribed(root):
    """Four numbers, none of them computed."""
    cells = build_study("ratchet", root=root).cells
    assert sum_line(cells).startswith("4 reported numbers: 0 recomputed, 0 derived, 4 transcribed")


def test_without_anchors_every_seed_ends_at_always_pass(outcomes, world):
    """The anchor-free verifier passes all, so its agreement is the success rate of the start."""
    assert all(o.pass_rate["anchor-free"] == 1 for o in outcomes)
    share = (1 - world.start_rate) ** world.drawbacks
    agreement = np.mean([o.agreement["anchor-free"] for o in outcomes])
    assert agreement == pytest.approx(share, abs=4 * 0.5 / np.sqrt(2000 * len(outcomes)))


def test_anchored_verifiers_are_never_vacuous(outcomes):
    """The guard refuses a verifier that passes or fails everything."""
    assert all(0 < o.pass_rate["anchored"] < 1 for o in outcomes)


def test_the_collapsed_verifier_trains_skills_as_well(outcomes):
    """Its skills gain at least the lift of the anchored verifier's, less the noise of the seeds."""
    lift = {
        name: np.array([o.success[name] - o.success["start"] for o in outcomes])
        for name in ("anchored", "anchor-free")
    }
    noise = 2 * np.sqrt(sum(v.var(ddof=1) for v in lift.values()) / len(outcomes))
    assert lift["anchor-free"].mean() > lift["anchored"].mean() - noise
    assert lift["anchor-free"].mean() > 0.08


def test_an_always_pass_gate_takes_every_proposal(simulate, world):
    """With the empty verifier the skill drifts as its proposals do."""
    rng = np.random.default_rng(5)
    detectors = simulate._pool(world, np.random.default_rng(1))
    final = [simulate.train_skill(detectors, frozenset(), world, rng) for _ in range(200)]
    drawn = np.random.default_rng(0)
    shape = (4000, world.rounds)
    places = drawn.integers(world.drawbacks, size=shape)
    factors = np.where(drawn.random(shape) < world.good_proposals, world.helps, world.harms)
    rates = np.stack(
        [
            world.start_rate * np.where(places == j, factors, 1.0).prod(axis=1)
            for j in range(world.drawbacks)
        ]
    )
    free = np.prod(1 - rates, axis=0)
    assert np.mean(final) == pytest.approx(free.mean(), abs=4 * free.std() / np.sqrt(200))


def test_a_seed_is_repeatable(simulate, world):
    """The same seed gives the same outcome."""
    assert simulate.run_seed(world, 3) == simulate.run_seed(world, 3)
