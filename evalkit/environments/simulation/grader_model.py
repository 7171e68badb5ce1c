"""What the text of a grader does: sensitivity, false alarms, style bias and noise."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalkit.environments.base import Component
from evalkit.environments.simulation.clauses import recognise
from evalkit.environments.simulation.profiles import Profile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "STEPS",
    "GraderAbility",
    "GraderLaw",
    "grader_law",
    "quality",
    "score_law",
    "win_matrix",
]

STEPS = 20
"""Scores are multiples of 1/20."""
_ALARMS, _STYLE, _NOISE = 0.06, 0.08, 0.07
_BLUNT = 0.6  # what leniency leaves of every sensitivity
_SUSPICION = 0.25  # false alarms that suspicion adds


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderAbility:
    """What a world's graders are like.

    Attributes
    ----------
    sensitivity : float
        Chance of seeing a mode that is there, without checks.
    gain : float
        How much a check does: it leaves ``exp(-gain)`` of what was missed.
    """

    sensitivity: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderLaw:
    """How a grader's text judges.

    Attributes
    ----------
    sensitivity : tuple of float
        Chance of reporting each mode where it is.
    alarms : float
        Chance of reporting a mode where it is not; 1 less the specificity.
    style : float
        Score that each added sentence brings.
    noise : float
        Scale of the logistic noise of the score.
    checks : mapping of str to float
        What was recognised.
    characters : int
        Length of the text.
    """

    sensitivity: tuple[float, ...]
    alarms: float
    style: float
    noise: float
    checks: dict[str, float]
    characters: int


def quality(profile: Profile, mask: int) -> float:
    """Return what the modes in a mask leave of the full quality."""
    left = 1.0
    for index, mode in enumerate(profile.modes):
        if mask >> index & 1:
            left *= 1 - mode.severity
    return left


def _learned(profile: Profile, checks: dict[str, float]) -> dict[str, float]:
    """Net strength of the checks by quantity; a negated one takes half of its strength away."""
    out: dict[str, float] = {}
    for check in profile.checks:
        sign = checks.get(check.name, 0.0)
        weight = sign if sign > 0 or not check.helps else 0.5 * sign
        for name, strength in check.effects.items():
            if check.helps or sign > 0:
                out[name] = out.get(name, 0.0) + weight * strength
    return out


def grader_law(profile: Profile, ability: GraderAbility, component: Component) -> GraderLaw:
    """Read a grader's text; skills count like the prompt."""
    text = "\n".join((component.prompt, *component.skills.values()))
    checks = recognise(text, profile.checks)
    learned = _learned(profile, checks)
    gain = ability.gain
    blunt = _BLUNT if learned.get("sensitivity", 0.0) < 0 else 1.0
    trust = learned.get("alarms", 0.0)
    style = learned.get("style", 0.0)
    return GraderLaw(
        sensitivity=tuple(
            blunt
            * max(0.0, 1 - (1 - ability.sensitivity) * math.exp(-gain * learned.get(m.name, 0)))
            for m in profile.modes
        ),
        alarms=_ALARMS * math.exp(-gain * trust) if trust >= 0 else _ALARMS + _SUSPICION,
        style=_STYLE * (math.exp(-2 * gain * style) if style >= 0 else 2.0),
        noise=_NOISE * math.exp(-0.5 * gain * learned.get("noise", 0.0)),
        checks=checks,
        characters=len(component.to_text()),
    )


def score_law(profile: Profile, law: GraderLaw, mask: int) -> NDArray[np.float64]:
    """Chances of each score (0, 1/20, ..., 1) of an outcome, for each style.

    Notes
    -----
    The grader reports each mode with its own chance; its score is the quality that the reported
    modes leave, plus the style bias, plus logistic noise, rounded to the nearest 1/20. All
    patterns of reports are enumerated.
    """
    count = len(profile.modes)
    seen = [law.sensitivity[i] if mask >> i & 1 else law.alarms for i in range(count)]
    patterns = list(itertools.product((0, 1), repeat=count))
    weights = np.array(
        [math.prod(p if x else 1 - p for x, p in zip(bits, seen, strict=True)) for bits in patterns]
    )
    severities = [mode.severity for mode in profile.modes]
    left = np.array(
        [math.prod(1 - s for x, s in zip(bits, severities, strict=True) if x) for bits in patterns]
    )
    styles = law.style * (np.arange(3) - 1.0)
    edges = (np.arange(STEPS) + 0.5) / STEPS
    centred = (edges - left[None, :, None] - styles[:, None, None]) / law.noise
    below = np.einsum("p,spe->se", weights, 1 / (1 + np.exp(-np.clip(centred, -500, 500))))
    ends = np.hstack([np.zeros((3, 1)), below, np.ones((3, 1))])
    return np.diff(ends, axis=1)


def win_matrix() -> NDArray[np.float64]:
    """Credit of a first score against a second one: 1, 1/2 or 0."""
    steps = np.arange(STEPS + 1)
    found: NDArray[np.float64] = (np.sign(steps[:, None] - steps[None, :]) + 1) / 2
    return found
