"""Near-duplicate texts: Jaccard similarity of shingles, found by MinHash and verified exactly."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from evalkit.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TextGroups", "check_threshold", "group_texts", "jaccard", "shingles"]

_SPACELESS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # kana, Chinese characters, hangul
_TOKEN = re.compile(rf"[{_SPACELESS}]|[^\W{_SPACELESS}]+|[^\w\s]")
_SIZE = 3
_HASHES = 128
_MISS = 1e-3
_CROWD = 50
_CONSTANTS = np.random.Generator(np.random.PCG64(20)).integers(
    0, 2**64, size=(2, _HASHES), dtype=np.uint64
)
_MULTIPLIERS, _SHIFTS = _CONSTANTS[0] | np.uint64(1), _CONSTANTS[1]
_BASE = np.uint64(0x9E3779B97F4A7C15)


def check_threshold(threshold: float | None) -> None:
    """Refuse a similarity that cannot be searched for."""
    if threshold is not None and not 0.1 <= threshold <= 1:
        raise ArgumentError(
            f"`near_duplicate` is {threshold}; it must lie in 0.1..1, or be None for no removal"
        )


@lru_cache(maxsize=1 << 18)
def _token_hash(token: str) -> int:
    data = token.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def shingles(text: str) -> NDArray[np.uint64]:
    """Hash every run of three tokens of a text, each run once.

    Notes
    -----
    Tokens are words, single marks, and single characters of scripts without spaces; case and
    white space do not count. A shorter text is one shingle.

    Examples
    --------
    >>> shingles("The cat sat down.").size, shingles("Yes").size
    (3, 1)
    """
    folded = text.casefold()
    tokens = np.array([_token_hash(t) for t in _TOKEN.findall(folded)], dtype=np.uint64)
    if tokens.size <= _SIZE:
        tokens = np.concatenate([tokens, np.zeros(_SIZE - tokens.size, dtype=np.uint64)])
    runs = np.zeros(tokens.size - _SIZE + 1, dtype=np.uint64)
    for shift in range(_SIZE):
        runs = runs * _BASE + tokens[shift : shift + runs.size]
        runs ^= runs >> np.uint64(29)
    return np.unique(runs)


def jaccard(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> float:
    """Shared shingles over all shingles of two texts.

    Examples
    --------
    >>> jaccard(shingles("a b c d"), shingles("A b  c d")), jaccard(shingles("-5"), shingles("5"))
    (1.0, 0.0)
    """
    shared = np.intersect1d(a, b, assume_unique=True).size
    return float(shared / (a.size + b.size - shared))


def _bands(threshold: float) -> tuple[int, int]:
    """Rows of a band, as many as can be, and bands: a pair at the threshold is missed by 1/1000."""
    for rows in (16, 8, 4, 2, 1):
        chance = threshold**rows
        needed = 1 if chance == 1 else math.ceil(math.log(_MISS) / math.log1p(-chance))
        if needed * rows <= _HASHES:
            return rows, needed
    return 1, _HASHES


def _signature(marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = marks[:, None] * _MULTIPLIERS + _SHIFTS
    lowest: NDArray[np.uint64] = (mixed ^ (mixed >> np.uint64(31))).min(axis=0)
    return lowest


@dataclass(frozen=True, slots=True, kw_only=True)
class TextGroups:
    """Texts in groups of near-duplicates.

    Attributes
    ----------
    labels : tuple of int
        Group of each text; texts of a chain of near-duplicates share one.
    crowded : int
        Buckets of texts that were too large to compare every two in.
    """

    labels: tuple[int, ...]
    crowded: int


class Forest:
    """Union-find whose roots are the smallest members."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))

    def root(self, node: int) -> int:
        """Return the representative of a node."""
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, a: int, b: int) -> None:
        """Put two nodes into one set."""
        low, high = sorted((self.root(a), self.root(b)))
        self.parent[high] = low


def _buckets(signatures: NDArray[np.uint64], rows: int, bands: int) -> list[list[int]]:
    """Texts that agree on a whole band."""
    found = []
    for start in range(0, rows * bands, rows):
        band = np.ascontiguousarray(signatures[:, start : start + rows])
        keys = band.view(np.dtype((np.void, band.dtype.itemsize * rows))).ravel()
        _, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(counts)
        found += [
            order[ends[code] - counts[code] : ends[code]].tolist()
            for code in np.flatnonzero(counts > 1).tolist()
        ]
    return found


def group_texts(texts: Sequence[str], *, threshold: float = 0.8) -> TextGroups:
    """Group near-duplicate texts.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    threshold : float
        Jaccard similarity of shingles from which two texts count as one, in 0.1..1.

    Returns
    -------
    TextGroups

    Notes
    -----
    128 MinHash values find the candidates (Broder 1997): texts that agree on a whole band of them
    and on about as many as the threshold says. Exact Jaccard similarities decide. A pair at the
    threshold is missed with a chance below 0.003. Groups are single-linkage. In a bucket each text
    is compared with the next 50 only, so the cost stays linear in the number of texts; `crowded`
    counts the buckets in which that left some out.

    Examples
    --------
    >>> words = "one two three four five six seven eight nine ten"
    >>> group_texts([words, "Something else.", words.upper()]).labels
    (0, 1, 0)
    """
    check_threshold(threshold)
    place: dict[str, int] = {}
    for text in texts:
        place.setdefault(" ".join(text.casefold().split()), len(place))
    unique = sorted(place)
    marks = [shingles(text) for text in unique]
    forest = Forest(len(unique))
    crowded = 0
    if len(unique) > 1:
        signatures = np.stack([_signature(each) for each in marks])
        for bucket in _buckets(signatures, *_bands(threshold)):
            crowded += _join_bucket(bucket, marks, signatures, forest, threshold)
    label = {text: forest.root(number) for number, text in enumerate(unique)}
    first: dict[int, int] = {}
    labels = []
    for text in texts:
        root = label[" ".join(text.casefold().split())]
        labels.append(first.setdefault(root, len(first)))
    return TextGroups(labels=tuple(labels), crowded=crowded)


def _join_bucket(
    bucket: list[int],
    marks: Sequence[NDArray[np.uint64]],
    signatures: NDArray[np.uint64],
    forest: Forest,
    threshold: float,
) -> bool:
    """Join what is similar; return whether there was too much to compare."""
    sets: dict[int, frozenset[int]] = {}
    # Three standard deviations of the share of equal MinHash values.
    least = _HASHES * (threshold - 3 * math.sqrt(threshold * (1 - threshold) / _HASHES))
    for at, left in enumerate(bucket):
        others = bucket[at + 1 : at + 1 + _CROWD]
        likely = (signatures[others] == signatures[left]).sum(axis=1) >= least
        for right in itertools.compress(others, likely.tolist()):
            if forest.root(left) == forest.root(right):
                continue
            a, b = (_as_set(k, marks, sets) for k in (left, right))
            shared = len(a & b)
            if shared >= threshold * (len(a) + len(b) - shared):
                forest.join(left, right)
    return len(bucket) > _CROWD and len({forest.root(k) for k in bucket}) > 1


def _as_set(
    place: int, marks: Sequence[NDArray[np.uint64]], known: dict[int, frozenset[int]]
) -> frozenset[int]:
    found = known.get(place)
    if found is None:
        found = known[place] = frozenset(marks[place].tolist())
    return found
