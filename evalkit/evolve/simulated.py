"""The simulation as a world of the loops: environment, updater, starts and truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.errors import ArgumentError, InputError
from evalkit.evolve.protocols import Agent, Evidence, Proposal
from evalkit.evolve.settings import FORBID_EXTRA, read_settings
from evalkit.evolve.worlds import World

if TYPE_CHECKING:
    from evalkit.environments.simulation.reviser import Reviser, Revision
    from evalkit.environments.simulation.world import SimulatedWorld

__all__ = ["SimulatedUpdater", "make_world"]

_Start = Literal["minimal", "empty", "informed", "adversarial", "full"]
_STARTS: tuple[_Start, ...] = get_args(_Start)
_AGENTS: tuple[Agent, ...] = ("solver", "grader")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extra:
    """What the ``[environment]`` table holds beside the simulation's own settings.

    Attributes
    ----------
    seed : int
        Which items the world holds. It is one for all seeds of an experiment, so that runs share
        their items.
    disregard : float
        Chance that a first try pays no heed to the edit budget, as language models do.
    updater : mapping
        Settings of the simulated updater.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    seed: int = 0
    disregard: float = 0.3
    updater: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ArgumentError(f"`seed` is {self.seed}; it must be 0 or more")
        if not 0 <= self.disregard <= 1:
            raise ArgumentError(f"`disregard` is {self.disregard}; it must lie in 0..1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedUpdater:
    """The simulation's reviser as a `Propose`.

    Attributes
    ----------
    reviser : Reviser
        What edits the texts.
    disregard : float
        Chance that a first try pays no heed to the edit budget.
    """

    reviser: Reviser
    disregard: float = 0.0

    def __call__(
        self, agent: Agent, current: Component, evidence: Evidence, /, *, draw: Draw
    ) -> Proposal:
        """Return a candidate."""
        heedless = draw.child("heed").uniform() < self.disregard
        shown = evidence
        if heedless and evidence.too_large is None:
            shown = replace(evidence, max_edits=None)
        return _proposal(self.reviser(agent, current, shown, draw=draw))


def _proposal(found: Revision) -> Proposal:
    return Proposal(
        component=found.component,
        rationale=found.rationale,
        status=found.status,
        edits=found.edits,
        usage=found.usage,
        facts=dict(found.facts),
    )


def make_world(table: Mapping[str, Any], /, *, path: Path) -> World:
    """Make the world of an ``[environment]`` table whose kind is ``simulation``.

    Raises
    ------
    InputError
        If a setting is not allowed.
    """
    from evalkit.environments.simulation.reviser import Reviser, UpdaterSettings
    from evalkit.environments.simulation.world import build

    names = ("seed", "disregard", "updater")
    extra = read_settings(
        _Extra,
        {key: table[key] for key in names if key in table},
        place="environment",
        path=str(path),
    )
    try:
        world = build({k: v for k, v in table.items() if k not in names}, extra.seed)
    except ArgumentError as error:
        raise InputError(f"in `environment`, {error}", path=str(path)) from None
    skill = read_settings(
        UpdaterSettings, extra.updater, place="environment.updater", path=str(path)
    )
    return World(
        environment=world,
        propose=SimulatedUpdater(
            reviser=Reviser(world.settings.profile, skill), disregard=extra.disregard
        ),
        initials=_starts(world),
        truth=_Truth(world=world),
    )


def _starts(world: SimulatedWorld) -> dict[str, Mapping[Agent, Component]]:
    """Texts to start from; ``skills`` has an empty skill for each kind of task."""
    out: dict[str, Mapping[Agent, Component]] = {
        kind: {agent: world.initial(agent, kind=kind) for agent in _AGENTS} for kind in _STARTS
    }
    empty = Component(skills=dict.fromkeys(world.profile.domains, ""))
    out["skills"] = {"solver": empty, "grader": Component()}
    return out


@dataclass(frozen=True, slots=True, kw_only=True)
class _Truth:
    """Expected score on new items, or agreement on new pairs; each text is computed once."""

    world: SimulatedWorld
    known: dict[tuple[Agent, str], float] = field(default_factory=dict)

    def __call__(self, agent: Agent, component: Component, /) -> float | None:
        key = (agent, component.digest)
        if key not in self.known:
            compute = self.world.truth if agent == "solver" else self.world.grader_truth
            self.known[key] = compute(component, "population")
        return self.known[key]
