"""``evalkit methods``: every interval method with its measured coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.cli.guard import guarded
from evalkit.cli.options import Format, FormatChoice, Output
from evalkit.cli.output import emit
from evalkit.rounding import UNDEFINED

if TYPE_CHECKING:
    from evalkit.intervals.catalogue import MethodInfo
    from evalkit.results import Results
    from evalkit.tables import Table

__all__ = ["methods"]


def _figures(setting: str, found: Any) -> str:
    parts = []
    if "at" in found:
        parts.append(" ".join(f"{x:.3f}".lstrip("0") for x in found["at"]))
    if "floor" in found:
        parts.append(f"floor {found['floor']:.3f}".replace("0.", "."))
    if "worst" in found:
        parts.append(f"worst {found['worst']:.3f}".replace("0.", "."))
    return f"{setting}: {', '.join(parts)}"


def methods_table(found: Results[MethodInfo]) -> Table:
    """One row for each method."""
    from evalkit import tables

    headers = ("method", "estimates", "default for", "rule", "source", "coverage")
    columns = tuple(tables.Column(key=name, header=name) for name in headers)
    rows = []
    for info in found:
        coverage = "; ".join(_figures(s, f) for s, f in info.coverage.items()) or UNDEFINED
        texts = (
            info.method,
            info.estimates,
            info.default_for or UNDEFINED,
            info.rule,
            info.source,
            coverage,
        )
        rows.append(tables.Row(cells=tuple(tables.text(t) for t in texts)))
    return tables.Table(columns=columns, rows=tuple(rows))


@guarded
def methods(*, fmt: FormatChoice = Format.table, output: Output = None) -> None:
    """List the interval methods: data, rule, source, and measured coverage."""
    from evalkit.intervals.catalogue import methods as catalogue

    found = catalogue()
    emit(
        "methods",
        table=methods_table(found),
        results=found.to_dicts(),
        settings={},
        notes=found.notes,
        fmt=fmt,
        output=output,
    )
