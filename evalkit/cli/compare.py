"""``evalkit compare``: candidate minus base on the items that both were scored on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.gates import GateOutcome, apply_gate, gate_level
from evalkit.cli.guard import CHECK_FAILED, guarded, say
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
from evalkit.errors import ArgumentError
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.comparisons.all_pairs import AllPairs
    from evalkit.records import Records
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
        *(tables.Column(key=f"by:{name}", header=name) for name in groups),
        *(tables.Column(key=name, header=name) for name in names),
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


def systems_table(found: AllPairs) -> Table:
    """One row for each system, best first, with its tie group and range of ranks."""
    from evalkit import tables
    from evalkit.rounding import format_number

    headers = ("mean [interval]", "n", "ranks")
    columns = [
        tables.Column(key="system", header="system"),
        *(tables.Column(key=name, header=name, align="right") for name in headers),
        tables.Column(key="group", header="group"),
    ]
    rows = []
    for entry in found.systems:
        shown = format_number(entry.mean, 4)
        if entry.interval is not None:
            low, high = (format_number(x, 4) for x in (entry.interval.low, entry.interval.high))
            shown = f"{shown} [{low}, {high}]"
        same = entry.rank_low == entry.rank_high
        ranks = str(entry.rank_low) if same else f"{entry.rank_low}-{entry.rank_high}"
        cells = (entry.system, shown, str(entry.n), ranks, entry.group)
        rows.append(tables.Row(cells=tuple(tables.text(c) for c in cells)))
    return tables.Table(columns=tuple(columns), rows=tuple(rows))


def all_pairs_table(found: AllPairs) -> Table:
    """One row for each pair, with its adjusted p-value."""
    from evalkit import tables
    from evalkit.rounding import format_number

    groups = {entry.system: entry.group for entry in found.systems}
    columns = tuple(
        tables.Column(key=name, header=name)
        for name in ("base", "candidate", "difference", "low", "high", "p", "p adjusted", "verdict")
    )
    rows = []
    for pair in found.comparisons:
        c, bounds = pair.comparison, pair.comparison.interval
        cells = (
            f"{c.base} ({groups[c.base]})",
            f"{c.candidate} ({groups[c.candidate]})",
            format_number(c.difference, 4, sign=True),
            UNDEFINED if bounds is None else format_number(bounds.low, 4),
            UNDEFINED if bounds is None else format_number(bounds.high, 4),
            p_text(c.p_value),
            p_text(pair.p_adjusted),
            pair.verdict,
        )
        rows.append(tables.Row(cells=tuple(tables.text(x) for x in cells)))
    return tables.Table(columns=columns, rows=tuple(rows))


class Adjust(StrEnum):
    """Adjustment of p-values over all pairs."""

    holm = "holm"
    bh = "bh"


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
    every: Annotated[
        bool, typer.Option("--all", help="Every pair of systems, with adjusted p-values.")
    ] = False,
    adjust: Annotated[Adjust, typer.Option(help="Adjustment of --all.")] = Adjust.holm,
    gate: Annotated[
        str | None,
        typer.Option(
            help="Exit with 1 unless the candidate is better (the default), not-worse, "
            "non-inferior:MARGIN or equivalent:MARGIN (two one-sided tests)."
        ),
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
    """Candidate minus base, with the interval that decides and the p-value it inverts.

    With --gate, the JSON object has a field gate: rule, passed, reasons; for equivalent:MARGIN
    also intervals, those at level 1 - 2α that the two one-sided tests of size α read.
    """
    groups = split_names(by)
    settings: dict[str, Any] = {
        "base": base,
        "candidate": candidate,
        "systems": systems,
        "all": every,
        "adjust": adjust.value if every else None,
        "by": groups,
        "cluster": cluster,
        "paired": not unpaired,
        "method": method,
        "level": level,
        "range": score_range,
        "errors": errors.value,
        "seed": seed,
        "gate": gate,
    }
    clashes = {"--systems": systems, "--by": groups, "--unpaired": unpaired, "--gate": gate}
    used = [name for name, value in clashes.items() if value]
    if every and used:
        raise ArgumentError(f"`--all` does not go with {used[0]}; drop one of them")
    arguments = [base, *([candidate] if candidate else [])]
    sources = [
        read_source(
            argument,
            columns=column_map(column),
            optional=[*(groups or []), *([cluster] if cluster else [])],
            score_range=score_range,
            partial=partial,
        )
        for argument in arguments
    ]
    if every:
        _all_pairs(sources, settings, fmt, output)
    else:
        _two_systems(sources, arguments, settings, fmt, output)


def _two_systems(
    sources: Sequence[Records],
    arguments: Sequence[str],
    settings: Mapping[str, Any],
    fmt: Format,
    output: Path | None,
) -> None:
    """Compare two systems, and apply the gate."""
    from evalkit.comparison import compare_groups

    candidate = sources[1] if len(sources) > 1 else None
    unnamed = candidate is not None and settings["systems"] is None
    names = distinct_names(sources, arguments) if unnamed else None

    def compared(level: float) -> Results[Comparison]:
        return compare_groups(
            sources[0],
            candidate,
            systems=settings["systems"],
            by=settings["by"],
            cluster=settings["cluster"],
            paired=settings["paired"],
            method=settings["method"],
            level=level,
            score_range=settings["range"],
            errors=settings["errors"],
            names=names,
            rng=settings["seed"],
        )

    results = compared(settings["level"])
    outcome = _gated(results, compared, sources, settings)
    emit(
        "compare",
        table=comparisons_table(results),
        results=results.to_dicts(),
        settings=settings,
        notes=[*results.notes, *(outcome.notes if outcome is not None else ())],
        fmt=fmt,
        output=output,
        extra={} if outcome is None else {"gate": outcome.to_dict()},
    )
    if outcome is not None and not outcome.passed:
        for reason in outcome.reasons:
            say(f"evalkit: gate {outcome.rule} failed: {reason}")
        raise typer.Exit(CHECK_FAILED)


def _gated(
    results: Results[Comparison],
    compared: Callable[[float], Results[Comparison]],
    sources: Sequence[Records],
    settings: Mapping[str, Any],
) -> GateOutcome | None:
    """Apply the gate, on comparisons at its own level where it has one."""
    from evalkit.intervals.mean import infer_range
    from evalkit.tally import tally_values

    gate, level = settings["gate"], settings["level"]
    if gate is None:
        return None
    own = gate_level(gate, level)
    scores = [tally_values(rows.frame["score"].to_numpy()) for rows in sources]
    return apply_gate(
        gate,
        results if own == level else compared(own),
        score_range=infer_range(scores, score_range=settings["range"]),
    )


def _all_pairs(
    sources: Sequence[Records], settings: Mapping[str, Any], fmt: Format, output: Path | None
) -> None:
    """Compare every pair of systems of the sources."""
    from evalkit.comparisons import compare_all
    from evalkit.records import concat

    found: AllPairs = compare_all(
        sources[0] if len(sources) == 1 else concat(sources),
        cluster=settings["cluster"],
        method=settings["method"],
        level=settings["level"],
        adjust=settings["adjust"],
        score_range=settings["range"],
        errors=settings["errors"],
        rng=settings["seed"],
    )
    groups = {entry.system: entry.group for entry in found.systems}
    pairs = []
    for pair in found.comparisons:
        row = pair.to_dict()
        row["group"] = {
            "base": groups[pair.comparison.base],
            "candidate": groups[pair.comparison.candidate],
        }
        pairs.append(row)
    emit(
        "compare",
        table=systems_table(found) if fmt is Format.table else all_pairs_table(found),
        results=pairs,
        settings=settings,
        notes=found.notes,
        fmt=fmt,
        output=output,
        extra={"systems": [entry.to_dict() for entry in found.systems]},
    )
