"""How many items, how small an effect, how much power: ``evalkit.power``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Literal, get_args

from evalkit.comparisons.power import (
    Power,
    power_mean,
    power_paired_binary,
    sample_size,
    smallest_effect,
)
from evalkit.comparisons.power_counts import GateRule, gate_power, power_two_proportions
from evalkit.errors import ArgumentError

__all__ = ["PowerDesign", "power"]

PowerDesign = Literal["paired", "mean", "two-sample", "gate"]
_PowerOf = Callable[[int, float], Power]
_SETTINGS: Mapping[PowerDesign, frozenset[str]] = MappingProxyType(
    {
        "paired": frozenset({"discordance"}),
        "mean": frozenset({"sd", "icc", "cluster_size"}),
        "two-sample": frozenset({"base_rate"}),
        "gate": frozenset({"base_rate", "discordance", "gate", "margin"}),
    }
)


def _needed(name: str, value: float | None, design: PowerDesign) -> float:
    if value is None:
        option = name.replace("_", "-")
        raise ArgumentError(f"the design {design!r} needs `{name}` (--{option})")
    return value


def _check_given(n: object, effect: object) -> None:
    if n is not None and (isinstance(n, bool) or not isinstance(n, Integral)):
        raise ArgumentError(f"`n` is {n!r}; it must be a whole number, at least 1")
    truth = isinstance(effect, bool)
    if effect is not None and (truth or not isinstance(effect, Real) or not math.isfinite(effect)):
        raise ArgumentError(f"`effect` is {effect!r}; it must be a finite number")


def _refuse_unused(design: PowerDesign, given: Mapping[str, object]) -> None:
    """Refuse a setting that the design would leave out without a word."""
    for name, value in given.items():
        if value is not None and name not in _SETTINGS[design]:
            users = [each for each, names in _SETTINGS.items() if name in names]
            raise ArgumentError(
                f"the design {design!r} has no `{name}`, which is {value!r}; it belongs to "
                f"{', '.join(map(repr, users))}"
            )


def _power_of(
    design: PowerDesign,
    *,
    discordance: float | None,
    sd: float | None,
    icc: float,
    cluster_size: int,
    base_rate: float | None,
    gate: GateRule,
    margin: float,
    level: float,
) -> tuple[_PowerOf, float]:
    """Power as a function of n and effect, and the largest effect that is possible."""
    if design == "paired":
        share = _needed("discordance", discordance, design)
        return (
            lambda n, d: power_paired_binary(n, effect=d, discordance=share, level=level),
            share,
        )
    if design == "mean":
        spread = _needed("sd", sd, design)
        return (
            lambda n, d: power_mean(
                n, effect=d, sd=spread, icc=icc, cluster_size=cluster_size, level=level
            ),
            100 * spread,
        )
    rate = _needed("base_rate", base_rate, design)
    if design == "two-sample":
        return (
            lambda n, d: power_two_proportions(n, base_rate=rate, effect=d, level=level),
            1 - rate,
        )
    return (
        lambda n, d: gate_power(
            n,
            parent_rate=rate,
            candidate_rate=rate + d,
            gate=gate,
            margin=margin,
            discordance=discordance,
        ),
        1 - rate,
    )


def power(
    design: PowerDesign = "paired",
    *,
    n: int | None = None,
    effect: float | None = None,
    target: float = 0.8,
    discordance: float | None = None,
    sd: float | None = None,
    icc: float = 0.0,
    cluster_size: int = 1,
    base_rate: float | None = None,
    gate: GateRule = "strict",
    margin: float = 0.0,
    level: float = 0.95,
) -> Power:
    """Items for an effect, the smallest effect for n items, or the power of both.

    Parameters
    ----------
    design : {"paired", "mean", "two-sample", "gate"}
        Paired 0/1 scores; a mean of paired differences, clustered or not; two independent samples
        of 0/1 scores; a validation gate that compares two scores.
    n : int, optional
        Items, of each sample. Without it, the smallest n with the wanted power is found.
    effect : float, optional
        True difference. Without it, the smallest effect with the wanted power is found.
    target : float
        Power wanted, when one of the two is searched for.
    discordance : float, optional
        Share of items on which the two systems differ (``paired``, and ``gate`` on shared items).
    sd, icc, cluster_size : float, float, int
        Standard deviation of a difference, correlation within clusters and their size (``mean``).
    base_rate : float, optional
        True rate of the base or parent (``two-sample``, ``gate``).
    gate : {"strict", "non-decreasing"}
        When the gate accepts.
    margin : float
        Margin of the gate; negative for a dead band.
    level : float
        Nominal coverage of the interval that decides.

    Returns
    -------
    Power

    Raises
    ------
    ArgumentError
        If a figure that the design needs is missing, one is given that it has no use for, or no n
        or effect reaches the power.

    Examples
    --------
    >>> power(effect=0.05, discordance=0.2).n
    625
    >>> round(power(n=200, discordance=0.39).effect, 3)
    0.123
    """
    if design not in get_args(PowerDesign):
        allowed = ", ".join(get_args(PowerDesign))
        raise ArgumentError(f"`design` is {design!r}; it must be one of {allowed}")
    _check_given(n, effect)
    _refuse_unused(
        design,
        {
            "discordance": discordance,
            "sd": sd,
            "icc": icc or None,
            "cluster_size": None if cluster_size == 1 else cluster_size,
            "base_rate": base_rate,
            "gate": None if gate == "strict" else gate,
            "margin": margin or None,
        },
    )
    if n is None and effect is None:
        raise ArgumentError("give `n`, `effect`, or both; the third figure is computed")
    of, largest = _power_of(
        design,
        discordance=discordance,
        sd=sd,
        icc=icc,
        cluster_size=cluster_size,
        base_rate=base_rate,
        gate=gate,
        margin=margin,
        level=level,
    )
    if n is not None and effect is not None:
        return of(n, effect)
    if n is not None:
        items = n
        return smallest_effect(lambda d: of(items, d), largest=largest, target=target)
    size = _needed("effect", effect, design)
    return sample_size(lambda k: of(k, size), target=target, step=cluster_size)
