"""Splits by task, and sides: both by random numbers that do not depend on the order of rows."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evalkit.errors import ArgumentError
from evalkit.pairs.similarity import Forest, group_texts

__all__ = ["Linked", "assign_splits", "check_splits", "first_is_better", "linked_groups"]


def _random(seed: int, purpose: str, text: str) -> int:
    key = f"{seed}/{purpose}".encode()
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key)
    return int.from_bytes(digest.digest(), "big")


def check_splits(splits: Mapping[str, float] | None) -> dict[str, float]:
    """Refuse fractions that do not add up to 1, or names that cannot name a file."""
    if not splits:
        return {}
    for name, share in splits.items():
        if not name or not name.replace("_", "").isalnum() or not name.isascii():
            raise ArgumentError(f"split {name!r}: a name has letters, digits and underscores only")
        if not (math.isfinite(share) and share > 0):
            raise ArgumentError(f"split {name!r} has the share {share}; it must be above 0")
    total = math.fsum(splits.values())
    if abs(total - 1) > 1e-9:
        raise ArgumentError(f"the shares of `splits` add up to {total:g}; they must add up to 1")
    return dict(splits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Clusters that must stay together.

    Attributes
    ----------
    group : mapping of str to str
        Cluster -> the group it belongs to, named after its first cluster.
    crowded : int
        Buckets of texts too large to compare every two in.
    """

    group: Mapping[str, str]
    crowded: int


def linked_groups(
    outputs: Iterable[tuple[str, int | None]],
    prompts: Iterable[tuple[str, str | None]],
    *,
    threshold: float | None,
) -> Linked:
    """Link clusters that share a near-duplicate output or prompt.

    Parameters
    ----------
    outputs : iterable of (cluster, int or None)
        Group of near-duplicate texts of each output; ``None`` where it is not known.
    prompts : iterable of (cluster, str or None)
        The prompt of each pair.
    threshold : float or None
        Similarity of prompts; ``None`` links nothing.

    Examples
    --------
    >>> linked_groups([("t", 0), ("u", 0), ("v", 1)], [], threshold=0.8).group
    {'t': 't', 'u': 't', 'v': 'v'}
    """
    labelled = list(outputs)
    texts = list(dict.fromkeys((c, text) for c, text in prompts if text is not None))
    clusters = sorted({c for c, _ in labelled} | {c for c, _ in texts})
    place = {cluster: k for k, cluster in enumerate(clusters)}
    forest = Forest(len(clusters))
    crowded = 0
    links = [(c, f"output {label}") for c, label in labelled if label is not None]
    if threshold is not None:
        found = group_texts([text for _, text in texts], threshold=threshold)
        crowded = found.crowded
        links += [(c, f"prompt {label}") for (c, _), label in zip(texts, found.labels, strict=True)]
    first: dict[str, int] = {}
    for cluster, link in links:
        forest.join(first.setdefault(link, place[cluster]), place[cluster])
    group = {cluster: clusters[forest.root(k)] for cluster, k in place.items()}
    return Linked(group=group, crowded=crowded)


def assign_splits(
    sizes: Mapping[str, int], splits: Mapping[str, float], *, seed: int
) -> dict[str, str]:
    """Assign groups to splits in random order, each to the split that lacks most.

    Parameters
    ----------
    sizes : mapping of str to int
        Group -> pairs in it.
    splits : mapping of str to float
        Split -> share.
    seed : int
        Seed of the order.

    Examples
    --------
    >>> found = assign_splits({"t1": 2, "t2": 2, "t3": 2}, {"train": 0.6, "test": 0.4}, seed=0)
    >>> sorted(found.values())
    ['test', 'train', 'train']
    """
    total = sum(sizes.values())
    lack = {name: share * total for name, share in splits.items()}
    names = list(splits)
    found = {}
    for group in sorted(sizes, key=lambda g: (_random(seed, "split", g), g)):
        best = max(names, key=lambda name: (lack[name], -names.index(name)))
        found[group] = best
        lack[best] -= sizes[group]
    return found


def first_is_better(ids: Mapping[str, str | None], *, seed: int) -> dict[str, bool]:
    """Draw for which pairs the better output is shown first: half of them, up to one.

    Parameters
    ----------
    ids : mapping of str to str or None
        Pair -> split; each split is balanced up to one, too.
    seed : int
        Seed of the draw.

    Examples
    --------
    >>> sum(first_is_better(dict.fromkeys("abcdef"), seed=3).values())
    3
    """
    order = sorted(ids, key=lambda i: (ids[i] or "", _random(seed, "side", i), i))
    start = _random(seed, "start", "") % 2
    return {name: (place + start) % 2 == 0 for place, name in enumerate(order)}
