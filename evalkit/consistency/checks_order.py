"""Checks of ranks, of bold best values and of underlined second ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from evalkit.consistency.checks_counts import audited
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.roles import POINTS

__all__ = ["check_best", "check_rank"]

RankRule = Literal["competition", "dense", "fractional", "ordinal", "modified competition"]
_RANK_RULES: tuple[RankRule, ...] = (
    "competition", "dense", "fractional", "modified competition", "ordinal"
)  # fmt: skip
_FIGURES = (*sorted(POINTS), "average", "other", "delta")


def _allowed(
    rule: RankRule, values: Iterable[Fraction]
) -> dict[Fraction, tuple[Fraction, Fraction]]:
    """Lowest and highest rank of each value, 1 for the greatest."""
    counts = Counter(values)
    out, above = {}, 0
    for place, value in enumerate(sorted(counts, reverse=True), start=1):
        first, last = Fraction(above + 1), Fraction(above + counts[value])
        above += counts[value]
        exact = {
            "competition": first,
            "modified competition": last,
            "fractional": (first + last) / 2,
            "dense": Fraction(place),
        }
        out[value] = (first, last) if rule == "ordinal" else (exact[rule], exact[rule])
    return out


def _right(rule: RankRule, ranks: Mapping[int, Fraction], values: Mapping[int, Fraction]) -> int:
    allowed = _allowed(rule, values.values())
    return sum(allowed[values[i]][0] <= rank <= allowed[values[i]][1] for i, rank in ranks.items())


def check_rank(layout: Layout) -> Iterator[AuditedCell]:
    """Ranks against the figure that they order, whatever the rule for ties."""
    for column in layout.of("rank"):
        given = {i: p.value for i in layout.body if (p := layout.number(i, column)) is not None}
        if len(given) < 2:
            continue
        best = _ordering(layout, column, given)
        if best is None:
            yield audited(
                layout, None, column, "rank", "uncheckable",
                why="the column that the ranks order is not certain, or the table is an excerpt",
            )  # fmt: skip
            continue
        figure, sign, rule, values = best
        ranks = {i: given[i] for i in values}
        everything = list(values.values())
        allowed = _allowed(rule, everything)
        for row, rank in ranks.items():
            low, high = allowed[values[row]]
            shown = layout.number(row, column)
            direction = "greatest" if sign > 0 else "smallest"
            how = f"{rule} rank by {figure.name}, {direction} first"
            if low <= rank <= high:
                yield audited(layout, row, column, "rank", "ok", how=how)
                continue
            yield audited(
                layout, row, column, "rank", "mismatch", printed=shown,
                expected=low if rank < low else high, how=how,
                why=_why_rank(rank, values[row], everything),
            )  # fmt: skip


def _why_rank(rank: Fraction, value: Fraction, values: Sequence[Fraction]) -> str:
    others = [
        r for r in _RANK_RULES
        for low, high in [_allowed(r, values)[value]]
        if low <= rank <= high
    ]  # fmt: skip
    if others:
        return f"it would be right under {others[0]} ranking, which the other rows do not follow"
    return "out of order with the figure"


def _ordering(
    layout: Layout, column: Column, given: Mapping[int, Fraction]
) -> tuple[Column, int, RankRule, dict[int, Fraction]] | None:
    """Figure, direction and tie rule that most ranks follow; ``None`` unless most do."""
    best: tuple[int, Column, int, RankRule, dict[int, Fraction]] | None = None
    for figure in layout.of(*_FIGURES):  # type: ignore[arg-type]
        if column.base and figure.base and column.base not in figure.base:
            continue
        for sign in (1, -1):
            values = {
                i: sign * p.value for i in given if (p := layout.number(i, figure)) is not None
            }
            if len(values) < len(given):
                continue
            for rule in _RANK_RULES:
                right = _right(rule, given, values)
                if best is None or right > best[0]:
                    best = right, figure, sign, rule, values
    if best is None or 2 * best[0] < len(given) or best[0] < 2 or max(given.values()) > len(given):
        return None
    return best[1:]


Line = tuple[tuple[int, Column], ...]


def _lines(layout: Layout, direction: str) -> list[Line]:
    """Cells among which a best one is marked: of a column, of a block of it, or of a row."""
    figures = [c for c in layout.columns if c.role in _FIGURES or c.role in {"count", "rank"}]
    rows = layout.body
    if direction == "column":
        return [tuple((i, c) for i in rows) for c in figures]
    if direction == "block":
        groups = sorted(set(layout.grid.groups))
        return [
            tuple((i, c) for i in rows if layout.grid.groups[i] == g)
            for c in figures
            for g in groups
        ]
    parts = [c for c in figures if c.role != "average"]
    return [tuple((i, c) for c in parts) for i in rows]


def _values(layout: Layout, line: Line) -> list[tuple[int, Column, Fraction]]:
    out = []
    for row, column in line:
        printed = layout.number(row, column)
        if printed is not None:
            out.append((row, column, printed.value))
    return out


def _marked(layout: Layout, row: int, column: Column, mark: str) -> bool:
    return bool(getattr(layout.cell(row, column), mark))


def _emphasised(layout: Layout) -> set[int]:
    """Rows that are bold as a whole, label included: emphasis, not a best value."""
    out = set()
    for row in range(len(layout.grid.rows)):
        cells = [c for c in layout.grid.rows[row] if c.text.strip()]
        if len(cells) > 1 and all(cell.bold for cell in cells):
            out.add(row)
    return out


def _target(values: Sequence[Fraction], sign: int, mark: str) -> Fraction | None:
    ordered = sorted(set(values), reverse=sign > 0)
    place = 0 if mark == "bold" else 1
    return ordered[place] if len(ordered) > place else None


def _line_sign(layout: Layout, line: Line, mark: str) -> tuple[int, int, int]:
    """Direction that most marks of a line follow, the number that do, and all marks."""
    found = _values(layout, line)
    marked = [v for row, column, v in found if _marked(layout, row, column, mark)]
    if len(found) < 2:
        return 1, 0, len(marked)
    right = {}
    for sign in (1, -1):
        target = _target([v for _, _, v in found], sign, mark)
        right[sign] = sum(v == target for v in marked)
    names = {column.name for _, column, _ in found}
    fixed = _fixed_sign(found[0][1]) if len(names) == 1 else None
    sign = fixed or (1 if right[1] >= right[-1] else -1)
    return sign, right[sign], len(marked)


def _fixed_sign(column: Column) -> int | None:
    """Direction that the heading tells."""
    if "\N{DOWNWARDS ARROW}" in column.name:
        return -1
    told = "\N{UPWARDS ARROW}" in column.name or column.role in {"accuracy", "win_rate"}
    return 1 if told else None


def check_best(layout: Layout) -> Iterator[AuditedCell]:
    """Bold cells are the best of their line, all tied ones bold; underlined ones the second."""
    emphasised = _emphasised(layout)
    for mark in ("bold", "underline"):
        scores = []
        for direction in ("column", "block", "row"):
            lines = [
                tuple(cell for cell in line if cell[0] not in emphasised or mark != "bold")
                for line in _lines(layout, direction)
            ]
            facts = [_line_sign(layout, line, mark) for line in lines]
            if direction == "row":
                # One direction for the whole table; the greatest, unless most say otherwise.
                up = sum(f[1] for f in facts if f[0] == 1)
                sign = 1 if 2 * up >= sum(f[1] for f in facts) else -1
                facts = [(sign, f[1] if f[0] == sign else 0, f[2]) for f in facts]
            scores.append((sum(f[1] for f in facts), lines, facts))
        right, lines, facts = max(scores, key=lambda s: s[0])
        marks = sum(f[2] for f in facts)
        if not marks:
            continue
        if 2 * right < marks and _told(layout, scores[0][1], mark):
            _, lines, facts = scores[0]
        elif 2 * right < marks:
            column = next(c for c in layout.columns if c.role in _FIGURES or c.role == "label")
            yield audited(
                layout, None, column, mark, "uncheckable",
                why=f"what {mark} cells stand for is not certain: {right} of {marks} are the "
                f"{'best' if mark == 'bold' else 'second'} of a column, block or row",
            )  # fmt: skip
            continue
        for line, (sign, _, count) in zip(lines, facts, strict=True):
            if count:
                yield from _marks(layout, line, sign, mark)


def _told(layout: Layout, lines: Sequence[Line], mark: str) -> bool:
    """Whether headings tell the best of every marked column, and no single row is emphasised."""
    marked = [
        (row, column) for line in lines for row, column in line
        if layout.number(row, column) is not None and _marked(layout, row, column, mark)
    ]  # fmt: skip
    one_row = len({row for row, _ in marked}) == 1 and len(marked) > 1
    told = all(_fixed_sign(column) is not None for _, column in marked)
    return mark == "bold" and told and not one_row


def _marks(layout: Layout, line: Line, sign: int, mark: str) -> Iterator[AuditedCell]:
    found = _values(layout, line)
    values = [v for _, _, v in found]
    target = _target(values, sign, mark)
    if target is None or len(found) < 2:
        return
    word = ("greatest" if sign > 0 else "smallest") if mark == "bold" else "second"
    ties = sum(v == target for v in values)
    best_marked = any(v == target and _marked(layout, r, c, mark) for r, c, v in found)
    for row, column, value in found:
        printed, is_marked = layout.number(row, column), _marked(layout, row, column, mark)
        if is_marked and value == target:
            why = f"{ties} tied" if ties > 1 else ""
            yield audited(layout, row, column, mark, "ok", how=f"{word} of its line", why=why)
        elif is_marked:
            # Second place below a tie for the first is marked by some as third.
            verdict = "mismatch" if mark == "bold" else "uncheckable"
            yield audited(
                layout, row, column, mark, verdict, printed=printed, expected=target,  # type: ignore[arg-type]
                how=f"{word} of its line", why=f"{mark}, but not the {word}",
            )  # fmt: skip
        elif value == target and mark == "bold" and best_marked:
            yield audited(
                layout, row, column, mark, "rounding", printed=printed, expected=target,
                how=f"{word} of its line, tied",
                why="tied with a bold value and not bold; right only if unprinted digits differ",
            )  # fmt: skip
