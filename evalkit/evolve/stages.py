"""Loops that run in stages: several run folders for an arm and seed, later ones after earlier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, cast

from evalkit.evolve.engine import LoopState, Step
from evalkit.evolve.loops import Loop
from evalkit.evolve.parts import Parts
from evalkit.evolve.worlds import World

__all__ = ["WHOLE", "Stage", "stages_of"]

WHOLE = ""
"""Name of the one stage of a loop that has no stages."""

C_contra = TypeVar("C_contra", contravariant=True)
S = TypeVar("S", bound=LoopState)


class Stage(Protocol[C_contra, S]):
    """One stage; a loop with the method ``stages(settings)`` returns them by name, in order.

    Attributes
    ----------
    state : type
        Frozen dataclass of JSON values; the run folder of the stage keeps it.
    """

    state: type[S]

    def begin(self, settings: C_contra, world: World, earlier: Mapping[str, Any], /) -> S:
        """Return the state before round 0, given the last states of earlier stages by name."""
        ...

    def step(self, settings: C_contra, parts: Parts, /, *, rounds: int) -> Step[S]:
        """Return the step."""
        ...


class _Whole:
    """A loop without stages, as the only stage of itself."""

    def __init__(self, loop: Loop[Any, Any]) -> None:
        self.state = loop.state
        self.step = loop.step
        self._loop = loop

    def begin(self, settings: Any, world: World, earlier: Mapping[str, Any], /) -> Any:  # noqa: ARG002
        return self._loop.initial(settings, world, path="")


def stages_of(loop: Loop[Any, Any], settings: Any) -> Mapping[str, Stage[Any, Any]]:
    """Return the stages of a loop by name, in order; a loop without stages is one, `WHOLE`."""
    staged = getattr(loop, "stages", None)
    if staged is None:
        return {WHOLE: cast("Stage[Any, Any]", _Whole(loop))}
    return cast("Mapping[str, Stage[Any, Any]]", staged(settings))
