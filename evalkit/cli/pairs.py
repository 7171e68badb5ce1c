"""``evalkit pairs``: adversarial pairs from candidates, their checks, and their export."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.guard import CHECK_FAILED, guarded, say
from evalkit.cli.options import Cluster, Format, FormatChoice, Level, Output, Partial, split_names
from evalkit.cli.output import emit
from evalkit.cli.sources import split_label
from evalkit.errors import ArgumentError
from evalkit.rounding import UNDEFINED, format_number

if TYPE_CHECKING:
    from evalkit.comparisons.power import Power
    from evalkit.pairs import PairCheck, PairReport, PairSet
    from evalkit.tables import Table

__all__ = ["pairs"]

pairs = typer.Typer(
    name="pairs",
    no_args_is_help=True,
    help="Adversarial pairs for graders: build them, check them, export them.",
)


class Shape(StrEnum):
    """Formats of pairs."""

    judgebench = "judgebench"
    rewardbench = "rewardbench"
    trl = "trl"
    datasets = "datasets"


class Kind(StrEnum):
    """Kinds of reference scores."""

    auto = "auto"
    binary = "binary"
    graded = "graded"


class Models(StrEnum):
    """Rules on the models of a pair."""

    same = "same"
    different = "different"
    any = "any"


class Second(StrEnum):
    """Rules on the second reference."""

    agrees = "agrees"
    does_not_contradict = "does-not-contradict"


Column = str | None
ShapeChoice = Annotated[Shape, typer.Option("--as", help="Format that the pairs are written in.")]
NearDuplicate = Annotated[
    float,
    typer.Option("--near-duplicate", help="Similarity from which two texts are one; 0 for none."),
]


def parse_shares(text: str | None) -> dict[str, float] | None:
    """Parse ``train=0.6,test=0.4``.

    Examples
    --------
    >>> parse_shares("train=0.6,test=0.4")
    {'train': 0.6, 'test': 0.4}
    """
    if text is None:
        return None
    found = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            value = float(share)
        except ValueError:
            raise ArgumentError(
                f"`--splits` is {text!r}; write NAME=SHARE,..., as train=0.6,test=0.4"
            ) from None
        if name.strip() in found:
            raise ArgumentError(f"`--splits` names {name.strip()!r} twice")
        found[name.strip()] = value
    return found


def _with_bounds(report: PairReport) -> str:
    found = report.cue_agreement
    text = format_number(found.estimate, 4)
    if found.interval is None:
        return text
    low, high = (format_number(x, 4) for x in (found.interval.low, found.interval.high))
    return f"{text} [{low}, {high}]"


def _power_text(power: Power | None, note: str | None, *, effect: bool) -> str:
    if power is None:
        return f"{UNDEFINED} ({note})" if note else UNDEFINED
    value = format_number(power.effect if effect else power.power, 3)
    return f"{value} ({power.assumptions})"


def report_table(report: PairReport) -> Table:
    """One line for each figure of a report."""
    from evalkit import tables
    from evalkit.pairs import REASONS
    from evalkit.pairs.exact import number_text

    cue, settings = report.cue_agreement, report.settings
    lines: list[tuple[str, str]] = [
        ("pairs", str(report.pairs)),
        ("tasks", str(report.tasks)),
        ("clusters", str(report.clusters)),
        ("candidates", f"{report.candidates} of {report.candidate_tasks} tasks"),
        ("pairs considered", str(report.considered)),
        *((f"dropped: {REASONS[name]}", str(k)) for name, k in report.dropped.items() if k),
        ("reference", f"{report.outcome}, margin {number_text(report.margin)} and more"),
        ("cue", f"{report.cue}: {report.cue_description}"),
        ("cue agrees with the reference", f"{_with_bounds(report)} over {cue.n} pairs"),
    ]
    if report.cue_gap is not None:
        gaps = " / ".join(str(number_text(x)) for x in report.cue_gap)
        lines.append(("cue gap, least / median / largest", gaps))
    lines.append(("A is the better output", f"{report.a_better} of {report.pairs}"))
    lines += [(f"split {name}", str(count)) for name, count in report.by_split.items()]
    power = report.power
    lines += [
        (
            f"power at a gain of {settings['gain']:g}",
            _power_text(power.at_gain, power.note, effect=False),
        ),
        (
            f"smallest gain at power {power.target:g}",
            _power_text(power.smallest, power.note, effect=True),
        ),
    ]
    columns = (tables.Column(key="what", header="what"), tables.Column(key="value", header="value"))
    rows = tuple(tables.Row(cells=(tables.text(a), tables.text(b))) for a, b in lines)
    return tables.Table(columns=columns, rows=rows)


def check_table(found: PairCheck) -> Table:
    """One row for each check."""
    from evalkit import tables

    names = ("check", "status", "detail", "examples")
    rows = tuple(
        tables.Row(
            cells=tuple(
                tables.text(x) for x in (f.check, f.status, f.detail, ", ".join(f.examples))
            )
        )
        for f in found.findings
    )
    return tables.Table(columns=tuple(tables.Column(key=n, header=n) for n in names), rows=rows)


def _saved(found: PairSet, path: Path, shape: Shape) -> None:
    from evalkit.pairs import export_pairs

    for file in export_pairs(found, path, format=shape.value):
        say(f"wrote {file}")


@pairs.command()
@guarded
def build(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A row for each candidate output.")],
    *,
    task: Annotated[str, typer.Option(help="Column of the task.")],
    reference: Annotated[str, typer.Option(help="Column of the reference score.")],
    cue: Annotated[
        str,
        typer.Option(
            help="length, words, citations, confidence, populated-cells, numbers, markdown, "
            "column:NAME, or an expression over columns."
        ),
    ],
    second_reference: Annotated[
        Column, typer.Option(help="Column of a second reference that has to agree.")
    ] = None,
    text: Annotated[Column, typer.Option("--text", help="Column of the output's text.")] = None,
    model: Annotated[Column, typer.Option(help="Column of the model.")] = None,
    cluster: Cluster = None,
    prompt: Annotated[Column, typer.Option(help="Column of what was asked.")] = None,
    id_column: Annotated[Column, typer.Option("--id", help="Column of candidate ids.")] = None,
    feature: Annotated[
        list[str] | None, typer.Option(help="Columns to keep as features; all by default.")
    ] = None,
    grader: Annotated[
        list[str] | None,
        typer.Option("--grader", help="Columns made by a grader under evaluation: never read."),
    ] = None,
    not_a_grader: Annotated[
        list[str] | None,
        typer.Option(
            "--not-a-grader", help="Columns that no grader under evaluation made, despite the name."
        ),
    ] = None,
    outcome: Annotated[Kind, typer.Option(help="Kind of the reference scores.")] = Kind.auto,
    margin: Annotated[
        str | None, typer.Option(help="Least difference of graded scores; 0.08 within 0..1.")
    ] = None,
    second: Annotated[
        Second | None, typer.Option(help="Rule on the second reference; agrees by default.")
    ] = None,
    models: Annotated[Models, typer.Option(help="Models of a pair.")] = Models.any,
    per_task: Annotated[int, typer.Option(min=0, help="Pairs of one task at most; 0 for all.")] = 1,
    least_gap: Annotated[str, typer.Option(help="Least cue gap.")] = "0",
    least_ratio: Annotated[
        str, typer.Option(help="Least cue gap, relative to the cue of the better output.")
    ] = "0",
    near_duplicate: NearDuplicate = 0.8,
    splits: Annotated[
        str | None, typer.Option(metavar="NAME=SHARE,...", help="Split by task into these shares.")
    ] = None,
    gain: Annotated[float, typer.Option(help="Gain of a grader, for the power.")] = 0.1,
    discordance: Annotated[
        float, typer.Option(help="Share of pairs on which two graders differ, for the power.")
    ] = 0.3,
    icc: Annotated[float, typer.Option(help="Correlation within clusters, for the power.")] = 0.2,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Write the pairs to this .jsonl file, or into this folder."),
    ] = None,
    shape: ShapeChoice = Shape.judgebench,
    level: Level = 0.95,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")] = 0,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Choose pairs of outputs in which an observable cue favours the worse one.

    Selection sees reference scores, models and properties of outputs. Scores of graders under
    evaluation have no way in.
    """
    from evalkit.pairs import build_pairs, read_candidates

    graders, others = split_names(grader) or [], split_names(not_a_grader) or []
    read = read_candidates(
        file,
        task=task,
        reference=reference,
        second_reference=second_reference,
        output=text,
        model=model,
        cluster=cluster,
        prompt=prompt,
        id=id_column,
        features=split_names(feature),
        graders=graders,
        not_graders=others,
        partial=partial,
    )
    found = build_pairs(
        read.candidates,
        cue=cue,
        outcome=outcome.value,
        margin=margin,
        second=None if second is None else second.value,
        models=models.value,
        per_task=per_task or None,
        least_gap=least_gap,
        least_ratio=least_ratio,
        near_duplicate=near_duplicate or None,
        splits=parse_shares(splits),
        graders=graders,
        not_graders=others,
        gain=gain,
        discordance=discordance,
        icc=icc,
        level=level,
        rng=seed,
    )
    report = found.report
    if report is None:
        return
    if save is not None:
        _saved(found, save, shape)
    columns: dict[str, Any] = {
        "file": file, "task": task, "reference": reference, "second_reference": second_reference,
        "text": text, "model": model, "cluster": cluster, "prompt": prompt, "id": id_column,
        "features": split_names(feature),
    }  # fmt: skip
    emit(
        "pairs build",
        table=report_table(report),
        results=[report.to_dict()],
        settings={**columns, **report.settings},
        notes=[*read.notes, *report.notes],
        fmt=fmt,
        output=output,
    )


