"""``evalkit rank``: systems ranked by pairwise outcomes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.agreement import with_interval
from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    Cluster,
    Columns,
    Format,
    FormatChoice,
    Level,
    Output,
    Partial,
    Seed,
    column_map,
)
from evalkit.cli.output import emit
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.grading import RankedScore
    from evalkit.results import Results
    from evalkit.tables import Table

__all__ = ["rank"]


class Ties(StrEnum):
    """What a tie counts as."""

    davidson = "davidson"
    half = "half"


TiesChoice = Annotated[
    Ties, typer.Option("--ties", help="Davidson's tie parameter, or half a win for each side.")
]
Resamples = Annotated[
    int, typer.Option("--resamples", min=0, help="Bootstrap replicates; 0 gives no intervals.")
]


def rank_table(results: Results[RankedScore]) -> Table:
    """One row for each system, best first."""
    from evalkit import tables

    counts = ("games", "wins", "ties", "losses")
    headers = ("system", "score [interval]", "group", "ranks", *counts, "note")
    columns = tuple(
        tables.Column(
            key=name,
            header=name,
            align="left" if name in ("system", "group", "note") else "right",
        )
        for name in headers
    )
    rows = []
    for r in results:
        ranks = UNDEFINED if r.rank_low is None else f"{r.rank_low}-{r.rank_high}"
        rows.append(
            tables.Row(
                cells=(
                    tables.text(r.system),
                    tables.text(with_interval(r.score, r.interval)),
                    tables.text(r.group or UNDEFINED),
                    tables.text(ranks),
                    *(tables.number(getattr(r, name), 0) for name in counts),
                    tables.text(r.note or ""),
                )
            )
        )
    return tables.Table(columns=columns, rows=tuple(rows))


@guarded
def rank(
    file: Annotated[str, typer.Argument(metavar="FILE", help="One row for each comparison.")],
    *,
    cluster: Cluster = None,
    ties: TiesChoice = Ties.davidson,
    level: Level = 0.95,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Bradley-Terry scores with ties, simultaneous intervals and tie groups."""
    from evalkit.grading import rank as run

    results = run(
        file,
        cluster=cluster,
        ties=ties.value,
        level=level,
        resamples=resamples,
        rng=seed,
        columns=column_map(column),
        partial=partial,
    )
    emit(
        "rank",
        table=rank_table(results),
        results=results.to_dicts(),
        settings={
            "file": file,
            "cluster": cluster,
            "ties": ties.value,
            "level": level,
            "resamples": resamples,
            "seed": seed,
        },
        notes=results.notes,
        fmt=fmt,
        output=output,
    )
