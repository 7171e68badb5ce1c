"""From rows of a table to candidates; columns of graders are left out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalkit.errors import DuplicateRowError, InputError, MissingColumnError
from evalkit.grading.grading_rows import Table, cell_text, read_table
from evalkit.pairs.candidate import Candidate, make_candidate
from evalkit.pairs.grader_columns import check_not_grader, grader_reason
from evalkit.records.values import json_text

__all__ = ["CandidateRows", "read_candidates"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRows:
    """Candidates of a table, with what was left out of it.

    Attributes
    ----------
    candidates : tuple of Candidate
        One for each row.
    notes : tuple of str
        What was left out or made up.
    """

    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]


def _check_columns(table: Table, wanted: Sequence[tuple[str, str | None]]) -> None:
    for role, name in wanted:
        if name is not None and name not in table.columns:
            raise MissingColumnError(
                f"column {name!r} (the {role}) is not there; the columns are "
                f"{', '.join(map(repr, table.columns)) or 'none'}"
            )


def _text(row: Mapping[str, Any], name: str | None) -> str | None:
    value = None if name is None else json_text(row.get(name))
    return value if value is None else str(value)


def _needed(row: Mapping[str, Any], name: str, line: int) -> str:
    cell = row.get(name)
    if isinstance(cell, (list, tuple, Mapping)):
        raise InputError(
            f"column {name!r} holds a list or an object; an id is text or a number (row {line})"
        )
    text = cell_text(cell)
    if not text:
        raise InputError(f"column {name!r} is empty; every candidate needs one (row {line})")
    return text


def _made_up_ids(rows: Sequence[Candidate]) -> list[str]:
    """Ids that do not depend on the order of rows: the model, and a digest where it is not enough.

    Raises
    ------
    DuplicateRowError
        If two rows of a task are alike.
    """
    times = Counter((row.task, row.model) for row in rows)
    found = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        name = row.model
        if name is None or times[row.task, row.model] > 1:
            content = repr((row.model, row.output, sorted(row.features.items())))
            digest = hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=6)
            name = digest.hexdigest() if name is None else f"{name}-{digest.hexdigest()}"
        if (row.task, name) in seen:
            raise DuplicateRowError(
                "two candidates of this task have the same model, output and features; name a "
                "column of ids (`id`, --id)",
                item=row.task,
            )
        seen.add((row.task, name))
        found.append(name)
    return found


def _features(
    table: Table,
    taken: Sequence[str],
    wanted: Sequence[str] | None,
    graders: Collection[str],
    not_graders: Collection[str],
) -> tuple[list[str], list[str]]:
    """Columns to keep as features, and notes on those of graders, which are left out."""
    if wanted is not None:
        for name in wanted:
            check_not_grader("feature", name, graders=graders, not_graders=not_graders)
        return list(wanted), []
    kept, notes = [], []
    for name in table.columns:
        reason = grader_reason(name, graders=graders, not_graders=not_graders)
        if name in taken:
            continue
        if reason is None:
            kept.append(name)
        else:
            notes.append(f"left out: column {name!r} ({reason})")
    return kept, notes


def read_candidates(
    data: Any,
    *,
    task: str,
    reference: str,
    second_reference: str | None = None,
    output: str | None = None,
    model: str | None = None,
    cluster: str | None = None,
    prompt: str | None = None,
    id: str | None = None,  # noqa: A002
    features: Sequence[str] | None = None,
    graders: Collection[str] = (),
    not_graders: Collection[str] = (),
    partial: bool = False,
) -> CandidateRows:
    """Read candidates from a table, one row each.

    Parameters
    ----------
    data : path, dataframe of any engine, or sequence of mappings
        The rows.
    task, reference : str
        Columns of the task and of the reference score.
    second_reference, output, model, cluster, prompt, id : str, optional
        Further columns. Without ids, a candidate is called after its model, or by a digest of its
        content.
    features : sequence of str, optional
        Columns kept as features; by default all that play no other part.
    graders : collection of str
        Columns with scores of graders under evaluation: never read.
    not_graders : collection of str
        Columns that no grader under evaluation made, although their names look like it.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    CandidateRows

    Raises
    ------
    MissingColumnError
        If a column is not there.
    ArgumentError
        If a column that counts as a grader's score is asked for.
    InputError
        If a task is missing or a score is not a number.

    Notes
    -----
    A column whose name holds grader, judge, verdict, reward or the like counts as a grader's score
    until `not_graders` says otherwise. It is refused as reference or feature that was asked for,
    and otherwise left out, with a note.

    Examples
    --------
    >>> rows = [{"q": 1, "score": "0.58", "words": 90, "judge": 0.9, "m": "a"},
    ...         {"q": 1, "score": "0.50", "words": 120, "judge": 0.2, "m": "b"}]
    >>> found = read_candidates(rows, task="q", reference="score", model="m")
    >>> dict(found.candidates[0].features), found.notes
    ({'words': '90'}, ("left out: column 'judge' (its name looks like a grader's score)",))
    """
    table = read_table(data, partial=partial)
    roles: dict[str, str | None] = {
        "task": task,
        "reference": reference,
        "second reference": second_reference,
        "output": output,
        "model": model,
        "cluster": cluster,
        "prompt": prompt,
        "id": id,
    }
    if not table.rows and not table.columns:
        return CandidateRows(candidates=(), notes=(*table.notes, "no rows"))
    _check_columns(table, list(roles.items()))
    for role, names in (
        ("feature", features),
        ("grader under evaluation", graders),
        ("column of no grader", not_graders),
    ):
        _check_columns(table, [(role, name) for name in names or ()])
    kept, notes = _features(
        table, [name for name in roles.values() if name], features, graders, not_graders
    )
    for role, name in roles.items():
        # Only a score has a name that gives it away; what is declared may play no part at all.
        if name is not None and (role.endswith("reference") or name in graders):
            check_not_grader(role, name, graders=graders, not_graders=not_graders)
    found = []
    for line, row in enumerate(table.rows, 1):
        found.append(
            make_candidate(
                id=f"row {line}" if id is None else _needed(row, id, line),
                task=_needed(row, task, line),
                reference=row.get(reference),
                second_reference=None if second_reference is None else row.get(second_reference),
                output=_text(row, output),
                features={name: row.get(name) for name in kept},
                model=None if model is None else cell_text(row.get(model)) or None,
                cluster=None if cluster is None else cell_text(row.get(cluster)) or None,
                prompt=_text(row, prompt),
            )
        )
    if id is None:
        names = _made_up_ids(found)
        found = [replace(row, id=name) for row, name in zip(found, names, strict=True)]
    return CandidateRows(candidates=tuple(found), notes=(*table.notes, *notes))
