"""``evalkit contrasts``: degrade responses in one property, and measure graders on the pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    column_map,
    split_names,
)
from evalkit.cli.output import emit
from evalkit.rounding import UNDEFINED, format_number

if TYPE_CHECKING:
    from evalkit.contrasts import ContrastSet, DrivingCapacity, FamilyAccuracy, Selection
    from evalkit.results import Results
    from evalkit.tables import Table

__all__ = ["contrasts"]

contrasts = typer.Typer(
    name="contrasts",
    no_args_is_help=True,
    help="Build response contrasts, and score graders on them.",
    pretty_exceptions_enable=False,
)


class CentringChoice(StrEnum):
    """How chance is taken off an accuracy."""

    half = "half"
    double = "double"


class FamilyInterval(StrEnum):
    """Interval of one family."""

    clopper_pearson = "clopper-pearson"
    mid_p = "mid-p"


Families = Annotated[
    list[str] | None,
    typer.Option("--family", help="Families, separated by commas or given more than once."),
]
Folder = Annotated[
    Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the key and the rows.")
]
PerFamily = Annotated[
    int | None, typer.Option("--per-family", min=1, help="Contrasts wanted of each family.")
]
BuildSeed = Annotated[
    int, typer.Option("--seed", min=0, help="Decides responses, edits, sides and ids.")
]
KeyFile = Annotated[
    Path | None, typer.Option("--key", help="The private contrasts.jsonl of blinded scores.")
]
Margin = Annotated[
    float, typer.Option("--margin", min=0, help="A success exceeds this difference of scores.")
]
Centre = Annotated[
    CentringChoice, typer.Option("--centring", help="accuracy - 1/2, or 2 accuracy - 1.")
]
Graders = Annotated[
    tuple[str, str] | None,
    typer.Option("--graders", metavar="CURRENT CHALLENGER", help="Decide between two graders."),
]
FamilyMethod = Annotated[
    FamilyInterval, typer.Option("--method", help="Interval of a family without clusters.")
]


def built_table(found: ContrastSet) -> Table:
    """One row for each family, with the reasons of the responses that were passed over."""
    from evalkit import tables

    rows = []
    for row in found.to_dicts():
        reasons = "; ".join(f"{k} x {reason}" for reason, k in row["not_applicable"].items())
        cells = (
            tables.text(row["family"]),
            tables.number(row["contrasts"], 0),
            tables.number(sum(row["not_applicable"].values()), 0),
            tables.text(reasons),
        )
        rows.append(tables.Row(cells=cells))
    headers = ("family", "contrasts", "not applicable", "reasons")
    columns = tuple(
        tables.Column(key=h, header=h, align="right" if i in (1, 2) else "left")
        for i, h in enumerate(headers)
    )
    return tables.Table(columns=columns, rows=tuple(rows))


def _family_cells(family: FamilyAccuracy) -> dict[str, Any]:
    from evalkit import tables

    counts = ("n", "successes", "ties", "inversions", "nulls")
    return {
        "family": tables.text(family.family),
        "accuracy": tables.number(family.accuracy, 4),
        "centred [interval]": tables.text(with_interval(family.centred, family.interval)),
        **{name: tables.number(getattr(family, name), 0) for name in counts},
    }


def capacity_table(results: Results[DrivingCapacity]) -> Table:
    """Each grader's families, worst first, under its driving capacity."""
    from evalkit import tables

    blank = dict.fromkeys(
        ("capacity [interval]", "worst family", "if nulls fail / pass", "method", "note"), ""
    )
    rows = []
    names: list[str] = []
    for r in results:
        bounds = UNDEFINED
        if r.capacity_if_nulls_fail is not None and any(f.nulls for f in r.families):
            ends = (r.capacity_if_nulls_fail, r.capacity_if_nulls_pass)
            bounds = " / ".join(format_number(x, 4) for x in ends)
        first = {
            "capacity [interval]": with_interval(r.capacity, r.interval),
            "worst family": r.worst_family or UNDEFINED,
            "if nulls fail / pass": bounds,
            "method": UNDEFINED if r.interval is None else r.interval.method,
            "note": r.note or "",
        }
        for place, family in enumerate(r.families):
            shown = first if place == 0 else blank
            cells = {
                "grader": tables.text(r.grader),
                "capacity [interval]": tables.text(shown["capacity [interval]"]),
                "worst family": tables.text(shown["worst family"]),
                **_family_cells(family),
                **{k: tables.text(shown[k]) for k in ("if nulls fail / pass", "method", "note")},
            }
            names = list(cells)
            rows.append(tables.Row(cells=tuple(cells.values())))
    columns = tuple(tables.Column(key=name, header=name) for name in names or ["grader"])
    return tables.Table(columns=columns, rows=tuple(rows))


