"""Rows of the tables that an importer makes: verdicts without repeats, and rounds of a history."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evalkit.records.importers.base import Dropped, Row, summarise_drops

__all__ = [
    "Decision",
    "VerdictRows",
    "artifact_hash",
    "from_one",
    "history_row",
    "mean",
    "named",
    "split_note",
    "status_note",
]

Decision = Literal["new best", "flat", "reject", "no-op"]
_KEY = ("system", "item", "attempt", "verifier", "order")
_NAMED = 5


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there, ``None`` where none is.

    Examples
    --------
    >>> mean([1.0, None, 0.0]), mean([])
    (0.5, None)
    """
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def named(names: Sequence[str], *, most: int = _NAMED) -> str:
    """List the first names and count the rest.

    Examples
    --------
    >>> named(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def artifact_hash(data: bytes) -> str:
    """Return the short hash that byte-identical artifacts share."""
    return hashlib.sha256(data).hexdigest()[:16]


def history_row(
    number: int,
    *,
    score: float | None,
    decision: Decision | None,
    artifact: str | None = None,
    changed: bool | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Row:
    """Return one round, as `evalkit.trajectory` reads it."""
    return {
        **(extra or {}),
        "round": number,
        "score": score,
        "artifact": artifact,
        "changed": changed,
        "decision": decision,
    }


@dataclass(slots=True, kw_only=True)
class VerdictRows:
    """Verdicts under way.

    Attributes
    ----------
    rows : list of dict
        So far.
    drops : list of (reason, example)
        Rows of the source that did not become verdicts.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    drops: list[tuple[str, str]] = field(default_factory=list)

    def add(
        self,
        *,
        system: str,
        item: str,
        score: float | None,
        status: str = "scored",
        attempt: str = "1",
        verifier: str = "",
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Take a verdict; only a scored one keeps its score."""
        if status == "scored" and score is None:
            status = "missing"
        self.rows.append(
            {
                "system": system,
                "item": item,
                "attempt": attempt,
                "verifier": verifier,
                "order": "",
                "score": score if status == "scored" else None,
                "status": status,
                **(extra or {}),
            }
        )

    def finish(self, notes: list[str]) -> tuple[tuple[Row, ...], tuple[Dropped, ...]]:
        """Return the rows, each verdict once, and what was dropped.

        Notes
        -----
        A row that repeats another in every column is dropped. Where one system has an item in two
        splits, all rows of such items are named ``SPLIT/ITEM``. What still repeats are several
        evaluations of one item: they become attempts. Attempts that the log counts from 0 are
        counted from 1.
        """
        rows = _once(self.rows, self.drops)
        rows = _split_apart(rows, notes)
        rows = from_one(_as_attempts(rows, notes), notes)
        return tuple(rows), summarise_drops(self.drops)


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in _KEY)


def _once(rows: list[dict[str, Any]], drops: list[tuple[str, str]]) -> list[dict[str, Any]]:
    seen: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    kept = []
    for row in rows:
        same = seen.setdefault(_key(row), [])
        if row in same:
            drops.append(("repeats another row in every column", _place(row)))
            continue
        same.append(row)
        kept.append(row)
    return kept


def _place(row: Mapping[str, Any]) -> str:
    return f"item {row['item']!r} of {row['system']}"


def _repeated(rows: list[dict[str, Any]]) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_key(row), []).append(row)
    return {key: group for key, group in groups.items() if len(group) > 1}


def _split_apart(rows: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    shared = {
        group[0]["item"]: None
        for group in _repeated(rows).values()
        if len({row.get("split") for row in group}) > 1
    }
    if not shared:
        return rows
    notes.append(
        f"{len(shared)} items stand in more than one split and are named SPLIT/ITEM: "
        f"{named(list(map(repr, shared)))}"
    )
    return [
        {**row, "item": f"{row.get('split')}/{row['item']}"} if row["item"] in shared else row
        for row in rows
    ]


def _as_attempts(rows: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    repeated = _repeated(rows)
    if not repeated:
        return rows
    taken = {_key(row) for row in rows}
    seen: set[tuple[str, ...]] = set()
    out = []
    for row in rows:
        key = _key(row)
        fresh = row
        if key in seen:
            number = 2
            while key in taken:
                fresh = {**row, "attempt": str(number)}
                key, number = _key(fresh), number + 1
            taken.add(key)
        seen.add(key)
        out.append(fresh)
    examples = [_place(group[0]) for group in repeated.values()]
    notes.append(
        f"{len(repeated)} items were evaluated more than once by one system, with other results: "
        f"each evaluation is an attempt ({named(examples)})"
    )
    return out


def from_one(rows: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    """Count attempts from 1 where the log counts them from 0.

    Examples
    --------
    >>> from_one([{"attempt": "0"}, {"attempt": "1"}], [])
    [{'attempt': '1'}, {'attempt': '2'}]
    """
    texts = {row["attempt"] for row in rows}
    plain = all(text.isdecimal() and len(text) < 10 and str(int(text)) == text for text in texts)
    if "0" not in texts or not plain:
        return rows
    notes.append("attempts are counted from 1 here; the log counts them from 0")
    return [{**row, "attempt": str(int(row["attempt"]) + 1)} for row in rows]


def split_note(rows: Iterable[Row]) -> list[str]:
    """Say that rows of several splits stand in one table, where they do."""
    splits = sorted({str(row["split"]) for row in rows if row.get("split")})
    if len(splits) < 2:
        return []
    return [f"the rows are of the splits {', '.join(splits)}: keep them apart with --by split"]


def status_note(rows: Iterable[Row], *, counted_as: str = "failures") -> list[str]:
    """Say how many rows hold no score and how the log counts them, where some do."""
    table = list(rows)
    counts: dict[str, int] = {}
    for row in table:
        if row["status"] not in {"scored", "skipped"}:
            counts[row["status"]] = counts.get(row["status"], 0) + 1
    if not counts:
        return []
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    verb = f"; the log counts them as {counted_as}" if counted_as else ""
    return [f"{sum(counts.values())} of {len(table)} rows hold no score ({listed}){verb}"]
