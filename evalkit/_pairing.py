"""Match two systems item by item, in the engine that holds the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalkit._design import Design, scored_rows
from evalkit.errors import ArgumentError, InputError
from evalkit.tally import Tally, tally

__all__ = ["PairedGroup", "pair", "second_scale_note"]

_PAIRED = frozenset({"system", "item", "score", "status"})
_DIGITS = 12  # decimals of item means: far below any score, above binary noise


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedGroup:
    """The pairs of one group.

    Attributes
    ----------
    differences : Tally
        Candidate minus base, item by item.
    base_mean, candidate_mean : float or None
        Means over the pairs.
    only_base, only_candidate : int
        Items scored for one system only.
    """

    differences: Tally
    base_mean: float | None
    candidate_mean: float | None
    only_base: int
    only_candidate: int


def _items(side: Design, keys: Sequence[str], cluster: str | None, score: str) -> Any:
    """One row for each item: the mean of its scored attempts, and its cluster."""
    import narwhals as nw

    columns = [nw.col("score").cast(nw.Float64).alias(score)]
    unit = list(keys)
    if cluster is not None:
        columns.append(nw.col(cluster).alias(f"{score}_cluster"))
        unit.append(f"{score}_cluster")
    frame = side.frame.filter(scored_rows(side)).with_columns(*columns)
    items = frame.group_by(unit).agg(nw.col(score).mean())
    # Means of the same attempts in another order can differ in the last bit.
    items = items.with_columns(nw.col(score).round(_DIGITS))
    if cluster is not None:
        _check_one_cluster(items, keys)
    return items


def _check_one_cluster(items: Any, keys: Sequence[str]) -> None:
    """Refuse an item that stands in two clusters of one system."""
    import narwhals as nw

    found = _rows(
        items.group_by(list(keys))
        .agg(nw.len().alias("_evalkit_n"))
        .filter(nw.col("_evalkit_n") > 1)
        .head(1)
    )
    if found:
        raise InputError(
            f"it stands in {found[0]['_evalkit_n']} clusters; give it one",
            item=str(found[0]["item"]),
        )


def _rows(frame: Any) -> list[dict[str, Any]]:
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return list(eager.iter_rows(named=True))


def _check_same_clusters(pairs: Any) -> None:
    """Refuse an item whose two systems place it in different clusters."""
    import narwhals as nw

    mine, other = nw.col("_evalkit_base_cluster"), nw.col("_evalkit_cand_cluster")
    found = _rows(
        pairs.filter(mine != other)
        .select("item", "_evalkit_base_cluster", "_evalkit_cand_cluster")
        .head(1)
    )
    if found:
        row = found[0]
        raise InputError(
            f"it stands in clusters {row['_evalkit_base_cluster']!r} and "
            f"{row['_evalkit_cand_cluster']!r}; give it one",
            item=str(row["item"]),
        )


def pair(
    base: Design, candidate: Design, *, by: Sequence[str] = (), cluster: str | None = None
) -> tuple[PairedGroup, ...]:
    """Pair the scored items of two systems.

    Parameters
    ----------
    base, candidate : Design
        Rows of one system each.
    by : sequence of str
        Group columns, part of what identifies a pair.
    cluster : str, optional
        Cluster column, in either design.

    Returns
    -------
    tuple of PairedGroup
        Sorted by group; an item attempted more than once enters with its mean score.

    Raises
    ------
    InputError
        If an item stands in two clusters.
    ArgumentError
        If `by` names what is compared.
    """
    import narwhals as nw

    clash = [name for name in by if name in _PAIRED]
    if clash:
        raise ArgumentError(
            f"`by` names {clash[0]!r}, by which the two systems are compared; name a column that "
            "says the same of an item for both, such as its topic"
        )
    keys = [*by, "item"]
    with_cluster = [cluster is not None and side.has(cluster) for side in (base, candidate)]
    b = _items(base, keys, cluster if with_cluster[0] else None, "_evalkit_base")
    c = _items(candidate, keys, cluster if with_cluster[1] else None, "_evalkit_cand")
    pairs = b.join(c, on=keys, how="inner")
    sides = [
        name
        for name, there in zip(("_evalkit_base", "_evalkit_cand"), with_cluster, strict=True)
        if there
    ]
    if len(sides) == 2:
        _check_same_clusters(pairs)
    difference = (nw.col("_evalkit_cand") - nw.col("_evalkit_base")).round(_DIGITS)
    pairs = pairs.with_columns(difference.alias("_evalkit_difference"))
    tallies = tally(
        pairs, score="_evalkit_difference", by=by, cluster=f"{sides[0]}_cluster" if sides else None
    )
    counts = _group_sizes(b, c, pairs, by)
    groups = {tuple(t.by.values()): t for t in tallies}
    means = [
        {tuple(t.by.values()): t.mean for t in tally(pairs, score=name, by=by)}
        for name in ("_evalkit_base", "_evalkit_cand")
    ]
    return tuple(
        _group(
            dict(zip(by, key, strict=True)),
            groups.get(key),
            counts[key],
            (means[0].get(key), means[1].get(key)),
            clustered=bool(sides),
        )
        for key in sorted(counts)
    )


def second_scale_note(sides: Sequence[Tally], names: Sequence[str], high: float) -> list[str]:
    """Say that one system uses 0..1 of a wider declared range only, as fractions would."""
    if high <= 1 or not all(t.n for t in sides):
        return []
    unit = [t.within(0.0, 1.0) for t in sides]
    if all(unit) or not any(unit):
        return []
    small, wide = names[unit.index(True)], names[unit.index(False)]
    note = (
        f"all scores of {small!r} lie in 0..1 of the declared range, and those of {wide!r} do "
        "not: if the first are fractions of it, bring them to its scale first"
    )
    return [note]


def _group_sizes(b: Any, c: Any, pairs: Any, by: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Items of each side and pairs, group by group."""
    import narwhals as nw

    out: dict[tuple[str, ...], list[int]] = {}
    size = nw.len().alias("_evalkit_n")
    for index, frame in enumerate((b, c, pairs)):
        grouped = frame.group_by(list(by)).agg(size) if by else frame.select(size)
        for row in _rows(grouped):
            key = tuple("" if row[name] is None else str(row[name]) for name in by)
            out.setdefault(key, [0, 0, 0])[index] = int(row["_evalkit_n"])
    return out


def _group(
    by: dict[str, str],
    found: Tally | None,
    sizes: Sequence[int],
    means: tuple[float | None, float | None],
    *,
    clustered: bool,
) -> PairedGroup:
    return PairedGroup(
        differences=found or _empty(by, clustered=clustered),
        base_mean=means[0],
        candidate_mean=means[1],
        only_base=sizes[0] - sizes[2],
        only_candidate=sizes[1] - sizes[2],
    )


def _empty(by: dict[str, str], *, clustered: bool) -> Tally:
    from dataclasses import replace

    from evalkit.tally import tally_values

    return replace(tally_values([], clusters=[] if clustered else None), by=by)
