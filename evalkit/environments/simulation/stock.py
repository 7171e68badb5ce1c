"""The items and pairs of a world, and what it alone knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from evalkit.environments.base import Execution, Item, Pair
from evalkit.environments.draws import Draw
from evalkit.environments.simulation.pair_law import BETTER_STYLE, WORSE_STYLE, pair_masks
from evalkit.environments.simulation.population import Population, Traits, draw_traits
from evalkit.environments.simulation.profiles import Profile
from evalkit.environments.simulation.settings import PROBES, SPLITS, SimulationSettings
from evalkit.errors import ArgumentError

__all__ = ["Hidden", "Stock", "make_stock"]

T = TypeVar("T")
_HARDNESS = {"R1": 1.1, "R2": 1.25, "R3": 1.5, "T1": 1.1, "T2": 1.1, "T3": 1.1}
_TILT = {"T1": 0, "T2": 1, "T3": 2}  # the kind of task that is three times as common
_FIRST_NUMBER = 100


@dataclass(frozen=True, slots=True)
class Hidden:
    """What the world knows of an item.

    Attributes
    ----------
    traits : Traits
        Kind of task and difficulty.
    topic : str
        What it is about; no two items share it.
    """

    traits: Traits
    topic: str


class Render(Protocol):
    """Write an outcome."""

    def __call__(self, item: str, topic: str, mask: int, style: int, nonce: bytes) -> str:
        """Return the text that an execution shows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """Items and pairs by split.

    Attributes
    ----------
    items, pairs : mapping
        Split -> what agents see.
    hidden : mapping of str to Hidden
        Id of an item -> what they do not.
    """

    items: Mapping[str, tuple[Item, ...]]
    pairs: Mapping[str, tuple[Pair, ...]]
    hidden: Mapping[str, Hidden]

    def of(self, split: str, table: Mapping[str, tuple[T, ...]]) -> tuple[T, ...]:
        """Return what a split holds of a table."""
        if split not in self.items:
            raise ArgumentError(f"`split` is {split!r}; it must be one of {', '.join(self.items)}")
        return table.get(split, ())

    def known(self, item: str) -> Hidden:
        """Return what is hidden of an item."""
        try:
            return self.hidden[item]
        except KeyError:
            raise ArgumentError(f"item {item!r} is not one of this world's") from None


def _sizes(settings: SimulationSettings) -> dict[str, int]:
    sizes = {"train": settings.train, "validation": settings.validation, "test": settings.test}
    return {**sizes, **dict.fromkeys(PROBES, settings.probe)}


def _mix(profile: Profile, split: str) -> list[float]:
    weights = [1.0] * len(profile.domains)
    if split in _TILT:
        weights[_TILT[split]] = 3.0
    return weights


def make_stock(
    profile: Profile,
    settings: SimulationSettings,
    population: Population,
    render: Render,
    draw: Draw,
) -> Stock:
    """Draw every item and pair of a world."""
    items: dict[str, tuple[Item, ...]] = {}
    hidden: dict[str, Hidden] = {}
    names = list(profile.domains)
    number = _FIRST_NUMBER
    for split, count in _sizes(settings).items():
        traits = draw_traits(
            population,
            draw.child("items", split),
            count=count,
            cluster_size=settings.cluster_size,
            domains=_mix(profile, split),
        )
        made = []
        for index, found in enumerate(traits):
            topic = f"{profile.nouns[number % len(profile.nouns)]} {number}"
            item = _item(profile, settings, split, index, topic, names[found.domain])
            hardness = _HARDNESS.get(split, 1.0)
            hidden[item.id] = Hidden(Traits(found.domain, hardness * found.difficulty), topic)
            made.append(item)
            number += 1
        items[split] = tuple(made)
    pairs = {
        split: _pairs(profile, settings, items[split], hidden, render, draw.child("pairs", split))
        for split in SPLITS
    }
    return Stock(items=items, pairs=pairs, hidden=hidden)


def _item(
    profile: Profile,
    settings: SimulationSettings,
    split: str,
    index: int,
    topic: str,
    domain: str,
) -> Item:
    size = settings.cluster_size
    return Item(
        id=f"{split}-{index:04d}",
        input=profile.request.format(topic=topic, domain=domain),
        cluster=None if size == 1 else f"{split}-c{index // size:04d}",
        metadata={"domain": domain},
    )


def _pairs(
    profile: Profile,
    settings: SimulationSettings,
    items: tuple[Item, ...],
    hidden: Mapping[str, Hidden],
    render: Render,
    draw: Draw,
) -> tuple[Pair, ...]:
    """Draw the pairs of a split, on its items in turn."""
    if not items:
        return ()
    rng = draw.generator()
    laws = [pair_masks(profile, domain) for domain in profile.domains]
    out = []
    for index in range(settings.pairs):
        item = items[index % len(items)]
        known = hidden[item.id]
        law = laws[known.traits.domain]
        better, worse = list(law)[rng.choice(len(law), p=list(law.values()))]
        sides = []
        for mask, styles in ((better, BETTER_STYLE), (worse, WORSE_STYLE)):
            style, nonce = _style(rng, styles), rng.bytes(8)
            steps = 2 + int(rng.integers(3))
            sides.append(
                Execution(
                    item=item.id,
                    output=render(item.id, known.topic, mask, style, nonce),
                    trace=profile.trace.format(topic=known.topic, steps=steps),
                )
            )
        # The id says nothing of which side is the better one.
        out.append(Pair(id=f"{item.id}-p{index:04d}", item=item, better=sides[0], worse=sides[1]))
    return tuple(out)


def _style(rng: np.random.Generator, chances: tuple[float, ...]) -> int:
    return int(rng.choice(len(chances), p=chances))
