"""Table cells: an exact value and how many decimals to print of it.

The value stays as it was computed until a renderer asks for its text,
so every format prints the same characters for the same number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from evalkit.errors import ArgumentError
from evalkit.results import Comparison, Estimate, Interval
from evalkit.rounding import Number, format_number

__all__ = [
    "Cell",
    "CellKind",
    "CellValue",
    "Count",
    "cell_text",
    "count",
    "delta",
    "estimate",
    "number",
    "sort_value",
    "text",
]

CellKind = Literal["text", "number", "count", "interval", "delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number of successes out of a number of trials.

    Attributes
    ----------
    k : int
        Successes.
    n : int
        Trials.
    """

    k: int
    n: int


CellValue = Number | Count | Interval | Estimate | Comparison | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One table cell.

    Attributes
    ----------
    value : int, Fraction, float, Decimal, str, Count, Interval, Estimate, Comparison or None
        The exact value. ``None`` is undefined and prints an en dash.
    digits : int or None
        Decimals; ``None`` prints whole numbers and text as they are.
    kind : {"text", "number", "count", "interval", "delta"}
        How the value prints; a delta carries its sign.
    bold, underline : bool
        Marks of the cell.
    suffix : str
        Text directly behind a defined value.
    scale : {1, 100}
        Factor before printing; 100 prints a proportion as a percentage.
    """

    value: CellValue
    digits: int | None = None
    kind: CellKind = "text"
    bold: bool = False
    underline: bool = False
    suffix: str = ""
    scale: Literal[1, 100] = 1

    def __post_init__(self) -> None:
        if isinstance(self.value, (float, Decimal)) and not math.isfinite(self.value):
            raise ArgumentError(f"`value` is {self.value}; use None for an undefined cell")
        if self.digits is not None and self.digits < 0:
            raise ArgumentError(f"`digits` is {self.digits}; it must be 0 or more, or None")


def text(value: str | None, *, bold: bool = False) -> Cell:
    """Make a text cell.

    Examples
    --------
    >>> cell_text(text("GPT-5.5"))
    'GPT-5.5'
    """
    return Cell(value=value, bold=bold)


def number(
    value: Number | None, digits: int | None = None, *, scale: Literal[1, 100] = 1, suffix: str = ""
) -> Cell:
    """Make a number cell.

    Examples
    --------
    >>> from fractions import Fraction
    >>> cell_text(number(Fraction(1, 8), 0, scale=100, suffix="%"))
    '13%'
    """
    return Cell(value=value, digits=digits, kind="number", scale=scale, suffix=suffix)


def delta(
    value: Number | None, digits: int, *, scale: Literal[1, 100] = 1, suffix: str = ""
) -> Cell:
    """Make a cell for a difference, printed with its sign.

    Examples
    --------
    >>> cell_text(delta("2.25", 1)), cell_text(delta(-6.6, 1))
    ('+2.3', '-6.6')
    """
    return Cell(value=value, digits=digits, kind="delta", scale=scale, suffix=suffix)


def count(k: int, n: int, digits: int | None = None) -> Cell:
    """Make a cell for ``k`` successes of ``n``, with the percentage if `digits` are given.

    Examples
    --------
    >>> cell_text(count(141, 281)), cell_text(count(1, 8, 0))
    ('141/281', '1/8 (13%)')
    """
    return Cell(value=Count(k=k, n=n), digits=digits, kind="count")


def estimate(
    value: Estimate | Interval | Comparison | None, digits: int, *, scale: Literal[1, 100] = 1
) -> Cell:
    """Make a cell for an estimate with its interval; a comparison prints its difference.

    Examples
    --------
    >>> from evalkit.results import Interval
    >>> cell_text(estimate(Interval(low=0.1, high=0.25, level=0.95, method="wilson"), 1, scale=100))
    '[10.0, 25.0]'
    """
    return Cell(value=value, digits=digits, kind="interval", scale=scale)


def cell_text(cell: Cell) -> str:
    """Print the value of a cell: the one place where table numbers become text.

    Parameters
    ----------
    cell : Cell
        Any cell.

    Returns
    -------
    str
        Plain text, not yet escaped for a format. Undefined prints an en dash.

    Examples
    --------
    >>> cell_text(Cell(value=0.125, digits=2, kind="number")), cell_text(number(None, 2))
    ('0.13', '–')
    """
    value = cell.value
    if value is None:
        return format_number(None, 0)
    if isinstance(value, Count):
        body = _count_text(value, cell.digits)
    elif isinstance(value, (Estimate, Comparison, Interval)):
        body = _uncertain_text(value, cell)
    elif cell.kind == "text" and isinstance(value, str):
        body = value
    else:
        body = _number_text(value, cell, sign=cell.kind == "delta")
    return body + cell.suffix


def sort_value(cell: Cell) -> float | str | None:
    """Return what a cell sorts by: a float, or its text; ``None`` when undefined.

    Examples
    --------
    >>> sort_value(count(1, 8)), sort_value(text("a")), sort_value(number(None, 1))
    (0.125, 'a', None)
    """
    value = cell.value
    if isinstance(value, Count):
        return value.k / value.n if value.n else None
    if isinstance(value, Estimate):
        return value.estimate
    if isinstance(value, Comparison):
        return value.difference
    if isinstance(value, Interval):
        return value.low
    if value is None or (isinstance(value, str) and cell.kind == "text"):
        return value
    return float(Fraction(value) if isinstance(value, str) else value)


def _count_text(value: Count, digits: int | None) -> str:
    pair = f"{value.k}/{value.n}"
    if digits is None:
        return pair
    share = Fraction(100 * value.k, value.n) if value.n else None
    shown = format_number(share, digits)
    return f"{pair} ({shown})" if share is None else f"{pair} ({shown}%)"


def _number_text(value: Number | None, cell: Cell, *, sign: bool = False) -> str:
    if cell.digits is None:
        return str(value) if value is not None else format_number(None, 0)
    return format_number(_scaled(value, cell.scale), cell.digits, sign=sign)


def _scaled(value: Number | None, scale: int) -> Number | None:
    if value is None or scale == 1:
        return value
    return Fraction(value) * scale if isinstance(value, str) else value * scale


def _uncertain_text(value: Estimate | Comparison | Interval, cell: Cell) -> str:
    interval = value if isinstance(value, Interval) else value.interval
    low_high = [] if interval is None else [interval.low, interval.high]
    # A difference shows its sign, in its bounds as well.
    sign = isinstance(value, Comparison)
    bounds = ", ".join(_number_text(x, cell, sign=sign) for x in low_high)
    bounds = f"[{bounds or format_number(None, 0)}]"
    if isinstance(value, Interval):
        return bounds
    point = value.difference if isinstance(value, Comparison) else value.estimate
    if point is None and interval is None:
        return format_number(None, 0)
    return f"{_number_text(point, cell, sign=sign)} {bounds}"
