"""The same quantity printed twice: in two tables, or in two rows of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from evalkit.consistency.checks_counts import audited
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.printed import Printed, rule_of
from evalkit.consistency.roles import POINTS, plain_heading

__all__ = ["agree", "check_repeats"]

Place = tuple[Layout, int, Column, Printed]


def agree(a: Printed, b: Printed) -> bool:
    """Whether two printed numbers can be of one value, fractions and percentages alike.

    Examples
    --------
    >>> from evalkit.consistency.printed import parse_printed as p
    >>> agree(p("62.5"), p("62.53")), agree(p("0.625"), p("62.5")), agree(p("62.5"), p("62.6"))
    (True, True, False)
    """
    for scale in (Fraction(1), Fraction(100), Fraction(1, 100)):
        gap = abs(a.value - scale * b.value)
        if gap == 0 or rule_of(scale * b.value, a) or rule_of(a.value / scale, b):
            return True
        # Digits that neither shows can be the same only if the ranges meet.
        if a.digits != b.digits and gap < a.half + scale * b.half:
            return True
    return False


def _cells(layout: Layout) -> dict[tuple[str, str], list[Place]]:
    """Cells by the names of their row and column."""
    out: dict[tuple[str, str], list[Place]] = {}
    has_label = bool(layout.of("label"))
    rows = range(len(layout.grid.rows))
    # One label in two blocks of a table stands for two settings.
    blocks: dict[str, set[int]] = {}
    for row in rows:
        blocks.setdefault(layout.full_label(row), set()).add(layout.grid.groups[row])
    split = any(len(found) > 1 for found in blocks.values())
    for row in rows if has_label else ():
        block = layout.grid.groups[row] if split else 0
        label = " ".join(layout.full_label(row).casefold().split())
        keys = [c for c in layout.of("other") if plain_heading(c.name) in _KEYS]
        numbers = "|".join(layout.cell(row, c).text for c in keys)
        for column in layout.columns:
            printed = layout.number(row, column)
            if column.role in {"label", "ignore", "rank"} or column in keys or printed is None:
                continue
            name = plain_heading(column.name)
            if name and not name.startswith("column "):
                key = f"{label}|{numbers}|{block}", name
                out.setdefault(key, []).append((layout, row, column, printed))
    return out


_KEYS = {"order", "generation", "id", "index", "seed", "round", "step", "epoch", "year", "date",
         "level", "temperature", "p", "k"}  # fmt: skip


def check_repeats(layouts: Sequence[Layout]) -> Iterator[AuditedCell]:
    """Compare cells of one row and column name, across tables and within one."""
    found = [_cells(layout) for layout in layouts]
    for one, other in combinations(range(len(found)), 2):
        shared = [key for key in found[one] if key in found[other]]
        pairs = [
            pair for key in shared for pair in zip(found[one][key], found[other][key], strict=False)
        ]
        right = sum(agree(a[3], b[3]) for a, b in pairs)
        where = f"in {layouts[other].grid.name!r} and {layouts[one].grid.name!r}"
        yield from _judged(pairs, where, certain=right > 0 and 2 * right >= len(pairs))
    for cells, layout in zip(found, layouts, strict=True):
        pairs = [
            (places[0], other)
            for places in cells.values()
            for other in places[1:]
            if other[2].role in {*POINTS, "average"}
        ]
        repeated = {key[0] for key, places in cells.items() if len(places) > 1}
        labels = len({key[0] for key in cells})
        rare = 3 * len(repeated) <= labels or len(repeated) == 1 < labels
        yield from _judged(pairs, f"twice in {layout.grid.name!r}", certain=rare)


def _judged(
    pairs: Sequence[tuple[Place, Place]], where: str, *, certain: bool
) -> Iterator[AuditedCell]:
    """Compare pairs; one name can stand for two settings, so a difference may tell nothing."""
    for (_, _, _, first), (layout, row, column, second) in pairs:
        if agree(first, second):
            yield audited(layout, row, column, "repeated", "ok", how=f"{first.text}, {where}")
        elif certain:
            yield audited(
                layout, row, column, "repeated", "mismatch", printed=second,
                expected=first.value, how=where, why="one quantity is printed with two values",
            )  # fmt: skip
        else:
            yield audited(
                layout, row, column, "repeated", "uncheckable", how=f"{first.text}, {where}",
                why="one name, two values: two settings may share the name",
            )  # fmt: skip
