"""Pipe tables of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evalkit.consistency.grid import Grid, GridCell, make_grid
from evalkit.consistency.latex import latex_cell

__all__ = ["markdown_cell", "markdown_tables"]

_DELIMITER = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")
_TAG = re.compile(r"<[^>]+>")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def _split(line: str) -> list[str]:
    """Cells of a line, between unescaped pipes that no code span holds."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith(r"\|"):
        line = line[:-1]
    return [part.strip().replace(r"\|", "|") for part in re.split(r"(?<!\\)\|", line)]


def markdown_cell(source: str) -> GridCell:
    """Read one cell."""
    bold = bool(re.search(r"\*\*[^*]+\*\*|__[^_]+__|<(b|strong)\b", source, re.IGNORECASE))
    underline = bool(re.search(r"<(u|ins)\b", source, re.IGNORECASE))
    text = re.sub(r"<sup\b[^>]*>.*?</sup>", "", source, flags=re.IGNORECASE)
    text = _LINK.sub(r"\1", _TAG.sub("", text))
    text = re.sub(r"\*\*([^*]+)\*\*|__([^_]+)__", lambda m: m[1] or m[2], text)
    text = re.sub(r"(?<![*\w])\*([^*]+)\*(?![*\w])", r"\1", text).replace("`", "")
    if "$" in text or re.search(r"\\[a-zA-Z]", text):
        inner = latex_cell(text)
        return GridCell(
            text=inner.text, bold=bold or inner.bold, underline=underline or inner.underline
        )
    text = re.sub(r"\\([%_*#$&])", r"\1", text)
    return GridCell(text=text.strip(), bold=bold, underline=underline)


def _name(lines: list[str], place: int, number: int) -> str:
    """Caption or heading above a table."""
    for line in reversed(lines[max(0, place - 4) : place]):
        text = line.strip()
        if text.startswith("|"):
            break
        if text:
            return text.lstrip("#").strip(" *:_")[:80] or f"table {number}"
    return f"table {number}"


def markdown_tables(text: str) -> Iterator[Grid]:
    r"""Yield the pipe tables of a text.

    Examples
    --------
    >>> grid = next(markdown_tables("| a | b |\n|---|--:|\n| x | **1.0** |"))
    >>> grid.columns, grid.rows[0][1].text, grid.rows[0][1].bold
    (('a', 'b'), '1.0', True)
    """
    lines = text.splitlines()
    number = 0
    place = 1
    while place < len(lines):
        head = lines[place - 1]
        if not ("|" in lines[place] and "|" in head and _DELIMITER.match(lines[place])):
            place += 1
            continue
        end = place + 1
        while end < len(lines) and "|" in lines[end]:
            end += 1
        number += 1
        rows = [[markdown_cell(part) for part in _split(line)] for line in lines[place + 1 : end]]
        headings = [markdown_cell(part).text for part in _split(head)]
        yield make_grid(_name(lines, place - 1, number), headings, rows)
        place = end + 1
