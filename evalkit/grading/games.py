"""Pairwise outcomes from whatever the user has: who met whom, who won, in which cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError, InputError, MissingColumnError
from evalkit.grading.bradley_terry import Outcomes
from evalkit.grading.grading_rows import Table, cell_text, read_table
from evalkit.grading.verdicts import read_verdicts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Games", "read_games"]

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "a": ("left", "model_a", "system_a", "player_a", "a"),
    "b": ("right", "model_b", "system_b", "player_b", "b"),
    "outcome": ("winner", "outcome", "verdict", "preference", "label", "decision"),
}


@dataclass(frozen=True, kw_only=True)
class Games:
    """One row for each comparison with an outcome.

    Attributes
    ----------
    systems : tuple of str
        Names, sorted.
    first, second : ndarray of int, shape (P,)
        The two systems of each pair that met, ``first < second``.
    pair : ndarray of int, shape (N,)
        Pair of each comparison.
    outcome : ndarray of float, shape (N,)
        1 where the first system of the pair won, -1 the second, 0 neither.
    cluster : ndarray of int, shape (N,)
        Cluster of each comparison, by number.
    nulls : int
        Comparisons without an outcome, left out.
    notes : tuple of str
        What was left out.
    """

    systems: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    pair: NDArray[np.int64]
    outcome: NDArray[np.float64]
    cluster: NDArray[np.int64]
    nulls: int
    notes: tuple[str, ...]

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max()) + 1 if self.cluster.size else 0

    def outcomes(self, weights: NDArray[np.float64] | None = None) -> Outcomes:
        """Sum the outcomes of each pair, each comparison with the weight of its cluster."""
        own = np.ones(self.pair.size) if weights is None else weights[self.cluster]
        size = self.first.size
        wins, losses, ties = (
            np.bincount(self.pair, own * (self.outcome == result), size).astype(float)
            for result in (1, -1, 0)
        )
        return Outcomes(
            first=self.first,
            second=self.second,
            wins=wins,
            losses=losses,
            ties=ties,
            number=len(self.systems),
        )


def _columns(table: Table, declared: Mapping[str, str]) -> dict[str, str]:
    folded = {name.casefold(): name for name in reversed(table.columns)}
    found = {
        key: next(folded[name] for name in names if name in folded)
        for key, names in _COLUMNS.items()
        if any(name in folded for name in names)
    }
    for key, name in declared.items():
        if key not in _COLUMNS:
            raise ArgumentError(f"`columns` names {key!r}; allowed are {', '.join(_COLUMNS)}")
        if name not in table.columns:
            raise MissingColumnError(
                f"column {name!r} is not there; the columns are {', '.join(table.columns)}"
            )
        found[key] = name
    for key in _COLUMNS:
        if key not in found:
            raise MissingColumnError(
                f"no column holds {'the outcome' if key == 'outcome' else f'system {key}'}; the "
                f"columns are {', '.join(map(repr, table.columns)) or 'none'}; name it "
                f"(--column {key}=NAME)"
            )
    return found


def _outcomes(
    table: Table, found: Mapping[str, str], sides: tuple[list[str], list[str]], notes: list[str]
) -> NDArray[np.float64]:
    """Outcome of each row: a word for a side, or the name of the winner."""
    cells: list[Any] = []
    for row, a, b in zip(table.rows, *sides, strict=True):
        cell = row.get(found["outcome"])
        text = cell_text(cell)
        cells.append("a" if text == a else "b" if text == b else cell)
    read = read_verdicts(cells, column=found["outcome"])
    if read.unknown:
        notes.append(
            f"{found['outcome']!r} holds words that are no outcome, counted as missing: "
            f"{', '.join(read.unknown[:5])}"
        )
    return read.values


def read_games(
    data: Any,
    *,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Games:
    """Read comparisons; the settings are those of :func:`evalkit.grading.rank`.

    Examples
    --------
    >>> found = read_games([{"left": "y", "right": "x", "winner": "left"}])
    >>> found.systems, found.outcome.tolist()
    (('x', 'y'), [-1.0])
    """
    table = read_table(data, partial=partial)
    if not table.rows:
        raise InputError("there are no comparisons to rank by")
    found = _columns(table, columns or {})
    notes = list(table.notes)
    a, b = ([cell_text(row.get(found[key])) for row in table.rows] for key in ("a", "b"))
    for one, two in zip(a, b, strict=True):
        if one == two or not one or not two:
            raise InputError(f"{one!r} is compared with {two!r}; a comparison needs two systems")
    outcome = _outcomes(table, found, (a, b), notes)
    kept = ~np.isnan(outcome)
    nulls = int((~kept).sum())
    if nulls:
        notes.append(f"{nulls} comparisons without an outcome were left out")
    systems = sorted({*a, *b})
    place = {name: i for i, name in enumerate(systems)}
    left, right = (
        np.array([place[name] for name in side], dtype=np.int64)[kept] for side in (a, b)
    )
    code, pair = np.unique(
        np.minimum(left, right) * len(systems) + np.maximum(left, right), return_inverse=True
    )
    return Games(
        systems=tuple(systems),
        first=code // len(systems),
        second=code % len(systems),
        pair=pair.astype(np.int64),
        outcome=np.where(left < right, outcome[kept], -outcome[kept]),
        cluster=_clusters(table, cluster, kept),
        nulls=nulls,
        notes=tuple(notes),
    )


def _clusters(table: Table, cluster: str | None, kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    if cluster is None:
        return np.arange(int(kept.sum()), dtype=np.int64)
    if cluster not in table.columns:
        raise MissingColumnError(
            f"column {cluster!r} is not there; the columns are {', '.join(table.columns)}"
        )
    names = np.array([cell_text(row.get(cluster)) for row in table.rows], dtype=str)[kept]
    if (names == "").any():
        raise InputError(
            f"{int((names == '').sum())} comparisons have no {cluster!r}; give each its cluster"
        )
    return np.unique(names, return_inverse=True)[1].astype(np.int64)
