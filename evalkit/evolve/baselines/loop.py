"""The baselines as the engine sees them, one by one and as one loop whose arms name the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.environments.base import Component
from evalkit.errors import InputError
from evalkit.evolve.baselines.control import ControlStep, DirectStep
from evalkit.evolve.baselines.gepa_run import require_gepa
from evalkit.evolve.baselines.gepa_step import GepaStep
from evalkit.evolve.baselines.settings import (
    ControlSettings,
    DirectSettings,
    GepaSettings,
    SkillOptSettings,
)
from evalkit.evolve.baselines.skillopt import SkillOptStep
from evalkit.evolve.baselines.state import BaselineState, start_state
from evalkit.evolve.engine import Step
from evalkit.evolve.parts import Parts
from evalkit.evolve.settings import read_settings
from evalkit.evolve.skills.loop import check_splits
from evalkit.evolve.worlds import World

__all__ = [
    "BASELINES",
    "DIRECT",
    "GEPA",
    "PARALLEL",
    "SEQUENTIAL",
    "SKILLOPT",
    "Baseline",
    "Baselines",
    "Chosen",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Settings of a method, and the fixed grader of the world that the run starts in.

    Attributes
    ----------
    method : str
        Name of the baseline.
    settings : object
        Its settings.
    """

    method: str
    settings: Any


MakeStep = Callable[[Any, Parts, Component, int], Step[BaselineState]]


class Baseline:
    """One baseline for `evalkit.evolve.loops.LOOPS`.

    Parameters
    ----------
    method : str
        Its name, and that of its table.
    kind : type
        Its settings.
    make : callable
        Makes the step from settings, parts, the fixed grader and the allowed rounds.
    """

    state = BaselineState

    def __init__(self, method: str, kind: type[Any], make: MakeStep) -> None:
        self.method, self._kind, self._make = method, kind, make

    def settings(self, table: Mapping[str, Any], /, *, path: str) -> Chosen:
        """Check the table that bears the loop's name."""
        return self.read(table, path=path, place=self.method)

    def read(self, table: Mapping[str, Any], *, path: str, place: str) -> Chosen:
        """Check a table of any name."""
        if self._kind is GepaSettings:
            require_gepa()
        found = read_settings(self._kind, table, place=place, path=path)
        return Chosen(method=self.method, settings=found)

    def initial(self, settings: Chosen, world: World, /, *, path: str) -> BaselineState:
        """Return the state before round 0.

        Raises
        ------
        InputError
            If the environment lacks what the settings need.
        """
        check_splits(world.environment, path=path, loop=self.method)
        name = settings.settings.initial
        if name not in world.initials:
            known = ", ".join(map(repr, world.initials)) or "none"
            raise InputError(
                f"`{self.method}.initial` is {name!r}; the environment has {known}", path=path
            )
        start = world.initials[name]
        return start_state(start.get("solver", Component()), start.get("grader", Component()))

    def step(
        self, settings: Chosen, parts: Parts, /, *, rounds: int
    ) -> Callable[[BaselineState, Any], BaselineState]:
        """Return the step; the fixed grader travels in the state."""

        def one(state: BaselineState, log: Any, /) -> BaselineState:
            return self._make(settings.settings, parts, state.judge, rounds)(state, log)

        return one


def _skillopt(settings: Any, parts: Parts, judge: Component, rounds: int) -> SkillOptStep:
    return SkillOptStep(parts=parts, settings=settings, judge=judge, rounds=rounds)


def _gepa(settings: Any, parts: Parts, judge: Component, rounds: int) -> GepaStep:
    return GepaStep(parts=parts, settings=settings, judge=judge, rounds=rounds)


def _direct(settings: Any, parts: Parts, judge: Component, rounds: int) -> DirectStep:
    del settings, judge, rounds
    return DirectStep(parts=parts)


def _parallel(settings: Any, parts: Parts, judge: Component, rounds: int) -> ControlStep:
    del judge, rounds
    return ControlStep(parts=parts, settings=settings, name="parallel")


def _sequential(settings: Any, parts: Parts, judge: Component, rounds: int) -> ControlStep:
    del judge, rounds
    return ControlStep(parts=parts, settings=settings, name="sequential")


SKILLOPT = Baseline("skillopt", SkillOptSettings, _skillopt)
GEPA = Baseline("gepa", GepaSettings, _gepa)
DIRECT = Baseline("direct", DirectSettings, _direct)
PARALLEL = Baseline("parallel", ControlSettings, _parallel)
SEQUENTIAL = Baseline("sequential", ControlSettings, _sequential)
_METHODS = {b.method: b for b in (SKILLOPT, GEPA, DIRECT, PARALLEL, SEQUENTIAL)}


class Baselines:
    """All baselines as one loop: each arm names its ``method``, so that one run compares them."""

    state = BaselineState

    def settings(self, table: Mapping[str, Any], /, *, path: str) -> Chosen:
        """Check the ``[baselines]`` table: ``method``, and the settings of that method."""
        method = table.get("method")
        if not isinstance(method, str) or method not in _METHODS:
            known = ", ".join(map(repr, _METHODS))
            raise InputError(
                f"`baselines.method` is {method!r}; it must be one of {known}", path=path
            )
        rest = {key: value for key, value in table.items() if key != "method"}
        return _METHODS[method].read(rest, path=path, place="baselines")

    def initial(self, settings: Chosen, world: World, /, *, path: str) -> BaselineState:
        """Return the state before round 0 of the method."""
        return _METHODS[settings.method].initial(settings, world, path=path)

    def step(
        self, settings: Chosen, parts: Parts, /, *, rounds: int
    ) -> Callable[[BaselineState, Any], BaselineState]:
        """Return the step of the method."""
        return _METHODS[settings.method].step(settings, parts, rounds=rounds)


BASELINES = Baselines()
