"""One accumulator per canonical column: it takes cells and keeps what they say."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import Any, Protocol

from evalkit.records.schema import STATUSES
from evalkit.records.values import (
    STATUS_WORDS,
    CellError,
    Number,
    error_status,
    id_text,
    json_text,
    plain_text,
    score_value,
    score_word,
)

__all__ = [
    "NO_STATUS",
    "Cells",
    "ErrorCells",
    "ItemCells",
    "ScoreCells",
    "StatusCells",
    "TextCells",
    "status_word",
]

NO_STATUS = -1
_MEMO = 1 << 16  # texts that are shared between rows, per column


class Cells(Protocol):
    """A column under way."""

    def add(self, value: Any, /) -> None:
        """Take the cell of the next row."""

    def pad(self, count: int, /) -> None:
        """Stand in for rows that came before the column did."""


class ItemCells:
    """Item ids, with whether each was written as a number."""

    __slots__ = ("numeric", "values")

    def __init__(self) -> None:
        self.values: list[str] = []
        self.numeric = bytearray()

    def add(self, value: Any, /) -> None:
        """Take an id."""
        if type(value) is str:
            self.values.append(value)
            self.numeric.append(0)
        else:
            self.values.append(id_text(value))
            self.numeric.append(isinstance(value, (Number, int)))

    def pad(self, count: int, /) -> None:
        """Refuse: every row needs an id."""
        if count:
            raise CellError("the item id is missing; every row needs one")


class TextCells:
    """Texts; equal ones are stored once."""

    __slots__ = ("default", "empty_is_missing", "memo", "nested", "text", "values")

    def __init__(
        self, *, default: str | None = None, empty_is_missing: bool = False, nested: bool = False
    ) -> None:
        self.values: list[str | None] = []
        self.default = default
        self.empty_is_missing = empty_is_missing or default is not None
        self.nested = nested
        self.text: Callable[[object], str | None] = json_text if nested else plain_text
        self.memo: dict[str, str] = {}

    def add(self, value: Any, /) -> None:
        """Take a text, or any single value."""
        if type(value) is not str:
            value = self.text(value)
        if value is None or (not value and self.empty_is_missing):
            self.values.append(self.default)
        elif len(self.memo) < _MEMO:
            self.values.append(self.memo.setdefault(value, value))
        else:
            self.values.append(self.memo.get(value, value))

    def pad(self, count: int, /) -> None:
        """Fill earlier rows with the default."""
        self.values.extend([self.default] * count)


class ScoreCells:
    """Scores as floats: NaN where missing, infinite where not a finite number."""

    __slots__ = ("memo", "values", "words")

    def __init__(self) -> None:
        self.values = array("d")
        self.memo: dict[str, float] = {}
        self.words: set[str] = set()

    def add(self, value: Any, /) -> None:
        """Take a score."""
        if not isinstance(value, str):
            self.values.append(score_value(value))
            return
        score = self.memo.get(value)
        if score is None:
            score = score_value(value)
            if score_word(value):
                self.words.add(value.strip())
            if len(self.memo) < _MEMO:
                self.memo[str(value)] = score
        self.values.append(score)

    def pad(self, count: int, /) -> None:
        """Mark earlier rows as missing."""
        self.values.extend([math.nan] * count)


def status_word(value: object) -> str | None:
    """Return the status a text stands for, ``None`` for an empty one; raise on an unknown one."""
    text = plain_text(value)
    word = "" if text is None else text.strip().casefold().replace("-", "_").replace(" ", "_")
    if not word:
        return None
    status = STATUS_WORDS.get(word)
    if status is None:
        raise CellError(
            f"the status {text!r} is not known; allowed are {', '.join(STATUSES)} and synonyms "
            "such as ok, error, timed_out, skip"
        )
    return status


class StatusCells:
    """Statuses as positions in `STATUSES`."""

    __slots__ = ("memo", "values")

    def __init__(self) -> None:
        self.values = array("b")
        self.memo: dict[Any, int] = {None: NO_STATUS}

    def add(self, value: Any, /) -> None:
        """Take a status text."""
        code = self.memo.get(value) if value is None or type(value) is str else None
        if code is None:
            status = status_word(value)
            code = NO_STATUS if status is None else STATUSES.index(status)
            if type(value) is str and len(self.memo) < _MEMO:
                self.memo[value] = code
        self.values.append(code)

    def pad(self, count: int, /) -> None:
        """Leave earlier rows to their score."""
        self.values.extend([NO_STATUS] * count)


class ErrorCells:
    """Statuses that an error field stands for."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values = array("b")

    def add(self, value: Any, /) -> None:
        """Take an error text, object or flag."""
        status = None if value is None else error_status(value)
        self.values.append(NO_STATUS if status is None else STATUSES.index(status))

    def pad(self, count: int, /) -> None:
        """Leave earlier rows without an error."""
        self.values.extend([NO_STATUS] * count)
