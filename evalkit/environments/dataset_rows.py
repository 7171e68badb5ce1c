"""Items, references and pairs as files hold them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.environments.base import Execution, Item, Pair
from evalkit.environments.draws import Draw
from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.records.raw import read_rows

__all__ = [
    "SPLITS",
    "Fields",
    "HeldItem",
    "assign_splits",
    "read_items",
    "read_pairs",
    "reference_text",
]

SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Columns of an items file.

    Attributes
    ----------
    id, input, target : str
        Columns that must be there.
    cluster, split : str
        Columns that may be there.
    """

    id: str = "id"
    input: str = "input"
    target: str = "target"
    cluster: str = "cluster"
    split: str = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldItem:
    """An item with what only the environment may see.

    Attributes
    ----------
    item : Item
        What agents see.
    reference : object
        The answer.
    split : str or None
        As the file has it.
    """

    item: Item
    reference: Any
    split: str | None = None


def _rows(path: Path) -> Sequence[Mapping[str, Any]]:
    if not path.is_file():
        raise FileMissingError(f"there is no file {str(path)!r}")
    raw = read_rows(path)
    lost = [note for note in raw.notes if "cut off" in note]
    if lost:
        raise InputError(f"{lost[0]}; complete the file", path=str(path))
    return raw.rows


def read_items(
    path: Path, fields: Fields, *, metadata: Sequence[str] = (), split: str | None = None
) -> list[HeldItem]:
    """Read the items of a JSONL, CSV or Parquet file.

    Parameters
    ----------
    path : path
        Plain, gzip or zstd.
    fields : Fields
        Which column is what.
    metadata : sequence of str
        Columns that agents and reports may see beside the input.
    split : str, optional
        Split of the whole file.

    Raises
    ------
    FileMissingError, InputError
        If there is no such file, it holds no rows, or a row lacks an id, an input or a target.
    """
    held = []
    for number, row in enumerate(_rows(path), 1):
        name = _id(row.get(fields.id), fields.id, path, number)
        text = row.get(fields.input)
        if not isinstance(text, str) or not text.strip():
            raise _fault(row, fields.input, "text", path, number)
        if row.get(fields.target) is None:
            raise _fault(row, fields.target, "the reference", path, number)
        cluster = row.get(fields.cluster)
        item = Item(
            id=name,
            input=text,
            cluster=None if cluster is None else _id(cluster, fields.cluster, path, number),
            metadata={key: str(row[key]) for key in metadata if row.get(key) is not None},
        )
        mine = split or _split(row.get(fields.split), fields.split, path, number)
        held.append(HeldItem(item=item, reference=row[fields.target], split=mine))
    if not held:
        raise InputError("the file holds no items", path=str(path))
    return held


def _fault(row: Mapping[str, Any], column: str, wanted: str, path: Path, number: int) -> InputError:
    got = f"is {type(row[column]).__name__}" if row.get(column) is not None else "is missing"
    known = ", ".join(map(repr, row))
    return InputError(
        f"row {number}: the column {column!r} {got}, and must hold {wanted}; the columns are "
        f"{known}; name others in `fields`",
        path=str(path),
    )


def _id(value: object, column: str, path: Path, number: int) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise InputError(
            f"row {number}: the column {column!r} is {value!r}; an id is text or a whole number",
            path=str(path),
        )
    return str(value)


def _split(value: object, column: str, path: Path, number: int) -> str | None:
    if value is None or value in SPLITS:
        return None if value is None else str(value)
    raise InputError(
        f"row {number}: the column {column!r} is {value!r}; it must be one of {', '.join(SPLITS)}",
        path=str(path),
    )


