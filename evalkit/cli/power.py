"""``evalkit power``: items for an effect, the smallest effect for n items, or the power of both."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import Format, FormatChoice, Level, Output
from evalkit.cli.output import emit

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
    from evalkit.planning import power as plan

    found = plan(
        design.value,
        n=n,
        effect=effect,
        target=target,
        discordance=discordance,
        sd=sd,
        icc=icc,
        cluster_size=cluster_size,
        base_rate=base_rate,
        gate=gate.value,
        margin=margin,
        level=level,
    )
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
