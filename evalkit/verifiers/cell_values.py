"""When two spreadsheet cells are the same: after coercion, or in type and value."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from evalkit.errors import ArgumentError
from evalkit.rounding import round_number

__all__ = ["CellMode", "cell_kind", "loose_value", "same_cell"]

CellMode = Literal["loose", "strict"]
_DAY_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001 - spreadsheets have no time zones
_LONGEST_NUMBER = 60


def cell_kind(value: Any) -> str:
    """Name the type of a cell as a spreadsheet sees it: it has one type of number.

    Examples
    --------
    >>> [cell_kind(value) for value in (5, 5.0, "5", True, None)]
    ['number', 'number', 'text', 'boolean', 'empty']
    """
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float, Decimal)):
        return "number"
    if isinstance(value, (datetime, date)):
        return "date"
    if isinstance(value, (time, timedelta)):
        return "time"
    text = str(value)
    return "error" if text.startswith("#") and text.endswith(("!", "?", "/A")) else "text"


def _serial(value: date) -> float:
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return (moment.replace(tzinfo=None) - _DAY_ZERO).total_seconds() / 86400


def _number_in(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    usable = number.is_finite() and abs(number.adjusted()) < _LONGEST_NUMBER
    return number if usable else None


def loose_value(value: Any, *, digits: int = 2) -> Decimal | str:
    """Coerce a cell: numbers and texts of numbers rounded, dates to day numbers, empty to ``""``.

    Examples
    --------
    >>> loose_value("3.14159"), loose_value(3), loose_value(None), loose_value("abc")
    (Decimal('3.14'), Decimal('3.00'), '', 'abc')
    """
    if value is None:
        return ""
    if isinstance(value, (bool, int, float, Decimal)):
        try:
            return round_number(float(value), digits)
        except (ArgumentError, OverflowError):
            return str(value)
    if isinstance(value, date):
        return round_number(_serial(value), digits)
    if isinstance(value, (time, timedelta)):
        return str(value)[:-3] if isinstance(value, time) and not value.microsecond else str(value)
    number_in_text = _number_in(str(value))
    return str(value) if number_in_text is None else round_number(number_in_text, digits)


def same_cell(found: Any, wanted: Any, *, mode: CellMode, digits: int = 2) -> bool:
    """Whether two cell values are the same in one of the two modes.

    Examples
    --------
    >>> same_cell("5", 5, mode="loose"), same_cell("5", 5, mode="strict")
    (True, False)
    """
    if mode == "strict":
        return cell_kind(found) == cell_kind(wanted) and bool(found == wanted)
    return loose_value(found, digits=digits) == loose_value(wanted, digits=digits)