def _named(files: Sequence[str]) -> dict[str, str] | list[str]:
    labelled = [split_label(each) for each in files]
    if all(name is None for name, _ in labelled):
        return [path for _, path in labelled]
    if any(name is None for name, _ in labelled) or len({n for n, _ in labelled}) < len(files):
        raise ArgumentError(
            "give every file a split of its own (train=a.jsonl test=b.jsonl), or none"
        )
    return {str(name): path for name, path in labelled}


@pairs.command()
@guarded
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files or folders, or SPLIT=FILE each.")
    ],
    *,
    margin: Annotated[
        str | None, typer.Option(help="Least difference of the reference scores.")
    ] = None,
    near_duplicate: NearDuplicate = 0.8,
    level: Level = 0.95,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Check pairs for leakage between splits and for what gives the label away; 1 on a fault."""
    from evalkit.pairs import check_pairs

    found = check_pairs(
        _named(files), margin=margin, near_duplicate=near_duplicate or None, level=level
    )
    emit(
        "pairs check",
        table=check_table(found),
        results=[{k: v for k, v in found.to_dict().items() if k != "notes"}],
        settings={
            "files": files, "margin": margin, "near_duplicate": near_duplicate, "level": level,
        },
        notes=found.notes,
        fmt=fmt,
        output=output,
    )  # fmt: skip
    if not found.ok:
        raise typer.Exit(CHECK_FAILED)


@pairs.command()
@guarded
def export(
    source: Annotated[str, typer.Argument(metavar="FILE", help="File or folder of pairs.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help=".jsonl file, or folder.")],
    *,
    shape: ShapeChoice = Shape.datasets,
) -> None:
    """Write pairs in another format: JudgeBench, RewardBench, TRL, or a folder for datasets."""
    from evalkit.pairs import LOSSES, read_pairs

    found = read_pairs(source)
    for note in found.notes:
        say(f"note: {note}")
    _saved(found, target, shape)
    say(f"note: {shape.value} has no column for: {LOSSES[shape.value]}")
