"""A table as it is printed: headings, cells with their marks, and groups of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evalkit.consistency.printed import Printed, parse_printed

__all__ = ["MISSING", "Grid", "GridCell", "make_grid"]

MISSING = frozenset(
    {"", "-", "--", "---", "\u2013", "\u2014", "\u2212", "n/a", "na", "nan", "none", "null", "?"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """One cell.

    Attributes
    ----------
    text : str
        Without markup.
    bold, underline : bool
        Marks of the best and of the second.
    number : Printed or None
        What it says, if it is a number.
    """

    text: str
    bold: bool = False
    underline: bool = False
    number: Printed | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", parse_printed(self.text))

    @property
    def is_missing(self) -> bool:
        """Whether nothing is printed here."""
        return self.text.strip().casefold() in MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One table.

    Attributes
    ----------
    name : str
        Caption, heading or file.
    columns : tuple of str
        Headings, distinct; a spanner is joined with `` / ``.
    rows : tuple of tuple of GridCell
        As many cells as columns.
    groups : tuple of int
        Block of each row; best values are marked within a block in some tables.
    notes : tuple of str
        What was guessed in reading.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    groups: tuple[int, ...]
    notes: tuple[str, ...] = ()


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Headings made distinct: a repeated or empty one gets its place."""
    out: list[str] = []
    for place, name in enumerate(names, start=1):
        base = name.strip() or f"column {place}"
        out.append(base if base not in out else f"{base} ({place})")
    return tuple(out)


def make_grid(
    name: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[GridCell]],
    *,
    breaks: Sequence[int] = (),
    notes: Sequence[str] = (),
) -> Grid:
    """Pad short rows, drop empty ones, and turn separator rows into groups.

    A row with one text in its first cell and nothing else names the block below it.
    `breaks` are the positions of rows before which a rule is drawn.
    """
    width = max([len(headings), *(len(row) for row in rows)], default=0)
    columns = _distinct([*headings, *([""] * (width - len(headings)))])
    kept: list[tuple[GridCell, ...]] = []
    groups: list[int] = []
    group = 0
    for place, row in enumerate(rows):
        cells = (*row, *(GridCell(text="") for _ in range(width - len(row))))
        filled = [cell for cell in cells if cell.text.strip()]
        if place in breaks:
            group += 1
        if not filled:
            continue
        heading = len(filled) == 1 and filled[0].number is None and not filled[0].is_missing
        if heading and width > 1:
            group += 1
            continue
        kept.append(cells)
        groups.append(group)
    return Grid(
        name=name, columns=columns, rows=tuple(kept), groups=tuple(groups), notes=tuple(notes)
    )
