"""Printed numbers: their text, their exact value, and the values that print as they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Literal

from evalkit.rounding import format_number, round_number

__all__ = ["Printed", "RoundingRule", "parse_printed", "print_like", "rule_of", "rules_of"]

RoundingRule = Literal["half up", "half to even", "truncation"]
_LONGEST = 100  # characters
_DOUBLE_DIGITS = 13  # a text with this many significant digits is an unrounded double
# Longer exponents and texts are no printed numbers, and their squares would leave a double.
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?"
_PART = rf"({_NUMBER})\s*(%?)"
_POINT = re.compile(rf"{_PART}\s*")
_ERROR = re.compile(rf"(?:±|\+/-|\+-)\s*{_PART}\s*")
_PAIR = re.compile(rf"[\[(]\s*{_PART}\s*(?:,|;|\u2013|\u2014|to|-)\s*{_PART}\s*[\])]\s*")
_RATIO = re.compile(r"[\[(]?\s*(\d[\d,]*)\s*/\s*(\d[\d,]*)\s*[\])]?\s*")
_PAREN = re.compile(rf"[\[(]\s*{_PART}\s*[\])]\s*")
_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u200a\u202f\u200b]+")
_MARKS = re.compile(r"[*†‡§¶#↑↓▲▼\u204e\u2217⋆★¹²³⁴⁵⁶⁷⁸⁹⁰ᵃᵇᶜ]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One printed number, with what is printed beside it in the same cell.

    Attributes
    ----------
    text : str
        As printed, marks stripped.
    value : Fraction
        Exactly what the digits say.
    digits : int
        Decimals.
    percent : bool
        A percent sign follows.
    double : bool
        So many digits that it is an unrounded binary double.
    error : Printed or None
        What follows a plus-minus sign.
    low, high : Printed or None
        Bounds in brackets.
    ratio : tuple of int or None
        ``k/n`` in the cell.

    Examples
    --------
    >>> p = parse_printed("80.3 ± 1.2%")
    >>> p.value, p.digits, p.error.text
    (Fraction(803, 10), 1, '1.2')
    """

    text: str
    value: Fraction
    digits: int
    percent: bool = False
    double: bool = False
    error: Printed | None = None
    low: Printed | None = None
    high: Printed | None = None
    ratio: tuple[int, int] | None = None

    @property
    def unit(self) -> Fraction:
        """One unit of the last printed digit; the binary noise of an unrounded double."""
        if self.double:
            return max(Fraction(1, 10**self.digits), abs(self.value) / 10**12)
        return Fraction(1, 10**self.digits)

    @property
    def half(self) -> Fraction:
        """How far the exact value can lie under rounding to nearest."""
        return self.unit if self.double else self.unit / 2


def _number(text: str, percent: str) -> Printed:
    decimal = Decimal(text.replace(",", ""))
    exponent = decimal.as_tuple().exponent
    significant = len(decimal.as_tuple().digits)
    digits = max(0, -exponent) if isinstance(exponent, int) else 0
    return Printed(
        text=text,
        value=Fraction(decimal),
        digits=digits,
        percent=bool(percent),
        double=significant >= _DOUBLE_DIGITS and digits > 0,
    )


def _plain(text: str) -> str:
    """Text with one kind of minus and space, without footnote marks."""
    for sign in "\u2212\u2010\u2011\u2012\ufe63\uff0d":
        text = text.replace(sign, "-")
    return _SPACES.sub(" ", _MARKS.sub("", text)).strip()


def parse_printed(text: str) -> Printed | None:
    """Read the number of a cell, or ``None`` where the whole cell is not one.

    Examples
    --------
    >>> parse_printed("\N{MINUS SIGN}1,234.50†").value
    Fraction(-2469, 2)
    >>> parse_printed("0.50 [0.41, 0.59]").high.text, parse_printed("10.2 (51/500)").ratio
    ('0.59', (51, 500))
    >>> [parse_printed(t) for t in ("n/a", "—", "", "<0.01", "v1.2", "62,5")]
    [None, None, None, None, None, None]
    """
    plain = _plain(text)
    if len(plain) > _LONGEST:
        return None
    ratio = _RATIO.fullmatch(plain)
    if ratio:
        k, n = (int(part.replace(",", "")) for part in ratio.groups())
        return Printed(text=plain, value=Fraction(k), digits=0, ratio=(k, n)) if n else None
    start = _POINT.match(plain)
    if start is None:
        pair = _PAIR.fullmatch(plain)
        return None if pair is None else _interval_only(pair, plain)
    point = _number(start.group(1), start.group(2))
    found: dict[str, Printed] = {}
    counts: tuple[int, int] | None = None
    place = start.end()
    while place < len(plain):
        kind, match = _next_part(plain, place)
        if match is None:
            return None
        if kind == "error":
            found["error"] = _number(match.group(1), match.group(2))
        elif kind == "pair":
            found["low"] = _number(match.group(1), match.group(2))
            found["high"] = _number(match.group(3), match.group(4))
        elif kind == "ratio":
            counts = int(match.group(1).replace(",", "")), int(match.group(2).replace(",", ""))
        place = match.end()
    return Printed(
        text=point.text,
        value=point.value,
        digits=point.digits,
        percent=point.percent or bool(found.get("error") and found["error"].percent),
        double=point.double,
        error=found.get("error"),
        low=found.get("low"),
        high=found.get("high"),
        ratio=counts if counts and counts[1] else None,
    )


def _next_part(plain: str, place: int) -> tuple[str, re.Match[str] | None]:
    """Return what stands next in a cell: an error, a pair of bounds, a ratio, or a bracket."""
    for kind, pattern in (("error", _ERROR), ("pair", _PAIR), ("ratio", _RATIO), ("paren", _PAREN)):
        match = pattern.match(plain, place)
        if match:
            return kind, match
    return "", None


def _interval_only(pair: re.Match[str], plain: str) -> Printed:
    low, high = _number(pair.group(1), pair.group(2)), _number(pair.group(3), pair.group(4))
    middle = (low.value + high.value) / 2
    return Printed(
        text=plain, value=middle, digits=max(low.digits, high.digits), low=low, high=high
    )


def rules_of(exact: Fraction, printed: Printed) -> Iterator[RoundingRule]:
    """Yield the rules under which `exact` prints as `printed`, the usual one first.

    Examples
    --------
    >>> list(rules_of(Fraction(25, 2), parse_printed("12")))
    ['half to even', 'truncation']
    """
    if printed.double:
        if abs(exact - printed.value) <= printed.unit:
            yield "half up"
        return
    if abs(exact - printed.value) >= printed.unit:
        return
    if Fraction(round_number(exact, printed.digits)) == printed.value:
        yield "half up"
    if Fraction(round_number(exact, printed.digits, rounding="half-even")) == printed.value:
        yield "half to even"
    scaled = exact * 10**printed.digits
    if Fraction(ceil(scaled) if scaled < 0 else floor(scaled), 10**printed.digits) == printed.value:
        yield "truncation"


def rule_of(exact: Fraction, printed: Printed) -> RoundingRule | None:
    """Return the most usual rule under which `exact` prints as `printed`."""
    return next(rules_of(exact, printed), None)


def print_like(exact: Fraction, printed: Printed) -> str:
    """Print a value with the digits of another."""
    return format_number(exact, min(printed.digits, 12))
