"""What can be counted in an output by looking at it, and nothing else."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["CONFIDENCE_WORDS", "TEXT_CUES", "populated_cells"]

CONFIDENCE_WORDS = (
    "100%",
    "absolutely",
    "always",
    "beyond doubt",
    "certain",
    "certainly",
    "clearly",
    "conclusively",
    "confident",
    "confidently",
    "confirmed",
    "definitely",
    "exactly",
    "for sure",
    "guarantee",
    "guaranteed",
    "indisputably",
    "never",
    "no doubt",
    "obviously",
    "of course",
    "precisely",
    "proven",
    "sure",
    "surely",
    "undoubtedly",
    "unquestionably",
    "verified",
    "without a doubt",
    "without doubt",
)
"""Words and phrases that the cue ``confidence`` counts, whatever their case."""

_CONFIDENCE = re.compile(
    r"(?<!\w)(?:"
    + "|".join(re.escape(w) for w in sorted(CONFIDENCE_WORDS, key=len, reverse=True))
    + r")(?!\w)",
    re.IGNORECASE,
)
_CITATION = re.compile(
    r"""
      \[[^\[\]\n]{0,300}\]\(https?://[^\s()]+\)           # a Markdown link, once
    | https?://[^\s<>\]\)"']+                             # a bare address
    | \bdoi:\s*10\.\d{4,9}/\S+
    | \[\^?\d{1,4}(?:\s*[,;\u2013-]\s*\d{1,4})*\]         # [3], [3, 4], [^3]
    | \u3010[^\u3011\n]{1,60}\u3011
    | \([A-Z][^()\d\n]{0,80}?,?\s\d{4}[a-z]?\)            # (Author et al., 2020)
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?")
_MARKDOWN = re.compile(
    r"""
      ^\s{0,3}\#{1,6}\s          # heading
    | ^\s*(?:[-*+]|\d{1,3}[.)])\s  # list item
    | ^\s{0,3}>\s                # quotation
    | ^\s*(?:```|~~~)            # fence
    | ^\s*\|.*\|\s*$             # table row
    | \*\*[^*\n]{1,300}\*\*      # bold
    | (?<!`)`[^`\n]{1,300}`(?!`) # code
    | \[[^\[\]\n]{0,300}\]\([^()\s]+\)  # link
    """,
    re.VERBOSE | re.MULTILINE,
)
_RULE_CELL = re.compile(r"\s*:?-+:?\s*")
_FENCE = re.compile(r"\A\s*```[\w-]*\n(.*?)\n\s*```\s*\Z", re.DOTALL)


def _filled_leaves(value: Any) -> int:
    """Scalars that hold something, without recursion (data may be nested deeply)."""
    count, todo = 0, [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)
        else:
            count += each is not None and (not isinstance(each, str) or bool(each.strip()))
    return count


def _markdown_cells(lines: list[str]) -> int | None:
    rows = [line.strip()[1:-1].split("|") for line in lines if re.match(r"\s*\|.*\|\s*$", line)]
    body = [row for row in rows if not all(_RULE_CELL.fullmatch(cell) for cell in row)]
    if len(body) < 2 or len(body) == len(rows):
        return None
    return sum(bool(cell.strip()) for row in body for cell in row)


def _delimited_cells(text: str) -> int | None:
    for mark in ("\t", ",", ";"):
        if mark not in text:
            continue
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
        except csv.Error:
            continue
        if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            return sum(bool(cell.strip()) for row in rows for cell in row)
    return None


def populated_cells(text: str) -> int | None:
    r"""Count the cells that hold something in a JSON, Markdown or delimited table.

    Parameters
    ----------
    text : str
        The output; one code fence around it is taken off.

    Returns
    -------
    int or None
        In JSON the scalars other than null and blank text; in a table the cells that are not
        blank, headings included. ``None`` where the text is none of these.

    Examples
    --------
    >>> populated_cells('[{"a": 1, "b": null}, {"a": 2, "b": ""}]')
    2
    >>> populated_cells("a,b\n1,\n2,3\n"), populated_cells("Just prose, with a comma.")
    (5, None)
    """
    fence = _FENCE.match(text)
    body = fence[1] if fence else text.strip("\r\n ")
    if body[:1] in ("{", "["):
        try:
            return _filled_leaves(json.loads(body))
        except (ValueError, RecursionError):
            pass
    table = _markdown_cells(body.splitlines())
    return _delimited_cells(body) if table is None else table


def _count(pattern: re.Pattern[str]) -> Callable[[str], int]:
    return lambda text: sum(1 for _ in pattern.finditer(text))


TEXT_CUES: Mapping[str, tuple[str, Callable[[str], int | None]]] = MappingProxyType(
    {
        "length": ("characters (Unicode code points) of the output", len),
        "words": ("words of the output, split at white space", lambda text: len(text.split())),
        "citations": (
            "citation marks: [3], (Author, 2020), web addresses, DOIs",
            _count(_CITATION),
        ),
        "confidence": ("words of confidence (CONFIDENCE_WORDS)", _count(_CONFIDENCE)),
        "populated-cells": (
            "cells that hold something in a JSON, Markdown or delimited table",
            populated_cells,
        ),
        "numbers": ("numbers written in digits", _count(_NUMBER)),
        "markdown": (
            "Markdown marks: headings, lists, quotations, fences, table rows, bold, code, links",
            _count(_MARKDOWN),
        ),
    }
)
"""Cue -> what it counts, and the function that counts it; ``None`` is undefined."""
