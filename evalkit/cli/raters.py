"""``evalkit raters``: agreement between raters beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from evalkit.cli.agreement import with_interval
from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    Columns,
    Format,
    FormatChoice,
    Level,
    Output,
    Partial,
    Seed,
    column_map,
    split_names,
)
from evalkit.cli.output import emit

if TYPE_CHECKING:
    from evalkit.grading import RaterAgreement
    from evalkit.grading.category_weights import CategoryWeights
    from evalkit.grading.inter_rater import Coefficient
    from evalkit.results import Results
    from evalkit.tables import Table

__all__ = ["raters"]

Coefficients = Annotated[
    list[str] | None,
    typer.Option(
        "--coefficient", help="raw, kappa, conger, fleiss, alpha, gwet, brennan-prediger."
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", help="identity, linear, quadratic, ordinal, radical, ratio, ..."),
]
RaterColumns = Annotated[
    list[str] | None, typer.Option("--raters", help="Rater columns, separated by commas.")
]
Resamples = Annotated[
    int, typer.Option("--resamples", min=0, help="Resamples of the items; 0 gives no intervals.")
]


def raters_table(results: Results[RaterAgreement]) -> Table:
    """One row for each coefficient."""
    from evalkit import tables

    headers = ("coefficient", "value [interval]", "observed", "by chance", "n", "raters", "note")
    columns = tuple(
        tables.Column(key=name, header=name, align="left" if i in (0, 5, 6) else "right")
        for i, name in enumerate(headers)
    )
    rows = [
        tables.Row(
            cells=(
                tables.text(r.coefficient),
                tables.text(with_interval(r.value, r.interval)),
                tables.number(r.observed, 4),
                tables.number(r.expected, 4),
                tables.number(r.n, 0),
                tables.text(", ".join(r.raters)),
                tables.text(r.note or ""),
            )
        )
        for r in results
    ]
    return tables.Table(columns=columns, rows=tuple(rows))


@guarded
def raters(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Items in rows, raters in columns.")],
    *,
    coefficient: Coefficients = None,
    weights: Weights = None,
    rater: RaterColumns = None,
    level: Level = 0.95,
    resamples: Resamples = 2000,
    seed: Seed = 0,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Kappa, alpha, AC1 and raw agreement between raters, with intervals over items."""
    from evalkit.grading import raters as run

    names = split_names(coefficient)
    results = run(
        file,
        coefficient=cast("list[Coefficient] | None", names),
        weights=cast("CategoryWeights | None", weights),
        raters=split_names(rater),
        level=level,
        resamples=resamples,
        rng=seed,
        columns=column_map(column),
        partial=partial,
    )
    emit(
        "raters",
        table=raters_table(results),
        results=results.to_dicts(),
        settings={
            "file": file,
            "coefficient": names,
            "weights": weights,
            "raters": split_names(rater),
            "level": level,
            "resamples": resamples,
            "seed": seed,
        },
        notes=results.notes,
        fmt=fmt,
        output=output,
    )
