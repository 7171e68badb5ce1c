"""Checks of figures that are made of others: differences, means and sums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from evalkit.consistency.checks_counts import audited
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.printed import Printed, rule_of
from evalkit.consistency.roles import POINTS, plain_heading
from evalkit.errors import ArgumentError

__all__ = ["Parts", "check_aggregate_rows", "check_delta", "check_mean", "check_total"]

Weighted = tuple[Fraction, Column]
Parts = Sequence[Weighted]
_FIGURES = (*sorted(POINTS), "other", "average", "count", "delta")
_BEFORE = {"before", "base", "baseline", "parent", "old", "without", "control", "v0", "a", "start",
           "seed", "initial"}  # fmt: skip
_AFTER = {"after", "ours", "candidate", "new", "with", "treatment", "v1", "b", "evolved", "end",
          "final", "best"}  # fmt: skip


def combination(layout: Layout, row: int, parts: Parts) -> tuple[Fraction, Fraction] | None:
    """Value of a linear combination, and how far the rounding of its parts can have moved it."""
    value, slack = Fraction(0), Fraction(0)
    for weight, column in parts:
        printed = layout.number(row, column)
        if printed is None:
            return None
        value += weight * printed.value
        slack += abs(weight) * printed.half
    return value, slack


def fits(printed: Printed, value: Fraction, slack: Fraction) -> bool:
    """Whether a number is the value within its own rounding and that of the parts."""
    return abs(printed.value - value) <= printed.half + slack


def judged(
    layout: Layout, row: int, column: Column, check: str, found: tuple[Fraction, Fraction | None],
    how: str, why: str,
) -> AuditedCell:  # fmt: skip
    """Judge a printed number against a combination of printed parts."""
    printed, (value, slack) = layout.number(row, column), found
    if printed is None:
        return audited(layout, row, column, check, "uncheckable", why="no number is printed")
    if rule_of(value, printed) in {"half up", "half to even"}:
        return audited(layout, row, column, check, "ok", printed=printed, expected=value, how=how)
    if slack is None:
        return audited(
            layout, row, column, check, "mismatch", printed=printed, expected=value, how=how,
            why=why,
        )  # fmt: skip
    if fits(printed, value, slack):
        return audited(
            layout, row, column, check, "ok", printed=printed, expected=value, how=how,
            why="within the rounding of its parts",
        )  # fmt: skip
    if fits(printed, value, slack + printed.half):
        return audited(
            layout, row, column, check, "rounding", printed=printed, expected=value, how=how,
            why="reached only if it or its parts were truncated",
        )  # fmt: skip
    flipped = abs(printed.value + value) <= printed.half + slack
    return audited(
        layout, row, column, check, "mismatch", printed=printed, expected=value, how=how,
        why="the sign is reversed" if flipped else why,
    )  # fmt: skip


def _described(parts: Parts) -> str:
    return " ".join(
        f"{'-' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w)}*'}{c.name}" for w, c in parts
    ).removeprefix("+ ")


def _named(layout: Layout, name: str, setting: str) -> Column:
    for column in layout.columns:
        if column.name == name:
            return column
    for column in layout.columns:
        if plain_heading(column.name) == plain_heading(name):
            return column
    names = ", ".join(repr(c.name) for c in layout.columns)
    raise ArgumentError(f"`{setting}` names {name!r}; the columns are {names}")


def _split_difference(layout: Layout, text: str) -> Parts | None:
    """Parts of ``B-A``; a hyphen may be part of a name."""
    text = text.replace("\u2212", "-")
    names = {plain_heading(c.name): c for c in layout.columns}
    for sign in (" - ", "-"):
        places = [m.start() for m in re.finditer(re.escape(sign), text)]
        for place in places:
            left, right = plain_heading(text[:place]), plain_heading(text[place + len(sign) :])
            if left in names and right in names:
                return ((Fraction(1), names[left]), (Fraction(-1), names[right]))
    return None


def _declared_delta(layout: Layout, column: Column) -> Parts | None:
    text = layout.settings.deltas.get(column.name)
    if text is not None:
        parts = _split_difference(layout, text)
        if parts is None:
            names = ", ".join(repr(c.name) for c in layout.columns)
            raise ArgumentError(
                f"`deltas` gives {text!r} for {column.name!r}; write B-A with columns of {names}"
            )
        return parts
    inner = re.search(r"[\[(]([^\])]*)[\])]", column.name)
    return _split_difference(layout, inner.group(1) if inner else column.name)


def _guessed_deltas(layout: Layout, column: Column) -> list[tuple[Parts, bool]]:
    """Pairs of columns that a difference may be of, and whether their names say so."""
    figures = [c for c in layout.of(*_FIGURES) if c is not column]  # type: ignore[arg-type]
    before = [c for c in figures if c.place < column.place]
    if column.base:
        own = [c for c in before if c.base.startswith(column.base) or column.base in c.base]
        before = own if len(own) >= 2 else before
    plain = [c for c in before if c.role != "delta"]
    before = plain if len(plain) >= 2 else before
    if not before:
        before = figures
    out: list[tuple[Parts, bool]] = []
    for a, b in combinations(before[-6:], 2):
        words = set(plain_heading(a.name).split()), set(plain_heading(b.name).split())
        forward = bool(words[0] & _BEFORE and words[1] & _AFTER)
        backward = bool(words[1] & _BEFORE and words[0] & _AFTER)
        named = (forward or backward) and _same_subject(layout, column, a, b)
        if not backward:
            out.append((((Fraction(1), b), (Fraction(-1), a)), named))
        if not forward:
            out.append((((Fraction(1), a), (Fraction(-1), b)), named))
    return out


_GENERAL = {"delta", "diff", "difference", "gain", "improvement", "change", "abs", "absolute",
            "points", "pp", "score", "\u03b4", "\u2206"}  # fmt: skip


def _same_subject(layout: Layout, column: Column, a: Column, b: Column) -> bool:
    """Whether a plain difference of two columns can only be the difference of this heading."""
    subject = set(plain_heading(column.name).split()) - _GENERAL - _BEFORE - _AFTER
    words = set(plain_heading(a.name).split()) & set(plain_heading(b.name).split())
    cells = [p for i in layout.body if (p := layout.number(i, column)) is not None]
    # "Improvement (%)" may be relative.
    relative = "%" in column.name or any(p.percent for p in cells)
    return subject <= words and not (relative and a.scale is None)


def _matches(layout: Layout, column: Column, parts: Parts) -> tuple[int, int]:
    """Rows in which a combination gives the printed number, and rows in which it can."""
    right = total = 0
    for row in range(len(layout.grid.rows)):
        printed, found = layout.number(row, column), combination(layout, row, parts)
        if printed is not None and found is not None:
            total += 1
            right += fits(printed, *found)
    return right, total


def _best(
    layout: Layout, column: Column, options: list[tuple[Parts, bool]]
) -> tuple[Parts | None, bool]:
    """Return the combination that most rows follow, and whether it is certain to apply."""
    scored = [(*_matches(layout, column, parts), named, parts) for parts, named in options]
    if not scored:
        return None, False
    right, total, named, parts = max(scored, key=lambda s: (s[0], s[2]))
    if not total:
        return None, False
    # One row agrees by chance with one of many pairs, rarely with one of a few.
    needed = 1 if len(options) <= 4 else 2
    alone = sum(s[2] for s in scored) == 1
    return parts, (2 * right >= total and right >= needed) or (named and (alone or right >= 1))


def check_delta(layout: Layout) -> Iterator[AuditedCell]:
    """Differences against the two figures they are of."""
    declared = set(layout.settings.deltas)
    for column in layout.columns:
        if column.role not in {"delta", "other", "label"} and column.name not in declared:
            continue
        parts, certain = _declared_delta(layout, column), True
        if parts is None and column.role != "delta":
            continue
        if parts is None:
            parts, certain = _best(layout, column, _guessed_deltas(layout, column))
        yield from _against_parts(
            layout, column, parts, "delta", certain=certain,
            why="the difference does not follow from its parts",
        )  # fmt: skip


def _against_parts(
    layout: Layout, column: Column, parts: Parts | None, check: str, *, certain: bool, why: str,
    scaled: Fraction = Fraction(1),
) -> Iterator[AuditedCell]:  # fmt: skip
    if parts is None or not certain:
        option = {"delta": "--delta", "mean": "--mean", "sum": "--sum"}[check]
        yield audited(
            layout, None, column, check, "uncheckable",
            why=f"which columns it is of is not certain; declare {option}",
        )  # fmt: skip
        return
    how = _described([(w / scaled, c) for w, c in parts])
    how = how if scaled == 1 else f"({how})*{scaled}"
    values = {
        row: found for row in range(len(layout.grid.rows))
        if layout.number(row, column) is not None
        and (found := combination(layout, row, parts)) is not None
    }  # fmt: skip
    # Counts have no rounding; whole numbers that mostly sum exactly are counts.
    whole = [row for row in values if _is_whole(layout, row, [column, *(c for _, c in parts)])]
    hits = sum(p.value == values[r][0] for r in whole if (p := layout.number(r, column)))
    counts = check == "sum" and 2 * hits >= len(values)
    for row, (value, slack) in values.items():
        exact = counts and row in whole
        yield judged(layout, row, column, check, (value, None if exact else slack), how, why)


def _is_whole(layout: Layout, row: int, columns: Sequence[Column]) -> bool:
    numbers = [layout.number(row, c) for c in columns]
    return all(p is not None and p.digits == 0 and not p.percent for p in numbers)


def _parse_weighted(layout: Layout, text: str, setting: str, separator: str) -> Parts:
    """Parts of ``A,B`` or ``A:400,B:16``, the weights made to sum to 1."""
    parts = []
    for item in text.split(separator):
        name, sign, weight = item.strip().rpartition(":")
        if not sign or not re.fullmatch(r"\d+(\.\d+)?", weight.strip()):
            name, weight = item.strip(), "1"
        parts.append((Fraction(weight.strip()), _named(layout, name, setting)))
    return parts


def check_mean(layout: Layout) -> Iterator[AuditedCell]:
    """Averages over columns against their parts."""
    for column in layout.columns:
        text = layout.settings.means.get(column.name)
        if text is not None:
            given = _parse_weighted(layout, text, "means", ",")
            total = sum(weight for weight, _ in given)
            parts: Parts | None = [(weight / total, c) for weight, c in given]
            certain, scaled = True, 1 / total if total else Fraction(1)
        elif column.role == "average":
            parts, certain = _best(layout, column, _guessed_means(layout, column))
            scaled = Fraction(1, len(parts)) if parts else Fraction(1)
        else:
            continue
        yield from _against_parts(
            layout, column, parts, "mean", certain=certain, scaled=scaled,
            why="the mean does not follow from its parts: other parts, or weights",
        )  # fmt: skip


def _guessed_means(layout: Layout, column: Column) -> list[tuple[Parts, bool]]:
    """Column sets that a mean may be over: all to its left, since the last mean, of its base."""
    figures = layout.of(*sorted(POINTS), "other")  # type: ignore[arg-type]
    before = [c for c in figures if c.place < column.place]
    last = max((c.place for c in layout.of("average") if c.place < column.place), default=-1)
    own = [c for c in before if column.base and c.base.startswith(column.base)]
    after = [c for c in figures if c.place > column.place]
    sets = [before, [c for c in before if c.place > last], own, after]
    out: list[tuple[Parts, bool]] = []
    for chosen in sets:
        parts = [(Fraction(1, len(chosen)), c) for c in chosen]
        if len(chosen) >= 2 and (parts, False) not in out:
            out.append((parts, False))
    return out


def check_total(layout: Layout) -> Iterator[AuditedCell]:
    """Compare sums over columns with their parts."""
    for column in layout.columns:
        text = layout.settings.sums.get(column.name)
        if text is not None:
            parts: Parts | None = _parse_weighted(layout, text, "sums", "+")
            certain = True
        elif column.role == "total":
            counts = [
                c for c in layout.of("other", "count", "mean", "wins", "ties", "losses")
                if c.place < column.place
            ]  # fmt: skip
            options: list[tuple[Parts, bool]] = (
                [([(Fraction(1), c) for c in counts], False)] if len(counts) >= 2 else []
            )
            parts, certain = _best(layout, column, options)
        else:
            continue
        yield from _against_parts(
            layout, column, parts, "sum", certain=certain,
            why="the total does not follow from its parts",
        )  # fmt: skip


def check_aggregate_rows(layout: Layout) -> Iterator[AuditedCell]:
    """Rows named mean, macro, micro or total against the rows above them."""
    for row in range(len(layout.grid.rows)):
        if not layout.is_aggregate(row):
            continue
        group = layout.grid.groups[row]
        above = [i for i in layout.body if i < row]
        own = [i for i in above if layout.grid.groups[i] == group] or above
        word = plain_heading(layout.label(row))
        if len(own) < 2 or not re.search(r"avg|average|mean|macro|micro|weighted|total|sum|overall|all", word):  # fmt: skip  # noqa: E501
            continue
        for column in layout.of(*_FIGURES, "n", "wins", "ties", "losses"):  # type: ignore[arg-type]
            sets = [own] if own == above else [own, above]
            found = [r for rows in sets if (r := _aggregate(layout, row, column, rows, word))]
            if found:
                yield min(found, key=lambda r: ("ok", "rounding", "uncheckable", "mismatch").index(r.verdict))  # noqa: E501  # fmt: skip


def _aggregate(
    layout: Layout, row: int, column: Column, rows: list[int], word: str
) -> AuditedCell | None:
    printed = layout.number(row, column)
    cells = [layout.number(i, column) for i in rows]
    numbers = [p for p in cells if p is not None]
    if printed is None or not numbers:
        return None
    if len(numbers) < len(cells):
        return audited(
            layout, row, column, "mean", "uncheckable", why="a part is missing in the column"
        )
    counted = column.role in {"n", "wins", "ties", "losses", "count"}
    if counted:
        found = (sum((p.value for p in numbers), Fraction(0)), None)
        result = judged(
            layout,
            row,
            column,
            "sum",
            found,
            f"sum of {len(numbers)} rows",
            "rows do not sum to it",
        )
        # Beside a mean, n may be that of a part.
        means = re.search(r"avg|average|mean|macro|micro|weighted", word)
        return result if result.verdict == "ok" or not means else None
    macro = [Fraction(1, len(numbers))] * len(numbers)
    sizes = [layout.whole(i, layout.partner(column, "n")) for i in rows]
    known = [n for n in sizes if n is not None and n > 0]
    options = {"unweighted mean": macro}
    if len(known) == len(rows):
        options["mean weighted by n"] = [Fraction(n, sum(known)) for n in known]
    results = {}
    for name, weights in options.items():
        pairs = list(zip(weights, numbers, strict=True))
        value = sum((w * p.value for w, p in pairs), Fraction(0))
        slack = sum((w * p.half for w, p in pairs), Fraction(0))
        results[name] = judged(
            layout, row, column, "mean", (value, slack), f"{name} of {len(numbers)} rows",
            "neither the rows' mean nor their weighted mean",
        )  # fmt: skip
    asked = "mean weighted by n" if re.search(r"micro|weighted", word) else "unweighted mean"
    if re.search(r"unweighted|macro", word):
        asked = "unweighted mean"
    return _chosen(layout, row, column, results, asked, word)


def _chosen(
    layout: Layout, row: int, column: Column, results: dict[str, AuditedCell], asked: str,
    word: str,
) -> AuditedCell | None:  # fmt: skip
    """Return the mean the row says it is, or either where it does not say."""
    from dataclasses import replace

    right = [name for name, r in results.items() if r.verdict == "ok"]
    if re.search(r"micro|weighted|macro", word):
        if asked not in results:
            return audited(layout, row, column, "mean", "uncheckable", why="the n are not known")
        found = results[asked]
        other = [name for name in right if name != asked]
        if found.verdict == "mismatch" and other:
            return replace(found, explanation=f"it is the {other[0]}")
        return found
    if right:
        return results[right[0]]
    if re.search(r"total|sum|overall|all", word) or column.role == "other":
        # A pooled figure needs the sizes of its parts.
        return audited(
            layout, row, column, "mean", "uncheckable",
            why="not the plain mean of the rows; what it pools is not known",
        )  # fmt: skip
    return results[asked]
