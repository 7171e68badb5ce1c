"""Gates on simulated worlds accept as often as their operating characteristics say."""

import math
from fractions import Fraction

import pytest

from evalkit.environments import Draw
from evalkit.environments.simulation import build
from evalkit.trajectories import (
    PairedGate,
    dead_band,
    lower_bound,
    non_decreasing,
    sign_test,
    standard_errors,
    strict,
)
from evalkit.trajectories.operating_laws import PairedCells, acceptance

N, TRIALS = 39, 400
WORLD = build(
    {
        "train": 0,
        "validation": N * TRIALS,
        "test": 0,
        "pairs": 0,
        "cluster_size": 1,
        "icc": 0,
        "infra": 0,
        "timeout": 0,
    },
    9,
)


def outcomes(kind, name):
    """Outcomes of every item, in groups of 39."""
    component = WORLD.initial("solver", kind=kind)
    draw = Draw.of(5).child(name)
    scores = [
        int(WORLD.verify(item, WORLD.solve(component, item, draw=draw.child(item.id))).score)
        for item in WORLD.items("validation")
    ]
    return [scores[k : k + N] for k in range(0, len(scores), N)]


def cells(first, second):
    """Return the exact chances of an item's four outcomes, from the law of items."""
    laws = [WORLD._solver(WORLD.initial("solver", kind=k), k) for k in (first, second)]
    sums = [[math.fsum(rates) for rates in law.rates] for law in laws]
    p, q = (WORLD.population.success(hazards) for hazards in sums)
    both = WORLD.population.success([a + b for a, b in zip(*sums, strict=True)])
    return PairedCells(both=both, win=q - both, loss=p - both, neither=1 - p - q + both)


RUNS = {
    "equal": (outcomes("minimal", "one"), outcomes("minimal", "two"), cells("minimal", "minimal")),
    "better": (outcomes("minimal", "one"), outcomes("full", "three"), cells("minimal", "full")),
    "worse": (outcomes("full", "three"), outcomes("minimal", "two"), cells("full", "minimal")),
}
GATES = [
    strict(),
    non_decreasing(),
    dead_band(0.05),
    standard_errors(1, n=N),
    sign_test(0.2, n=N),
    lower_bound(n=N, level=0.8),
]


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
@pytest.mark.parametrize("candidate", RUNS)
def test_gates_accept_as_often_as_enumerated(gate, candidate):
    """Four hundred independent decisions agree with the exact chance."""
    held, new, law = RUNS[candidate]
    accepted = 0
    for old, fresh in zip(held, new, strict=True):
        if isinstance(gate, PairedGate):
            wins = sum(b > a for a, b in zip(old, fresh, strict=True))
            losses = sum(b < a for a, b in zip(old, fresh, strict=True))
            accepted += gate.accepts(wins, losses, N)
        else:
            score = Fraction(sum(old), N)
            accepted += gate(Fraction(sum(fresh), N), score, score)
    expected = acceptance(gate, N, law)
    error = math.sqrt(max(expected * (1 - expected), 0.005) / TRIALS)
    assert abs(accepted / TRIALS - expected) < 4 * error


def test_equal_candidates_are_discordant_as_their_repeatability_says():
    """Two executions of one text differ on 2 p (1 - p) (1 - r) of the items."""
    law = cells("minimal", "minimal")
    assert law.discordance == pytest.approx(2 * 0.74 * 0.26 * (1 - 0.58), abs=1e-9)
