"""Settings of a simulated world, as ``[environment]`` of a loop file holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from evalkit.errors import ArgumentError

__all__ = ["PROBES", "SPLITS", "ProfileName", "SimulationSettings", "parse_settings"]

ProfileName = Literal["qa", "workbook"]
SPLITS = ("train", "validation", "test")
PROBES = ("R1", "R2", "R3", "T1", "T2", "T3")
"""Splits under harder conditions (R) and with another mix of tasks (T)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationSettings:
    """Knobs of a world; every one is known by construction.

    Attributes
    ----------
    profile : {"qa", "workbook"}
        Kind of work.
    train, validation, test : int
        Items of each split.
    probe : int
        Items of each of the splits R1-R3 and T1-T3.
    pairs : int
        Grader pairs of each of train, validation and test.
    initial, full : float
        Expected success on new items of a solver without habits, and with all of them.
    repeatability : float
        Correlation of two executions of one item, without habits.
    icc : float
        Correlation of two items of one cluster, without habits; at most `repeatability`.
    cluster_size : int
        Items of a cluster; 1 for none.
    grader_initial, grader_full : float
        Expected agreement on new pairs of a grader without checks, and with all of them.
    position_bias : float
        Chance that a comparison of two outcomes goes to the one shown first, unread.
    infra, timeout, judge_errors : float
        Chances that an execution fails for the infrastructure or for time, and that a judgment
        cannot be read.
    strictness : float
        Share of correct outcomes that verifier V1 rejects for their unusual form.
    verifier_feedback : bool
        Whether a verifier says why it rejects.
    input_price, output_price : float or None
        US dollars for a million tokens.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    profile: ProfileName = "qa"
    train: int = 80
    validation: int = 40
    test: int = 200
    probe: int = 0
    pairs: int = 60
    initial: float = 0.74
    full: float = 0.9
    repeatability: float = 0.58
    icc: float = 0.1
    cluster_size: int = 4
    grader_initial: float = 0.68
    grader_full: float = 0.8
    position_bias: float = 0.1
    infra: float = 0.01
    timeout: float = 0.005
    judge_errors: float = 0.005
    strictness: float = 0.02
    verifier_feedback: bool = True
    input_price: float | None = None
    output_price: float | None = None

    def __post_init__(self) -> None:
        _check_counts(self)
        _check_chances(self)
        _check_range("initial", self.initial, "full", self.full, 0.05, 0.99)
        _check_range(
            "grader_initial", self.grader_initial, "grader_full", self.grader_full, 0.55, 0.9
        )
        if not 0 < self.repeatability <= 0.95:
            raise ArgumentError(
                f"`repeatability` is {self.repeatability}; it must be above 0 and at most 0.95"
            )
        if not 0 <= self.icc <= self.repeatability:
            raise ArgumentError(
                f"`icc` is {self.icc}; it must lie in 0..{self.repeatability} (`repeatability`): "
                "two items of a cluster are not more alike than one item is to itself"
            )


def _check_counts(settings: SimulationSettings) -> None:
    for name in (*SPLITS, "probe", "pairs"):
        if getattr(settings, name) < 0:
            raise ArgumentError(f"`{name}` is {getattr(settings, name)}; it must be at least 0")
    if settings.cluster_size < 1:
        raise ArgumentError(f"`cluster_size` is {settings.cluster_size}; it must be at least 1")
    for name in ("input_price", "output_price"):
        price = getattr(settings, name)
        if price is not None and not (math.isfinite(price) and price >= 0):
            raise ArgumentError(f"`{name}` is {price}; it must be at least 0, or absent")


def _check_chances(settings: SimulationSettings) -> None:
    for name in ("position_bias", "infra", "timeout", "judge_errors", "strictness"):
        if not 0 <= getattr(settings, name) < 1:
            raise ArgumentError(
                f"`{name}` is {getattr(settings, name)}; it must be at least 0 and below 1"
            )
    if settings.infra + settings.timeout >= 1:
        raise ArgumentError("`infra` and `timeout` add up to 1 or more; nothing would be scored")


def _check_range(
    low_name: str, low: float, high_name: str, high: float, least: float, most: float
) -> None:
    if not least <= low < high <= most:
        raise ArgumentError(
            f"`{low_name}` is {low} and `{high_name}` {high}; they must lie in {least}..{most}, "
            f"with `{low_name}` below `{high_name}`"
        )


def parse_settings(settings: Mapping[str, object]) -> SimulationSettings:
    """Read settings, as a table of a TOML file holds them.

    Parameters
    ----------
    settings : mapping
        The fields of :class:`SimulationSettings`, and optionally ``kind = "simulation"``.

    Returns
    -------
    SimulationSettings

    Raises
    ------
    ArgumentError
        If a setting is unknown, has the wrong type, or is out of range.

    Examples
    --------
    >>> parse_settings({"kind": "simulation", "profile": "workbook", "icc": 0.2}).icc
    0.2
    """
    from pydantic import TypeAdapter, ValidationError

    table = {name: value for name, value in settings.items() if name != "kind"}
    if settings.get("kind", "simulation") != "simulation":
        raise ArgumentError(f"`kind` is {settings['kind']!r}; this environment is 'simulation'")
    try:
        return TypeAdapter(SimulationSettings).validate_python(table)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'settings'}: {fault['msg']}"
            for fault in error.errors()
        ]
        raise ArgumentError(f"settings of the simulation: {'; '.join(faults)}") from None
