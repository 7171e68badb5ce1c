"""The kinds of simulated work by name, and their calibrated laws."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from evalkit.environments.simulation.grader_model import GraderAbility
from evalkit.environments.simulation.pair_law import calibrate_grader
from evalkit.environments.simulation.population import Population, calibrate
from evalkit.environments.simulation.profiles import Profile
from evalkit.environments.simulation.qa import QA
from evalkit.environments.simulation.settings import ProfileName, SimulationSettings
from evalkit.environments.simulation.workbook import WORKBOOK

__all__ = ["PROFILES", "calibrated_ability", "calibrated_population"]

PROFILES: Mapping[ProfileName, Profile] = MappingProxyType({"qa": QA, "workbook": WORKBOOK})
"""Name to profile."""


@lru_cache(maxsize=64)
def calibrated_population(settings: SimulationSettings) -> Population:
    """Return the law of items under these settings."""
    return calibrate(PROFILES[settings.profile], settings)


@lru_cache(maxsize=64)
def calibrated_ability(settings: SimulationSettings) -> GraderAbility:
    """Return the ability of graders under these settings."""
    return calibrate_grader(
        PROFILES[settings.profile], initial=settings.grader_initial, full=settings.grader_full
    )
