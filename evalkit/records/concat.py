"""Put the records of several sources together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError, DuplicateRowError, ScaleMismatchError
from evalkit.records.duplicates import REMEDY, repeated_rows
from evalkit.records.schema import KEY_COLUMNS, Records

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["concat"]

_FIXED = (*KEY_COLUMNS, "score", "status")


def concat(records: Sequence[Records]) -> Records:
    """Put the records of several sources together.

    Parameters
    ----------
    records : sequence of Records
        At least one.

    Returns
    -------
    Records
        Rows in the order given; an extra column that a source lacks is ``None`` there.

    Raises
    ------
    ArgumentError
        There is nothing to put together.
    DuplicateRowError
        The same verdict stands in two sources.
    ScaleMismatchError
        The sources declare different score ranges.

    Examples
    --------
    >>> import pandas as pd
    >>> from evalkit.records import read
    >>> frame = pd.DataFrame({"item": ["a"], "score": [1]})
    >>> both = concat([read(frame, system="A"), read(frame, system="B")])
    >>> both.frame["system"].tolist()
    ['A', 'B']
    """
    import pandas as pd

    if not records:
        raise ArgumentError("`records` is empty; give at least one")
    if len(records) == 1:
        return records[0]
    extras = dict.fromkeys(
        name for each in records for name in each.frame.columns if name not in _FIXED
    )
    wide = [each.frame.reindex(columns=[*_FIXED, *extras]) for each in records]
    for name in extras:
        for frame, each in zip(wide, records, strict=True):
            if name not in each.frame.columns:
                frame[name] = pd.Series([None] * len(frame), index=frame.index, dtype=object)
    frame = pd.concat(wide, ignore_index=True)
    _refuse_across(frame, records)
    return Records(
        frame=frame,
        columns={key: name for each in records for key, name in each.columns.items()},
        other_columns=tuple(dict.fromkeys(n for each in records for n in each.other_columns)),
        score_range=_shared_range(records),
        sources=tuple(source for each in records for source in each.sources),
        notes=tuple(_sourced(each, note) for each in records for note in each.notes),
        partial=any(each.partial for each in records),
    )


def _sourced(records: Records, note: str) -> str:
    source = ", ".join(records.sources)
    return note if source in note else f"{source}: {note}"


def _shared_range(records: Sequence[Records]) -> tuple[float, float] | None:
    ranges = list(dict.fromkeys(each.score_range for each in records))
    if len(ranges) > 1:
        told = "; ".join(f"{', '.join(each.sources)}: {each.score_range}" for each in records)
        raise ScaleMismatchError(
            f"the sources declare different score ranges ({told}); declare one for all"
        )
    return ranges[0]


def _refuse_across(frame: pd.DataFrame, records: Sequence[Records]) -> None:
    groups = repeated_rows(frame)
    if not groups:
        return
    ends: list[int] = []
    for each in records:
        ends.append((ends[-1] if ends else 0) + len(each))

    def source(row: int) -> str:
        at = next(i for i, end in enumerate(ends) if row < end)
        return ", ".join(records[at].sources)

    listed = "; ".join(
        f"item {item!r} of system {frame['system'].iloc[rows[0]]!r} in "
        + " and in ".join(source(row) for row in rows[:3])
        for item, rows in groups
    )
    raise DuplicateRowError(
        f"the same (system, item, attempt, verifier, order) stands in two sources: {listed}; "
        f"name the systems apart (NAME=PATH, or `system`), or {REMEDY}",
        item=groups[0][0],
    )
