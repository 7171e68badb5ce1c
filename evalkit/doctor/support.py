"""Which verbs can use the tables of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from evalkit.doctor.diagnosis import Support
from evalkit.estimation import CLUSTER_NAMES

__all__ = ["count_verdicts", "supported"]

Rows = Sequence[Mapping[str, Any]]


def count_verdicts(rows: Rows) -> dict[str, int]:
    """Return how many systems, items, attempts, verifiers, scored and errored rows there are."""
    statuses = Counter(str(row["status"]) for row in rows)
    attempts = Counter((row["system"], row.get("verifier"), row["item"]) for row in rows)
    return {
        "systems": len({row["system"] for row in rows}),
        "items": len({row["item"] for row in rows}),
        "attempts": max(attempts.values(), default=0),
        "verifiers": len({row.get("verifier") or "" for row in rows}),
        "scored": statuses["scored"],
        "errored": sum(n for s, n in statuses.items() if s not in {"scored", "skipped"}),
    }


def _no(command: str, reason: str) -> Support:
    return Support(command=command, possible=False, reason=reason)


def _yes(command: str, reason: str) -> Support:
    return Support(command=command, possible=True, reason=reason)


def supported(tables: Mapping[Any, Rows], path: str) -> tuple[Support, ...]:
    """Return each verb with whether it can use the tables, and why."""
    verdicts = tables.get("verdicts") or ()
    return (
        *_from_verdicts(verdicts, path),
        _history(tables.get("history") or (), path),
        *_judged(tables.get("judgments") or (), tables.get("pairs") or (), path),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What the verbs need to know of verdicts."""

    rows: Rows
    path: str
    counts: Mapping[str, int]
    systems: tuple[str, ...]
    verifiers: tuple[str, ...]
    splits: tuple[str, ...]
    cluster: str

    def apart(self, column: str, values: Sequence[str]) -> str:
        """Return how to keep the rows of one value."""
        return (
            f"rows of several {column}s: keep one with `evalkit import {self.path} -o FILE "
            f"--where {column}={quote(values[-1])}`"
        )


def _shape(rows: Rows, path: str) -> _Shape:
    columns = {str(name) for row in rows for name in row}
    clusters = sorted(
        name for name in columns if name.removeprefix("metadata_").lower() in CLUSTER_NAMES
    )
    return _Shape(
        rows=rows,
        path=quote(path),
        counts=count_verdicts(rows),
        systems=tuple(sorted({str(row["system"]) for row in rows})),
        verifiers=tuple(sorted({str(row.get("verifier") or "") for row in rows})),
        splits=tuple(sorted({str(row["split"]) for row in rows if row.get("split")})),
        cluster=f" --cluster {quote(clusters[0])}" if clusters else "",
    )


def _from_verdicts(rows: Rows, path: str) -> list[Support]:
    if not rows:
        return [
            _no(verb, "no verdicts") for verb in ("estimate", "compare", "scaling", "sensitivity")
        ]
    shape = _shape(rows, path)
    return [_estimate(shape), _compare(shape), _scaling(shape), _sensitivity(shape)]


def _estimate(shape: _Shape) -> Support:
    groups = ["split"] if len(shape.splits) > 1 else []
    groups += ["system", *(["verifier"] if len(shape.verifiers) > 1 else [])]
    command = f"evalkit estimate {shape.path} --by {','.join(groups)}{shape.cluster}"
    return _yes(command, f"{shape.counts['scored']} scored rows")


def _compare(shape: _Shape) -> Support:
    shared = _shared(shape.rows, shape.systems)
    if len(shape.systems) < 2 or not shared:
        one = len(shape.systems) < 2
        reason = "one system" if one else "no item is scored for two systems"
        return _no("compare", f"{reason}; compare with another file")
    if len(shape.verifiers) > 1:
        return _no("compare", shape.apart("verifier", shape.verifiers))
    if len(shape.systems) == 2:
        names = " ".join(map(quote, shape.systems))
        by = " --by split" if len(shape.splits) > 1 else ""
        command = f"evalkit compare {shape.path} --systems {names}{by}{shape.cluster}"
        return _yes(command, f"{shared} items are scored for both")
    if len(shape.splits) > 1:
        return _no("compare", shape.apart("split", shape.splits))
    command = f"evalkit compare {shape.path} --all{shape.cluster}"
    return _yes(command, f"{len(shape.systems)} systems")


def _scaling(shape: _Shape) -> Support:
    if shape.counts["attempts"] < 2:
        return _no("scaling", "one attempt an item")
    if len(shape.verifiers) > 1:
        return _no("scaling", shape.apart("verifier", shape.verifiers))
    return _yes(
        f"evalkit scaling {shape.path}", f"up to {shape.counts['attempts']} attempts an item"
    )


def _sensitivity(shape: _Shape) -> Support:
    if len(shape.verifiers) < 2:
        return _no("sensitivity", "one verifier")
    if len(shape.systems) < 2:
        return _no("sensitivity", "one system")
    systems = " ".join(map(quote, shape.systems[:2]))
    verifiers = " ".join(map(quote, shape.verifiers[:2]))
    return _yes(
        f"evalkit sensitivity {shape.path} --systems {systems} --verifiers {verifiers}",
        f"{len(shape.verifiers)} verifiers",
    )


def _shared(rows: Rows, systems: Sequence[str]) -> int:
    """Return how many items are scored for two systems or more."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row["status"] == "scored":
            found.setdefault(str(row["item"]), set()).add(str(row["system"]))
    return sum(len(each) > 1 for each in found.values()) if len(systems) > 1 else 0


def _history(rows: Rows, path: str) -> Support:
    if not rows:
        return _no("trajectory", "no history of rounds")
    return _yes(f"evalkit trajectory {quote(path)}", f"{len(rows)} rows of rounds")


def _judged(judgments: Rows, pairs: Rows, path: str) -> list[Support]:
    out = []
    if judgments:
        out.append(_yes(f"evalkit agreement {quote(path)}", f"{len(judgments)} judgments of pairs"))
    else:
        out.append(_no("agreement", "no judgments of pairs"))
    if pairs:
        out.append(_yes(f"evalkit pairs check {quote(path)}", f"{len(pairs)} pairs"))
    return out
