"""The law that items are drawn from, and what makes it hit the wanted rates exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evalkit.environments.draws import Draw
from evalkit.environments.simulation.profiles import Profile
from evalkit.environments.simulation.settings import SimulationSettings
from evalkit.errors import ArgumentError

__all__ = ["Population", "Traits", "bisect", "calibrate", "draw_traits"]

_STEPS = 80
_LEAST_SHAPE = 0.005


@dataclass(frozen=True, slots=True)
class Traits:
    """What the world knows of an item.

    Attributes
    ----------
    domain : int
        Position of its kind of task.
    difficulty : float
        Factor of every hazard.
    """

    domain: int
    difficulty: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Items have a kind of task, all equally common, and a gamma-distributed difficulty of mean 1.

    Attributes
    ----------
    shape : float
        Shape of the difficulty: the smaller, the more items are all but settled.
    hazard : float
        Hazard of an average item without habits.
    strength : float
        Factor of the strength of every habit.
    sharing : float
        Chance that an item takes its kind and difficulty from its cluster.
    """

    shape: float
    hazard: float
    strength: float
    sharing: float

    def success(self, hazards: Sequence[float]) -> float:
        """Return the expected success on new items, from the summed hazard of each kind of task."""
        return self.moment(hazards, 1)

    def moment(self, hazards: Sequence[float], power: int) -> float:
        """Return the expected power of the success chance of a new item."""
        return _moment(hazards, self.shape, power)


def _moment(hazards: Sequence[float], shape: float, power: int) -> float:
    # The Laplace transform of a gamma law: E exp(-t D) = (1 + t / k)^-k.
    terms = (math.exp(-shape * math.log1p(power * h / shape)) for h in hazards)
    return math.fsum(terms) / len(hazards)


def bisect(
    decreasing: Callable[[float], float],
    target: float,
    low: float,
    high: float,
    *,
    steps: int = _STEPS,
) -> float:
    """Return where a decreasing function reaches a target; an end where it does not."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if decreasing(middle) > target else (low, middle)
    return (low + high) / 2


def _hazard(hardness: Sequence[float], shape: float, rate: float) -> float:
    log = bisect(
        lambda x: _moment([h * math.exp(x) for h in hardness], shape, 1), rate, -30.0, 690.0
    )
    return math.exp(log)


def _repeatability(hardness: Sequence[float], shape: float, rate: float) -> float:
    scale = _hazard(hardness, shape, rate)
    second = _moment([h * scale for h in hardness], shape, 2)
    return (second - rate * rate) / (rate * (1 - rate))


def _helped(profile: Profile, strength: float) -> list[float]:
    """Hazard of each kind of task with every helpful habit, relative to the common factor."""
    out = []
    for name, weights in profile.domains.items():
        gains = dict.fromkeys((mode.name for mode in profile.modes), 0.0)
        for habit in profile.habits:
            if habit.helps and habit.domain in (None, name):
                for mode, gain in habit.effects.items():
                    gains[mode] += gain
        modes = zip(profile.modes, weights, strict=True)
        out.append(math.fsum(w * math.exp(-strength * gains[m.name]) for m, w in modes))
    return out


def calibrate(profile: Profile, settings: SimulationSettings) -> Population:
    """Find the law whose rates are the wanted ones.

    Notes
    -----
    An item of difficulty D succeeds with chance ``exp(-D h)``, h the summed hazard of its modes,
    so expectations over new items are Laplace transforms. The shape sets the correlation of two
    executions of an item, the hazard the rate without habits, the strength the rate with all.
    Items of a cluster copy its traits independently with chance ``sharing``, which leaves the law
    of an item as it is and makes the correlation of two of them ``sharing²`` times that of one
    item with itself.
    """
    hardness = [sum(weights) for weights in profile.domains.values()]
    log_shape = bisect(
        lambda x: _repeatability(hardness, math.exp(x), settings.initial),
        settings.repeatability,
        math.log(_LEAST_SHAPE),
        math.log(1e4),
    )
    shape = math.exp(log_shape)
    hazard = _hazard(hardness, shape, settings.initial)
    strength = bisect(
        lambda x: 1 - _moment([h * hazard for h in _helped(profile, x)], shape, 1),
        1 - settings.full,
        0.0,
        200.0,
    )
    held = _repeatability(hardness, shape, settings.initial)
    if abs(held - settings.repeatability) > 1e-3:
        raise ArgumentError(
            f"`repeatability` is {settings.repeatability}; with `initial` at {settings.initial} "
            f"this world can come to {held:.3f}"
        )
    return Population(
        shape=shape,
        hazard=hazard,
        strength=strength,
        sharing=math.sqrt(min(1.0, settings.icc / held)),
    )


def draw_traits(
    population: Population, draw: Draw, *, count: int, cluster_size: int, domains: Sequence[float]
) -> list[Traits]:
    """Draw the traits of a split; the weights of `domains` need not add up to 1."""
    import numpy as np

    rng = draw.generator()
    chances = np.asarray(domains) / sum(domains)

    def fresh(size: int) -> list[Traits]:
        kinds = rng.choice(len(chances), size=size, p=chances).tolist()
        levels = rng.gamma(population.shape, 1 / population.shape, size=size).tolist()
        return [Traits(kind, level) for kind, level in zip(kinds, levels, strict=True)]

    shared = fresh(-(-count // cluster_size))
    own = fresh(count)
    copies = (rng.random(count) < population.sharing).tolist()
    return [shared[i // cluster_size] if copies[i] else own[i] for i in range(count)]
