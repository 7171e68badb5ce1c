"""Settings of the baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from evalkit.errors import ArgumentError
from evalkit.evolve.baselines.grading import FixedGrader
from evalkit.evolve.settings import FORBID_EXTRA
from evalkit.evolve.skills.gating import parse_gate
from evalkit.evolve.skills.settings import check_shares

__all__ = ["ControlSettings", "DirectSettings", "GepaSettings", "SkillOptSettings"]


def _check_counts(settings: Any, *names: str) -> None:
    for name in names:
        if getattr(settings, name) < 1:
            raise ArgumentError(f"`{name}` is {getattr(settings, name)}; it must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOptSettings:
    """Settings of SkillOpt; the defaults are those of the comparison in the DUET paper.

    Attributes
    ----------
    grader : {"reference", "initial"}
        What scores training and validation: the reference, or the fixed initial grader.
    batch : int
        Training tasks a round, epoch by epoch in a drawn order.
    budget_max, budget_min : int
        Structured edits of the first and of the last update, on a cosine schedule.
    gate : str
        As in skill evolution; ``strict`` by default.
    initial : str
        Name of the initial components.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    grader: FixedGrader = "reference"
    batch: int = 8
    budget_max: int = 4
    budget_min: int = 2
    gate: str = "strict"
    initial: str = "empty"

    def __post_init__(self) -> None:
        _check_counts(self, "batch", "budget_min")
        if self.budget_max < self.budget_min:
            raise ArgumentError(
                f"`budget_max` is {self.budget_max}; it must be at least `budget_min`, "
                f"{self.budget_min}"
            )
        parse_gate(self.gate)


@dataclass(frozen=True, slots=True, kw_only=True)
class GepaSettings:
    """Settings of GEPA.

    Attributes
    ----------
    grader : {"reference", "initial"}
        As in SkillOpt.
    batch : int
        Training tasks of a reflection.
    metric_calls : int
        Budget in evaluated items, as GEPA counts them. GEPA looks at it between iterations, so the
        last one may exceed it.
    selection : {"pareto", "current_best"}
        How the parent of an iteration is chosen.
    initial : str
        Name of the initial components.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    grader: FixedGrader = "reference"
    batch: int = 3
    metric_calls: int = 400
    selection: Literal["pareto", "current_best"] = "pareto"
    initial: str = "empty"

    def __post_init__(self) -> None:
        _check_counts(self, "batch", "metric_calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectSettings:
    """Settings of direct generation: the initial component, never revised."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    initial: str = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlSettings:
    """Settings of Parallel and Sequential test-time scaling.

    Attributes
    ----------
    attempts : int
        Attempts of an item, the first one included.
    shares : tuple of float
        Shares of the test items that get a 2nd, 3rd, ... attempt; empty: all do.
    initial : str
        Name of the initial components.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    attempts: int = 4
    shares: tuple[float, ...] = ()
    initial: str = "empty"

    def __post_init__(self) -> None:
        _check_counts(self, "attempts")
        check_shares(self.shares, attempts=self.attempts)
