"""Refusal of verdicts that stand in more than one row."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.errors import DuplicateRowError
from evalkit.records.schema import KEY_COLUMNS
from evalkit.records.stream import RowStream

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["REMEDY", "refuse_duplicates", "repeated_rows"]

_NAMED = 3
REMEDY = (
    "name the column that tells the rows apart with `columns` "
    "(--column attempt=NAME, verifier=NAME or system=NAME), or remove the repeated rows"
)


def repeated_rows(
    frame: pd.DataFrame, varying: Sequence[str] = KEY_COLUMNS
) -> list[tuple[str, list[int]]]:
    """Return the first few verdicts that repeat, each with its item and its row positions."""
    columns = list(varying)
    repeated = frame[columns].duplicated(keep=False).to_numpy().nonzero()[0]
    groups: dict[tuple[str, ...], list[int]] = {}
    keys = frame[columns].iloc[repeated].itertuples(index=False, name=None)
    for position, key in zip(repeated, keys, strict=True):
        if key in groups or len(groups) < _NAMED:
            groups.setdefault(key, []).append(int(position))
    return [(frame["item"].iloc[rows[0]], rows) for rows in groups.values()]


def refuse_duplicates(
    frame: pd.DataFrame,
    varying: Sequence[str],
    *,
    lines: array[int],
    numeric: bytearray,
    stream: RowStream,
) -> None:
    """Raise if two rows of one source are the same verdict.

    Parameters
    ----------
    frame : DataFrame
        The canonical columns.
    varying : sequence of str
        Key columns that can differ between rows.
    lines : array of int
        Line or row number of each row.
    numeric : bytearray
        Whether each id was written as a number.
    stream : RowStream
        The source, for messages.
    """
    groups = repeated_rows(frame, varying)
    if not groups:
        return
    listed = "; ".join(
        f"item {item!r} ({stream.unit}s {', '.join(str(lines[i]) for i in rows[:_NAMED])}"
        f"{', ...' if len(rows) > _NAMED else ''})"
        for item, rows in groups
    )
    mixed = any(0 < sum(numeric[i] for i in rows) < len(rows) for _, rows in groups)
    said = " (one id was written as a number, the other as text; ids are compared as text)"
    item, rows = groups[0]
    raise stream.fault(
        f"the same (system, item, attempt, verifier, order) stands in more than one row: {listed}"
        f"{said if mixed else ''}; {REMEDY}",
        number=lines[rows[1]],
        item=item,
        kind=DuplicateRowError,
    )
