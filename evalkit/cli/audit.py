"""``evalkit audit``: arithmetic consistency of the printed numbers of a table."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.guard import CHECK_FAILED, guarded
from evalkit.cli.options import Format, FormatChoice, Output
from evalkit.cli.output import emit
from evalkit.errors import ArgumentError
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.consistency import AuditReport
    from evalkit.consistency.findings import AuditedCell
    from evalkit.tables import Table

__all__ = ["audit"]


class MetricKind(StrEnum):
    """What columns without a telling heading hold."""

    accuracy = "accuracy"
    half = "half"
    integer = "integer"
    mean = "mean"


class Ties(StrEnum):
    """What a tie counts in a win rate."""

    half = "half"
    loss = "loss"
    win = "win"
    excluded = "excluded"


class Errors(StrEnum):
    """What stands after a plus-minus sign."""

    sd = "sd"
    se = "se"
    half_width = "half-width"


Pairs = list[str] | None
N = Annotated[
    Pairs, typer.Option("--n", metavar="N or COLUMN=N", help="Items behind a percentage.")
]
Seeds = Annotated[int | None, typer.Option("--seeds", min=1, help="Runs that a mean is over.")]
KindChoice = Annotated[
    MetricKind | None,
    typer.Option("--kind", help="What columns hold whose heading does not tell."),
]
Roles = Annotated[
    Pairs, typer.Option("--role", metavar="COLUMN=ROLE", help="Role of a column: n, wins, se, ...")
]
Deltas = Annotated[
    Pairs, typer.Option("--delta", metavar="COLUMN=B-A", help="Columns a difference is of.")
]
Means = Annotated[
    Pairs, typer.Option("--mean", metavar="COLUMN=A,B", help="Columns a mean is of; A:400 weighs.")
]
Sums = Annotated[Pairs, typer.Option("--sum", metavar="COLUMN=A+B", help="Columns a sum is of.")]
TiesChoice = Annotated[Ties | None, typer.Option("--ties", help="What a tie counts in a win rate.")]
PlusMinusChoice = Annotated[
    Errors | None, typer.Option("--plus-minus", help="What stands after a plus-minus sign.")
]
Items = Annotated[
    str | None,
    typer.Option("--items", metavar="FILE", help="Scores by system and item, to recompute from."),
]
ItemColumns = Annotated[
    Pairs, typer.Option("--item-column", metavar="NAME=SOURCE", help="Columns of the items.")
]
ItemsFor = Annotated[
    str | None, typer.Option("--items-for", metavar="COLUMN", help="Column that the items give.")
]
Candidates = Annotated[
    str | None,
    typer.Option(
        "--candidates", metavar="FILE", help="Scores by system and candidate on the reported set."
    ),
]
CandidateColumns = Annotated[
    Pairs,
    typer.Option(
        "--candidate-column",
        metavar="NAME=SOURCE",
        help="Columns of the candidates: system, candidate, score, selection.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 if there is any finding.")]
AllowRounding = Annotated[
    bool, typer.Option("--allow-rounding", help="With --strict: exit 1 for mismatches only.")
]
ShowAll = Annotated[bool, typer.Option("--all", help="List the checks that found nothing too.")]


def pairs(option: str, values: Pairs) -> dict[str, str]:
    """Parse ``COLUMN=VALUE`` options; a column may hold an equals sign."""
    out: dict[str, str] = {}
    for value in values or []:
        name, sign, source = value.rpartition("=")
        if not sign or not name.strip() or not source.strip():
            raise ArgumentError(f"`{option}` is {value!r}; write COLUMN=VALUE")
        out[name.strip()] = source.strip()
    return out


def sizes(values: Pairs) -> int | dict[str, int] | None:
    """Parse ``--n``: one number for all columns, or ``COLUMN=N`` for each."""
    if not values:
        return None

    def whole(text: str) -> int:
        plain = text.replace(",", "").strip()
        if not plain.isdecimal():
            raise ArgumentError(f"`--n` is {text!r}; write a whole number, or COLUMN=N")
        return int(plain)

    if any("=" in value for value in values):
        return {name: whole(text) for name, text in pairs("--n", values).items()}
    if len(values) > 1:
        raise ArgumentError("`--n` is given more than once; name the columns, as COLUMN=N")
    return whole(values[0])


def findings_table(report: AuditReport, *, everything: bool) -> Table:
    """Lay out findings, or every check, with the number of cells by check and verdict."""
    from evalkit import tables

    shown = list(report) if everything else list(report.findings)
    names = ("table", "row", "column", "printed", "check", "verdict", "expected", "distance",
             "explanation")  # fmt: skip
    lines = [
        f"{check}: {', '.join(f'{count} {verdict}' for verdict, count in verdicts.items())}"
        for check, verdicts in report.counts.items()
    ]
    number = len(report.findings)
    mismatches = sum(cell.verdict == "mismatch" for cell in report)
    total = (
        f"{number} findings ({mismatches} mismatches, {number - mismatches} by rounding) "
        f"in {len(report)} checks"
    )
    return tables.Table(
        columns=tuple(tables.Column(key=name, header=name) for name in names),
        rows=tuple(_row(cell, names) for cell in shown),
        notes=(*lines, total),
    )


def _row(cell: AuditedCell, names: tuple[str, ...]) -> Any:
    from evalkit import tables

    values = []
    for name in names:
        value = getattr(cell, name)
        if name == "distance" and value is not None:
            value = f"{value:+g}"
        values.append(tables.text(UNDEFINED if value is None else str(value)))
    return tables.Row(cells=tuple(values))


@guarded
def audit(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="CSV, Markdown, LaTeX or HTML; or a folder of reported tables."
        ),
    ],
    *,
    n: N = None,
    seeds: Seeds = None,
    kind: KindChoice = None,
    role: Roles = None,
    delta: Deltas = None,
    mean: Means = None,
    sums: Sums = None,
    ties: TiesChoice = None,
    plus_minus: PlusMinusChoice = None,
    items: Items = None,
    item_column: ItemColumns = None,
    items_for: ItemsFor = None,
    candidates: Candidates = None,
    candidate_column: CandidateColumns = None,
    strict: Strict = False,
    allow_rounding: AllowRounding = False,
    show_all: ShowAll = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Check whether the printed numbers of a table can all be right."""
    from evalkit.consistency import audit as run

    given: dict[str, Any] = {
        "n": sizes(n),
        "seeds": seeds,
        "kind": None if kind is None else kind.value,
        "roles": pairs("--role", role),
        "deltas": pairs("--delta", delta),
        "means": pairs("--mean", mean),
        "sums": pairs("--sum", sums),
        "ties": None if ties is None else ties.value,
        "plus_minus": None if plus_minus is None else plus_minus.value,
        "items": items,
        "item_columns": pairs("--item-column", item_column),
        "items_for": items_for,
        "candidates": candidates,
        "candidate_columns": pairs("--candidate-column", candidate_column),
    }
    report = run(table, **given)
    emit(
        "audit",
        table=findings_table(report, everything=show_all),
        results=report.to_dicts(),
        settings={"table": table, **given},
        notes=report.notes,
        fmt=fmt,
        output=output,
        extra={"counts": report.counts, "findings": len(report.findings)},
    )
    failed = any(cell.verdict == "mismatch" or not allow_rounding for cell in report.findings)
    if strict and failed:
        raise typer.Exit(CHECK_FAILED)
