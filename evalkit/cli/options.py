"""Options that several verbs share, declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evalkit.errors import ArgumentError

__all__ = [
    "By",
    "Cluster",
    "Columns",
    "Errors",
    "ErrorsChoice",
    "Format",
    "FormatChoice",
    "Level",
    "Log",
    "Method",
    "Output",
    "Partial",
    "ScoreRange",
    "Seed",
    "column_map",
    "split_names",
]


class Format(StrEnum):
    """Output formats."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"
    html = "html"


class Errors(StrEnum):
    """What to do with rows that were attempted and have no score."""

    exclude = "exclude"
    fail = "fail"


FormatChoice = Annotated[Format, typer.Option("--format", "-f", help="Output format.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to this file instead of stdout.")
]
Level = Annotated[float, typer.Option("--level", help="Nominal coverage of the intervals.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the tests that sample.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Column of clusters (items that are not independent)."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", help="Group columns, separated by commas or given more than once."),
]
Method = Annotated[
    str, typer.Option("--method", help="Interval by name; the default follows the data.")
]
ScoreRange = Annotated[
    tuple[float, float] | None,
    typer.Option("--range", metavar="LOW HIGH", help="Range of the scores; 0 1 is inferred."),
]
ErrorsChoice = Annotated[
    Errors,
    typer.Option(help="Leave rows without a score out of the estimate, or count them as failures."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="NAME=SOURCE", help="Read NAME (item, score, ...) from this column."
    ),
]
Partial = Annotated[
    bool, typer.Option("--partial", help="Use the whole rows of a file that is cut short.")
]


Log = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="Read as this format instead of detecting it."),
]


def split_names(values: list[str] | None) -> list[str] | None:
    """Split ``a,b`` and repeated options into one list of column names."""
    if not values:
        return None
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def column_map(values: list[str] | None) -> dict[str, str]:
    """Parse ``NAME=SOURCE`` options; an empty source leaves an optional column out."""
    out: dict[str, str] = {}
    for value in values or []:
        name, sign, source = value.partition("=")
        if not sign or not name:
            raise ArgumentError(f"`--column` is {value!r}; write NAME=SOURCE, as score=correct")
        out[name] = source
    return out
