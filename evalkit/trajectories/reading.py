"""From table rows to runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast, get_args

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.records.values import is_missing_word
from evalkit.trajectories.history import Candidate, Decision, Run, run_name
from evalkit.trajectories.scores import Score

__all__ = ["LABEL_COLUMNS", "runs_from_rows"]

LABEL_COLUMNS = ("run", "system", "model", "benchmark", "task", "setting", "view", "seed")
_KNOWN = frozenset({"round", "score", "artifact", "changed", "decision"})
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def runs_from_rows(
    rows: Iterable[Mapping[str, object]], *, labels: Sequence[str] | None = None
) -> tuple[Run, ...]:
    """Group rows, one a round, into runs.

    Parameters
    ----------
    rows : iterable of mappings
        With ``round`` (0 is the parent) and ``score``, and optionally ``artifact``, ``changed``
        and ``decision``. An empty cell (``None``, NaN or empty text) is not recorded, nor is a
        score of "N/A". Numbers
        in text are read exactly, ``32/39`` included.
    labels : sequence of str, optional
        Columns that tell runs apart. By default those of `LABEL_COLUMNS` that are there; any
        other text column that is constant within each run is then added to the labels.

    Returns
    -------
    tuple of Run
        In order of first appearance; rounds sorted.

    Raises
    ------
    MissingColumnError
        If ``round``, ``score`` or a label column is missing.
    DuplicateRowError
        If a run has a round twice.
    InputError
        If a cell cannot be read, or a run has scores and no parent score.

    Examples
    --------
    >>> rows = [
    ...     {"view": "Normal", "round": 0, "score": 0.80},
    ...     {"view": "Normal", "round": 1, "score": 0.81},
    ... ]
    >>> [run] = runs_from_rows(rows)
    >>> dict(run.labels), run.baseline, run.candidates[0].score
    ({'view': 'Normal'}, 0.8, 0.81)
    """
    table = list(rows)
    columns = list(dict.fromkeys(column for row in table for column in row))
    _check_columns(columns, labels, empty=not table)
    chosen = labels if labels is not None else [c for c in LABEL_COLUMNS if c in columns]
    groups: dict[tuple[str, ...], list[Mapping[str, object]]] = {}
    for number, row in enumerate(table, start=1):
        key = tuple(_label(row.get(column), column, number) for column in chosen)
        groups.setdefault(key, []).append(row)
    extra = [] if labels is not None else _constant_text(columns, chosen, groups.values())
    return tuple(
        _run(
            {**dict(zip(chosen, key, strict=True)), **{c: str(group[0][c]) for c in extra}},
            group,
        )
        for key, group in groups.items()
    )


def _check_columns(columns: list[str], labels: Sequence[str] | None, *, empty: bool) -> None:
    if empty:
        return
    for column in ("round", "score", *(labels or ())):
        if column not in columns:
            raise MissingColumnError(
                f"column {column!r} is missing; the columns are {', '.join(map(repr, columns))}"
            )
    clash = [column for column in labels or () if column in _KNOWN]
    if clash:
        raise ArgumentError(f"`labels` names {clash[0]!r}, which is data and not a label")


def _constant_text(
    columns: Sequence[str],
    chosen: Sequence[str],
    groups: Iterable[Sequence[Mapping[str, object]]],
) -> list[str]:
    groups = list(groups)
    free = [c for c in columns if c not in _KNOWN and c not in chosen]
    return [
        column
        for column in free
        if all(
            isinstance(group[0].get(column), str)
            and all(row.get(column) == group[0].get(column) for row in group)
            for group in groups
        )
    ]


def _run(labels: dict[str, str], rows: Sequence[Mapping[str, object]]) -> Run:
    name = run_name(labels)
    by_round: dict[int, Mapping[str, object]] = {}
    for row in rows:
        number = _round(row.get("round"), name)
        if number in by_round:
            raise DuplicateRowError(
                f"{name}: round {number} stands in two rows; keep one row a round, or name with "
                "`labels` the columns that tell the runs apart"
            )
        by_round[number] = row
    parent = by_round.pop(0, {})
    return Run(
        labels=labels,
        baseline=_score(parent.get("score"), name, 0),
        baseline_artifact=_text(parent.get("artifact")),
        candidates=tuple(_candidate(by_round[k], name, k) for k in sorted(by_round)),
    )


def _candidate(row: Mapping[str, object], name: str, number: int) -> Candidate:
    return Candidate(
        round=number,
        score=_score(row.get("score"), name, number),
        artifact=_text(row.get("artifact")),
        changed=_changed(row.get("changed"), name, number),
        decision=_decision(row.get("decision"), name, number),
    )


def _is_null(value: object) -> bool:
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return isinstance(value, float) and math.isnan(value)


def _text(value: object) -> str | None:
    return None if _is_null(value) else str(value)


def _label(value: object, column: str, row: int) -> str:
    if _is_null(value):
        raise InputError(f"label column {column!r} is empty; name the run in every row", line=row)
    return str(value)


def _plain(value: object) -> object:
    """Unbox a numpy scalar."""
    is_scalar = hasattr(value, "item") and getattr(value, "ndim", None) == 0
    return cast("Any", value).item() if is_scalar else value


def _round(value: object, name: str) -> int:
    value = _plain(value)
    if isinstance(value, str):
        whole, _, rest = value.strip().partition(".")  # "1.0", where a column holds gaps
        value = int(whole) if whole.isdecimal() and not rest.strip("0") else value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise InputError(f"{name}: `round` is {value!r}; it must be an integer, 0 for the parent")


def _score(value: object, name: str, number: int) -> Score | None:
    value = _plain(value)
    if _is_null(value):
        return None
    if isinstance(value, str):
        try:
            return Fraction(value.strip())
        except (ValueError, ZeroDivisionError):
            if is_missing_word(value):
                return None
            value = repr(value)
    elif isinstance(value, (int, float, Fraction)) and math.isfinite(value):
        return value
    raise InputError(
        f"{name}: the score of round {number} is {value}; "
        "it must be a finite number, or empty if it was not recorded"
    )


def _changed(value: object, name: str, number: int) -> bool | None:
    value = _plain(value)
    if _is_null(value):
        return None
    read = _BOOLEANS.get(str(value).strip().lower())
    if read is None:
        raise InputError(
            f"{name}: `changed` of round {number} is {value!r}; it must be true, false or empty"
        )
    return read


def _decision(value: object, name: str, number: int) -> Decision | None:
    if _is_null(value):
        return None
    word = str(value).strip().lower()
    if word not in get_args(Decision):
        raise InputError(
            f"{name}: the decision of round {number} is {value!r}; "
            f"it must be one of {', '.join(get_args(Decision))}, or empty"
        )
    return cast("Decision", word)
