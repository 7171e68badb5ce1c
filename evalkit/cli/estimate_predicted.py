"""``evalkit estimate --predicted``: labels on some rows, a judge's score on all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalkit.rounding import UNDEFINED, format_number

if TYPE_CHECKING:
    from evalkit.comparisons.prediction_powered import PredictionPowered
    from evalkit.results import Results
    from evalkit.tables import Table

__all__ = ["predicted_table"]


def predicted_table(results: Results[PredictionPowered]) -> Table:
    """One row for each group, with the estimate from the labels alone beside it."""
    from evalkit import tables

    groups = list(results[0].by) if len(results) else []
    right = (
        "estimate [interval]",
        "labelled",
        "judged only",
        "labels only [interval]",
        "judge's mean",
        "judge's weight",
        "sensitivity",
        "specificity",
    )
    columns = [tables.Column(key=name, header=name) for name in groups]
    columns += [tables.Column(key=name, header=name, align="right") for name in right]
    columns += [tables.Column(key=name, header=name) for name in ("method", "note")]
    rows = []
    for r in results:
        shown = format_number(r.estimate, 4)
        if r.interval is not None:
            low, high = (format_number(x, 4) for x in (r.interval.low, r.interval.high))
            shown = f"{shown} [{low}, {high}]"
        rates = [None if found is None else found.rate for found in (r.sensitivity, r.specificity)]
        rows.append(
            tables.Row(
                cells=(
                    *(tables.text(r.by[name]) for name in groups),
                    tables.text(shown),
                    tables.number(r.n_gold, 0),
                    tables.number(r.n_judged, 0),
                    tables.estimate(r.gold_only, 4),
                    tables.number(r.judge_mean, 4),
                    tables.number(r.judge_weight, 4),
                    *(tables.number(rate, 4) for rate in rates),
                    tables.text(UNDEFINED if r.interval is None else r.interval.method),
                    tables.text(r.note or ""),
                )
            )
        )
    return tables.Table(columns=tuple(columns), rows=tuple(rows))
