"""``evalkit estimate --best``: the best of several systems, corrected for the choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.rounding import UNDEFINED, format_number

if TYPE_CHECKING:
    from evalkit.comparisons.selection import SelectionCorrected
    from evalkit.results import Results
    from evalkit.tables import Table

__all__ = ["best_rows", "best_table"]


def best_rows(results: Results[SelectionCorrected]) -> list[dict[str, Any]]:
    """Fields of the winner: what to report first, what was naive beside it."""
    rows = []
    for r in results:
        interval = r.interval
        rows.append(
            {
                "system": r.winner,
                "estimate": r.corrected,
                "naive": r.best,
                "corrected": r.corrected,
                "optimism": r.optimism,
                "low": None if interval is None else interval.low,
                "high": None if interval is None else interval.high,
                "lower": r.lower,
                "level": r.level,
                "method": None if interval is None else interval.method,
                "candidates": len(r.chances),
                "chances": dict(r.chances),
                "n": r.n,
                "clusters": r.clusters,
                "note": r.note,
            }
        )
    return rows


def best_table(results: Results[SelectionCorrected]) -> Table:
    """One row for the winner."""
    from evalkit import tables

    headers = ("system", "corrected [interval]", "naive", "lower bound", "chance to win", "n")
    right = headers[1:]
    columns = tuple(
        tables.Column(key=name, header=name, align="right" if name in right else "left")
        for name in (*headers, "clusters", "method", "note")
    )
    rows = []
    for r in results:
        shown = format_number(r.corrected, 4)
        if r.interval is not None:
            low, high = (format_number(x, 4) for x in (r.interval.low, r.interval.high))
            shown = f"{shown} [{low}, {high}]"
        chance = None if r.winner is None else r.chances.get(r.winner)
        cells = (
            tables.text(r.winner or UNDEFINED),
            tables.text(shown),
            tables.number(r.best, 4),
            tables.number(r.lower, 4),
            tables.number(chance, 2),
            tables.number(r.n, 0),
            tables.number(r.clusters, 0),
            tables.text(UNDEFINED if r.interval is None else r.interval.method),
            tables.text(r.note or ""),
        )
        rows.append(tables.Row(cells=cells))
    return tables.Table(columns=columns, rows=tuple(rows))
