"""Judgments of pairs as arrays: verdicts in one orientation, labels, pairs, clusters, groups."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.estimation import CLUSTER_NAMES
from evalkit.grading.grading_rows import (
    Table,
    cell_text,
    find_columns,
    join_reference,
    neighbour,
    read_table,
)
from evalkit.grading.long_form import FIRST, SECOND, widen
from evalkit.grading.verdicts import read_scores, read_verdicts, score_verdicts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Judgments", "SecondOrder", "read_judgments"]

SecondOrder = Literal["displayed", "original"]
_Orders = tuple["NDArray[np.float64]", "NDArray[np.float64] | None"]
_UNTRUE_TIE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgments:
    """Verdicts on pairs, one row for each grader and pair.

    Attributes
    ----------
    first : ndarray of float
        Verdicts with A shown first: 1 (A), 0 (tie), -1 (B), NaN (missing).
    second : ndarray of float or None
        Verdicts with B shown first, in the same orientation (1 is still A).
    one_order_each : bool
        Whether every pair was shown in one of the two orders only.
    reference : ndarray of float or None
        The better answer by the reference; 0 where it has none, NaN where it is missing.
    pairs : ndarray of str
        Pair ids.
    clusters : ndarray of str or None
        Clusters.
    groups : mapping of str to ndarray of str
        Group columns, the grader's first.
    grader_columns : tuple of str
        Which of them name the grader.
    notes : tuple of str
        What was guessed or left out.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64] | None
    one_order_each: bool
    reference: NDArray[np.float64] | None
    pairs: NDArray[np.str_]
    clusters: NDArray[np.str_] | None
    groups: Mapping[str, NDArray[np.str_]]
    grader_columns: tuple[str, ...]
    notes: tuple[str, ...]

    def by_answer(self, rows: NDArray[np.bool_]) -> _Orders:
        """Verdicts of some rows, in both orders or in the one that each pair was shown in."""
        return self._sides(rows, sign=1.0)

    def by_place(self, rows: NDArray[np.bool_]) -> _Orders:
        """Verdicts of some rows for order effects: with one order each, 1 is the first place."""
        return self._sides(rows, sign=-1.0)

    def _sides(self, rows: NDArray[np.bool_], *, sign: float) -> _Orders:
        if self.second is None or not self.one_order_each:
            return self.first[rows], None if self.second is None else self.second[rows]
        return np.where(np.isnan(self.first), sign * self.second, self.first)[rows], None

    def graders(self) -> NDArray[np.str_]:
        """Return the grader of each row, its columns joined by a slash."""
        return _joined([self.groups[name] for name in self.grader_columns], self.pairs.size)


def _joined(columns: Sequence[NDArray[np.str_]], size: int) -> NDArray[np.str_]:
    if not columns:
        return np.full(size, "")
    return np.array(["/".join(cells) for cells in zip(*columns, strict=True)], dtype=str)


def _texts(table: Table, name: str) -> NDArray[np.str_]:
    if name not in table.columns:
        raise MissingColumnError(
            f"column {name!r} is not there; the columns are {', '.join(map(repr, table.columns))}"
        )
    return np.array([cell_text(row.get(name)) for row in table.rows], dtype=str)


def _cells(table: Table, name: str) -> list[Any]:
    return [row.get(name) for row in table.rows]


def _labelled(
    data: Any, reference: Any, columns: Mapping[str, str] | None, partial: bool
) -> tuple[Table, dict[str, tuple[str, ...]], bool, list[str]]:
    """Rows with their labels joined in, which column holds what, and whether each has one order."""
    table = read_table(data, partial=partial)
    declared = dict(columns or {})
    late = {k: v for k, v in declared.items() if k in ("label", "reference_a", "reference_b")}
    early = {k: v for k, v in declared.items() if k not in late}
    if not set(late.values()) - set(table.columns):
        early, late = declared, {}
    found = find_columns(table, early)
    if "pair" not in found:
        raise MissingColumnError(
            "no column holds the pair ids; the columns are "
            f"{', '.join(map(repr, table.columns)) or 'none'}; name it (--column pair=NAME)"
        )
    notes = []
    if reference is None and not late and "label" not in found and "reference_a" not in found:
        beside = neighbour(data, found["pair"]) if isinstance(data, (str, os.PathLike)) else None
        if beside is not None:
            reference = beside
            notes.append(f"labels were read from {beside.name}, which lies beside the verdicts")
    if reference is not None:
        table, missing = join_reference(table, read_table(reference, logs=False), found["pair"])
        if missing:
            notes.append(f"{missing} pairs are not among the labels and were left out")
    table, declared, alone = _widened(table, find_columns(table, declared), declared, notes)
    return table, find_columns(table, declared), alone, notes


