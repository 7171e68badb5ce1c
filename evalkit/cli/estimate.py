"""``evalkit estimate``: mean outcome per group with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    By,
    Cluster,
    Columns,
    Errors,
    ErrorsChoice,
    Format,
    FormatChoice,
    Level,
    Method,
    Output,
    Partial,
    ScoreRange,
    column_map,
    split_names,
)
from evalkit.cli.output import emit
from evalkit.cli.sources import read_source
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.intervals.mean import MeanMethod
    from evalkit.results import Estimate, Results
    from evalkit.tables import Table

__all__ = ["estimate"]


def estimates_table(results: Results[Estimate]) -> Table:
    """One row for each group."""
    from evalkit import tables

    groups = list(results[0].by) if len(results) else []
    columns = [
        *(tables.Column(key=name, header=name) for name in groups),
        tables.Column(key="estimate", header="estimate [interval]", align="right"),
        *(
            tables.Column(key=name, header=name, align="right")
            for name in ("n", "clusters", "attempted", "errored")
        ),
        tables.Column(key="bounds", header="if errors fail / pass", align="right"),
        tables.Column(key="method", header="method"),
        tables.Column(key="note", header="note"),
    ]
    rows = []
    for r in results:
        interval = r.interval
        bounds = UNDEFINED
        if r.low_if_errors_fail is not None and r.counts.errored:
            bounds = f"{r.low_if_errors_fail:.4f} / {r.high_if_errors_pass:.4f}"
        rows.append(
            tables.Row(
                cells=(
                    *(tables.text(r.by[name]) for name in groups),
                    tables.estimate(r, 4),
                    tables.number(r.n, 0),
                    tables.number(r.clusters, 0),
                    tables.number(r.counts.attempted, 0),
                    tables.number(r.counts.errored, 0),
                    tables.text(bounds),
                    tables.text(UNDEFINED if interval is None else interval.method),
                    tables.text(r.note or ""),
                )
            )
        )
    return tables.Table(columns=tuple(columns), rows=tuple(rows))


@guarded
def estimate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="PATH or NAME=PATH.")],
    *,
    by: By = None,
    cluster: Cluster = None,
    method: Method = "default",
    level: Level = 0.95,
    score_range: ScoreRange = None,
    errors: ErrorsChoice = Errors.exclude,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Mean outcome of each group, with an interval."""
    from evalkit.estimation import estimate as run
    from evalkit.records import concat

    groups = split_names(by)
    keep = [*(groups or []), *([cluster] if cluster else [])]
    sources = [
        read_source(
            f, columns=column_map(column), keep=keep, score_range=score_range, partial=partial
        )
        for f in files
    ]
    rows = sources[0] if len(sources) == 1 else concat(sources)
    results = run(
        rows,
        by=groups,
        cluster=cluster,
        method=cast("MeanMethod", method),
        level=level,
        score_range=score_range,
        errors=errors.value,
    )
    emit(
        "estimate",
        table=estimates_table(results),
        results=results.to_dicts(),
        settings={
            "files": files,
            "by": groups,
            "cluster": cluster,
            "method": method,
            "level": level,
            "range": score_range,
            "errors": errors.value,
        },
        notes=results.notes,
        fmt=fmt,
        output=output,
    )
