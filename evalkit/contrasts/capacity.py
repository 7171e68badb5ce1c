"""Driving capacity: how well a grader tells base from degraded responses on its worst family."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, get_args

from evalkit.contrasts.blinding import Key
from evalkit.contrasts.capacity_results import (
    Centring,
    DrivingCapacity,
    FamilyAccuracy,
    centred,
)
from evalkit.contrasts.scored import ScoredContrast, ScoredSet, outcome_of, read_scored
from evalkit.contrasts.unblinding import unblind
from evalkit.contrasts.worst_family import (
    FamilyMethod,
    joint_level,
    rate_interval,
    worst_family_interval,
)
from evalkit.errors import ArgumentError
from evalkit.results import Interval, Results, check_level
from evalkit.tally import Tally, tally_values

__all__ = ["check_settings", "driving_capacity", "read_data"]


def check_settings(margin: float, centring: str, level: float, method: str) -> None:
    """Refuse a margin, a centring, a level or a method that is not allowed."""
    if not (math.isfinite(margin) and margin >= 0):
        raise ArgumentError(f"`margin` is {margin}; it must be a finite number of 0 or more")
    if centring not in get_args(Centring):
        raise ArgumentError(
            f"`centring` is {centring!r}; use 'half' (accuracy - 1/2) or 'double' (2 accuracy - 1)"
        )
    if method not in get_args(FamilyMethod):
        raise ArgumentError(
            f"`method` is {method!r}; use one of {', '.join(get_args(FamilyMethod))}"
        )
    check_level(level)


def _moved(bounds: Interval | None, centring: Centring) -> Interval | None:
    """Interval of a rate on the centred scale."""
    if bounds is None:
        return None
    return Interval(
        low=centred(bounds.low, centring),
        high=centred(bounds.high, centring),
        level=bounds.level,
        method=bounds.method,
    )


def family_tally(rows: Sequence[ScoredContrast], *, margin: float) -> Tally:
    """Successes of one family as 1, other scored contrasts as 0."""
    kept = [r for r in rows if r.score_base is not None and r.score_degraded is not None]
    hits = [outcome_of(r.score_base, r.score_degraded, margin=margin) == "success" for r in kept]
    clusters = [r.cluster for r in kept]
    known = bool(kept) and all(c is not None for c in clusters)
    return tally_values(
        [float(hit) for hit in hits],
        clusters=clusters if known else None,
        errored=len(rows) - len(kept),
    )


def _one_family(
    name: str,
    rows: Sequence[ScoredContrast],
    *,
    number: int,
    margin: float,
    centring: Centring,
    level: float,
    method: FamilyMethod,
) -> tuple[FamilyAccuracy, Tally]:
    tally = family_tally(rows, margin=margin)
    counts = Counter(outcome_of(r.score_base, r.score_degraded, margin=margin) for r in rows)
    rate = Fraction(counts["success"], tally.n) if tally.n else None
    jointly = rate_interval(tally, level=joint_level(level, number), method=method)
    return (
        FamilyAccuracy(
            family=name,
            accuracy=None if rate is None else float(rate),
            centred=None if rate is None else centred(rate, centring),
            interval=_moved(rate_interval(tally, level=level, method=method), centring),
            joint_high=None if jointly is None else centred(jointly.high, centring),
            n=tally.n,
            successes=counts["success"],
            ties=counts["tie"],
            inversions=counts["inversion"],
            nulls=counts["null"],
            clusters=None if tally.clusters is None else tally.clusters.number,
        ),
        tally,
    )


def _if_nulls(
    families: Sequence[FamilyAccuracy], centring: Centring, *, passing: bool
) -> float | None:
    """Capacity with every missing score a success, or a failure."""
    if any(not f.n + f.nulls for f in families):
        return None
    return min(
        centred(Fraction(f.successes + (f.nulls if passing else 0), f.n + f.nulls), centring)
        for f in families
    )


def _note(
    families: Sequence[FamilyAccuracy], interval: Interval | None, rows: Sequence[ScoredContrast]
) -> str | None:
    notes = []
    empty = [f.family for f in families if not f.n]
    if empty:
        notes.append(f"no scored contrast in {', '.join(empty)}: the worst family is not known")
    elif interval is None:
        single = ", ".join(f.family for f in families if f.interval is None)
        notes.append(f"one cluster in {single}: no interval")
    scored = [f for f in families if f.n]
    worst = [f.family for f in scored if f.accuracy == scored[0].accuracy]
    if len(worst) > 1:
        notes.append(f"{len(worst)} families tie as the worst: {', '.join(worst)}")
    reasons = Counter(row.reason for row in rows if row.reason)
    if reasons:
        shown = ", ".join(f"{number} {reason}" for reason, number in reasons.most_common())
        notes.append(f"without a score: {shown}")
    if families and all(f.clusters is None for f in families):
        notes.append("no clusters: contrasts of a family are taken as independent")
    return "; ".join(notes) or None


def _one_grader(
    grader: str,
    found: ScoredSet,
    *,
    margin: float,
    centring: Centring,
    level: float,
    method: FamilyMethod,
) -> DrivingCapacity:
    rows = found.of(grader)
    made = [
        _one_family(
            name,
            [row for row in rows if row.family == name],
            number=len(found.families),
            margin=margin,
            centring=centring,
            level=level,
            method=method,
        )
        for name in found.families
    ]
    families = sorted((f for f, _ in made), key=lambda f: (f.n > 0, f.accuracy or 0.0, f.family))
    known = bool(families) and all(f.n for f in families)
    interval = worst_family_interval([t for _, t in made], level=level, method=method)
    return DrivingCapacity(
        grader=grader,
        capacity=families[0].centred if known else None,
        interval=_moved(interval, centring) if known else None,
        worst_family=families[0].family if known else None,
        families=tuple(families),
        capacity_if_nulls_fail=_if_nulls(families, centring, passing=False),
        capacity_if_nulls_pass=_if_nulls(families, centring, passing=True),
        margin=margin,
        centring=centring,
        level=level,
        note=_note(families, interval, rows),
    )


def read_data(
    data: Any,
    *,
    key: Key | str | os.PathLike[str] | None,
    cluster: str | None,
    families: Sequence[str] | None,
    columns: Mapping[str, str] | None,
    partial: bool,
) -> ScoredSet:
    """Read scored contrasts, through the key where they are blinded."""
    if key is None:
        return read_scored(
            data, cluster=cluster, families=families, columns=columns, partial=partial
        )
    if cluster is not None or families is not None:
        raise ArgumentError("`key` holds the clusters and families; drop `cluster`, `families`")
    return unblind(data, key, columns=columns, partial=partial)


def driving_capacity(
    data: Any,
    *,
    key: Key | str | os.PathLike[str] | None = None,
    margin: float = 0.01,
    centring: Centring = "half",
    level: float = 0.95,
    method: FamilyMethod = "clopper-pearson",
    cluster: str | None = None,
    families: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Results[DrivingCapacity]:
    """Driving capacity of each grader: its centred accuracy on the worst contrast family.

    Parameters
    ----------
    data : ScoredSet, path, dataframe of any engine, or sequence of mappings
        With a `key`, blinded scores: ``response_id`` and ``score``, or ``presentation_id`` and
        ``verdict`` (or ``score_a`` and ``score_b``). Else rows with a family, a ``score_base``
        and a ``score_degraded``. A ``grader`` column tells graders apart.
    key : Key or path, optional
        The private key of a blinded set.
    margin : float
        A success is a base score above the degraded one by more than this.
    centring : {"half", "double"}
        ``accuracy - 1/2`` or ``2 accuracy - 1``.
    level : float
        Nominal coverage.
    method : {"clopper-pearson", "mid-p"}
        Interval of a family without repeated clusters.
    cluster : str, optional
        Column of clusters, for rows that are not blinded; the key knows its own.
    families : sequence of str, optional
        Families that every grader should have scores in.
    columns : mapping of str to str, optional
        What is looked for to its column, where the guess by name would be wrong.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    Results of DrivingCapacity
        Highest capacity first; graders without one last.

    Raises
    ------
    InputError
        If the data cannot be read as scored contrasts.
    ArgumentError
        If a setting has a value that is not allowed.

    Notes
    -----
    ``J = min over families of (accuracy - 1/2)``. Ties are no successes. Contrasts without a score
    are left out and bound J. The interval is that of
    :func:`evalkit.contrasts.worst_family_interval`: it is for the smallest true accuracy, not for
    the family that happens to be observed as the worst.

    Examples
    --------
    >>> rows = [{"family": f, "score_base": 1.0, "score_degraded": float(i < lost)}
    ...         for f, lost in (("pad", 1), ("truncate", 0)) for i in range(12)]
    >>> found = driving_capacity(rows)[0]
    >>> round(found.capacity, 3), found.worst_family
    (0.417, 'pad')
    """
    check_settings(margin, centring, level, method)
    found = read_data(
        data, key=key, cluster=cluster, families=families, columns=columns, partial=partial
    )
    results = [
        _one_grader(g, found, margin=margin, centring=centring, level=level, method=method)
        for g in found.graders
    ]
    results.sort(key=lambda r: (r.capacity is None, -(r.capacity or 0.0), r.grader))
    return Results(results, notes=found.notes)
