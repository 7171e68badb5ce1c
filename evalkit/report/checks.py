"""What the doctor found, as findings and tables of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalkit.report.page import Finding
from evalkit.tables.cells import number, text
from evalkit.tables.table import Column, Table, make_table

if TYPE_CHECKING:
    from evalkit.doctor import Diagnosis

__all__ = ["check_findings", "check_tables"]


def check_findings(found: Diagnosis) -> list[Finding]:
    """Return errors and warnings as findings."""
    return [
        Finding(
            status=each.severity,
            title=f"{each.check}: {each.message}",
            detail=f"{each.count}" + (f": {'; '.join(each.examples)}" if each.examples else ""),
        )
        for each in found.findings
        if each.severity != "info"
    ]


def check_tables(found: Diagnosis) -> list[tuple[str, Table]]:
    """Return what the file holds, and every check that found something."""
    held = [*found.tables.items(), *found.counts.items()]
    out = [
        (
            "What the source holds",
            make_table(
                ["what", Column(key="count", header="count", align="right")],
                [[text(name), number(count)] for name, count in held],
                notes=[f"Read as {found.title}."],
            ),
        )
    ]
    if found.findings:
        rows = [
            [
                text(each.severity),
                text(each.check),
                number(each.count),
                text(each.message),
                text("; ".join(each.examples)),
            ]
            for each in found.findings
        ]
        columns = ["severity", "check", "count", "what", "examples"]
        out.append(("Checks of the source", make_table(columns, rows)))
    return out
