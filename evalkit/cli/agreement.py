"""``evalkit agreement``: how often a grader prefers the better of two answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial as partial_of
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    By,
    Cluster,
    Columns,
    Format,
    FormatChoice,
    Level,
    Log,
    Method,
    Output,
    Partial,
    Seed,
    column_map,
    split_names,
)
from evalkit.cli.output import emit
from evalkit.cli.sources import log_rows
from evalkit.errors import ArgumentError
from evalkit.rounding import UNDEFINED, format_number

if TYPE_CHECKING:
    from evalkit.comparisons.paired import PairedMethod
    from evalkit.grading import Agreement
    from evalkit.grading.rates import Rate
    from evalkit.intervals.mean import MeanMethod
    from evalkit.results import Comparison, Interval, Results
    from evalkit.tables import Table

__all__ = ["agreement"]


class Rule(StrEnum):
    """How two orders make one credit."""

    average = "average"
    consistent = "consistent"


class Order2(StrEnum):
    """What verdicts with B shown first name."""

    displayed = "displayed"
    original = "original"


Labels = Annotated[
    str | None,
    typer.Option(
        "--labels", help="File with the labels by pair; else a label column, or pairs.csv."
    ),
]
Bins = Annotated[
    list[str] | None,
    typer.Option("--bin", metavar="COLUMN=E1,E2,...", help="Group a number by these edges."),
]
TieTolerance = Annotated[
    float, typer.Option("--tie-tolerance", min=0, help="Scores this close are a tie.")
]
RuleChoice = Annotated[Rule, typer.Option("--rule", help="Credit of a pair judged in both orders.")]
Order2Choice = Annotated[
    Order2, typer.Option("--order2", help="Whether second-order verdicts name places or answers.")
]
Graders = Annotated[
    tuple[str, str] | None,
    typer.Option("--graders", metavar="BASE CANDIDATE", help="Compare two on the same pairs."),
]


def with_interval(value: float | None, interval: Interval | None) -> str:
    """Print a value and its interval to four decimals."""
    if value is None or interval is None:
        return format_number(value, 4)
    low, high = (format_number(x, 4) for x in (interval.low, interval.high))
    return f"{format_number(value, 4)} [{low}, {high}]"


def bin_edges(values: list[str] | None) -> dict[str, list[float]]:
    """Parse ``COLUMN=E1,E2,...`` options."""
    found: dict[str, list[float]] = {}
    for name, text in column_map(values).items():
        try:
            found[name] = [float(edge) for edge in text.split(",")]
        except ValueError:
            raise ArgumentError(
                f"`--bin {name}` is {text!r}; write numbers, as 0,0.1,0.3"
            ) from None
    return found


def agreement_table(results: Results[Agreement]) -> Table:
    """One row for each grader and group."""
    from evalkit import tables

    groups = list(results[0].by) if len(results) else []
    counts = ("n", "clusters", "wins", "ties", "inversions", "nulls", "incomplete")
    lines = ("half_credit", "ties_wrong", "both_right", "order_1", "order_2")
    columns = [
        *(tables.Column(key=f"by:{name}", header=name) for name in groups),
        tables.Column(key="agreement", header="agreement [interval]", align="right"),
        *(tables.Column(key=name, header=name, align="right") for name in counts),
        tables.Column(key="bounds", header="if nulls wrong / right", align="right"),
        *(tables.Column(key=name, header=name.replace("_", " "), align="right") for name in lines),
        tables.Column(key="inconsistent", header="inconsistent", align="right"),
        tables.Column(key="position_bias", header="position bias", align="right"),
        tables.Column(key="method", header="method"),
        tables.Column(key="note", header="note"),
    ]

    def shown(line: Rate) -> tables.Cell:
        return tables.text(with_interval(line.value, line.interval))

    rows = []
    for r in results:
        bounds = UNDEFINED
        if r.low_if_nulls_wrong is not None and (r.nulls or r.incomplete):
            ends = (r.low_if_nulls_wrong, r.high_if_nulls_right)
            bounds = " / ".join(format_number(x, 4) for x in ends)
        method = UNDEFINED if r.interval is None else r.interval.method
        rows.append(
            tables.Row(
                cells=(
                    *(tables.text(r.by[name]) for name in groups),
                    tables.text(with_interval(r.agreement, r.interval)),
                    *(tables.number(getattr(r, name), 0) for name in counts),
                    tables.text(bounds),
                    *(shown(line) for line in r.conventions),
                    shown(r.inconsistent),
                    shown(r.position_bias),
                    tables.text(method),
                    tables.text(r.note or ""),
                )
            )
        )
    return tables.Table(columns=tuple(columns), rows=tuple(rows))


def difference_table(result: Comparison) -> Table:
    """One row for the comparison of two graders."""
    from evalkit import tables

    cells = {
        "base": tables.text(result.base),
        "candidate": tables.text(result.candidate),
        "difference [interval]": tables.text(with_interval(result.difference, result.interval)),
        "p": tables.number(result.p_value, 4),
        "verdict": tables.text(result.verdict),
        "pairs": tables.number(result.n_pairs, 0),
        "base mean": tables.number(result.base_mean, 4),
        "candidate mean": tables.number(result.candidate_mean, 4),
        "method": tables.text(result.test or UNDEFINED),
        "note": tables.text(result.note or ""),
    }
    columns = tuple(tables.Column(key=name, header=name) for name in cells)
    return tables.Table(columns=columns, rows=(tables.Row(cells=tuple(cells.values())),))


def _show(
    table: Table,
    results: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    *,
    settings: Mapping[str, Any],
    fmt: Format,
    output: Path | None,
) -> None:
    emit(
        "agreement",
        table=table,
        results=results,
        settings=settings,
        notes=notes,
        fmt=fmt,
        output=output,
    )


@guarded
def agreement(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A row for each grader and pair.")],
    *,
    labels: Labels = None,
    by: By = None,
    bins: Bins = None,
    cluster: Cluster = None,
    tie_tolerance: TieTolerance = 0.0,
    rule: RuleChoice = Rule.average,
    order2: Order2Choice = Order2.displayed,
    graders: Graders = None,
    method: Method = "default",
    level: Level = 0.95,
    column: Columns = None,
    partial: Partial = False,
    log: Log = None,
    seed: Seed = 0,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Agreement of graders with a reference over pairs, with intervals."""
    from evalkit.grading import agreement as run
    from evalkit.grading import compare_graders

    settings: dict[str, Any] = {
        "file": file,
        "labels": labels,
        "by": split_names(by),
        "bins": bin_edges(bins),
        "cluster": cluster,
        "tie_tolerance": tie_tolerance,
        "rule": rule.value,
        "order2": order2.value,
        "graders": graders,
        "method": method,
        "level": level,
        "seed": seed,
    }
    data: Any = file if log is None else log_rows(file, "judgments", log).rows
    show = partial_of(_show, settings=settings, fmt=fmt, output=output)
    if graders is not None:
        if by or bins:
            raise ArgumentError("`--graders` compares over all pairs; drop --by and --bin")
        difference = compare_graders(
            data,
            *graders,
            reference=labels,
            cluster=cluster,
            tie_tolerance=tie_tolerance,
            method=cast("PairedMethod", method),
            level=level,
            rule=rule.value,
            order2=order2.value,
            columns=column_map(column),
            partial=partial,
            rng=seed,
        )
        show(difference_table(difference), [difference.to_dict()], [])
        return
    results = run(
        data,
        reference=labels,
        cluster=cluster,
        by=split_names(by),
        bins=bin_edges(bins),
        tie_tolerance=tie_tolerance,
        method=cast("MeanMethod", method),
        level=level,
        rule=rule.value,
        order2=order2.value,
        columns=column_map(column),
        partial=partial,
    )
    show(agreement_table(results), results.to_dicts(), results.notes)
