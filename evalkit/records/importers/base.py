"""What an importer is, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["Dropped", "Imported", "LogFormat", "Row", "TableKind", "filled", "summarise_drops"]

Row = Mapping[str, Any]
TableKind = Literal["verdicts", "history", "judgments", "pairs"]
"""``verdicts``: rows of `evalkit.read`; ``history``: rows of `evalkit.trajectory`, one a round;
``judgments``: rows of `evalkit.agreement`; ``pairs``: unjudged pairs, such as a benchmark holds."""
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Rows of the source that did not become rows of a table.

    Attributes
    ----------
    reason : str
        Why, as a message says it.
    count : int
        How many.
    examples : tuple of str
        The first few, each named so that it can be found in the source.
    """

    reason: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The tables of one log, with all that was left out, reconstructed or odd.

    Attributes
    ----------
    format : str
        Name of the format, as ``--from`` takes it.
    sources : tuple of str
        Files that were read.
    tables : mapping of str to tuple of rows
        Each kind of table that the log holds; ids are text, a missing value is ``None``.
    dropped : tuple of Dropped
        What did not become a row, by reason.
    notes : tuple of str
        What was reconstructed, ambiguous or odd.
    facts : mapping of str to object
        What the log says of itself (model, seed, reported scores), JSON-safe.
    """

    format: str
    sources: tuple[str, ...]
    tables: Mapping[TableKind, tuple[Row, ...]]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """One format: how it is recognised and read.

    Attributes
    ----------
    name : str
        As ``--from`` takes it.
    title : str
        What it is, in one line.
    detects : callable
        Whether a path holds this format. It looks at names and the first bytes, and never raises.
    load : callable
        Reads it. Raises leaves of `EvalkitError` that name file, line and item.
    """

    name: str
    title: str
    detects: Callable[[Path], bool]
    load: Callable[[Path], Imported]


def filled(tables: Mapping[TableKind, Sequence[Row]]) -> dict[TableKind, tuple[Row, ...]]:
    """Return the tables that hold rows.

    Examples
    --------
    >>> filled({"verdicts": [{"item": "a"}], "history": []})
    {'verdicts': ({'item': 'a'},)}
    """
    return {kind: tuple(rows) for kind, rows in tables.items() if rows}


def summarise_drops(drops: Iterable[tuple[str, str]]) -> tuple[Dropped, ...]:
    """Group (reason, example) pairs by reason, in order of first appearance.

    Examples
    --------
    >>> summarise_drops([("no score", "item 3"), ("no score", "item 9")])[0].count
    2
    """
    found: dict[str, list[str]] = {}
    for reason, example in drops:
        found.setdefault(reason, []).append(example)
    return tuple(
        Dropped(reason=reason, count=len(names), examples=tuple(names[:_NAMED]))
        for reason, names in found.items()
    )
