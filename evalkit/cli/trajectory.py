"""``evalkit trajectory``: new-best accounting and gate replay of recorded runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.guard import guarded
from evalkit.cli.options import By, Format, FormatChoice, Level, Log, Output, split_names
from evalkit.cli.output import emit
from evalkit.cli.sources import log_rows, split_label
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.tables import Table
    from evalkit.trajectories import Trajectory

__all__ = ["trajectory"]


def trajectory_table(found: Trajectory) -> Table:
    """All runs, each group, then each round."""
    from evalkit import tables

    headers = ("runs", "candidates", "new bests", "runs improved", "yield [interval]")
    columns = [
        tables.Column(key="group", header="group"),
        *(tables.Column(key=name, header=name, align="right") for name in headers),
    ]
    total = found.accounting
    lines = [("all", total.runs, total.candidates, total.new_bests, total.runs_improved, total)]
    lines += [
        (", ".join(g.by.values()), g.runs, g.candidates, g.new_bests, g.runs_improved, g)
        for g in total.groups
    ]
    rows = [
        tables.Row(
            cells=(
                tables.text(name),
                *(tables.number(x, 0) for x in (runs, candidates, bests, improved)),
                tables.text(_yield_text(group.yield_, group.interval)),
            )
        )
        for name, runs, candidates, bests, improved, group in lines
    ]
    rows += [
        tables.Row(
            cells=(
                tables.text(f"round {entry.round}"),
                tables.number(entry.attempted, 0),
                tables.number(entry.attempted, 0),
                tables.number(entry.new_bests, 0),
                tables.text(UNDEFINED),
                tables.text(_yield_text(entry.yield_, entry.interval)),
            )
        )
        for entry in total.by_round
    ]
    return tables.Table(columns=tuple(columns), rows=tuple(rows))


def _yield_text(value: float | None, interval: object) -> str:
    from evalkit.results import Interval
    from evalkit.rounding import format_number

    if value is None:
        return UNDEFINED
    shown = f"{format_number(100 * value, 1)}%"
    if isinstance(interval, Interval):
        low, high = (format_number(100 * x, 1) for x in (interval.low, interval.high))
        shown += f" [{low}, {high}]"
    return shown


def _history(path: str, log: str | None) -> tuple[Sequence[Mapping[str, object]], Sequence[str]]:
    """Rows of a file, of a run of `evalkit run`, or of another tool's run folder."""
    from evalkit.evolve.reading import history_rows, is_run_folder
    from evalkit.records.importers import rows_for
    from evalkit.records.raw import read_rows

    if log is not None:
        found = log_rows(path, "history", log)
    elif is_run_folder(path):
        return history_rows(path), ()
    else:
        found = rows_for(path, "history") or read_rows(path)
    return found.rows, found.notes


@guarded
def trajectory(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="PATH or NAME=PATH.")],
    *,
    by: By = None,
    gate: Annotated[
        str, typer.Option(help="strict, non-decreasing, or dead-band:WIDTH[:best].")
    ] = "non-decreasing",
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Columns that tell runs apart.")
    ] = None,
    level: Level = 0.95,
    log: Log = None,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Account for new bests, gate decisions and yields of recorded evolution runs.

    Each file holds one row for each round of each run: round (0 is the parent), score, and label
    columns such as run, model, benchmark, view; optionally artifact, changed, decision, test.
    """
    from evalkit.trajectories import trajectory as account

    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for argument in runs:
        name, path = split_label(argument)
        found, remarks = _history(path, log)
        several = len(runs) > 1
        for row in found:
            extra = {"run": name or path} if several and (name or "run" not in row) else {}
            rows.append({**row, **extra} if name else {**extra, **row})
        notes += remarks
    result = account(rows, labels=split_names(label), by=split_names(by), gate=gate, level=level)
    emit(
        "trajectory",
        table=trajectory_table(result),
        results=[result.to_dict()],
        settings={"runs": runs, "by": by, "gate": gate, "labels": label, "level": level},
        notes=[*notes, *result.notes],
        fmt=fmt,
        output=output,
    )
