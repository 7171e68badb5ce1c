"""DUET as the engine sees it: settings, first state, step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalkit.environments.base import Component, Environment
from evalkit.errors import InputError
from evalkit.evolve.duet.alternation import agents_of
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.duet.state import AgentState, Checkpoint, DuetState
from evalkit.evolve.duet.step import DuetStep
from evalkit.evolve.loops import Loop
from evalkit.evolve.parts import Parts
from evalkit.evolve.settings import read_settings
from evalkit.evolve.worlds import World

__all__ = ["DUET", "Duet"]


class Duet:
    """DUET as a `Loop`."""

    state = DuetState

    def settings(self, table: Mapping[str, Any], /, *, path: str) -> DuetSettings:
        """Check the ``[duet]`` table."""
        return read_settings(DuetSettings, table, place="duet", path=path)

    def initial(self, settings: DuetSettings, world: World, /, *, path: str) -> DuetState:
        """Return the state before round 0.

        Raises
        ------
        InputError
            If the environment lacks what the settings need.
        """
        _check_splits(settings, world.environment, path)
        if settings.initial not in world.initials:
            known = ", ".join(map(repr, world.initials)) or "none"
            raise InputError(
                f"`duet.initial` is {settings.initial!r}; the environment has {known}", path=path
            )
        start = world.initials[settings.initial]
        return DuetState(
            solver=_agent(start.get("solver", Component())),
            grader=_agent(start.get("grader", Component())),
        )

    def step(self, settings: DuetSettings, parts: Parts, /, *, rounds: int) -> DuetStep:
        """Return the step."""
        return DuetStep(parts=parts, settings=settings, rounds=rounds)


DUET: Loop[DuetSettings, DuetState] = Duet()


def _agent(component: Component) -> AgentState:
    start = Checkpoint(component=component, round=0, score=None)
    return AgentState(component=component, initial=start, best=start)


def _check_splits(settings: DuetSettings, environment: Environment, path: str) -> None:
    """Refuse an environment without the items that the settings need."""
    splits = {split: environment.items(split) for split in ("train", "validation", "test")}
    needed = ["train"]
    if settings.checkpoints == "validation" and "solver" in agents_of(settings.schedule):
        needed.append("validation")
    for split in needed:
        if not splits[split]:
            raise InputError(
                f"the environment has no {split} items, which `duet` needs; add some"
                + (", or set `duet.checkpoints` to 'last'" if split == "validation" else ""),
                path=path,
            )
    by_pairs = settings.schedule == "grader-only" and settings.checkpoints == "validation"
    if by_pairs and not environment.pairs("validation"):
        raise InputError(
            "the environment has no validation pairs, which `grader-only` needs to keep the best "
            "grader; add some, or set `duet.checkpoints` to 'last'",
            path=path,
        )
    seen: dict[str, str] = {}
    for split, items in splits.items():
        for item in items:
            if item.id in seen:
                raise InputError(
                    f"stands in {seen[item.id]} and in {split}; ids must differ, so that no "
                    "training item is tested on",
                    path=path,
                    item=item.id,
                )
            seen[item.id] = split
