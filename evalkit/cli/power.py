"""``evalkit power``: items for an effect, the smallest effect for n items, or the power of both."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import Format, FormatChoice, Level, Output
from evalkit.cli.output import emit
from evalkit.errors import ArgumentError

if TYPE_CHECKING:
    from evalkit.comparisons.power import Power
    from evalkit.tables import Table

__all__ = ["power"]


class Design(StrEnum):
    """What is compared."""

    paired = "paired"
    mean = "mean"
    two_sample = "two-sample"
    gate = "gate"


class GateRule(StrEnum):
    """When a gate accepts a candidate."""

    strict = "strict"
    non_decreasing = "non-decreasing"


def _needed(name: str, value: float | None, design: Design) -> float:
    if value is None:
        raise ArgumentError(f"`--design {design.value}` needs {name}")
    return value


def _power_of(
    design: Design,
    *,
    discordance: float | None,
    sd: float | None,
    icc: float,
    cluster_size: int,
    base_rate: float | None,
    gate: GateRule,
    margin: float,
    level: float,
) -> tuple[Callable[[int, float], Power], float]:
    """Power as a function of n and effect, and the largest effect that is possible."""
    from evalkit.comparisons import (
        gate_power,
        power_mean,
        power_paired_binary,
        power_two_proportions,
    )

    if design is Design.paired:
        share = _needed("--discordance, the share of items that differ", discordance, design)
        return (
            lambda n, d: power_paired_binary(n, effect=d, discordance=share, level=level),
            share,
        )
    if design is Design.mean:
        spread = _needed("--sd, the standard deviation of a difference", sd, design)
        return (
            lambda n, d: power_mean(
                n, effect=d, sd=spread, icc=icc, cluster_size=cluster_size, level=level
            ),
            100 * spread,
        )
    rate = _needed("--base-rate", base_rate, design)
    if design is Design.two_sample:
        return (
            lambda n, d: power_two_proportions(n, base_rate=rate, effect=d, level=level),
            1 - rate,
        )
    return (
        lambda n, d: gate_power(
            n,
            parent_rate=rate,
            candidate_rate=rate + d,
            gate=gate.value,
            margin=margin,
            discordance=discordance,
        ),
        1 - rate,
    )


def power_table(found: Power) -> Table:
    """One row."""
    from evalkit import tables

    names = ("n", "effect", "power")
    columns = (
        *(tables.Column(key=name, header=name, align="right") for name in names),
        tables.Column(key="decision", header="decision"),
        tables.Column(key="assumptions", header="assumptions"),
    )
    cells = (
        tables.number(found.n, 0),
        tables.number(found.effect, 4),
        tables.number(found.power, 4),
        tables.text(found.decision),
        tables.text(found.assumptions),
    )
    return tables.Table(columns=columns, rows=(tables.Row(cells=cells),))


@guarded
def power(
    *,
    design: Annotated[Design, typer.Option(help="What is compared.")] = Design.paired,
    n: Annotated[int | None, typer.Option("--n", help="Items (of each sample).")] = None,
    effect: Annotated[float | None, typer.Option(help="True difference.")] = None,
    target: Annotated[float, typer.Option("--power", help="Power wanted.")] = 0.8,
    discordance: Annotated[
        float | None, typer.Option(help="Share of items on which the two differ.")
    ] = None,
    sd: Annotated[
        float | None, typer.Option(help="Standard deviation of an outcome or difference.")
    ] = None,
    icc: Annotated[float, typer.Option(help="Intraclass correlation within clusters.")] = 0.0,
    cluster_size: Annotated[int, typer.Option(help="Items of each cluster.")] = 1,
    base_rate: Annotated[float | None, typer.Option(help="True rate of base or parent.")] = None,
    gate: Annotated[GateRule, typer.Option(help="When a gate accepts.")] = GateRule.strict,
    margin: Annotated[float, typer.Option(help="Margin of the gate.")] = 0.0,
    level: Level = 0.95,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Items for an effect, the smallest effect for n items, or the power of both.

    Give --n and --effect for the power, --effect alone for n, --n alone for the smallest effect.
    """
    from evalkit.comparisons import sample_size, smallest_effect

    if n is None and effect is None:
        raise ArgumentError("give --n, --effect, or both; the third figure is computed")
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
        found = of(n, effect)
    elif n is not None:
        items = n
        found = smallest_effect(lambda d: of(items, d), largest=largest, target=target)
    else:
        size = _needed("--effect", effect, design)
        found = sample_size(lambda k: of(k, size), target=target, step=cluster_size)
    emit(
        "power",
        table=power_table(found),
        results=[found.to_dict()],
        settings={
            "design": design.value,
            "n": n,
            "effect": effect,
            "power": target,
            "discordance": discordance,
            "sd": sd,
            "icc": icc,
            "cluster_size": cluster_size,
            "base_rate": base_rate,
            "gate": gate.value if design is Design.gate else None,
            "margin": margin,
            "level": level,
        },
        notes=[],
        fmt=fmt,
        output=output,
    )
