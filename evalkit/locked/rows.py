"""Verdicts of several verifiers on the same outputs, and the check that they are the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalkit._design import Design, design
from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.results import Range

__all__ = ["LockedRows", "Unit", "read_locked"]

Unit = tuple[str, str, str, str]
"""One output: system, item, attempt, order."""

_OUTPUT_COLUMNS = ("output_sha256", "output")


@dataclass(slots=True, kw_only=True)
class LockedRows:
    """Scores by verifier and output.

    Attributes
    ----------
    verifiers : tuple of str
        As asked for.
    scores : dict
        Verifier -> output -> score, for the verdicts that were given.
    units : set
        Every output that some verifier was asked about.
    statuses : dict
        Verifier -> what became of the verdicts that were not given.
    clusters : dict or None
        Item -> cluster.
    checked, unchecked : int
        Outputs whose bytes could be compared, and not.
    notes : list of str
        Remarks of the reader.
    """

    verifiers: tuple[str, ...]
    scores: dict[str, dict[Unit, float]]
    units: set[Unit] = field(default_factory=set)
    statuses: dict[str, Counter[str]]
    clusters: dict[str, str] | None
    checked: int = 0
    unchecked: int = 0
    notes: list[str] = field(default_factory=list)

    def common(self) -> set[Unit]:
        """Return the outputs that every verifier scored."""
        first, *others = (set(found) for found in self.scores.values())
        return first.intersection(*others)


def _chosen_verifiers(found: Sequence[str], wanted: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(wanted, str):
        raise ArgumentError(f"`verifiers` is the text {wanted!r}; give a sequence of names")
    names = tuple(found if wanted is None else wanted)
    known = ", ".join(map(repr, found[:8])) or "none"
    for name in names:
        if name not in found:
            raise ArgumentError(f"`verifiers` names {name!r}; the data hold {known}")
    if len(set(names)) != len(names) or len(names) < 2:
        raise ArgumentError(
            f"`verifiers` is {list(names)}; name two or more different ones (the data hold {known})"
        )
    return names


def _table(found: Design, cluster: str | None) -> list[dict[str, Any]]:
    for name in ("system", "item", "verifier"):
        if not found.has(name):
            raise MissingColumnError(
                f"column {name!r} is not there; the columns are "
                f"{', '.join(map(repr, (*found.columns, *found.other_columns)))}"
            )
    extra = [*_OUTPUT_COLUMNS, *([cluster] if cluster else [])]
    names = ["system", "item", "attempt", "order", "verifier", "score", "status", *extra]
    frame = found.frame.select([name for name in dict.fromkeys(names) if found.has(name)])
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return list(eager.iter_rows(named=True))


def _score(row: Mapping[str, Any]) -> float | None:
    value = row["score"]
    if value is None or row.get("status") not in (None, "scored"):
        return None
    return None if math.isnan(value) else float(value)


def _status(row: Mapping[str, Any]) -> str:
    status = row.get("status")
    return "missing" if status in (None, "scored") else str(status)


def _clusters(rows: Sequence[Mapping[str, Any]], cluster: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        item, label = str(row["item"]), row.get(cluster)
        if label is None:
            continue
        if found.setdefault(item, str(label)) != str(label):
            raise InputError(
                f"it stands in clusters {found[item]!r} and {str(label)!r}; give it one", item=item
            )
    return found


def _check_outputs(rows: Sequence[tuple[Unit, Mapping[str, Any]]], out: LockedRows) -> None:
    """Refuse outputs that differ between verifiers; count those that cannot be compared."""
    known: dict[tuple[str, Unit], tuple[str, str]] = {}
    seen: Counter[Unit] = Counter()
    for unit, row in rows:
        compared = False
        for column in _OUTPUT_COLUMNS:
            value = row.get(column)
            if value is None:
                continue
            text = str(value).lower() if column == "output_sha256" else str(value)
            first, verifier = known.setdefault((column, unit), (text, str(row["verifier"])))
            if first != text:
                raise InputError(
                    f"the output of {unit[0]!r} differs between verifiers {verifier!r} and "
                    f"{str(row['verifier'])!r} (column {column!r}); score the same bytes under all",
                    item=unit[1],
                )
            compared = True
        seen[unit] += compared
    out.checked = sum(count == len(out.verifiers) for count in seen.values())
    out.unchecked = len(seen) - out.checked


def read_locked(
    data: Any,
    *,
    verifiers: Sequence[str] | None,
    cluster: str | None,
    columns: Mapping[str, str] | None,
    score_range: Range | None,
) -> LockedRows:
    """Read the verdicts, and check that every output is the same under all verifiers."""
    optional = [*_OUTPUT_COLUMNS, *([cluster] if cluster else [])]
    found = design(data, columns=columns, optional=optional, score_range=score_range)
    if cluster is not None and not found.has(cluster):
        known = ", ".join(map(repr, (*found.columns, *found.other_columns)))
        raise MissingColumnError(f"column {cluster!r} is not there; the columns are {known}")
    table = _table(found, cluster)
    names = _chosen_verifiers(sorted({str(row["verifier"]) for row in table}), verifiers)
    wanted = set(names)
    rows = [
        ((str(r["system"]), str(r["item"]), str(r.get("attempt", "1")), str(r.get("order", ""))), r)
        for r in table
        if str(r["verifier"]) in wanted
    ]
    out = LockedRows(
        verifiers=names,
        scores={name: {} for name in names},
        statuses={name: Counter() for name in names},
        clusters=None if cluster is None else _clusters([r for _, r in rows], cluster),
        notes=list(found.notes),
    )
    seen: set[tuple[str, Unit]] = set()
    for unit, row in rows:
        verifier = str(row["verifier"])
        if (verifier, unit) in seen:
            raise DuplicateRowError(
                f"{verifier!r} judged the same output of {unit[0]!r} twice", item=unit[1]
            )
        seen.add((verifier, unit))
        out.units.add(unit)
        score = _score(row)
        if score is None:
            out.statuses[verifier][_status(row)] += 1
        else:
            out.scores[verifier][unit] = score
    _check_outputs(rows, out)
    return out
