"""HTML tables through the standard parser."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from evalkit.consistency.grid import Grid, GridCell, make_grid

__all__ = ["html_tables"]


class _Cell:
    """A cell that is being read."""

    def __init__(self, attributes: dict[str, str | None], *, heading: bool) -> None:
        self.heading = heading
        self.columns = _span(attributes.get("colspan"))
        self.rows = _span(attributes.get("rowspan"))
        style = (attributes.get("style") or "").replace(" ", "").casefold()
        self.bold = "font-weight:bold" in style or "font-weight:700" in style
        self.underline = "text-decoration:underline" in style
        self.text: list[str] = []

    def cell(self) -> GridCell:
        """Return the cell as read."""
        text = " ".join("".join(self.text).split())
        return GridCell(text=text, bold=self.bold, underline=self.underline)


def _span(text: str | None) -> int:
    return max(1, min(int(text), 1000)) if text and text.strip().isdigit() else 1


class _Reader(HTMLParser):
    """Collects rows of cells; a table inside a cell is read as text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[tuple[str, list[list[_Cell]], int]] = []
        self.depth = 0
        self.rows: list[list[_Cell]] = []
        self.cell: _Cell | None = None
        self.caption: list[str] | None = None
        self.name = ""
        self.head_rows = 0
        self.in_head = False
        self.raised = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a table, a row or a cell, or mark the open cell."""
        if tag == "table":
            self.depth += 1
            if self.depth == 1:
                self.rows, self.cell, self.name, self.head_rows = [], None, "", 0
        elif self.depth == 1:
            self._open(tag, dict(attrs))

    def _open(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "caption":
            self.caption = []
        elif tag in {"thead", "tbody"}:
            self.in_head = tag == "thead"
        elif tag == "tr":
            self.rows.append([])
            self.cell = None
            self.head_rows += self.in_head
        elif tag in {"td", "th"}:
            if not self.rows:
                self.rows.append([])
            self.cell = _Cell(attributes, heading=tag == "th")
            self.rows[-1].append(self.cell)
        elif tag == "sup":
            self.raised += 1
        else:
            self._mark(tag)

    def _mark(self, tag: str) -> None:
        if self.cell is not None:
            self.cell.bold |= tag in {"b", "strong"} and not self.cell.heading
            self.cell.underline |= tag in {"u", "ins"}
            if tag in {"br", "sub"}:
                self.cell.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Close a table, a caption or a cell."""
        if tag == "table" and self.depth:
            self.depth -= 1
            if self.depth == 0:
                self.tables.append((self.name, self.rows, self.head_rows))
        elif tag == "caption" and self.caption is not None:
            self.name, self.caption = " ".join("".join(self.caption).split()), None
        elif tag in {"td", "th"} and self.depth == 1:
            self.cell = None
        elif tag == "thead":
            self.in_head = False
        elif tag == "sup":
            self.raised = max(0, self.raised - 1)

    def handle_data(self, data: str) -> None:
        """Add text to the caption or the cell."""
        if self.caption is not None:
            self.caption.append(data)
        elif self.cell is not None and (not self.raised or "±" in data):
            self.cell.text.append(data)


def _spread(rows: list[list[_Cell]]) -> list[list[tuple[GridCell, bool]]]:
    """Lay spanning cells out on the grid, repeated in every place they cover."""
    covered: dict[tuple[int, int], tuple[GridCell, bool]] = {}
    out = []
    for down, row in enumerate(rows):
        line: list[tuple[GridCell, bool]] = []
        for source in row:
            while (down, len(line)) in covered:
                line.append(covered.pop((down, len(line))))
            found = source.cell(), source.heading
            for _ in range(source.columns):
                for below in range(1, min(source.rows, len(rows) - down)):
                    covered[down + below, len(line)] = found
                line.append(found)
        while (down, len(line)) in covered:
            line.append(covered.pop((down, len(line))))
        out.append(line)
    return out


def html_tables(text: str) -> Iterator[Grid]:
    """Yield the tables of a text, named by their captions.

    Examples
    --------
    >>> source = "<table><tr><th>s<th>acc</tr><tr><td>A<td><b>62.5</b></tr></table>"
    >>> grid = next(html_tables(source))
    >>> grid.columns, grid.rows[0][1].bold
    (('s', 'acc'), True)
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    for number, (name, rows, declared) in enumerate(reader.tables, start=1):
        lines = [line for line in _spread(rows) if line]
        if not lines:
            continue
        head = declared
        if not head:
            while head < len(lines) and all(heading for _, heading in lines[head]):
                head += 1
        head = min(max(head, 1), len(lines))
        width = max(len(line) for line in lines[:head])
        headings = []
        for place in range(width):
            parts = [line[place][0].text for line in lines[:head] if place < len(line)]
            headings.append(" / ".join(dict.fromkeys(part for part in parts if part)))
        body = [[cell for cell, _ in line] for line in lines[head:]]
        yield make_grid(name[:80] or f"table {number}", headings, body)
