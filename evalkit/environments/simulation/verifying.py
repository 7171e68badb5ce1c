"""Verifiers of a simulated world: strict, loose, and with known disagreement."""

from __future__ import annotations

from typing import Literal, get_args

from evalkit.environments.base import Verdict
from evalkit.environments.simulation.grader_model import quality
from evalkit.environments.simulation.profiles import Profile
from evalkit.environments.simulation.seals import Outcome
from evalkit.environments.simulation.settings import SimulationSettings
from evalkit.errors import ArgumentError

__all__ = ["VerifierName", "check_verifier", "graded_modes", "verdict_of"]

VerifierName = Literal["reference", "V0", "V1", "auxiliary"]
_NAMES = frozenset(get_args(VerifierName))


def check_verifier(verifier: str) -> None:
    """Refuse a verifier that the world does not have."""
    if verifier not in _NAMES:
        raise ArgumentError(
            f"`verifier` is {verifier!r}; it must be one of {', '.join(get_args(VerifierName))}"
        )


def graded_modes(profile: Profile, verifier: str) -> list[int]:
    """Return the positions of the modes that make this verifier reject."""
    loose = verifier == "V0"
    return [i for i, mode in enumerate(profile.modes) if not (loose and mode.mild)]


def verdict_of(
    profile: Profile, settings: SimulationSettings, outcome: Outcome | None, *, verifier: str
) -> Verdict:
    """Judge an outcome; ``None`` is an output that the world did not make for the item."""
    check_verifier(verifier)
    if outcome is None:
        return Verdict(score=None, status="invalid", critique="This is no outcome of the task.")
    if verifier == "auxiliary":
        return Verdict(score=quality(profile, outcome.mask))
    mask = outcome.mask
    faults = mask and [i for i in graded_modes(profile, verifier) if mask >> i & 1]
    if faults:
        reason = profile.modes[faults[0]].complaint if settings.verifier_feedback else ""
        return Verdict(score=0.0, critique=reason)
    if verifier == "V1" and outcome.luck < settings.strictness:
        reason = "The result stands in an unusual form." if settings.verifier_feedback else ""
        return Verdict(score=0.0, critique=reason)
    return Verdict(score=1.0)
