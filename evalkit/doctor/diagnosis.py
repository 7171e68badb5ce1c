"""The result of an examination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalkit.results import json_value

__all__ = ["Diagnosis", "Finding", "Severity", "Support", "by_severity", "finding"]

Severity = Literal["error", "warning", "info"]
"""``error``: a verb refuses the file, or its numbers would be wrong; ``warning``: they may mislead;
``info``: worth knowing, or usable."""
_NAMED = 5
_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was found.

    Attributes
    ----------
    check : str
        Name of the check.
    severity : {"error", "warning", "info"}
        How bad.
    message : str
        What, and what to do about it.
    count : int
        How many rows, items or candidates.
    examples : tuple of str
        The first few.
    """

    check: str
    severity: Severity
    message: str
    count: int
    examples: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "check": self.check,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "examples": list(self.examples),
        }


def finding(
    check: str, severity: Severity, message: str, names: list[str], *, count: int | None = None
) -> Finding:
    """Return a finding with its first few examples."""
    return Finding(
        check=check,
        severity=severity,
        message=message,
        count=len(names) if count is None else count,
        examples=tuple(names[:_NAMED]),
    )


def by_severity(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with errors first."""
    return tuple(sorted(found, key=lambda each: _ORDER[each.severity]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Whether a verb can use the file.

    Attributes
    ----------
    command : str
        The verb, as it would be typed.
    possible : bool
        Whether it can.
    reason : str
        Why, or why not.
    """

    command: str
    possible: bool
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {"command": self.command, "possible": self.possible, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a file is, supports and suffers from.

    Attributes
    ----------
    path : str
        File or folder.
    format, title : str
        What it is.
    tables : mapping of str to int
        Rows of each table that it holds.
    counts : mapping of str to int
        Systems, items, attempts, verifiers, scored and errored rows, rounds, pairs.
    supports : tuple of Support
        Verbs that can use it, and those that cannot.
    findings : tuple of Finding
        What is wrong, errors first.
    notes : tuple of str
        What the reader had to say.
    """

    path: str
    format: str
    title: str
    tables: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    supports: tuple[Support, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that make numbers wrong or a verb refuse."""
        return tuple(each for each in self.findings if each.severity == "error")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit doctor`` as JSON-safe values."""
        return {
            "path": self.path,
            "format": self.format,
            "title": self.title,
            "tables": json_value(dict(self.tables)),
            "counts": json_value(dict(self.counts)),
            "supports": [each.to_dict() for each in self.supports],
            "findings": [each.to_dict() for each in self.findings],
        }
