"""Numbers as judges write them: decimal commas, thousands, ratios, percentages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["NUMBER", "WORDS", "Scale", "Written", "read_number", "without_scales"]

NUMBER = (
    r"[-+]?(?<![\d.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
    r"(?!\d|[.,]\d|[eE][-+]?\d)"
)
"""A number; what runs on in digits, points or commas (a version, a list) is none."""

WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)
"""Number words that count after a label."""

Scale = Literal["percent"] | float | None
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_OUT_OF = (
    rf"(?:\s*/\s*|\s+out\s+of\s+(?:a\s+(?:possible\s+|total\s+of\s+)?)?|\s+of\s+)(?P<of>{NUMBER})"
)
_WRITTEN = re.compile(
    rf"(?P<number>{NUMBER})(?:(?P<percent>\s*(?:%|percent\b|per\s*cent\b))|{_OUT_OF}(?!\s*/))?"
)
_TO = r"\s*(?:-|\u2013|\u2014|~|\.\.+|to|through|until|and)\s*"
_SCALES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # (0 = poor, 3 = great), 1: worst
        r"(?<![\w.,])[-+]?\d+(?:\.\d+)?\s*(?:=|means|being|is\s+the)\s*[\"'(]?[a-z][^,;:.)\n]*",
        # 1 (worst) to 5 (best)
        rf"{NUMBER}\s*\([^()\d]*\)\s*(?:-|\u2013|\u2014|to|through)\s*{NUMBER}\s*(?:\([^()\d]*\))?",
        rf"\b(?:between|from)\s+{NUMBER}{_TO}{NUMBER}",
        rf"(?<![\w.,/]){NUMBER}\s*(?:-|\u2013|\u2014|~|\.\.+|to|through|or)\s*{NUMBER}(?!\s*/)",
        rf"\[\s*{NUMBER}\s*,\s*{NUMBER}\s*\]",
        rf"\bscale\s+(?:of|is|goes\s+up\s+to|up\s+to)\s+{NUMBER}(?![ \t]*[:=])",
        rf"{NUMBER}[-\s]+(?:point|star|level)\s+(?:\w+\s+)?(?:scale|rubric|range)",
        (
            r"\b(?:maximum|max|minimum|min|highest|lowest|best|worst)(?:\s+(?:possible\s+)?"
            rf"(?:score|rating|mark))?\s*(?:is|of|=|:)?\s*{NUMBER}"
        ),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A number and the scale that stands beside it.

    Attributes
    ----------
    value : float
        The number.
    scale : float, "percent" or None
        The full marks it is written out of.
    text : str
        As written.
    end : int
        Where it ends in its text.
    """

    value: float
    scale: Scale
    text: str
    end: int


def _value(text: str) -> float:
    if _THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    return float(text.replace(",", "."))


def read_number(text: str, place: int = 0) -> Written | None:
    """Return the number that starts at `place`, with its scale.

    Examples
    --------
    >>> read_number("7,5").value, read_number("1,000").value, read_number("8 out of 10").scale
    (7.5, 1000.0, 10.0)
    >>> read_number("1.2.3") is None
    True
    """
    match = _WRITTEN.match(text, place)
    if match is None:
        return None
    scale: Scale = "percent" if match["percent"] else None
    if match["of"]:
        scale = _value(match["of"])
    return Written(value=_value(match["number"]), scale=scale, text=match[0], end=match.end())


def without_scales(text: str) -> str:
    """Return `text` with every statement of a scale blanked out, at equal length.

    Examples
    --------
    >>> without_scales("Score 0-3: so 3")
    'Score    : so 3'
    """
    for pattern in _SCALES:
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text
