"""Responses to degrade, from whatever the user has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.contrasts.columns import guess_columns
from evalkit.errors import DuplicateRowError, InputError, MissingColumnError
from evalkit.grading.grading_rows import Table, cell_text, read_table
from evalkit.records.values import is_missing

__all__ = ["Response", "Responses", "read_responses"]

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "id", "task_id", "question_id", "prompt_id", "idx"),
    "task": ("task", "prompt", "question", "instruction", "input", "query"),
    "response": ("response", "output", "answer", "completion", "prediction", "text"),
    "cluster": ("cluster",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One response.

    Attributes
    ----------
    item : str
        The task's id.
    task : str
        The task's text; empty where unknown.
    text : str
        The response.
    cluster : str
        Its cluster; the item where none is given.
    """

    item: str
    task: str
    text: str
    cluster: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """Responses, and what was left out.

    Attributes
    ----------
    responses : tuple of Response
        In the order of the rows.
    notes : tuple of str
        What was left out or assumed.
    """

    responses: tuple[Response, ...]
    notes: tuple[str, ...]


def read_responses(
    data: Any, *, columns: Mapping[str, str] | None = None, partial: bool = False
) -> Responses:
    """Read responses from a path, a dataframe or a sequence of mappings.

    Raises
    ------
    MissingColumnError
        If no column holds responses.
    InputError
        If there are no rows, or a response is not a text.
    DuplicateRowError
        If an item holds the same response twice.

    Examples
    --------
    >>> read_responses([{"id": 7, "prompt": "Why?", "output": "Because."}]).responses[0].item
    '7'
    """
    table = read_table(data, partial=partial)
    if not table.rows:
        raise InputError("there are no responses to degrade; give a row for each")
    found = guess_columns(table, _COLUMNS, columns)
    if "response" not in found:
        raise MissingColumnError(
            f"no column holds the responses; the columns are "
            f"{', '.join(map(repr, table.columns))}; name it, as response=reply"
        )
    return _checked(table, found)


def _checked(table: Table, found: Mapping[str, str]) -> Responses:
    responses: list[Response] = []
    seen: dict[tuple[str, str], int] = {}
    empty = 0
    for number, row in enumerate(table.rows, start=1):
        cell = row.get(found["response"])
        item = cell_text(row.get(found["item"])) if "item" in found else str(number)
        if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
            empty += 1
            continue
        if not isinstance(cell, str):
            raise InputError(
                f"the response is {type(cell).__name__}, not a text", line=number, item=item
            )
        if not item:
            raise InputError("the row has no item; give each its id", line=number)
        if (item, cell) in seen:
            raise DuplicateRowError(
                f"the same response stands in row {seen[item, cell]} too", line=number, item=item
            )
        seen[item, cell] = number
        cluster = cell_text(row.get(found["cluster"])) if "cluster" in found else ""
        task = cell_text(row.get(found["task"])) if "task" in found else ""
        responses.append(Response(item=item, task=task, text=cell, cluster=cluster or item))
    notes = list(table.notes)
    if empty:
        notes.append(f"rows left out for want of a response: {empty}")
    if "item" not in found:
        notes.append("no column names the items: each row is one")
    return Responses(responses=tuple(responses), notes=tuple(notes))
