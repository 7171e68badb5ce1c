"""``evalkit scaling``: best of k, last of k, pass@k, pass^k and the calls they cost."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    Columns,
    Format,
    FormatChoice,
    Level,
    Output,
    Partial,
    column_map,
)
from evalkit.cli.output import emit
from evalkit.cli.sources import read_source
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.results import Interval
    from evalkit.tables import Table
    from evalkit.testtime import ScalingCurve

__all__ = ["scaling"]


class SupportChoice(StrEnum):
    """Items that a curve uses."""

    common = "common"
    each = "each"


def _cell(value: float | None, interval: Interval | None) -> str:
    from evalkit.rounding import format_number

    if value is None:
        return UNDEFINED
    if interval is None:
        return format_number(value, 4)
    low, high = (format_number(x, 4) for x in (interval.low, interval.high))
    return f"{format_number(value, 4)} [{low}, {high}]"


def scaling_table(curves: list[tuple[str, ScalingCurve]]) -> Table:
    """One row for each system and k."""
    from evalkit import tables

    headers = ("k", "items", "oracle", "last", "pass@k", "pass^k", "calls")
    columns = [
        tables.Column(key="system", header="system"),
        *(tables.Column(key=name, header=name, align="right") for name in headers),
    ]
    rows = []
    for name, curve in curves:
        for p in curve.points:
            cells = (
                tables.text(name),
                tables.number(p.k, 0),
                tables.number(p.support, 0),
                tables.text(_cell(p.oracle, p.oracle_interval)),
                tables.text(_cell(p.last, p.last_interval)),
                tables.text(_cell(p.pass_at_k, p.pass_at_k_interval)),
                tables.text(_cell(p.pass_hat_k, p.pass_hat_k_interval)),
                tables.number(p.calls, 0),
            )
            rows.append(tables.Row(cells=cells))
    return tables.Table(columns=tuple(columns), rows=tuple(rows))


def _result(name: str, curve: ScalingCurve) -> dict[str, Any]:
    summary = curve.to_dict()
    points = summary.pop("points")
    return {
        "system": name,
        **summary,
        "points": [{**p, "parallel": p["oracle"], "sequential": p["last"]} for p in points],
    }


@guarded
def scaling(
    file: Annotated[str, typer.Argument(help="PATH or NAME=PATH; one row for each attempt.")],
    *,
    support: Annotated[
        SupportChoice, typer.Option(help="Items with all attempts, or with k of them.")
    ] = SupportChoice.common,
    column: Columns = None,
    partial: Partial = False,
    level: Level = 0.95,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Test-time scaling curves from item-level attempts, with intervals over items."""
    from evalkit.testtime import outcomes_from_frame
    from evalkit.testtime import scaling as run

    rows = read_source(file, columns=column_map(column), keep=(), score_range=None, partial=partial)
    systems = sorted(set(rows.frame["system"]))
    curves = [
        (
            name,
            run(outcomes_from_frame(rows.frame, system=name), support=support.value, level=level),
        )
        for name in systems
    ]
    notes = [*rows.notes]
    if not curves:
        notes.append("no rows, so there is nothing to score")
    notes += [f"{name}: {curve.note}" for name, curve in curves if curve.note]
    emit(
        "scaling",
        table=scaling_table(curves),
        results=[_result(name, curve) for name, curve in curves],
        settings={"file": file, "support": support.value, "level": level},
        notes=notes,
        fmt=fmt,
        output=output,
    )
