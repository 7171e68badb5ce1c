"""Which adversarial pairs are taken: a few of each task, and no near-duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalkit.pairs.candidate import Candidate
from evalkit.pairs.selection import Scan
from evalkit.pairs.similarity import group_texts, jaccard, shingles

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Picked", "pick_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """Pairs that were taken.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Positions of the better and the worse output.
    dropped : dict of str to int
        Adversarial pairs that were not taken, by reason.
    texts : dict of int to int
        Position of an output -> its group of near-duplicate texts, where it has a text.
    notes : tuple of str
        What was not compared.
    """

    pairs: tuple[tuple[int, int], ...]
    dropped: dict[str, int]
    texts: dict[int, int]
    notes: tuple[str, ...]


class _Similarity:
    """Similarity of outputs; shingles are made once."""

    def __init__(self, rows: Sequence[Candidate]) -> None:
        self.rows = rows
        self.known: dict[int, NDArray[np.uint64]] = {}

    def _shingles(self, place: int) -> NDArray[np.uint64]:
        found = self.known.get(place)
        if found is None:
            found = self.known[place] = shingles(self.rows[place].output or "")
        return found

    def at_least(self, a: int, b: int, threshold: float) -> bool:
        """Whether two outputs are near-duplicates; never where a text is missing."""
        if self.rows[a].output is None or self.rows[b].output is None:
            return False
        x, y = self._shingles(a), self._shingles(b)
        if min(x.size, y.size) < threshold * max(x.size, y.size):
            return False
        return jaccard(x, y) >= threshold


def pick_pairs(
    scan: Scan, rows: Sequence[Candidate], *, per_task: int | None, threshold: float | None
) -> Picked:
    """Take pairs task by task in the random order of the scan, then remove near-duplicates.

    Parameters
    ----------
    scan : Scan
        Adversarial pairs.
    rows : sequence of Candidate
        The candidates.
    per_task : int or None
        Pairs of one task at most.
    threshold : float or None
        Similarity of near-duplicates; ``None`` for no removal.
    """
    similar = _Similarity(rows)
    dropped = {"near_identical": 0, "beyond_per_task": 0, "near_duplicate_pair": 0}
    taken: list[tuple[int, int]] = []
    task, here = None, 0
    for better, worse in zip(scan.better.tolist(), scan.worse.tolist(), strict=True):
        if rows[better].task != task:
            task, here = rows[better].task, 0
        if per_task is not None and here >= per_task:
            dropped["beyond_per_task"] += 1
        elif threshold is not None and similar.at_least(better, worse, threshold):
            dropped["near_identical"] += 1
        else:
            taken.append((better, worse))
            here += 1
    notes = []
    texts: dict[int, int] = {}
    if threshold is None:
        notes.append("near-duplicates were not looked for")
    else:
        without = sum(rows[k].output is None for both in taken for k in both)
        if without:
            notes.append("outputs without a text were not compared for near-duplicates")
        used = sorted({k for both in taken for k in both if rows[k].output is not None})
        found = group_texts([rows[k].output or "" for k in used], threshold=threshold)
        texts = dict(zip(used, found.labels, strict=True))
        distinct = _distinct(taken, texts)
        dropped["near_duplicate_pair"] = len(taken) - len(distinct)
        taken = distinct
        if found.crowded:
            notes.append(
                f"near-duplicates: {found.crowded} buckets of more than 50 texts were compared "
                "with neighbours only"
            )
    return Picked(pairs=tuple(taken), dropped=dropped, texts=texts, notes=tuple(notes))


def _distinct(taken: Sequence[tuple[int, int]], texts: Mapping[int, int]) -> list[tuple[int, int]]:
    """Keep the first of the pairs whose outputs are both near-duplicates."""
    first: dict[tuple[object, object], tuple[int, int]] = {}
    for better, worse in taken:
        key = (texts.get(better, f"#{better}"), texts.get(worse, f"#{worse}"))
        first.setdefault(key, (better, worse))
    return list(first.values())
