"""A small world with known truth: verifiers made of detectors, and skills trained by them.

An output has drawbacks, each with some chance; it is right if it has none. A detector flags one
drawback with a sensitivity and a specificity, or is a judge of the whole output. A verifier passes
what none of its detectors flags. Verifiers evolve by adding, dropping and swapping detectors, and
are selected either for agreement with a few anchored outputs plus consensus, or for consensus
alone. Skills evolve by proposals that help more often than they harm, gated by a verifier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Settings of the simulation; see ``records/world.csv``."""

    drawbacks: int
    start_rate: float
    anchors: int
    unlabelled: int
    held_out: int
    candidates: int
    rounds: int
    batch: int
    good_proposals: float
    helps: float
    harms: float
    anchor_weight: float
    seeds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One seed.

    Attributes
    ----------
    agreement : mapping of str to float
        Held-out agreement with the truth of the seed composition, the judge alone, the anchored
        and the anchor-free verifier.
    pass_rate : mapping of str to float
        Share of held-out outputs that each passes.
    success : mapping of str to float
        True success rate of the skill trained under no update, ground truth, and each verifier.
    """

    agreement: Mapping[str, float]
    pass_rate: Mapping[str, float]
    success: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Detector:
    """Flags one drawback, or any of them where `target` is negative."""

    target: int
    sensitivity: float
    specificity: float


def _pool(world: World, rng: np.random.Generator) -> list[_Detector]:
    """Return the detectors that synthesis can propose: sound, weak and noisy ones, and a judge."""
    sound = [
        _Detector(target=j, sensitivity=rng.uniform(0.75, 0.95), specificity=rng.uniform(0.97, 1))
        for j in range(world.drawbacks)
    ]
    noisy = [
        _Detector(target=j, sensitivity=rng.uniform(0.1, 0.4), specificity=rng.uniform(0.75, 0.9))
        for j in range(world.drawbacks)
    ]
    judge = _Detector(target=-1, sensitivity=0.7, specificity=0.8)
    return [judge, *sound, *noisy]


def _flags(
    detectors: list[_Detector], outputs: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return what every detector flags, shape (detectors, outputs)."""
    draws = rng.random((len(detectors), len(outputs)))
    present = np.stack(
        [outputs.any(axis=1) if d.target < 0 else outputs[:, d.target] for d in detectors]
    )
    chance = np.where(
        present,
        np.array([[d.sensitivity] for d in detectors]),
        1 - np.array([[d.specificity] for d in detectors]),
    )
    return draws < chance


def _passes(members: frozenset[int], flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    chosen = sorted(members)
    return ~flags[chosen].any(axis=0) if chosen else np.ones(flags.shape[1], dtype=bool)


def _outputs(rates: NDArray[np.float64], n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    return rng.random((n, rates.size)) < rates


def _variants(
    members: frozenset[int], born: list[int], world: World, rng: np.random.Generator
) -> list[frozenset[int]]:
    """Return the current verifier and neighbours: one detector more, less, or swapped."""
    found = [members]
    while len(found) < world.candidates:
        changed = set(members)
        move = rng.integers(3)
        if move != 0 and changed:
            changed.discard(int(rng.choice(sorted(changed))))
        if move != 1 and born:
            changed.add(int(rng.choice(born)))
        found.append(frozenset(changed))
    return found


def evolve_verifier(
    detectors: list[_Detector],
    seed_members: frozenset[int],
    world: World,
    rng: np.random.Generator,
    *,
    anchored: bool,
) -> frozenset[int]:
    """Select among variants, round by round, with or without the anchors and their guard."""
    rates = np.full(world.drawbacks, world.start_rate)
    # Half of the anchors are right; the others show the drawbacks in turn, one each.
    anchors = np.zeros((world.anchors, world.drawbacks), dtype=bool)
    for number, place in enumerate(range(world.anchors // 2, world.anchors)):
        anchors[place, number % world.drawbacks] = True
    truth = ~anchors.any(axis=1)
    anchor_flags = _flags(detectors, anchors, rng)
    # The gate at birth: a detector flags no right anchor and at least one wrong one.
    sound = ~anchor_flags[:, truth].any(axis=1) & anchor_flags[:, ~truth].any(axis=1)
    born = np.flatnonzero(sound).tolist() if anchored else list(range(len(detectors)))
    members = seed_members
    for _ in range(world.rounds):
        flags = _flags(detectors, _outputs(rates, world.unlabelled, rng), rng)
        variants = _variants(members, born, world, rng)
        verdicts = np.stack([_passes(v, flags) for v in variants])
        majority = flags.mean(axis=0) < 0.5
        scores = (verdicts == majority).mean(axis=1)
        if anchored:
            on_anchors = np.stack([_passes(v, anchor_flags) for v in variants])
            scores = scores + world.anchor_weight * (on_anchors == truth).mean(axis=1)
            vacuous = on_anchors.all(axis=1) | ~on_anchors.any(axis=1)
            scores = np.where(vacuous, -np.inf, scores)
        members = variants[int(np.argmax(scores))]
    return members


def train_skill(
    detectors: list[_Detector],
    members: frozenset[int] | None,
    world: World,
    rng: np.random.Generator,
) -> float:
    """Return the true success rate of a skill gated by a verifier, or by the truth for ``None``."""
    rates = np.full(world.drawbacks, world.start_rate)
    for _ in range(world.rounds):
        place = int(rng.integers(world.drawbacks))
        factor = world.helps if rng.random() < world.good_proposals else world.harms
        proposal = rates.copy()
        proposal[place] = min(1.0, proposal[place] * factor)
        scores = []
        for candidate in (rates, proposal):
            outputs = _outputs(candidate, world.batch, rng)
            right = ~outputs.any(axis=1)
            seen = right if members is None else _passes(members, _flags(detectors, outputs, rng))
            scores.append(seen.mean())
        if scores[1] >= scores[0]:
            rates = proposal
    return float(np.prod(1 - rates))


def run_seed(world: World, seed: int) -> Outcome:
    """Simulate one seed."""
    setup, held, *streams = (
        np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(7)
    )
    detectors = _pool(world, setup)
    # The hand-authored composition: the judge, one sound detector and two noisy ones.
    seed_members = frozenset({0, 1, 1 + world.drawbacks, 2 + world.drawbacks})
    verifiers = {
        "seed composition": seed_members,
        "judge alone": frozenset({0}),
        "anchored": evolve_verifier(detectors, seed_members, world, streams[0], anchored=True),
        "anchor-free": evolve_verifier(detectors, seed_members, world, streams[1], anchored=False),
    }
    outputs = _outputs(np.full(world.drawbacks, world.start_rate), world.held_out, held)
    truth, flags = ~outputs.any(axis=1), _flags(detectors, outputs, held)
    verdicts = {name: _passes(members, flags) for name, members in verifiers.items()}
    trained = {
        "ground truth": train_skill(detectors, None, world, streams[2]),
        "anchored": train_skill(detectors, verifiers["anchored"], world, streams[3]),
        "anchor-free": train_skill(detectors, verifiers["anchor-free"], world, streams[4]),
    }
    return Outcome(
        agreement={name: float((v == truth).mean()) for name, v in verdicts.items()},
        pass_rate={name: float(v.mean()) for name, v in verdicts.items()},
        success={"start": float((1 - world.start_rate) ** world.drawbacks), **trained},
    )


def simulate(world: World) -> list[Outcome]:
    """Simulate every seed."""
    return [run_seed(world, seed) for seed in range(world.seeds)]