def _widened(
    table: Table,
    found: Mapping[str, tuple[str, ...]],
    declared: Mapping[str, str],
    notes: list[str],
) -> tuple[Table, dict[str, str], bool]:
    """Bring rows of one order each to one row for each pair."""
    if not {"order", "order1"} <= found.keys() or "order2" in found:
        return table, dict(declared), False
    order, verdict = found["order"][0], found["order1"][0]
    keys = [
        tuple(cell_text(row.get(name)) for name in (*found.get("grader", ()), *found["pair"]))
        for row in table.rows
    ]
    if len(set(keys)) == len(keys) and len({cell_text(row.get(order)) for row in table.rows}) < 2:
        return table, dict(declared), False
    wide = widen(
        table, pair=found["pair"], grader=found.get("grader", ()), order=order, verdict=verdict
    )
    notes.append(f"rows of one order each: column {order!r} says which answer was shown first")
    kept = {name: text for name, text in declared.items() if name != "order"}
    alone = len(wide.rows) == len(table.rows)
    if alone:
        notes.append("each pair was shown in one order, and earns the credit of that one")
    return wide, {**kept, "order1": FIRST, "order2": SECOND}, alone


def _from_scores(
    table: Table, names: tuple[str, str], tie_tolerance: float, notes: list[str]
) -> NDArray[np.float64]:
    a, b = (_cells(table, name) for name in names)
    found = score_verdicts(a, b, tie_tolerance=tie_tolerance, columns=names)
    looser = max(tie_tolerance, _UNTRUE_TIE)
    near = score_verdicts(a, b, tie_tolerance=looser, columns=names)
    notes.append(
        f"verdicts from scores {names[0]!r} and {names[1]!r}: a tie within {tie_tolerance:g}"
    )
    close = int(((near == 0) & (found != 0)).sum())
    if close:
        notes.append(
            f"{close} pairs of scores differ by less than {looser:g}, perhaps by rounding only: "
            "they are not ties unless a tolerance says so"
        )
    return found


