"""Join blinded scores with the private key."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.contrasts.blinding import Key, KeyRow
from evalkit.contrasts.columns import guess_columns
from evalkit.contrasts.files import read_key
from evalkit.contrasts.scored import SCORED, ScoredContrast, ScoredSet, score_column
from evalkit.errors import DuplicateRowError, InputError, MissingColumnError
from evalkit.grading.grading_rows import Table, cell_text, read_table
from evalkit.grading.verdicts import read_verdicts

__all__ = ["unblind"]

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "grader": ("grader", "verifier", "judge", "evaluator", "candidate", "judge_name"),
    "response_id": ("response_id",),
    "presentation_id": ("presentation_id",),
    "score": ("score", "reward", "rating"),
    "verdict": ("verdict", "decision", "preference", "winner"),
    "score_a": ("score_a",),
    "score_b": ("score_b",),
    "status": ("status",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """One blinded score: of a response, or the scores of sides A and B of a pair."""

    values: tuple[float | None, ...]
    reason: str | None


def unblind(
    scores: Any,
    key: Key | str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> ScoredSet:
    """Join blinded scores with the key.

    Parameters
    ----------
    scores : path, dataframe of any engine, or sequence of mappings
        Rows with ``response_id`` and ``score``; or ``presentation_id`` and ``verdict`` (A, B or
        tie) or ``score_a`` and ``score_b``. A ``grader`` column tells graders apart, and a
        ``status`` other than ``scored`` is a missing score.
    key : Key or path
        The private key, or its file.
    columns : mapping of str to str, optional
        What is looked for to its column.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    ScoredSet
        One row for each grader and contrast of the key, scored or not.

    Raises
    ------
    InputError
        If an id is not in the key, or a grader scored it twice.
    MissingColumnError
        If neither ids nor scores have a column.

    Notes
    -----
    A verdict counts as scores of 1 and 0, a tie as 1/2 and 1/2.

    Examples
    --------
    >>> from evalkit.contrasts import blind, build_contrasts
    >>> rows = [{"item": "q1", "task": "Report.", "response": "Sales rose 12 % [1]."}]
    >>> shown = blind(build_contrasts(rows, families=["drop-citation"]))
    >>> graded = [{"response_id": r.response_id, "score": len(r.response)}
    ...           for r in shown.responses]
    >>> unblind(graded, shown.key).rows[0].score_base
    20.0
    """
    known = key if isinstance(key, Key) else read_key(key)
    table = read_table(scores, partial=partial)
    if not table.rows:
        raise InputError("there are no scores; give a row for each response or pair")
    seen = _read_seen(table, guess_columns(table, _COLUMNS, columns), known)
    rows = [
        _joined(grader, row, found) for grader, found in sorted(seen.items()) for row in known.rows
    ]
    return ScoredSet(rows=tuple(rows), families=known.families, named=True, notes=table.notes)


def _values(table: Table, found: Mapping[str, str]) -> dict[str, Sequence[float]]:
    """Columns of scores, and verdicts as the scores of sides A and B."""
    out: dict[str, Sequence[float]] = {}
    for name in ("score", "score_a", "score_b"):
        if name in found:
            out[name] = score_column(table, found[name])
    if "verdict" in found:
        cells = [row.get(found["verdict"]) for row in table.rows]
        out["verdict"] = read_verdicts(cells, column=found["verdict"]).values.tolist()
    return out


def _pair_values(cells: Mapping[str, float]) -> tuple[float, ...]:
    if "verdict" in cells:
        return (0.5 + cells["verdict"] / 2, 0.5 - cells["verdict"] / 2)
    return (cells["score_a"], cells["score_b"])


def _read_seen(table: Table, found: Mapping[str, str], key: Key) -> dict[str, dict[str, _Seen]]:
    """Blinded scores by grader and id."""
    single = "response_id" in found and "score" in found
    paired = "presentation_id" in found and (
        "verdict" in found or {"score_a", "score_b"} <= {*found}
    )
    if not (single or paired):
        raise MissingColumnError(
            "blinded scores need response_id and score, or presentation_id and verdict (or score_a "
            f"and score_b); the columns are {', '.join(map(repr, table.columns))}"
        )
    shown = {row.presentation_id for row in key.rows}
    alone = {i for row in key.rows for i in (row.base_response_id, row.degraded_response_id)}
    values = _values(table, found)
    seen: dict[str, dict[str, _Seen]] = defaultdict(dict)
    for number, row in enumerate(table.rows):
        cells = {name: cell_text(row.get(column)).strip() for name, column in found.items()}
        name = (cells.get("presentation_id") if paired else None) or ""
        pair = bool(name)
        name = name or (cells.get("response_id", "") if single else "")
        if name not in (shown if pair else alone):
            raise InputError(
                "the id is not in the key; score the rows of this set, with their ids",
                line=number + 1,
                item=name,
            )
        numbers = {column: series[number] for column, series in values.items()}
        taken = _pair_values(numbers) if pair else (numbers["score"],)
        reason = None if cells.get("status", "").casefold() in SCORED else cells["status"]
        if reason is None and any(math.isnan(value) for value in taken):
            reason = "no score"
        own = seen[cells.get("grader", "grader")]
        if name in own:
            raise DuplicateRowError(
                "the same grader scored this id twice; keep one row", line=number + 1, item=name
            )
        own[name] = _Seen(values=tuple(None if reason else v for v in taken), reason=reason)
    return dict(seen)


def _joined(grader: str, row: KeyRow, found: Mapping[str, _Seen]) -> ScoredContrast:
    """One contrast with what a grader gave it."""
    ids = (row.base_response_id, row.degraded_response_id)
    pair = found.get(row.presentation_id)
    parts = [found[i] for i in ids if i in found]
    if pair is not None and parts:
        raise InputError(
            f"grader {grader!r} has scores for this contrast both as a pair and one by one; "
            "keep one kind",
            item=row.presentation_id,
        )
    base: float | None = None
    degraded: float | None = None
    reasons: Iterable[str | None] = ["missing"]
    if pair is not None:
        base, degraded = pair.values if row.base_side == "A" else pair.values[::-1]
        reasons = [pair.reason]
    elif len(parts) == 2:
        base, degraded = (part.values[0] for part in parts)
        reasons = [part.reason for part in parts]
    return ScoredContrast(
        grader=grader,
        family=row.contrast.family,
        contrast=row.contrast.contrast,
        score_base=base,
        score_degraded=degraded,
        cluster=row.contrast.cluster,
        reason=next((reason for reason in reasons if reason), None),
    )
