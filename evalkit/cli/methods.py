"""``evalkit methods``: every interval method and test with its measured coverage or size."""

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
    if "size" in found:
        parts.append("size " + " ".join(f"{x:.3f}".removeprefix("0") for x in found["size"]))
    return f"{setting}: {', '.join(parts)}"


def methods_table(found: Results[MethodInfo]) -> Table:
    """One row for each method."""
    from evalkit import tables

    headers = ("method", "estimates", "ask for it", "default for", "rule", "source", "coverage")
    columns = tuple(tables.Column(key=name, header=name) for name in headers)
    rows = []
    for info in found:
        coverage = "; ".join(_figures(s, f) for s, f in info.coverage.items()) or UNDEFINED
        texts = (
            info.method,
            info.estimates,
            info.ask,
            info.default_for or UNDEFINED,
            info.rule,
            info.source,
            coverage,
        )
        rows.append(tables.Row(cells=tuple(tables.text(t) for t in texts)))
    return tables.Table(columns=columns, rows=tuple(rows))


@guarded
def methods(*, fmt: FormatChoice = Format.table, output: Output = None) -> None:
    """List the interval methods and tests: data, how to ask, rule, source, measured coverage.

    JSON fields: method, estimates, ask, default_for, rule, source, coverage (by setting: at,
    floor, worst, below_93; size of a test).
    """
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
