"""What the text of a solver does: hazards of every failure mode, for each kind of task."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from evalkit.environments.base import Component
from evalkit.environments.simulation.clauses import recognise, sentences
from evalkit.environments.simulation.population import Population
from evalkit.environments.simulation.profiles import Profile

__all__ = ["SolverLaw", "solver_law", "topic_pattern"]

_FREE_WORDS = 450
_LENGTH_COST = 0.03  # of the hazard, for each hundred words above
_TOPIC_COST = 0.01  # of the hazard, for each task that the text singles out
_TOPIC_GAIN = 0.4  # what is left of the hazard on such a task
_NEGATED = 0.6  # harm of negating a habit, relative to its unscaled strength


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverLaw:
    """Hazards of a solver's text.

    Attributes
    ----------
    rates : tuple of tuple of float
        Kind of task x mode, for an item of difficulty 1.
    topics : frozenset of str
        Tasks that the text singles out.
    habits : mapping of str to float
        What was recognised in the prompt and the general skills.
    characters : int
        Length of the text.
    """

    rates: tuple[tuple[float, ...], ...]
    topics: frozenset[str]
    habits: dict[str, float]
    characters: int

    def factor(self, topic: str) -> float:
        """Return what an item's topic makes of its hazards."""
        return _TOPIC_GAIN if topic in self.topics else 1.0


def topic_pattern(profile: Profile) -> re.Pattern[str]:
    """Return what the topics of this kind of work look like in plain words."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, profile.nouns))}) \d+\b")


def _texts(component: Component, domains: tuple[str, ...]) -> list[str]:
    """Text that applies to each kind of task: skills named after one apply to it alone."""
    general, special = [component.prompt], {name: [] for name in domains}  # type: ignore[var-annotated]
    for name, text in component.skills.items():
        owners = [domain for domain in domains if domain in name.casefold()]
        for owner in owners:
            special[owner].append(text)
        if not owners:
            general.append(text)
    return ["\n".join((*general, *special[name])) for name in domains]


def _rates(
    profile: Profile, population: Population, domain: str, habits: dict[str, float]
) -> list[float]:
    helped = dict.fromkeys((mode.name for mode in profile.modes), 0.0)
    for habit in profile.habits:
        sign = habits.get(habit.name, 0.0)
        if not sign or habit.domain not in (None, domain):
            continue
        for mode, strength in habit.effects.items():
            if strength > 0:
                helped[mode] += population.strength * strength if sign > 0 else -_NEGATED * strength
            elif sign > 0:
                helped[mode] += strength
    modes = zip(profile.modes, profile.domains[domain], strict=True)
    return [population.hazard * w * math.exp(-helped[mode.name]) for mode, w in modes]


def solver_law(profile: Profile, population: Population, component: Component) -> SolverLaw:
    """Read a solver's text.

    Notes
    -----
    Habits multiply the hazards of their modes; unknown text does nothing but add length. Beyond
    450 words each further hundred adds 3 % to every hazard. Instructions for a single task take
    60 % off its hazards and add 1 % to those of all others.
    """
    domains = tuple(profile.domains)
    texts = _texts(component, domains)
    whole = "\n".join((component.prompt, *component.skills.values()))
    plain = sentences(whole)
    topics = frozenset(found for line in plain for found in topic_pattern(profile).findall(line))
    words = sum(len(line.split()) for line in plain)
    burden = 1 + _LENGTH_COST * max(0, words - _FREE_WORDS) / 100 + _TOPIC_COST * len(topics)
    read = {text: recognise(text, profile.habits) for text in dict.fromkeys(texts)}
    return SolverLaw(
        rates=tuple(
            tuple(burden * rate for rate in _rates(profile, population, name, read[text]))
            for name, text in zip(domains, texts, strict=True)
        ),
        topics=topics,
        habits=recognise(whole, profile.habits),
        characters=len(component.to_text()),
    )
