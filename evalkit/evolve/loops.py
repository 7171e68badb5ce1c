"""Loops by name, and what the engine asks of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from evalkit.evolve.engine import LoopState, Step
from evalkit.evolve.parts import Parts
from evalkit.evolve.worlds import World, load_named

__all__ = ["LOOPS", "Loop", "load_loop"]

LOOPS: dict[str, str] = {
    "duet": "evalkit.evolve.duet.loop:DUET",
    "skills": "evalkit.evolve.skills.loop:SKILLS",
    "baselines": "evalkit.evolve.baselines.loop:BASELINES",
    "skillopt": "evalkit.evolve.baselines.loop:SKILLOPT",
    "gepa": "evalkit.evolve.baselines.loop:GEPA",
    "direct": "evalkit.evolve.baselines.loop:DIRECT",
    "parallel": "evalkit.evolve.baselines.loop:PARALLEL",
    "sequential": "evalkit.evolve.baselines.loop:SEQUENTIAL",
}
"""Name of a loop -> ``module:loop``, imported when it is asked for."""

C = TypeVar("C")
S = TypeVar("S", bound=LoopState)


class Loop(Protocol[C, S]):
    """One algorithm: C are its settings, S is its state.

    Attributes
    ----------
    state : type
        Frozen dataclass of JSON values; the run folder keeps it.
    """

    state: type[S]

    def settings(self, table: Mapping[str, Any], /, *, path: str) -> C:
        """Check the table of the configuration that bears the loop's name."""
        ...

    def initial(self, settings: C, world: World, /, *, path: str) -> S:
        """Return the state before round 0, with round -1; refuse a world that does not fit."""
        ...

    def step(self, settings: C, parts: Parts, /, *, rounds: int) -> Step[S]:
        """Return the step. It sets ``stopped`` after its last one, the final evaluation."""
        ...


def load_loop(name: object, *, path: Path) -> Loop[Any, Any]:
    """Import the loop of a name.

    Raises
    ------
    InputError
        If there is none.
    """
    return cast("Loop[Any, Any]", load_named(LOOPS, name, key="experiment.loop", path=path))
