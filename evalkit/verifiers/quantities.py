"""Read one number with its currency, unit or percent sign, exactly."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from evalkit.errors import ArgumentError

__all__ = ["Quantity", "parse_quantity", "reference_quantity"]

_MAX_LENGTH = 400
_MAX_EXPONENT = 4000
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_CURRENCIES = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
_UNIT_NAMES = {
    "dollar": "usd",
    "dollars": "usd",
    "us dollars": "usd",
    "euro": "eur",
    "euros": "eur",
    "rupees": "inr",
    "yen": "jpy",
}
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<money>[$€£¥₹]?)\s*(?P<sign2>[+-]?)"
    r"(?P<digits>\d{1,3}(?:(?P<mark>[, '])\d{3})(?:(?P=mark)\d{3})*(?!\d)|\d+|(?=\.\d))"
    r"(?P<decimals>\.\d*)?"
    r"(?:[eE](?P<exponent>[+-]?\d+)|\s*[x\u00d7*]\s*10\s*\^\s*(?P<power>[+-]?\d+))?"
    r"\s*(?P<tail>.*)",
    re.ASCII | re.DOTALL,
)
_LONGEST_UNIT = 4  # words, as in "cubic feet per second"
_NOT_UNITS = frozenset(
    (
        "a",
        "an",
        "and",
        "but",
        "i",
        "if",
        "is",
        "less",
        "more",
        "no",
        "not",
        "or",
        "than",
        "the",
        "to",
        "with",
    )
)
_UNIT = re.compile(r"[^\W\d_][\w /·.²³^-]*|[°%‰].*|[$€£¥₹]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as written.

    Attributes
    ----------
    value : Fraction
        Exact value, percent sign not applied.
    unit : str
        Unit or currency in lower case; empty without one.
    percent : bool
        Whether a percent sign, or the word, follows.
    """

    value: Fraction
    unit: str = ""
    percent: bool = False


def _powers(text: str) -> str:
    """Write superscript digits as ``^digits``, before compatibility forms merge them."""
    return re.sub(
        r"(?<=10)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: "^" + found[0].translate(_SUPERSCRIPTS), text
    )


def _is_unit(tail: str) -> bool:
    """Whether a tail names a unit, and is not prose or another number."""
    words = tail.split()
    prose = len(words) > _LONGEST_UNIT or not _NOT_UNITS.isdisjoint(words)
    return bool(_UNIT.fullmatch(tail)) and not prose and not any(w[0].isdigit() for w in words)


def _unit_of(tail: str, money: str) -> tuple[str, bool, int] | None:
    """Read unit, percent and power of ten from what follows the digits."""
    tail = " ".join(tail.casefold().split()).rstrip(".")
    power = 0
    for word, exponent in _SCALES.items():
        if tail == word or tail.startswith(word + " "):
            tail, power = tail[len(word) :].strip(), exponent
            break
    if tail in ("%", "percent", "per cent"):
        return money, True, power
    if tail and not _is_unit(tail):
        return None
    unit = _CURRENCIES.get(tail) or _UNIT_NAMES.get(tail) or tail
    if money and unit and unit != money:
        # "$5 kg" is no amount of anything that can be compared.
        return None
    return unit or money, False, power


def parse_quantity(text: str) -> Quantity | None:
    """Read a text that is one number and nothing else.

    Parameters
    ----------
    text : str
        Such as ``$1,234.50``, ``(3.2%)``, ``-1.2e-3 kg`` or ``5 million dollars``.

    Returns
    -------
    Quantity or None
        ``None`` where the text is not one number.

    Notes
    -----
    Groups of three digits may be set apart by commas, blanks or apostrophes, one mark
    throughout. A unit is at most four words without conjunctions, so that prose after a number
    is no unit. A decimal comma is not read (``1,5`` is not a number, ``1,500`` is 1500).
    Parentheses around an unsigned number make it negative. Thousand, million, billion and
    trillion multiply exactly; short forms (k, m, bn) are units, for they are ambiguous.

    Examples
    --------
    >>> parse_quantity("($1,234.5)")
    Quantity(value=Fraction(-2469, 2), unit='usd', percent=False)
    >>> parse_quantity("2.5 %").percent, parse_quantity("1,5"), parse_quantity("about 3")
    (True, None, None)
    """
    if len(text) > _MAX_LENGTH:
        return None
    text = unicodedata.normalize("NFKC", _powers(text)).replace("\N{MINUS SIGN}", "-").strip()
    inner = re.fullmatch(r"\((.*)\)\s*(%?)", text, re.DOTALL)
    if inner:
        text = f"{inner[1].strip()}{inner[2]}"
    found = _NUMBER.fullmatch(text)
    if found is None or (found["sign"] and found["sign2"]):
        return None
    sign = found["sign"] or found["sign2"]
    if inner and sign:
        return None
    rest = _unit_of(found["tail"], _CURRENCIES.get(found["money"], ""))
    exponent = int((found["exponent"] or found["power"] or "0")[:8])
    if rest is None or abs(exponent) > _MAX_EXPONENT:
        return None
    unit, percent, power = rest
    digits = re.sub(r"[, ']", "", found["digits"]) or "0"
    value = Fraction(Decimal(f"{digits}{found['decimals'] or ''}"))
    value *= Fraction(10) ** (exponent + power)
    negative = bool(inner) or sign == "-"
    return Quantity(value=-value if negative else value, unit=unit, percent=percent)


def reference_quantity(reference: object) -> Quantity:
    """Read a reference that is a number, or the text of one; refuse others.

    Examples
    --------
    >>> reference_quantity(0.1).value
    Fraction(1, 10)
    """
    if isinstance(reference, (int, float, Decimal)) and not isinstance(reference, bool):
        reference = str(reference)
    found = parse_quantity(reference) if isinstance(reference, str) else None
    if found is None:
        raise ArgumentError(
            f"`reference` is {reference!r}, which is not one number; give a number, or compare text"
        )
    return found
