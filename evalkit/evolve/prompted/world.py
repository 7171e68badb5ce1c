"""The worlds of configurations whose agents are models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from evalkit.environments import dataset, inspect_bridge
from evalkit.environments.base import Component, Environment
from evalkit.errors import ArgumentError, InputError
from evalkit.evolve.prompted.updater import PromptedUpdater
from evalkit.evolve.protocols import Agent
from evalkit.evolve.worlds import World
from evalkit.models import Model, load_model
from evalkit.models.tables import FORBID_EXTRA, check_table

__all__ = ["ROLES", "UpdaterSettings", "make_inspect_world", "make_models", "make_world"]

ROLES = ("solver", "grader", "updater", "verifier")
_INITIALS: Mapping[str, Mapping[Agent, Component]] = {
    "empty": {"solver": Component(), "grader": Component()},
    "informed": {
        "solver": Component(
            prompt=(
                "Work the task out before you answer. Check the result against everything that "
                "the task asks for. End with the answer alone, in the form that is asked for."
            )
        ),
        "grader": Component(
            prompt=(
                "Work the task out yourself first. Compare the work with your own result, and give "
                "a low score where they differ and you can show that the work is wrong. Neither "
                "length nor confidence earns anything."
            )
        ),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdaterSettings:
    """Settings of ``[environment.updater]``; see `PromptedUpdater`."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    evidence_tokens: int = 8000
    temperature: float | None = None
    max_tokens: int | None = None
    seeded: bool = False


def make_models(
    table: Any, /, *, base: Path, place: str, needed: str = "solver"
) -> dict[str, Model]:
    """Make the models of the roles.

    Parameters
    ----------
    table : mapping
        A table of `evalkit.models.ModelSettings` for each role.
    base : path
        Folder that recordings are relative to.
    place : str
        Name of the table, for messages.
    needed : str
        Role that must be there; its model plays the roles that are left out.

    Raises
    ------
    ArgumentError
        If a role is unknown or missing, or a setting is not allowed.
    """
    if not isinstance(table, Mapping) or needed not in table:
        raise ArgumentError(f"`{place}.{needed}` is missing; name the model of this role")
    for role, entry in table.items():
        if role not in ROLES:
            raise ArgumentError(f"`{place}.{role}` is no role; the roles are {', '.join(ROLES)}")
        if not isinstance(entry, Mapping):
            raise ArgumentError(f"`{place}.{role}` must be a table")
    return {
        role: load_model(entry, base=base, place=f"{place}.{role}") for role, entry in table.items()
    }


def make_world(table: Mapping[str, Any], /, *, path: Path) -> World:
    """Make the world of ``[environment]`` with the kind ``dataset``.

    Parameters
    ----------
    table : mapping
        Keys of `evalkit.environments.dataset.DatasetSettings`, and the tables ``models``, with
        ``solver``, ``grader``, ``updater`` and ``verifier`` (see `make_models`), and ``updater``.
    path : path
        The configuration; other paths are relative to its folder.

    Returns
    -------
    World

    Raises
    ------
    InputError
        If a setting is not allowed or a file cannot be read.
    ModelError
        If a model cannot be used.
    """
    return _world(dataset.build, table, path=path, needed="solver")


def make_inspect_world(table: Mapping[str, Any], /, *, path: Path) -> World:
    """Make the world of ``[environment]`` with the kind ``inspect``.

    Parameters
    ----------
    table : mapping
        Keys of `evalkit.environments.inspect_bridge.InspectSettings`, and the tables ``models``,
        with ``updater`` and ``grader``, and ``updater``.
    path : path
        The configuration; other paths are relative to its folder.

    Returns
    -------
    World

    Raises
    ------
    InputError
        If a setting is not allowed or the task cannot be loaded.
    ModelError, MissingPackageError
        If a model cannot be used.
    """
    return _world(inspect_bridge.build, table, path=path, needed="updater")


class _Build(Protocol):
    """Make an environment from a table."""

    def __call__(
        self, settings: Mapping[str, Any], /, *, seed: int, models: Mapping[str, Model], base: Path
    ) -> Environment:
        """Return the environment."""
        ...


def _world(build: _Build, table: Mapping[str, Any], *, path: Path, needed: str) -> World:
    rest = {key: value for key, value in table.items() if key not in ("models", "updater")}
    try:
        models = make_models(
            table.get("models"), base=path.parent, place="environment.models", needed=needed
        )
        settings = check_table(
            UpdaterSettings, table.get("updater", {}), place="environment.updater"
        )
        grader = models.get("grader", models[needed])
        environment = build(rest, seed=0, models={**models, "grader": grader}, base=path.parent)
        propose = PromptedUpdater(
            models.get("updater", models[needed]),
            evidence_tokens=settings.evidence_tokens,
            temperature=settings.temperature,
            max_tokens=settings.max_tokens,
            seeded=settings.seeded,
        )
    except ArgumentError as error:
        raise InputError(str(error), path=str(path)) from None
    return World(environment=environment, propose=propose, initials=_INITIALS)
