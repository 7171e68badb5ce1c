"""Worlds with known truth: tasks, solvers, graders and updaters without a model."""

from __future__ import annotations

from evalkit.environments.simulation.coverage import CoverageRow, interval_coverage
from evalkit.environments.simulation.reviser import Reviser, Revision, UpdaterSettings
from evalkit.environments.simulation.settings import SimulationSettings, parse_settings
from evalkit.environments.simulation.world import SimulatedWorld, build

__all__ = [
    "CoverageRow",
    "Reviser",
    "Revision",
    "SimulatedWorld",
    "SimulationSettings",
    "UpdaterSettings",
    "build",
    "interval_coverage",
    "parse_settings",
]
