"""Arithmetic consistency of printed numbers: whether they can all be right at once."""

from __future__ import annotations

from evalkit.consistency.findings import AuditedCell, AuditReport, AuditVerdict
from evalkit.consistency.grid import Grid, GridCell
from evalkit.consistency.layout import Kind, TieRule
from evalkit.consistency.printed import Printed, RoundingRule, parse_printed
from evalkit.consistency.reading import read_grids
from evalkit.consistency.roles import Role
from evalkit.consistency.run import PlusMinus, audit

__all__ = [
    "AuditReport",
    "AuditVerdict",
    "AuditedCell",
    "Grid",
    "GridCell",
    "Kind",
    "PlusMinus",
    "Printed",
    "Role",
    "RoundingRule",
    "TieRule",
    "audit",
    "parse_printed",
    "read_grids",
]
