"""``evalkit compare``: candidate minus base on the items that both were scored on."""

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
    Seed,
    column_map,
    split_names,
)
from evalkit.cli.output import emit
from evalkit.cli.sources import distinct_names, read_source
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.comparisons.paired import PairedMethod
    from evalkit.results import Comparison, Results
    from evalkit.tables import Table

__all__ = ["compare"]


def comparisons_table(results: Results[Comparison]) -> Table:
    """One row for each group, other tests in the notes."""
    from evalkit import tables
    from evalkit.rounding import format_number

    groups = list(results[0].by) if len(results) else []
    names = ("base", "candidate")
    numbers = ("pairs", "clusters", "wins", "losses", "ties", "mde")
    columns = [
        *(tables.Column(key=name, header=name) for name in (*groups, *names)),
        tables.Column(key="difference", header="difference [interval]", align="right"),
        tables.Column(key="p", header="p", align="right"),
        tables.Column(key="verdict", header="verdict"),
        *(tables.Column(key=name, header=name, align="right") for name in numbers),
        tables.Column(key="method", header="method"),
    ]
    rows, notes = [], []
    for r in results:
        interval = r.interval
        shown = format_number(r.difference, 4, sign=True)
        if interval is not None:
            low, high = (format_number(x, 4) for x in (interval.low, interval.high))
            shown = f"{shown} [{low}, {high}]"
        rows.append(
            tables.Row(
                cells=(
                    *(tables.text(r.by[name]) for name in groups),
                    tables.text(r.base),
                    tables.text(r.candidate),
                    tables.text(shown),
                    tables.text(p_text(r.p_value)),
                    tables.text(r.verdict),
                    tables.number(r.n_pairs, 0),
                    tables.number(r.clusters, 0),
                    tables.number(r.candidate_wins, 0),
                    tables.number(r.base_wins, 0),
                    tables.number(r.ties, 0),
                    tables.number(r.mde, 4),
                    tables.text(UNDEFINED if interval is None else interval.method),
                )
            )
        )
        also = [
            f"{t.name} p = {p_text(t.p_value)}" + (f" ({t.note})" if t.note else "") for t in r.also
        ]
        notes += [f"also: {line}" for line in also]
        notes += [f"note: {r.note}"] if r.note else []
    return tables.Table(columns=tuple(columns), rows=tuple(rows), notes=tuple(notes))


def p_text(p: float | None) -> str:
    """Print a p-value; small ones in scientific form, never 0.

    Examples
    --------
    >>> p_text(0.08319), p_text(3e-12), p_text(None)
    ('0.0832', '3.0e-12', '–')
    """
    from evalkit.rounding import format_number

    if p is None:
        return UNDEFINED
    return f"{p:.1e}" if p < 0.00005 else format_number(p, 4)


@guarded
def compare(
    base: Annotated[str, typer.Argument(help="PATH or NAME=PATH of the base.")],
    candidate: Annotated[
        str | None, typer.Argument(help="PATH or NAME=PATH of the candidate.")
    ] = None,
    *,
    systems: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="BASE CANDIDATE", help="Two systems of one file, by name."),
    ] = None,
    by: By = None,
    cluster: Cluster = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Take the two as independent samples.")
    ] = False,
    method: Method = "default",
    level: Level = 0.95,
    score_range: ScoreRange = None,
    errors: ErrorsChoice = Errors.exclude,
    column: Columns = None,
    partial: Partial = False,
    seed: Seed = 0,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Candidate minus base, with the interval that decides and the p-value it inverts."""
    from evalkit.comparison import compare_groups

    groups = split_names(by)
    wanted = [*(groups or []), *([cluster] if cluster else [])]
    arguments = [base, *([candidate] if candidate else [])]
    sources = [
        read_source(
            a, columns=column_map(column), optional=wanted, score_range=score_range, partial=partial
        )
        for a in arguments
    ]
    results = compare_groups(
        sources[0],
        sources[1] if candidate else None,
        systems=systems,
        by=groups,
        cluster=cluster,
        paired=not unpaired,
        method=cast("PairedMethod", method),
        level=level,
        score_range=score_range,
        errors=errors.value,
        names=distinct_names(sources, arguments) if candidate and systems is None else None,
        rng=seed,
    )
    emit(
        "compare",
        table=comparisons_table(results),
        results=results.to_dicts(),
        settings={
            "base": base,
            "candidate": candidate,
            "systems": systems,
            "by": groups,
            "cluster": cluster,
            "paired": not unpaired,
            "method": method,
            "level": level,
            "range": score_range,
            "errors": errors.value,
            "seed": seed,
        },
        notes=results.notes,
        fmt=fmt,
        output=output,
    )
