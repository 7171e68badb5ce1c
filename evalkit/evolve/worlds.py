"""What a loop runs in, by name: an environment, an updater, and where the agents start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from evalkit.environments.base import Component, Environment
from evalkit.errors import InputError, MissingPackageError
from evalkit.evolve.protocols import Agent, Propose

__all__ = ["WORLDS", "Truth", "World", "WorldFactory", "load_named", "load_world"]

WORLDS: dict[str, str] = {
    "simulation": "evalkit.evolve.simulated:make_world",
    "dataset": "evalkit.evolve.prompted.world:make_world",
    "inspect": "evalkit.evolve.prompted.world:make_inspect_world",
}
"""Kind of environment -> ``module:factory``, imported when it is asked for."""


class Truth(Protocol):
    """The true quality of a component, where the environment is simulated."""

    def __call__(self, agent: Agent, component: Component, /) -> float | None:
        """Return the expected validation score of a component; ``None`` where it has none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything outside of a loop.

    Attributes
    ----------
    environment : Environment
        Items, solver, grader and reference.
    propose : Propose
        The updater of both agents.
    initials : mapping of str to mapping of Agent to Component
        Where agents may start, by name: ``empty``, ``informed``, ``adversarial``, ...
    truth : Truth or None
        True quality, where it is known.
    """

    environment: Environment
    propose: Propose
    initials: Mapping[str, Mapping[Agent, Component]] = field(default_factory=dict)
    truth: Truth | None = None


class WorldFactory(Protocol):
    """Make a world from the ``[environment]`` table of a configuration."""

    def __call__(self, table: Mapping[str, Any], /, *, path: Path) -> World:
        """Return the world; `table` has everything but ``kind``, `path` is the file."""
        ...


def load_named(registry: Mapping[str, str], name: object, *, key: str, path: Path) -> Any:
    """Import what a registry holds under a name.

    Raises
    ------
    InputError
        If the name is not registered.
    MissingPackageError
        If what it needs is not installed.
    """
    if not isinstance(name, str) or name not in registry:
        known = ", ".join(map(repr, sorted(registry)))
        raise InputError(f"`{key}` is {name!r}; it must be one of {known}", path=str(path))
    module, _, attribute = registry[name].partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"{path}: `{key}` is {name!r}, which needs the package {error.name!r}; install it"
        ) from None


def load_world(table: Mapping[str, Any], *, path: Path) -> World:
    """Make the world that an ``[environment]`` table describes.

    Raises
    ------
    InputError
        If its kind is unknown or a setting not allowed.
    """
    kind = table.get("kind")
    factory = cast("WorldFactory", load_named(WORLDS, kind, key="environment.kind", path=path))
    return factory({k: v for k, v in table.items() if k != "kind"}, path=path)