def selection_table(found: Selection) -> Table:
    """One row for each family, the decision in a note beneath."""
    from evalkit import tables

    rows = []
    for family in found.families:
        cells = (
            tables.text(family.family),
            tables.number(family.n, 0),
            tables.number(family.wins, 0),
            tables.number(family.losses, 0),
            tables.delta(family.difference, 4),
            tables.number(family.p_value, 4),
            tables.number(family.p_adjusted, 4),
            tables.text(family.test),
        )
        rows.append(tables.Row(cells=cells))
    headers = ("family", "n", "wins", "losses", "difference", "p", "p (Holm)", "test")
    columns = tuple(tables.Column(key=h, header=h) for h in headers)
    decision = {True: "replaces", False: "does not replace", None: "undecided against"}
    one, other = found.challenger, found.current
    told = (
        f"{one.grader} {decision[found.replaces]} {other.grader}: capacity "
        f"{with_interval(one.capacity, one.interval)} against "
        f"{with_interval(other.capacity, other.interval)}; difference "
        f"{with_interval(found.difference, found.interval)}"
    )
    notes = (told,) if found.note is None else (told, found.note)
    return tables.Table(columns=columns, rows=tuple(rows), notes=notes)


@contrasts.command("build")
@guarded
def build(
    file: Annotated[str, typer.Argument(metavar="RESPONSES", help="A row for each response.")],
    folder: Folder,
    *,
    family: Families = None,
    per_family: PerFamily = None,
    seed: BuildSeed = 0,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
) -> None:
    """Degrade responses in one property each; write a private key and the rows graders see."""
    from evalkit.contrasts import blind, build_contrasts, write_contrasts

    found = build_contrasts(
        file,
        families=split_names(family),
        per_family=per_family,
        seed=seed,
        columns=column_map(column),
        partial=partial,
    )
    paths = write_contrasts(found, blind(found, seed=seed), folder)
    private = f"{paths[0].name} and {paths[-1].name}"
    wrote = f"wrote {', '.join(str(path) for path in paths)}; keep {private} from graders"
    settings: Mapping[str, Any] = {
        "file": file,
        "output": str(folder),
        "families": list(found.families),
        "per_family": per_family,
        "seed": seed,
    }
    emit(
        "contrasts build",
        table=built_table(found),
        results=found.to_dicts(),
        settings=settings,
        notes=[*found.notes, wrote],
        fmt=fmt,
        output=None,
    )


@contrasts.command("score")
@guarded
def score(
    file: Annotated[str, typer.Argument(metavar="SCORES", help="Scores of one or more graders.")],
    *,
    key: KeyFile = None,
    margin: Margin = 0.01,
    centring: Centre = CentringChoice.half,
    graders: Graders = None,
    family: Families = None,
    cluster: Cluster = None,
    method: FamilyMethod = FamilyInterval.clopper_pearson,
    level: Level = 0.95,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Driving capacity of each grader: centred accuracy on its worst family, with an interval."""
    from evalkit.contrasts import driving_capacity, select_challenger

    shared: dict[str, Any] = {
        "key": key,
        "margin": margin,
        "centring": centring.value,
        "level": level,
        "method": method.value,
        "cluster": cluster,
        "families": split_names(family),
    }
    settings = {"file": file, "graders": graders, **shared}
    reading: dict[str, Any] = {"columns": column_map(column), "partial": partial}
    notes: Sequence[str] = ()
    if graders is not None:
        current, challenger = graders
        chosen = select_challenger(file, current, challenger, **shared, **reading)
        table, rows = selection_table(chosen), [chosen.to_dict()]
    else:
        results = driving_capacity(file, **shared, **reading)
        table, rows, notes = capacity_table(results), results.to_dicts(), results.notes
    emit(
        "contrasts score",
        table=table,
        results=rows,
        settings=settings,
        notes=notes,
        fmt=fmt,
        output=output,
    )
