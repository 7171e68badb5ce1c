"""Scores as exact fractions: 0.58 less 0.50 is 0.08, in every comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.records.values import CellError, is_missing, score_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ExactColumn", "exact_column", "exact_number", "exact_setting", "number_text"]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_LONGEST = 400
_WIDEST = 62  # bits that an integer column may take
_DENOMINATOR = 512  # bits up to which values are brought to one denominator


def exact_number(cell: object) -> Fraction | None:
    """Return a cell as an exact fraction, ``None`` where it is missing.

    Parameters
    ----------
    cell : object
        A number, decimal text, a truth value, or a word such as ``passed``. A float is read as its
        shortest decimal text.

    Raises
    ------
    CellError
        If the cell is not a finite number.

    Examples
    --------
    >>> exact_number("0.58") - exact_number(0.5) == exact_number("0.08")
    True
    >>> exact_number(True), exact_number("fail"), exact_number("")
    (Fraction(1, 1), Fraction(0, 1), None)
    """
    if is_missing(cell):
        return None
    if isinstance(cell, (bool, np.bool_)):
        return Fraction(int(cell))
    if isinstance(cell, (int, Fraction)):
        return Fraction(cell)
    if isinstance(cell, np.integer):
        return Fraction(int(cell))
    if isinstance(cell, Decimal):
        return exact_number(str(cell))
    if isinstance(cell, str):
        text = cell.strip()
        if len(text) <= _LONGEST and _NUMBER.fullmatch(text):
            return Fraction(text)
    value = score_value(cell)
    if math.isnan(value):
        return None
    if not math.isfinite(value):
        raise CellError(f"the score {cell!r} is not a finite number")
    return Fraction(Decimal(repr(value)))


def exact_setting(name: str, value: object) -> Fraction:
    """Return a setting as an exact fraction that is not negative.

    Examples
    --------
    >>> exact_setting("margin", 0.08)
    Fraction(2, 25)
    """
    try:
        number = exact_number(value)
    except CellError:
        number = None
    if number is None or number < 0:
        raise ArgumentError(f"`{name}` is {value!r}; it must be a number of at least 0")
    return number


def number_text(value: Fraction | None) -> str | None:
    """Return an exact number as the shortest text that is read back as itself.

    Examples
    --------
    >>> number_text(Fraction(29, 50)), number_text(Fraction(3)), number_text(Fraction(1, 3))
    ('0.58', '3', '1/3')
    """
    if value is None:
        return None
    if value.denominator == 1:
        return str(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _LONGEST // 2:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactColumn:
    """Numbers that numpy compares without rounding.

    Attributes
    ----------
    values : ndarray
        The numbers times `scale`: 64-bit integers where they fit, else Python objects; 0 where
        missing.
    present : ndarray of bool
        Where there is a number.
    scale : int
        Common denominator.
    """

    values: NDArray[Any]
    present: NDArray[np.bool_]
    scale: int

    def bound(self, limit: Fraction) -> Any:
        """Return the least value of this column that is not below `limit`."""
        scaled = limit * self.scale
        return scaled if self.values.dtype == object else math.ceil(scaled)


def exact_column(numbers: Sequence[Fraction | None]) -> ExactColumn:
    """Bring numbers to one denominator.

    Examples
    --------
    >>> column = exact_column([Fraction(1, 2), None, Fraction(58, 100)])
    >>> column.values.tolist(), column.scale
    ([25, 0, 29], 50)
    """
    present = np.array([x is not None for x in numbers], dtype=bool)
    scale = 1
    for denominator in {x.denominator for x in numbers if x is not None}:
        scale = math.lcm(scale, denominator)
        if scale.bit_length() > _DENOMINATOR:
            objects = np.empty(len(numbers), dtype=object)
            objects[:] = [Fraction(0) if x is None else x for x in numbers]
            return ExactColumn(values=objects, present=present, scale=1)
    whole = [0 if x is None else x.numerator * (scale // x.denominator) for x in numbers]
    # One bit is left for differences.
    widest = max((abs(x).bit_length() for x in whole), default=0)
    if widest < _WIDEST:
        return ExactColumn(values=np.array(whole, dtype=np.int64), present=present, scale=scale)
    wide = np.empty(len(whole), dtype=object)
    wide[:] = whole
    return ExactColumn(values=wide, present=present, scale=scale)
