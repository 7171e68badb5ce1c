"""``evalkit estimate``: mean outcome per group with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

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
from evalkit.cli.sources import read_source
from evalkit.errors import ArgumentError
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.intervals.mean import MeanMethod
    from evalkit.records import Records
    from evalkit.results import Estimate, Results
    from evalkit.tables import Table

__all__ = ["estimate"]


def estimates_table(results: Results[Estimate]) -> Table:
    """One row for each group."""
    from evalkit import tables

    groups = list(results[0].by) if len(results) else []
    columns = [
        *(tables.Column(key=f"by:{name}", header=name) for name in groups),
        tables.Column(key="estimate", header="estimate [interval]", align="right"),
        *(
            tables.Column(key=name, header=name, align="right")
            for name in ("n", "clusters", "attempted", "errored")
        ),
        tables.Column(key="bounds", header="if errors fail / pass", align="right"),
        tables.Column(key="method", header="method"),
        tables.Column(key="note", header="note"),
    ]
    rows = []
    for r in results:
        interval = r.interval
        bounds = UNDEFINED
        if r.low_if_errors_fail is not None and r.counts.errored:
            bounds = f"{r.low_if_errors_fail:.4f} / {r.high_if_errors_pass:.4f}"
        rows.append(
            tables.Row(
                cells=(
                    *(tables.text(r.by[name]) for name in groups),
                    tables.estimate(r, 4),
                    tables.number(r.n, 0),
                    tables.number(r.clusters, 0),
                    tables.number(r.counts.attempted, 0),
                    tables.number(r.counts.errored, 0),
                    tables.text(bounds),
                    tables.text(UNDEFINED if interval is None else interval.method),
                    tables.text(r.note or ""),
                )
            )
        )
    return tables.Table(columns=tuple(columns), rows=tuple(rows))


@guarded
def estimate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="PATH or NAME=PATH.")],
    *,
    by: By = None,
    cluster: Cluster = None,
    method: Method = "default",
    level: Level = 0.95,
    score_range: ScoreRange = None,
    errors: ErrorsChoice = Errors.exclude,
    column: Columns = None,
    partial: Partial = False,
    predicted: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Scores of a judge on all rows; the score is a label that some rows lack.",
        ),
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="The best system, corrected for having been chosen.")
    ] = False,
    seed: Seed = 0,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Mean outcome of each group, with an interval.

    With --predicted, a prediction-powered mean of each group. JSON fields: by, estimate, low,
    high, level, method, se, judge_weight (0 leaves the judge out), judge_mean, rectifier (label
    less judge), gold_only (from the labels alone), sensitivity, specificity, n_gold (labelled
    items), n_judged (items without a label), note. The labelled items must be a random part.

    With --best, one row for the system of the highest mean on the items that all systems were
    scored on. JSON fields: system, estimate and corrected (its mean less the optimism of the
    choice), naive (its mean), optimism, low and high (interval that holds whichever system
    wins), lower (one-sided bound of that kind), level, method, candidates, chances (of each
    system to win on other items), n, clusters, note.
    """
    groups = split_names(by)
    settings: dict[str, Any] = {
        "files": files,
        "by": groups,
        "cluster": cluster,
        "method": method,
        "level": level,
        "range": score_range,
        "errors": errors.value,
    }
    _refuse_clashes(settings, predicted, best=best)
    columns = column_map(column)
    if predicted is not None:
        from evalkit.comparisons.predicted_rows import beside_labels

        columns = beside_labels(predicted, columns)
    wanted = [*(groups or []), *([cluster] if cluster else []), *([predicted] if predicted else [])]
    sources = [
        read_source(f, columns=columns, keep=wanted, score_range=score_range, partial=partial)
        for f in files
    ]
    if predicted is not None:
        settings["predicted"] = predicted
    if best:
        settings |= {"best": True, "seed": seed}
    table, rows, notes = _estimated(sources, settings)
    emit(
        "estimate",
        table=table,
        results=rows,
        settings=settings,
        notes=notes,
        fmt=fmt,
        output=output,
    )


def _refuse_clashes(settings: dict[str, Any], predicted: str | None, *, best: bool) -> None:
    """Refuse options that `--predicted` or `--best` would have to ignore."""
    if best and predicted is not None:
        raise ArgumentError("`--best` does not go with --predicted; drop one of them")
    changed = {
        "--method": settings["method"] != "default",
        "--by": best and settings["by"] is not None,
        "--errors": predicted is not None and settings["errors"] != "exclude",
    }
    used = [name for name, value in changed.items() if value]
    if used and (best or predicted is not None):
        mode = "--best" if best else "--predicted"
        raise ArgumentError(f"`{mode}` does not go with {used[0]}; drop one of them")


def _estimated(
    sources: Sequence[Records], settings: dict[str, Any]
) -> tuple[Table, list[dict[str, Any]], Sequence[str]]:
    """Table, rows and notes of the kind of estimate that was asked for."""
    from evalkit.records import concat

    rows = sources[0] if len(sources) == 1 else concat(sources)
    shared: dict[str, Any] = {
        "cluster": settings["cluster"],
        "level": settings["level"],
        "score_range": settings["range"],
    }
    if "predicted" in settings:
        from evalkit.cli.estimate_predicted import predicted_table
        from evalkit.comparisons.predicted_rows import estimate_predicted

        found = estimate_predicted(
            rows, predicted=settings["predicted"], by=settings["by"], **shared
        )
        return predicted_table(found), found.to_dicts(), found.notes
    if "best" in settings:
        from evalkit.cli.estimate_best import best_rows, best_table
        from evalkit.comparisons.best_system import best_system

        chosen = best_system(rows, errors=settings["errors"], rng=settings["seed"], **shared)
        return best_table(chosen), best_rows(chosen), chosen.notes
    from evalkit.estimation import estimate as run

    results = run(
        rows,
        by=settings["by"],
        method=cast("MeanMethod", settings["method"]),
        errors=settings["errors"],
        **shared,
    )
    return estimates_table(results), results.to_dicts(), results.notes
