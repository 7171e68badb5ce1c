"""Loops whose agents are models: the updater, and the world of a dataset."""

from __future__ import annotations

from evalkit.evolve.prompted.updater import PromptedUpdater
from evalkit.evolve.prompted.world import (
    UpdaterSettings,
    make_inspect_world,
    make_models,
    make_world,
)

__all__ = ["PromptedUpdater", "UpdaterSettings", "make_inspect_world", "make_models", "make_world"]
