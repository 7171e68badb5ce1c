"""What the audit says of one printed number, and of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evalkit.results import Results

__all__ = ["AuditReport", "AuditVerdict", "AuditedCell", "distance"]

AuditVerdict = Literal["ok", "rounding", "mismatch", "uncheckable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedCell:
    """One check of one printed number.

    Attributes
    ----------
    table : str
        Name of the table.
    row : str or None
        Label of the row; ``None`` for a remark on a whole column.
    column : str
        Heading of the column.
    printed : str or None
        The number as printed.
    check : str
        Which check.
    verdict : {"ok", "rounding", "mismatch", "uncheckable"}
        ``rounding``: reached only under another rounding rule or from rounded inputs.
    expected : str or None
        What the check gives, with the arithmetic.
    distance : float or None
        Printed minus expected, in printed units.
    explanation : str
        What would explain it, or why it cannot be checked; may be empty where all is well.
    """

    table: str
    row: str | None
    column: str
    printed: str | None
    check: str
    verdict: AuditVerdict
    expected: str | None = None
    distance: float | None = None
    explanation: str = ""

    @property
    def is_finding(self) -> bool:
        """Whether it says that something does not follow."""
        return self.verdict in {"mismatch", "rounding"}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit audit`` as JSON-safe values."""
        cell = {name: getattr(self, name) for name in ("table", "row", "column", "printed")}
        rest = ("check", "verdict", "expected", "distance", "explanation")
        return {"cell": cell, **{name: getattr(self, name) for name in rest}}


class _Flat:
    """A result whose cell is spread over columns."""

    def __init__(self, cell: AuditedCell) -> None:
        self.cell = cell

    def to_dict(self) -> dict[str, Any]:
        """Return the fields without nesting."""
        fields = self.cell.to_dict()
        return {**fields.pop("cell"), **fields}


class AuditReport(Results[AuditedCell]):
    """Every check that was made, findings first.

    Examples
    --------
    >>> from evalkit.consistency import audit
    >>> rows = [{"system": "A", "n": "40", "accuracy": "62.5"},
    ...         {"system": "B", "n": "40", "accuracy": "63.0"}]
    >>> report = audit(rows)
    >>> [(c.row, c.printed, c.check, c.verdict) for c in report.findings]
    [('B', '63.0', 'attainable', 'mismatch')]
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return one row for each check, the cell in columns of its own."""
        return Results([_Flat(cell) for cell in self]).to_frame()

    @property
    def findings(self) -> tuple[AuditedCell, ...]:
        """What does not follow: mismatches, then what needs another rounding."""
        return tuple(cell for cell in self if cell.is_finding)

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Number of cells by check and verdict."""
        out: dict[str, Counter[str]] = {}
        for cell in self:
            out.setdefault(cell.check, Counter())[cell.verdict] += 1
        return {check: dict(sorted(verdicts.items())) for check, verdicts in sorted(out.items())}


def distance(printed: Fraction, expected: Fraction) -> float | None:
    """Return printed minus expected, without binary noise; ``None`` beyond a double."""
    try:
        return float(f"{float(printed - expected):.6g}")
    except OverflowError:
        return None
