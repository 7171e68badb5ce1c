"""Printed figures against the items behind them, and against the candidates they were among."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from evalkit.consistency.checks_counts import audited, compared
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout
from evalkit.consistency.printed import Printed, rule_of
from evalkit.consistency.roles import BOUNDED
from evalkit.errors import ArgumentError

__all__ = ["ItemSums", "check_items", "item_sums"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSums:
    """Scores of each system.

    Attributes
    ----------
    sums : mapping of str to (Fraction, int, int)
        Sum of scores, scored rows and attempted rows of each system.
    distinct : int
        Distinct items of all systems.
    left_out : mapping of str to int
        Items that more than half of the systems have and this one has not.
    shared : int
        Items that more than half of the systems have.
    notes : tuple of str
        What was left out in reading.
    """

    sums: Mapping[str, tuple[Fraction, int, int]]
    distinct: int
    left_out: Mapping[str, int]
    shared: int
    notes: tuple[str, ...]

    @property
    def sizes(self) -> dict[int, str]:
        """Denominators that are in the data, with what they are."""
        out: dict[int, str] = {}
        largest = max((n for _, n, _ in self.sums.values()), default=0)
        for _, n, attempted in self.sums.values():
            out.setdefault(n, "the number of results of another system")
            out.setdefault(attempted, "the number of attempts of another system")
        out[largest] = "the most results of any system"
        out[self.distinct] = "the distinct items of all systems"
        return out


def item_sums(source: Any, columns: Mapping[str, str] | None) -> ItemSums:
    """Sum the scores of a file or frame of items by system."""
    from evalkit.records import read
    from evalkit.tally import tally

    rows = read(source, columns=columns)
    sums = {}
    for group in tally(rows.frame, by=["system"], status="status"):
        total = sum(
            (Fraction(str(v)) * int(k) for v, k in zip(group.values, group.counts, strict=True)),
            Fraction(0),
        )
        attempted = group.n if group.rows is None else group.rows.attempted
        sums[group.by["system"]] = total, group.n, attempted
    scored = rows.frame[rows.frame["status"] == "scored"]
    own: dict[str, set[str]] = {name: set() for name in sums}
    for system, item in zip(scored["system"], scored["item"], strict=True):
        own[str(system)].add(str(item))
    held = Counter(item for found in own.values() for item in found)
    shared = {item for item, count in held.items() if 2 * count > len(own)}
    return ItemSums(
        sums=sums,
        distinct=len(held),
        left_out={name: len(shared - found) for name, found in own.items()},
        shared=len(shared),
        notes=tuple(rows.notes),
    )


def _system(layout: Layout, row: int, systems: Mapping[str, Any]) -> str | None:
    """System of a row: a label cell, or the whole label, equals its name."""
    texts = [layout.cell(row, c).text for c in layout.of("label")]
    for text in (*texts, layout.label(row)):
        if text in systems:
            return text
    folded = {name.casefold(): name for name in systems}
    found = [folded[t.casefold()] for t in texts if t.casefold() in folded]
    return found[0] if found else None


def _figure(layout: Layout, items: ItemSums, wanted: str | None) -> Column | None:
    """Column that the items give: the one that was named, or the one most rows follow."""
    if wanted is not None:
        for column in layout.columns:
            if column.name == wanted:
                return column
        names = ", ".join(repr(c.name) for c in layout.columns)
        raise ArgumentError(f"`items_for` is {wanted!r}; the columns are {names}")
    figures = layout.of(*BOUNDED)  # type: ignore[arg-type]
    if len(figures) <= 1:
        return figures[0] if figures else None
    fitting = {}
    for column in figures:
        hits = 0
        for row in layout.body:
            system, printed = _system(layout, row, items.sums), layout.number(row, column)
            if system is not None and printed is not None and items.sums[system][1]:
                total, n, _ = items.sums[system]
                hits += rule_of((column.scale or 100) * total / n, printed) is not None
        fitting[column.place] = hits
    best = max(figures, key=lambda c: fitting[c.place])
    return best if fitting[best.place] else None


def check_items(layout: Layout, items: ItemSums, wanted: str | None) -> Iterator[AuditedCell]:
    """Recompute each row from its items, at its stated n or at the number of its results."""
    column = _figure(layout, items, wanted)
    systems = {i: _system(layout, i, items.sums) for i in layout.body}
    if column is None or not any(systems.values()):
        if layout.of(*BOUNDED):  # type: ignore[arg-type]
            why = "no row is named as a system of the items" if column else (
                "which column the items give is not certain; name it"
            )  # fmt: skip
            yield audited(
                layout, None, column or layout.columns[0], "items", "uncheckable", why=why
            )
        return
    for row, system in systems.items():
        if layout.number(row, column) is None:
            continue
        if system is None:
            yield audited(
                layout, row, column, "items", "uncheckable", why="no items of this system"
            )
            continue
        yield _from_items(layout, row, column, items, system)


def _from_items(
    layout: Layout, row: int, column: Column, items: ItemSums, system: str
) -> AuditedCell:
    total, own, _ = items.sums[system]
    printed, scale = layout.number(row, column), column.scale or Fraction(100)
    stated = layout.n(row, column)
    n = stated or own
    if printed is None or not n:
        return audited(layout, row, column, "items", "uncheckable", why="no scored item")
    top = f"{float(total):g}"
    how = f"{scale}*{top}/{n}"
    if n < total:
        return audited(
            layout, row, column, "items", "mismatch", printed=printed,
            expected=scale * total / own, how=f"{scale}*{top}/{own}",
            why=f"the items give {top}, more than the stated n = {n}",
        )  # fmt: skip
    why = _why_items(printed, total, n, own, items, scale)
    result = compared(layout, row, column, "items", scale * total / n, how=how, why=why)
    missing = items.left_out[system]
    # One or two lost items are common; a twentieth changes what is measured.
    if result.verdict == "ok" and stated is None and 20 * missing > items.shared:
        filled = scale * total / (own + missing)
        return audited(
            layout, row, column, "items", "mismatch", printed=printed, expected=filled,
            how=f"{scale}*{top}/({own} + {missing})",
            why=f"the figure has the denominator {own}: {missing} items that most systems have "
            "are left out; as failures they would count",
        )  # fmt: skip
    return result


def _why_items(
    printed: Printed, total: Fraction, n: int, own: int, items: ItemSums, scale: Fraction
) -> str:
    """Say which denominator of the data gives the figure, or that none does."""
    known = {own: "the number of results of this system", **items.sizes}
    known[own] = "the number of results of this system"
    hits = [
        f"{d}, {what}" for d, what in sorted(known.items())
        if d and d != n and d >= total and rule_of(scale * total / d, printed) == "half up"
    ]  # fmt: skip
    if hits:
        return f"the figure has another denominator: {'; or '.join(hits)}"
    low, high = printed.value - printed.half, printed.value + printed.half
    if total and low > 0:
        first, last = ceil(total * scale / high), floor(total * scale / low)
        if first <= last and total <= first and abs(first - n) <= max(5, n // 5):
            span = f"{first}" if first == last else f"{first} to {last}"
            return f"n = {span} would give the figure, but is not in the data"
    return "no denominator near it gives the figure: another run, or a misprint"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    name: str
    score: Printed
    selection: Printed | None


_NAMES = {
    "system": ("system", "domain", "benchmark", "setting", "task", "dataset", "run"),
    "candidate": ("candidate", "generation", "round", "checkpoint", "agent", "name", "version"),
    "score": ("score", "test", "test_median", "test_score", "accuracy", "reported"),
    "selection": ("selection", "selection_score", "valid", "valid_median", "val", "validation",
                  "valid_score", "val_score", "validation_score", "dev"),
}  # fmt: skip


def _candidate_columns(names: Sequence[str], given: Mapping[str, str] | None) -> dict[str, str]:
    out = dict(given or {})
    wrong = sorted(set(out) - set(_NAMES)) + sorted(set(out.values()) - set(names))
    if wrong:
        raise ArgumentError(
            f"`candidate_columns` names {wrong[0]!r}; give {', '.join(_NAMES)} as columns of "
            f"{', '.join(map(repr, names))}"
        )
    for key, aliases in _NAMES.items():
        found = next((a for a in aliases if a in names and a not in out.values()), None)
        if key not in out and found is not None:
            out[key] = found
    missing = [key for key in ("system", "candidate", "score") if key not in out]
    if missing:
        raise ArgumentError(
            f"`candidates` has no {missing[0]} column; the columns are "
            f"{', '.join(map(repr, names))}: name it by candidate_columns"
        )
    return out


def candidates_by_system(
    source: Any, columns: Mapping[str, str] | None
) -> dict[str, list[_Candidate]]:
    """Read the candidates of each system, with the score that may have selected them."""
    from evalkit.consistency.reading import read_grids

    grid = read_grids(source)[0]
    at = {key: grid.columns.index(c) for key, c in _candidate_columns(grid.columns, columns).items()}  # fmt: skip  # noqa: E501
    out: dict[str, list[_Candidate]] = {}
    for row in grid.rows:
        score = row[at["score"]].number
        if score is not None:
            chosen = row[at["selection"]].number if "selection" in at else None
            out.setdefault(row[at["system"]].text, []).append(
                _Candidate(name=row[at["candidate"]].text, score=score, selection=chosen)
            )
    return out


def check_selection(
    layout: Layout, candidates: Mapping[str, Sequence[_Candidate]]
) -> Iterator[AuditedCell]:
    """Whether a printed figure is the greatest of its candidates on the reported set itself."""
    folded = {name.casefold(): found for name, found in candidates.items()}
    for row in layout.body:
        labels = [layout.cell(row, c).text.casefold() for c in layout.of("label")]
        own = next((folded[label] for label in labels if label in folded), None)
        for column in layout.columns:
            if column.role in {"label", "ignore", "n", "seeds", "rank", "low", "high", "sd", "se"}:
                continue
            found = own or folded.get(column.name.casefold())
            printed = layout.number(row, column)
            if found is not None and printed is not None and len(found) > 1:
                result = _selected(layout, row, column, printed, found, certain=own is not None)
                if result is not None:
                    yield result


def _same(a: Printed, b: Printed) -> bool:
    return rule_of(a.value, b) is not None or rule_of(b.value, a) is not None


def _selected(
    layout: Layout, row: int, column: Column, printed: Printed, found: Sequence[_Candidate],
    *, certain: bool,
) -> AuditedCell | None:  # fmt: skip
    best = max(c.score.value for c in found)
    is_best = any(c.score.value == best and _same(c.score, printed) for c in found)
    scored = [c for c in found if c.selection is not None]
    top = max((c.selection.value for c in scored if c.selection is not None), default=None)
    chosen = [c for c in scored if c.selection is not None and c.selection.value == top]
    if not is_best:
        if not certain:
            return None
        if any(_same(c.score, printed) for c in chosen):
            return audited(
                layout, row, column, "selection", "ok", how="the candidate selected by validation"
            )
        return audited(
            layout, row, column, "selection", "uncheckable",
            why="neither the greatest of the candidates nor the one selected by validation",
        )  # fmt: skip
    if any(_same(c.score, printed) for c in chosen):
        return audited(
            layout, row, column, "selection", "ok", how="the candidate selected by validation",
            why=f"also the greatest of {len(found)} on the reported set",
        )  # fmt: skip
    why = f"the greatest of {len(found)} candidates on the reported set: it selects what it reports"
    if not chosen:
        return audited(
            layout, row, column, "selection", "mismatch",
            how="a candidate selected without the reported set", why=why,
        )  # fmt: skip
    return audited(
        layout, row, column, "selection", "mismatch", printed=printed,
        expected=chosen[0].score.value,
        how=f"the score of {chosen[0].name!r}, which validation selects", why=why,
    )  # fmt: skip