def assign_splits(
    held: Sequence[HeldItem], *, shares: Mapping[str, float], seed: int, path: Path
) -> dict[str, list[HeldItem]]:
    """Put each item into its split.

    Parameters
    ----------
    held : sequence of HeldItem
        All items.
    shares : mapping of str to float
        Share of the items that each split gets, where the file names no splits.
    seed : int
        Another seed is another assignment.
    path : path
        The file, for messages.

    Returns
    -------
    dict of str to list of HeldItem
        In the order of the file.

    Raises
    ------
    InputError
        If an id stands twice, or some items have a split and others none.

    Notes
    -----
    Without splits in the file, clusters (an item without one is its own) are ordered by a hash of
    seed and name, and given out in this order: a cluster goes to the split that has the middle of
    its items, so a cluster is never torn, and shares are met as nearly as clusters allow.
    """
    counts = Counter(entry.item.id for entry in held)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise InputError(
            f"the id {twice[0]!r} stands {counts[twice[0]]} times; ids name items, so remove the "
            "repeats or rename them",
            path=str(path),
        )
    bare = sum(entry.split is None for entry in held)
    if bare and bare < len(held):
        raise InputError(
            f"{bare} of {len(held)} items have no split; name it on all", path=str(path)
        )
    where = _by_cluster(held, shares, seed) if bare else {}
    out: dict[str, list[HeldItem]] = {name: [] for name in SPLITS}
    for entry in held:
        out[entry.split or where[entry.item.cluster or entry.item.id]].append(entry)
    return out


def _by_cluster(held: Sequence[HeldItem], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    sizes = Counter(entry.item.cluster or entry.item.id for entry in held)
    root = Draw.of(seed).child("split")
    order = sorted(sizes, key=lambda name: (root.child(name).integer(), name))
    total = math.fsum(shares.values())
    bounds, reached = [], 0.0
    for name in SPLITS:
        reached += shares.get(name, 0.0)
        bounds.append((reached / total * len(held), name))
    where, before = {}, 0
    for cluster in order:
        middle = before + sizes[cluster] / 2
        where[cluster] = next((n for b, n in bounds if middle < b), bounds[-1][1])
        before += sizes[cluster]
    return where


def read_pairs(path: Path, splits: Mapping[str, Sequence[HeldItem]]) -> dict[str, list[Pair]]:
    """Read grader pairs: rows with ``item``, ``better`` and ``worse``, and ``id`` if they like.

    Raises
    ------
    FileMissingError, InputError
        If a row names no item, an id stands twice, or its two texts are the same.
    """
    known = {entry.item.id: (entry.item, split) for split, es in splits.items() for entry in es}
    out: dict[str, list[Pair]] = {name: [] for name in SPLITS}
    seen: set[str] = set()
    for number, row in enumerate(_rows(path), 1):
        item = _id(row.get("item"), "item", path, number)
        name = _id(row.get("id", f"{item}/{number}"), "id", path, number)
        better, worse = row.get("better"), row.get("worse")
        if item not in known:
            raise InputError(f"row {number}: there is no item {item!r}", path=str(path))
        if name in seen:
            raise InputError(f"row {number}: the id {name!r} stands twice", path=str(path))
        if not isinstance(better, str) or not isinstance(worse, str) or better == worse:
            raise InputError(
                f"row {number}: `better` and `worse` must be two different texts", path=str(path)
            )
        seen.add(name)
        where = known[item][1]
        out[where].append(
            Pair(
                id=name,
                item=known[item][0],
                better=Execution(item=item, output=better),
                worse=Execution(item=item, output=worse),
            )
        )
    return out


def reference_text(reference: Any) -> Any:
    """Return a reference as the verifiers of evalkit take it: numbers as the text they are.

    Raises
    ------
    ArgumentError
        If it is an object.
    """
    if isinstance(reference, (list, tuple)):
        return [reference_text(each) for each in reference]
    if isinstance(reference, str):
        return reference
    if isinstance(reference, (bool, int, float)):
        return json.dumps(reference)
    raise ArgumentError(
        f"a reference is {type(reference).__name__}; give text, a number or a list of them, or a "
        "verifier of your own as 'module:function'"
    )
