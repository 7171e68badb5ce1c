"""The law that grader pairs are drawn from, and the exact agreement of a grader on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalkit.environments.base import Component
from evalkit.environments.simulation.grader_model import (
    GraderAbility,
    GraderLaw,
    grader_law,
    quality,
    score_law,
    win_matrix,
)
from evalkit.environments.simulation.population import bisect
from evalkit.environments.simulation.profiles import Profile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BETTER_STYLE",
    "SOLVER_STYLE",
    "WORSE_STYLE",
    "agreement_table",
    "calibrate_grader",
    "full_grader",
    "pair_masks",
    "population_agreement",
]

SOLVER_STYLE = (0.5, 0.3, 0.2)
"""Chance of 0, 1 and 2 added sentences; no outcome depends on it."""
BETTER_STYLE, WORSE_STYLE = (0.5, 0.3, 0.2), (0.35, 0.35, 0.3)
_TWO_FAULTS, _FLAWED_BETTER = 0.3, 0.3


def pair_masks(profile: Profile, domain: str) -> dict[tuple[int, int], float]:
    """Chance of each (better, worse) pair of masks on a kind of task.

    The worse outcome has one or two modes. The better one is clean, or has one mode that costs
    less than what the worse one lost.
    """
    weights = np.asarray(profile.domains[domain]) / sum(profile.domains[domain])
    count = len(weights)
    worse: dict[int, float] = {}
    for i in range(count):
        worse[1 << i] = worse.get(1 << i, 0.0) + (1 - _TWO_FAULTS) * weights[i]
        for j in set(range(count)) - {i}:
            both = 1 << i | 1 << j
            share = _TWO_FAULTS * weights[i] * weights[j] / (1 - weights[i])
            worse[both] = worse.get(both, 0.0) + share
    out: dict[tuple[int, int], float] = {}
    for mask, chance in worse.items():
        lighter = {
            1 << i: float(weights[i])
            for i in range(count)
            if quality(profile, 1 << i) > quality(profile, mask) + 1e-9
        }
        flawed = _FLAWED_BETTER if lighter else 0.0
        out[0, mask] = out.get((0, mask), 0.0) + (1 - flawed) * chance
        total = sum(lighter.values())
        for other, weight in lighter.items():
            out[other, mask] = out.get((other, mask), 0.0) + flawed * chance * weight / total
    return {pair: float(chance) for pair, chance in out.items()}


def agreement_table(profile: Profile, law: GraderLaw) -> NDArray[np.float64]:
    """Return the expected credit of (mask, style) as better against (mask, style) as worse."""
    laws = np.vstack([score_law(profile, law, mask) for mask in range(1 << len(profile.modes))])
    found: NDArray[np.float64] = laws @ win_matrix() @ laws.T
    return found


def _pair_weights(profile: Profile) -> NDArray[np.float64]:
    size = 3 << len(profile.modes)
    out = np.zeros((size, size))
    for domain in profile.domains:
        for (better, worse), chance in pair_masks(profile, domain).items():
            block = chance * np.outer(BETTER_STYLE, WORSE_STYLE) / len(profile.domains)
            out[3 * better : 3 * better + 3, 3 * worse : 3 * worse + 3] += block
    return out


def population_agreement(profile: Profile, law: GraderLaw) -> float:
    """Return the expected agreement on new pairs, ties half."""
    return float((_pair_weights(profile) * agreement_table(profile, law)).sum())


def full_grader(profile: Profile) -> Component:
    """Return a grader with every helpful check."""
    lines = [f"- {check.text}" for check in profile.checks if check.helps]
    return Component(prompt="\n".join((profile.grader_prompt, *lines)))


def calibrate_grader(profile: Profile, *, initial: float, full: float) -> GraderAbility:
    """Find the ability whose agreements are the wanted ones, without and with all checks."""
    bare, checked = Component(prompt=profile.grader_prompt), full_grader(profile)
    weights = _pair_weights(profile)
    used = np.flatnonzero(weights.sum(axis=0) + weights.sum(axis=1))
    masks = sorted({int(state) // 3 for state in used})
    states = np.concatenate([3 * mask + np.arange(3) for mask in masks])
    weights = weights[np.ix_(states, states)]
    wins = win_matrix()

    def agreement(component: Component, ability: GraderAbility) -> float:
        law = grader_law(profile, ability, component)
        laws = np.vstack([score_law(profile, law, mask) for mask in masks])
        return float((weights * (laws @ wins @ laws.T)).sum())

    sensitivity = bisect(
        lambda x: 1 - agreement(bare, GraderAbility(sensitivity=x, gain=0.0)),
        1 - initial,
        0.0,
        1.0,
        steps=45,
    )
    gain = bisect(
        lambda x: 1 - agreement(checked, GraderAbility(sensitivity=sensitivity, gain=x)),
        1 - full,
        0.0,
        20.0,
        steps=45,
    )
    return GraderAbility(sensitivity=sensitivity, gain=gain)
