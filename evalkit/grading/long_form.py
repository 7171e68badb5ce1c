"""Judgments in long form, one row for each order, brought to one row for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalkit.errors import DuplicateRowError, InputError
from evalkit.grading.grading_rows import Table, cell_text

__all__ = ["FIRST", "SECOND", "widen"]

FIRST, SECOND = "verdict with A first", "verdict with B first"
"""Columns of the verdicts after widening."""
_PLACES = (
    ("1", "2"),
    ("0", "1"),
    ("a", "b"),
    ("ab", "ba"),
    ("a_first", "b_first"),
    ("original", "swapped"),
    ("orig", "swap"),
    ("original", "reversed"),
    ("forward", "reverse"),
    ("forward", "backward"),
    ("false", "true"),
    ("first", "second"),
    ("order1", "order2"),
)
"""What a column of orders may say: A shown first, B shown first."""


def _word(cell: Any) -> str:
    return cell_text(cell).strip().casefold().replace(" ", "_").replace("-", "_")


def _places(words: set[str], name: str) -> tuple[str, str]:
    """Return the words for A first and for B first."""
    found = [pair for pair in _PLACES if words <= set(pair)]
    # A single "1" may be the first of 1 and 2 or the second of 0 and 1.
    meanings = {tuple(pair.index(word) for word in sorted(words)) for pair in found}
    if not words or len(meanings) != 1:
        listed = ", ".join(repr(word) for word in sorted(words)[:5]) or "nothing"
        raise InputError(
            f"column {name!r} names the order by {listed}; write 1 (A shown first) and 2, or "
            "original and swapped"
        )
    return found[0]


def widen(
    table: Table, *, pair: Sequence[str], grader: Sequence[str], order: str, verdict: str
) -> Table:
    """Bring rows of one order each to rows with the verdicts of both.

    Parameters
    ----------
    table : Table
        One row for each grader, pair and order.
    pair, grader : sequence of str
        Columns that name the pair and the grader.
    order : str
        Column that says which answer was shown first.
    verdict : str
        Column of verdicts.

    Returns
    -------
    Table
        With columns `FIRST` and `SECOND` in place of `order` and `verdict`; a verdict that is not
        there is ``None``.

    Raises
    ------
    DuplicateRowError
        If a pair has two rows for one order.
    InputError
        If the order is not understood, or the two rows of a pair say different things of it.

    Examples
    --------
    >>> from evalkit.grading.grading_rows import read_table
    >>> rows = [{"pair": 1, "order": 1, "verdict": "A"}, {"pair": 1, "order": 2, "verdict": "B"}]
    >>> widen(read_table(rows), pair=["pair"], grader=[], order="order", verdict="verdict").rows
    ({'pair': 1, 'verdict with A first': 'A', 'verdict with B first': 'B'},)
    """
    words = [_word(row.get(order)) for row in table.rows]
    first, second = _places(set(words), order)
    target = {first: FIRST, second: SECOND}
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    rest = [name for name in table.columns if name not in (order, verdict)]
    for row, word in zip(table.rows, words, strict=True):
        key = tuple(cell_text(row.get(name)) for name in (*grader, *pair))
        side = target[word]
        held = found.setdefault(key, {name: row.get(name) for name in rest})
        if side in held:
            raise DuplicateRowError(
                f"this pair is judged twice in the order {word!r}", item="/".join(key)
            )
        held[side] = row.get(verdict)
        _check_same(held, row, rest, "/".join(key))
    rows = tuple({FIRST: None, SECOND: None, **held} for held in found.values())
    rows = tuple({name: row[name] for name in (*rest, FIRST, SECOND)} for row in rows)
    return Table(rows=rows, columns=(*rest, FIRST, SECOND), notes=table.notes)


def _check_same(
    held: dict[str, Any], row: Mapping[str, Any], names: Sequence[str], pair: str
) -> None:
    """Refuse a pair whose label depends on the order; drop other cells that do."""
    for name in names:
        old, new = cell_text(held[name]), cell_text(row.get(name))
        if old == new:
            continue
        if name.casefold() in ("label", "reference", "gold", "gold_label", "human") and old and new:
            raise InputError(
                f"the two orders of a pair have the labels {old!r} and {new!r}; "
                "name the better answer in the order A, B in both rows",
                item=pair,
            )
        # A cell of one order, such as its reply, is no property of the pair.
        held[name] = held[name] if old and not new else row.get(name) if new and not old else None