def _verdicts(
    table: Table,
    found: Mapping[str, tuple[str, ...]],
    tie_tolerance: float,
    order2: SecondOrder,
    notes: list[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    if "order1" not in found:
        if "score_a" not in found or "score_b" not in found:
            raise MissingColumnError(
                "no column holds verdicts, and no two hold scores; the columns are "
                f"{', '.join(map(repr, table.columns))}; name them (--column order1=NAME, or "
                "score_a and score_b)"
            )
        names = (found["score_a"][0], found["score_b"][0])
        return _from_scores(table, names, tie_tolerance, notes), None
    sides: list[NDArray[np.float64]] = []
    for key in ("order1", "order2"):
        if key not in found:
            continue
        read = read_verdicts(_cells(table, found[key][0]), column=found[key][0])
        if read.replies:
            notes.append(
                f"{read.replies} cells of {found[key][0]!r} are replies; their verdicts were parsed"
            )
        if read.unknown:
            notes.append(
                f"{found[key][0]!r} holds words that are no verdict, counted as missing: "
                f"{', '.join(read.unknown[:5])}"
            )
        sides.append(read.values)
    if len(sides) == 1:
        return sides[0], None
    if order2 == "displayed":
        notes.append(
            f"{found['order2'][0]!r} is read in displayed order (A is the answer shown first, "
            "which is B) and flipped; --order2 original if it already names the answers"
        )
        return sides[0], -sides[1]
    notes.append(f"{found['order2'][0]!r} is read as naming the answers in their original order")
    return sides[0], sides[1]


def _reference(
    table: Table, found: Mapping[str, tuple[str, ...]], notes: list[str]
) -> NDArray[np.float64] | None:
    if "label" in found:
        name = found["label"][0]
        read = read_verdicts(_cells(table, name), column=name)
        if read.unknown:
            raise InputError(
                f"column {name!r} holds labels that are not understood: "
                f"{', '.join(read.unknown[:5])}; write A>B, B>A or A=B, or leave it empty"
            )
        return read.values
    if "reference_a" in found and "reference_b" in found:
        names = found["reference_a"][0], found["reference_b"][0]
        notes.append(f"the better answer has the higher reference score ({', '.join(names)})")
        a, b = (_cells(table, name) for name in names)
        return score_verdicts(a, b, tie_tolerance=0.0, columns=names)
    if found.get("score_a", ("",))[0].casefold().find("chosen") >= 0:
        notes.append("no labels: the chosen answer is taken as the better one")
        return np.ones(len(table.rows))
    return None


def _refuse_duplicates(keys: NDArray[np.str_], pairs: NDArray[np.str_]) -> None:
    seen: set[tuple[str, str]] = set()
    for grader, pair in zip(keys.tolist(), pairs.tolist(), strict=True):
        if (grader, pair) in seen:
            who = f" by {grader!r}" if grader else ""
            raise DuplicateRowError(
                f"this pair is judged twice{who}; if its id needs more than one column, name them "
                "all (--column pair=subset,item); likewise for the grader",
                item=pair,
            )
        seen.add((grader, pair))


def read_judgments(
    data: Any,
    *,
    reference: Any = None,
    cluster: str | None = None,
    by: Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    tie_tolerance: float = 0.0,
    order2: SecondOrder = "displayed",
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Judgments:
    """Read judgments of pairs; the settings are those of :func:`evalkit.grading.agreement`.

    Examples
    --------
    >>> found = read_judgments([{"pair": 1, "label": "A", "order1": "A", "order2": "A"}])
    >>> found.first.tolist(), found.second.tolist()
    ([1.0], [-1.0])
    """
    if not tie_tolerance >= 0:
        raise ArgumentError(f"`tie_tolerance` is {tie_tolerance}; it must be 0 or more")
    if order2 not in ("displayed", "original"):
        raise ArgumentError(f"`order2` is {order2!r}; it must be 'displayed' or 'original'")
    table, found, alone, notes = _labelled(data, reference, columns, partial)
    notes = [*table.notes, *notes]
    first, second = _verdicts(table, found, tie_tolerance, order2, notes)
    labels = _reference(table, found, notes)
    graders = found.get("grader", ())
    groups = {name: _texts(table, name) for name in (*graders, *(by or ()))}
    for name, edges in (bins or {}).items():
        source = _with_margin(table, found) if name == "margin" else table
        groups[name] = _binned(source, name, edges)
    pairs = _joined([_texts(table, name) for name in found["pair"]], len(table.rows))
    _refuse_duplicates(_joined([groups[g] for g in graders], pairs.size), pairs)
    clusters = None if cluster is None else _texts(table, cluster)
    if clusters is not None and (clusters == "").any():
        raise InputError(
            f"{int((clusters == '').sum())} rows have no {cluster!r}; give each its cluster"
        )
    unused = [c for c in table.columns if c.lower() in CLUSTER_NAMES and c not in groups]
    if cluster is None and unused:
        notes.append(
            f"the data have a column `{unused[0]}` that was not used; pairs that share one are "
            f"not independent: --cluster {unused[0]}"
        )
    return Judgments(
        first=first,
        second=second,
        one_order_each=alone,
        reference=labels,
        pairs=pairs,
        clusters=clusters,
        groups=groups,
        grader_columns=graders,
        notes=tuple(dict.fromkeys(notes)),
    )


def _with_margin(table: Table, found: Mapping[str, tuple[str, ...]]) -> Table:
    """Add the distance between the two reference scores as ``margin``, where it is not there."""
    if "margin" in table.columns or "reference_a" not in found or "reference_b" not in found:
        return table
    names = found["reference_a"][0], found["reference_b"][0]
    a, b = (read_scores(_cells(table, name), column=name) for name in names)
    # Ten decimals: 0.9 - 0.82 is 0.08, on the edge of its bin.
    margins = np.abs(a - b).round(10).tolist()
    rows = tuple({**row, "margin": m} for row, m in zip(table.rows, margins, strict=True))
    return Table(rows=rows, columns=(*table.columns, "margin"), notes=table.notes)


def _binned(table: Table, name: str, edges: Sequence[float]) -> NDArray[np.str_]:
    """Name the bin ``[low, high)`` of each number; the last one holds its upper edge too."""
    cuts = np.asarray(edges, dtype=float)
    if cuts.size < 2 or not (np.diff(cuts) > 0).all():
        raise ArgumentError(f"`bins` of {name!r} are {list(edges)}; give two edges or more, rising")
    texts = _texts(table, name)
    try:
        values = np.array([float(t) if t else np.nan for t in texts.tolist()])
    except ValueError:
        raise InputError(
            f"column {name!r} is not a number in every row; it cannot be binned"
        ) from None
    place = np.clip(np.searchsorted(cuts, values, side="right"), 1, cuts.size)
    place[values == cuts[-1]] = cuts.size - 1
    inside = (values >= cuts[0]) & (values <= cuts[-1])
    labels = [
        f"[{low:g}, {high:g}{']' if i == cuts.size - 2 else ')'}"
        for i, (low, high) in enumerate(pairwise(cuts.tolist()))
    ] + ["outside"]
    where = np.where(inside, place - 1, cuts.size - 1)
    return np.array(labels, dtype=str)[where]
