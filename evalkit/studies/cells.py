"""Checking a printed number against the value computed for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from evalkit.errors import ArgumentError
from evalkit.rounding import Number, Rounding, decimals_of, format_number, round_number
from evalkit.studies.reported import ReportedNumber, number_of

__all__ = [
    "Alternative",
    "CellCheck",
    "CheckedCell",
    "Computed",
    "Level",
    "Status",
    "attainable",
    "check",
    "check_table",
    "derived",
    "recomputed",
    "sum_line",
    "transcribed",
    "transcribed_share",
]

Level = Literal["recomputed", "derived", "transcribed"]
Status = Literal["match", "rounding", "mismatch", "not-computed"]
Alternative = tuple[Number, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellCheck:
    """Outcome of one check.

    Attributes
    ----------
    computed : str
        The computed value with the digits, sign and percent mark of the printed one.
    status : {"match", "rounding", "mismatch"}
        Whether the two agree.
    note : str
        Under which other rounding they agree; empty otherwise.
    """

    computed: str
    status: Status
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """The value a study computed for a printed number.

    Attributes
    ----------
    value : int, Fraction, Decimal or float or None
        Exact wherever possible; ``None`` for a transcribed number.
    level : {"recomputed", "derived", "transcribed"}
        From counts or records, from other reported numbers, or not at all.
    note : str
        What it was computed from, or, for a transcribed number, what was verified about it.
    alternatives : sequence of (value, explanation)
        Values that the paper may have rounded instead.
    slack : Fraction
        How far rounded inputs can have moved `value`; agreement within it is ``rounding``.
    conflict : str
        What contradicts what, in case they do not agree.
    """

    value: Number | None
    level: Level
    note: str = ""
    alternatives: Sequence[Alternative] = ()
    slack: Fraction = Fraction(0)
    conflict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCell:
    """One row of ``cells.csv``."""

    table: str
    row: str
    column: str
    reported: str
    computed: str
    level: Level
    status: Status
    note: str

    def to_dict(self) -> dict[str, str]:
        """Return the row as text fields."""
        return {name: getattr(self, name) for name in self.__slots__}


def check(
    reported: str,
    value: Number,
    *,
    alternatives: Sequence[Alternative] = (),
    slack: Fraction = Fraction(0),
) -> CellCheck:
    """Check a printed number against a computed value, at the printed digits.

    Parameters
    ----------
    reported : str
        The number as printed.
    value : int, Fraction, Decimal, float or decimal text
        The computed value, exact wherever possible.
    alternatives : sequence of (value, explanation)
        Other values that the paper may have rounded, such as the difference of two cells that
        were rounded before.
    slack : Fraction
        How far rounded inputs can have moved `value`.

    Returns
    -------
    CellCheck
        ``match`` if `value`, rounded half up, prints as reported; ``rounding`` if it does so
        under half to even, by truncation, as an alternative or within `slack`; else ``mismatch``.

    Examples
    --------
    >>> from fractions import Fraction
    >>> check("50.18", Fraction(100 * 141, 281))
    CellCheck(computed='50.18', status='match', note='')
    >>> check("1.3", Fraction(17, 14), alternatives=[(Fraction(13, 10), "rounded cells")]).status
    'rounding'
    """
    digits = decimals_of(reported)
    printed = number_of(reported)
    text = _print_like(reported, value)
    if Fraction(round_number(value, digits)) == printed:
        return CellCheck(computed=text, status="match", note="")
    for note, low, high in _other_readings(value, digits, alternatives, slack):
        if low <= printed <= high:
            return CellCheck(computed=text, status="rounding", note=note)
    return CellCheck(computed=text, status="mismatch", note="")


def check_table(
    numbers: Iterable[ReportedNumber], computed: Mapping[tuple[str, str], Computed]
) -> tuple[CheckedCell, ...]:
    """Check every number of a table.

    Parameters
    ----------
    numbers : iterable of ReportedNumber
        The printed numbers.
    computed : mapping of (row, column) to Computed
        What the study computed; a number without an entry is transcribed.

    Returns
    -------
    tuple of CheckedCell
        One a printed number, in order.

    Raises
    ------
    ArgumentError
        If a computed value belongs to no printed number, which is a slip in the study.
    """
    numbers = tuple(numbers)
    stray = sorted(set(computed) - {number.key for number in numbers})
    if stray:
        table = numbers[0].table if numbers else "?"
        raise ArgumentError(
            f"`computed` has {len(stray)} cells that table {table} does not print, "
            f"such as {stray[0]}; correct the row and column names"
        )
    nothing = Computed(value=None, level="transcribed")
    return tuple(_checked(number, computed.get(number.key, nothing)) for number in numbers)


def _checked(number: ReportedNumber, entry: Computed) -> CheckedCell:
    text, status, notes = "", "not-computed", [entry.note]
    if entry.value is not None:
        result = check(number.text, entry.value, alternatives=entry.alternatives, slack=entry.slack)
        text, status = result.computed, result.status
        notes += [result.note, entry.conflict if status == "mismatch" else ""]
    return CheckedCell(
        table=number.table,
        row=number.row,
        column=number.column,
        reported=number.text,
        computed=text,
        level=entry.level,
        status=status,  # type: ignore[arg-type]
        note="; ".join(note for note in notes if note),
    )


def attainable(reported: str, n: int, *, scale: int = 100) -> str:
    """Say whether a printed percentage is a count out of `n`.

    Parameters
    ----------
    reported : str
        The printed percentage, or difference of percentages.
    n : int
        Number of trials, all deployments together.
    scale : int
        100 for percentages.

    Returns
    -------
    str
        ``attainable: k/n``, the counts if there are several, ``attainable by half to even`` where
        only that rounding gives it, or ``NOT attainable`` with the two neighbours.

    Raises
    ------
    ArgumentError
        If `n` is below 1.

    Examples
    --------
    >>> attainable("53.38", 281)
    'attainable: 150/281'
    >>> attainable("53.40", 281)
    'NOT attainable from n = 281: 150/281 is 53.38, 151/281 is 53.74'
    """
    if n < 1:
        raise ArgumentError(f"`n` is {n}; it must be at least 1")
    readings: tuple[tuple[Rounding, str], ...] = (
        ("half-up", "attainable"),
        ("half-even", "attainable by half to even"),
    )
    for rounding, name in readings:
        counts = _counts_that_print(reported, n, scale, rounding)
        if counts:
            return f"{name}: " + " or ".join(f"{k}/{n}" for k in counts)
    below = (number_of(reported) * n / scale).__floor__()
    near = (
        f"{k}/{n} is {_print_like(reported, Fraction(scale * k, n))}" for k in (below, below + 1)
    )
    return f"NOT attainable from n = {n}: {', '.join(near)}"


def _counts_that_print(reported: str, n: int, scale: int, rounding: Rounding) -> list[int]:
    digits, printed = decimals_of(reported), number_of(reported)
    half = Fraction(1, 2 * 10**digits)
    first = ((printed - half) * n / scale).__floor__()
    last = ((printed + half) * n / scale).__ceil__()
    return [
        k
        for k in range(first, last + 1)
        if Fraction(round_number(Fraction(scale * k, n), digits, rounding=rounding)) == printed
    ]


def recomputed(
    value: Number,
    note: str = "",
    *,
    alternatives: Sequence[Alternative] = (),
    slack: Fraction = Fraction(0),
    conflict: str = "",
) -> Computed:
    """Make a cell that comes from counts or records.

    Examples
    --------
    >>> recomputed(Fraction(141, 281), "141/281").level
    'recomputed'
    """
    return Computed(
        value=value,
        level="recomputed",
        note=note,
        alternatives=alternatives,
        slack=slack,
        conflict=conflict,
    )


def derived(
    value: Number,
    note: str = "",
    *,
    alternatives: Sequence[Alternative] = (),
    slack: Fraction = Fraction(0),
    conflict: str = "",
) -> Computed:
    """Make a cell that comes from other reported cells.

    Examples
    --------
    >>> derived(3, "sum of the parts").level
    'derived'
    """
    return Computed(
        value=value,
        level="derived",
        note=note,
        alternatives=alternatives,
        slack=slack,
        conflict=conflict,
    )


def transcribed(note: str = "") -> Computed:
    """Make a cell with nothing below it; the note says what was verified about it.

    Examples
    --------
    >>> transcribed("attainable: 1/2").value is None
    True
    """
    return Computed(value=None, level="transcribed", note=note)


def transcribed_share(text: str, n: int, *, deployments: int = 1) -> Computed:
    """Make a transcribed percentage with its attainability check.

    Examples
    --------
    >>> transcribed_share("50.0", 10).note
    'attainable: 5/10'
    """
    return transcribed(attainable(text, n * deployments))


def sum_line(cells: Sequence[CheckedCell]) -> str:
    """Return the sum of a study in one line.

    Examples
    --------
    >>> sum_line([])  # doctest: +ELLIPSIS
    '0 reported numbers: 0 recomputed, 0 derived, 0 transcribed; of 0 + 0: 0 match, ...'
    """
    level = Counter(cell.level for cell in cells)
    status = Counter(cell.status for cell in cells)
    recomputed, derived = level["recomputed"], level["derived"]
    return (
        f"{len(cells)} reported numbers: {recomputed} recomputed, {derived} derived, "
        f"{level['transcribed']} transcribed; of {recomputed} + {derived}: "
        f"{status['match']} match, {status['rounding']} by rounding, "
        f"{status['mismatch']} contradictions in the papers"
    )


def _other_readings(
    value: Number, digits: int, alternatives: Sequence[Alternative], slack: Fraction
) -> Iterator[tuple[str, Fraction, Fraction]]:
    """Yield explanations with the printed values they allow, the most specific first."""
    for other, explanation in alternatives:
        rounded = Fraction(round_number(other, digits))
        yield explanation, rounded, rounded
    even = Fraction(round_number(value, digits, rounding="half-even"))
    yield "equal by half to even", even, even
    if slack:
        reach = slack + Fraction(1, 2 * 10**digits)
        note = f"within the rounding of its inputs (at most {float(slack):g})"
        yield note, _fraction(value) - reach, _fraction(value) + reach
    cut = Fraction(_truncate(value, digits))
    yield "equal by truncation", cut, cut


def _fraction(value: Number) -> Fraction:
    return Fraction(value) if not isinstance(value, str) else Fraction(Decimal(value))


def _truncate(value: Number, digits: int) -> Decimal:
    exact = _fraction(value) * 10**digits
    return Decimal(exact.__trunc__()).scaleb(-digits)


def _print_like(reported: str, value: Number) -> str:
    text = format_number(value, decimals_of(reported), sign=reported.startswith("+"))
    return text + "%" if reported.endswith("%") else text
