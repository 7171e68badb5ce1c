"""Exact expectations: enumerated over items and modes, never simulated."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evalkit.environments.simulation.grader_model import GraderLaw, score_law, win_matrix
from evalkit.environments.simulation.pair_law import population_agreement
from evalkit.environments.simulation.population import Population
from evalkit.environments.simulation.profiles import Profile
from evalkit.environments.simulation.seals import Outcome
from evalkit.environments.simulation.settings import SimulationSettings
from evalkit.environments.simulation.solver_model import SolverLaw
from evalkit.environments.simulation.stock import Hidden
from evalkit.environments.simulation.verifying import check_verifier, graded_modes
from evalkit.errors import ArgumentError

__all__ = [
    "correlations",
    "pair_truth",
    "parallel_truth",
    "population_agreement",
    "population_truth",
    "retry_truth",
    "split_truth",
]


def _mean(values: Sequence[float]) -> float:
    if not values:
        raise ArgumentError("the split is empty, so nothing is expected of it; give it a size")
    return math.fsum(values) / len(values)


def _check_tries(tries: int) -> None:
    if isinstance(tries, bool) or tries < 1:
        raise ArgumentError(f"`tries` is {tries!r}; it must be 1 or more")


def _rates(law: SolverLaw, hidden: Hidden) -> list[float]:
    """Hazard of each mode on an item."""
    scale = hidden.traits.difficulty * law.factor(hidden.topic)
    return [scale * rate for rate in law.rates[hidden.traits.domain]]


def split_truth(
    profile: Profile,
    settings: SimulationSettings,
    hidden: Sequence[Hidden],
    law: SolverLaw,
    verifier: str,
) -> float:
    """Mean chance of success, or mean expected quality, over the items of a split."""
    check_verifier(verifier)
    if verifier == "auxiliary":
        return _mean([_expected_quality(profile, _rates(law, item)) for item in hidden])
    modes = graded_modes(profile, verifier)
    kept = 1 - settings.strictness if verifier == "V1" else 1.0
    rates = [_rates(law, item) for item in hidden]
    return kept * _mean([math.exp(-math.fsum(rate[i] for i in modes)) for rate in rates])


def _expected_quality(profile: Profile, rates: Sequence[float]) -> float:
    # Modes are independent and each takes its part off, so the expectation is a product.
    modes = zip(profile.modes, rates, strict=True)
    return math.prod(1 + mode.severity * math.expm1(-rate) for mode, rate in modes)


def population_truth(
    profile: Profile,
    settings: SimulationSettings,
    population: Population,
    law: SolverLaw,
    verifier: str,
) -> float:
    """Return the expected score on a new item."""
    check_verifier(verifier)
    if verifier == "auxiliary":
        return _population_quality(profile, population, law)
    modes = graded_modes(profile, verifier)
    kept = 1 - settings.strictness if verifier == "V1" else 1.0
    return kept * population.success([math.fsum(rate[i] for i in modes) for rate in law.rates])


def _population_quality(profile: Profile, population: Population, law: SolverLaw) -> float:
    """Expand the product over modes: a sum over their subsets of Laplace transforms."""
    count = len(profile.modes)
    total = 0.0
    for chosen in range(1 << count):
        inside = [i for i in range(count) if chosen >> i & 1]
        outside = [i for i in range(count) if not chosen >> i & 1]
        weight = math.prod(profile.modes[i].severity for i in inside)
        weight *= math.prod(1 - profile.modes[i].severity for i in outside)
        total += weight * population.success([math.fsum(r[i] for i in inside) for r in law.rates])
    return total


def retry_truth(
    hidden: Sequence[Hidden], law: SolverLaw, tries: int, *, anchoring: float, refinement: float
) -> float:
    """Chance that the last of several tries succeeds: each mode is a two-state chain."""
    _check_tries(tries)

    def last(rates: Sequence[float]) -> float:
        clean = 1.0
        for rate in rates:
            fault, anew = -math.expm1(-rate), -math.expm1(-refinement * rate)
            for _ in range(tries - 1):
                fault = anchoring * fault + (1 - anchoring) * anew
            clean *= 1 - fault
        return clean

    return _mean([last(_rates(law, item)) for item in hidden])


def parallel_truth(hidden: Sequence[Hidden], law: SolverLaw, tries: int) -> float:
    """Chance that one of several independent tries succeeds."""
    _check_tries(tries)
    found = [math.exp(-math.fsum(_rates(law, item))) for item in hidden]
    return _mean([1 - (1 - p) ** tries for p in found])


def correlations(population: Population, law: SolverLaw) -> tuple[float, float]:
    """Correlation of two executions of an item, and of one of each of two items of a cluster."""
    hazards = [math.fsum(rates) for rates in law.rates]
    p = population.success(hazards)
    same = (population.moment(hazards, 2) - p * p) / (p * (1 - p))
    return same, population.sharing**2 * same


def pair_truth(profile: Profile, law: GraderLaw, pairs: Sequence[tuple[Outcome, Outcome]]) -> float:
    """Return the expected credit over pairs."""
    masks = sorted({side.mask for pair in pairs for side in pair})
    laws = {mask: score_law(profile, law, mask) for mask in masks}
    wins = win_matrix()
    credit = {
        (better.mask, better.style, worse.mask, worse.style): float(
            np.asarray(laws[better.mask][better.style]) @ wins @ laws[worse.mask][worse.style]
        )
        for better, worse in pairs
    }
    return _mean([credit[b.mask, b.style, w.mask, w.style] for b, w in pairs])
