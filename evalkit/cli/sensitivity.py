"""``evalkit sensitivity``: the same outputs under several verifiers, and what the gain does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    Cluster,
    Columns,
    Format,
    FormatChoice,
    Level,
    Output,
    Partial,
    ScoreRange,
    column_map,
    split_names,
)
from evalkit.cli.output import emit
from evalkit.cli.sources import read_source
from evalkit.errors import ArgumentError
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.locked import GainContrast, Sensitivity
    from evalkit.results import Interval
    from evalkit.tables import Table

__all__ = ["sensitivity"]

_SURVIVES = {True: "yes", False: "no", None: UNDEFINED}


def _with_interval(value: float | None, interval: Interval | None) -> str:
    from evalkit.rounding import format_number

    shown = format_number(value, 4, sign=True)
    if interval is None:
        return shown
    low, high = (format_number(x, 4) for x in (interval.low, interval.high))
    return f"{shown} [{low}, {high}]"


def _notes(contrast: GainContrast) -> list[str]:
    pair = f"{contrast.v0} and {contrast.v1}"
    lines = [
        f"{pair} on {flips.system}: both pass {flips.both_pass}, only {contrast.v0} "
        f"{flips.only_v0}, only {contrast.v1} {flips.only_v1}, neither {flips.neither}"
        for flips in contrast.flips
    ]
    lines += [f"{pair}: {change}" for change in contrast.order_changes]
    return [*lines, *([f"{pair}: {contrast.note}"] if contrast.note else [])]


def sensitivity_table(found: Sensitivity) -> Table:
    """One row for each verifier that is compared with the first."""
    from evalkit import tables
    from evalkit.cli.compare import p_text

    gains = {gain.verifier: gain for gain in found.gains}
    names = ("base", "candidate", "v0", "v1")
    results = ("delta_v0", "delta_v1", "difference", "p", "disagreements", "n", "ranking survives")
    columns = (
        *(tables.Column(key=name, header=name) for name in names),
        *(tables.Column(key=name, header=name, align="right") for name in results),
        tables.Column(key="method", header="method"),
    )
    rows = []
    for c in found.contrasts:
        cells = (
            *(c.base, c.candidate, c.v0, c.v1),
            _with_interval(c.delta_v0, gains[c.v0].interval),
            _with_interval(c.delta_v1, gains[c.v1].interval),
            _with_interval(c.difference, c.interval),
            p_text(c.p_value),
            f"{c.disagreements} of {c.verdicts}",
            str(c.n),
            _SURVIVES[c.ranking_survives],
            UNDEFINED if c.interval is None else c.interval.method,
        )
        rows.append(tables.Row(cells=tuple(tables.text(cell) for cell in cells)))
    notes = tuple(line for c in found.contrasts for line in _notes(c))
    return tables.Table(columns=columns, rows=tuple(rows), notes=notes)


def _verifiers(given: list[str] | None, more: list[str]) -> list[str] | None:
    """Names from ``--verifiers V0 V1``, ``--verifiers V0,V1`` or the option given twice."""
    named = split_names(given)
    if named is None and more:
        raise ArgumentError(f"one file is read, and {more[0]!r} stands beside it; drop it")
    return None if named is None else [*named, *(split_names(more) or [])]


@guarded
def sensitivity(
    file: Annotated[
        list[str], typer.Argument(metavar="FILE", help="One row for each verdict on an output.")
    ],
    *,
    systems: Annotated[
        tuple[str, str], typer.Option(metavar="BASE CANDIDATE", help="The two systems, by name.")
    ],
    verifiers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="V0 V1...", help="Verifiers, after FILE; the others are compared with V0."
        ),
    ] = None,
    cluster: Cluster = None,
    level: Level = 0.95,
    score_range: ScoreRange = None,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Gains of the same outputs under several verifiers, and their paired difference."""
    from evalkit.locked import sensitivity as run

    path, *more = file
    names = _verifiers(verifiers, more)
    rows = read_source(
        path,
        columns=column_map(column),
        keep=[cluster] if cluster else [],
        optional=["output_sha256", "output"],
        score_range=score_range,
        partial=partial,
    )
    found = run(
        rows,
        verifiers=names,
        base=systems[0],
        candidate=systems[1],
        cluster=cluster,
        level=level,
        score_range=score_range,
    )
    extra = found.to_dict()
    emit(
        "sensitivity",
        table=sensitivity_table(found),
        results=extra.pop("contrasts"),
        settings={
            "file": path,
            "verifiers": names,
            "systems": systems,
            "cluster": cluster,
            "level": level,
            "range": score_range,
        },
        notes=extra.pop("notes"),
        fmt=fmt,
        output=output,
        extra=extra,
    )
