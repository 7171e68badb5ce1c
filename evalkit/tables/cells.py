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
    "MeanSD",
    "cell_text",
    "count",
    "delta",
    "estimate",
    "mean_sd",
    "number",
    "p_value",
    "sort_value",
    "text",
]

CellKind = Literal["text", "number", "count", "interval", "delta", "mean-sd", "p-value"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanSD:
    """A mean and a standard deviation.

    Attributes
    ----------
    mean, sd : number or None
        ``None`` is undefined, as the standard deviation of one value is.
    """

    mean: Number | None
    sd: Number | None

    def __post_init__(self) -> None:
        for name, value in (("mean", self.mean), ("sd", self.sd)):
            if isinstance(value, (float, Decimal)) and not math.isfinite(value):
                raise ArgumentError(f"`{name}` is {value}; use None where it is undefined")
        if self.sd is not None and Fraction(self.sd) < 0:
            raise ArgumentError(f"`sd` is {self.sd}; it must be 0 or more, or None")


CellValue = Number | Count | MeanSD | Interval | Estimate | Comparison | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One table cell.

    Attributes
    ----------
    value : number, str, Count, MeanSD, Interval, Estimate, Comparison or None
        The exact value. ``None`` is undefined and prints an en dash.
    digits : int or None
        Decimals; ``None`` prints whole numbers and text as they are.
    kind : {"text", "number", "count", "interval", "delta", "mean-sd", "p-value"}
        How the value prints; a delta carries its sign.
    bold, underline : bool
        Marks of the cell.
    suffix : str
        Text directly behind a defined value.
    scale : {1, 100}
        Factor before printing; 100 prints a proportion as a percentage.
    footnotes : tuple of str
        Texts below the table that a mark on this cell points to.
    """

    value: CellValue
    digits: int | None = None
    kind: CellKind = "text"
    bold: bool = False
    underline: bool = False
    suffix: str = ""
    scale: Literal[1, 100] = 1
    footnotes: tuple[str, ...] = ()

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


def mean_sd(
    mean: Number | Estimate | None,
    sd: Number | None = None,
    *,
    digits: int,
    scale: Literal[1, 100] = 1,
) -> Cell:
    """Make a cell for a mean with a standard deviation behind it.

    Parameters
    ----------
    mean : number, Estimate or None
        The mean; an estimate brings the standard deviation of its attempts along.
    sd : number or None
        Standard deviation, for a mean that is a number.
    digits : int
        Decimals of both.
    scale : {1, 100}
        As in :class:`Cell`.

    Returns
    -------
    Cell

    Raises
    ------
    ArgumentError
        If a number is not finite, `sd` is negative, or given beside an estimate.

    Notes
    -----
    A standard deviation over attempts says how much a run varies, not how sure the mean is: say
    in a note what it is taken over. Papers print standard errors and half widths in the same
    form; neither belongs in this cell.

    Examples
    --------
    >>> cell_text(mean_sd("77.25", "1.149", digits=1)), cell_text(mean_sd(0.5, None, digits=2))
    ('77.3 ± 1.1', '0.50 ± –')
    """
    if isinstance(mean, Estimate):
        if sd is not None:
            raise ArgumentError(f"`sd` is {sd}; an estimate brings its own, so leave it out")
        value = MeanSD(mean=mean.estimate, sd=mean.attempt_sd)
    else:
        value = MeanSD(mean=mean, sd=sd)
    return Cell(value=value, digits=digits, kind="mean-sd", scale=scale)


def p_value(value: float | None) -> Cell:
    """Make a cell for a p-value: four decimals, small ones in scientific form, never 0.

    Examples
    --------
    >>> [cell_text(p_value(p)) for p in (0.08319, 3e-12, None)]
    ['0.0832', '3.0e-12', '–']
    """
    return Cell(value=value, kind="p-value")


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
    elif isinstance(value, MeanSD):
        body = _mean_sd_text(value, cell)
    elif isinstance(value, (Estimate, Comparison, Interval)):
        body = _uncertain_text(value, cell)
    elif cell.kind == "text" and isinstance(value, str):
        body = value
    elif cell.kind == "p-value":
        body = _p_text(value)
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
    if isinstance(value, MeanSD):
        return None if value.mean is None else float(Fraction(value.mean))
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


def _p_text(value: Number) -> str:
    number = float(value)
    return f"{number:.1e}" if number < 0.00005 else format_number(value, 4)


def _mean_sd_text(value: MeanSD, cell: Cell) -> str:
    if value.mean is None:
        return format_number(None, 0)
    spread = format_number(None, 0) if value.sd is None else _number_text(value.sd, cell)
    return f"{_number_text(value.mean, cell)} \N{PLUS-MINUS SIGN} {spread}"


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
