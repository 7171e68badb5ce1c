"""Whether a challenger replaces the current grader: driving capacity on the same contrasts."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalkit.comparisons import adjust_p, mcnemar_exact, sign_flip
from evalkit.contrasts.blinding import Key
from evalkit.contrasts.capacity import check_settings, driving_capacity, read_data
from evalkit.contrasts.capacity_results import Centring, DrivingCapacity
from evalkit.contrasts.scored import ScoredContrast, ScoredSet, outcome_of
from evalkit.contrasts.worst_family import FamilyMethod
from evalkit.errors import ArgumentError, InputError
from evalkit.results import Interval, json_value

__all__ = ["FamilyDifference", "Selection", "select_challenger"]

_SHOWN = 5
Pair = tuple[ScoredContrast, ScoredContrast]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyDifference:
    """Challenger against current on one family.

    Attributes
    ----------
    family : str
        The degradation.
    n : int
        Contrasts that both scored.
    wins, losses : int
        Contrasts where the challenger alone succeeds, and where it alone does not.
    difference : float or None
        Accuracy of the challenger less that of the current grader.
    p_value : float or None
        Two-sided, of no difference: exact McNemar, or the sign-flip test of cluster sums.
    p_adjusted : float or None
        The same after Holm over the families.
    test : str
        Name of the test.
    """

    family: str
    n: int
    wins: int
    losses: int
    difference: float | None
    p_value: float | None
    p_adjusted: float | None
    test: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: json_value(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The decision between a current grader and a challenger.

    Attributes
    ----------
    current, challenger : DrivingCapacity
        Both on the contrasts that both scored.
    replaces : bool or None
        Whether the challenger's capacity is strictly higher; ``None`` where one is undefined.
    difference : float or None
        Capacity of the challenger less that of the current grader.
    interval : Interval or None
        Interval of the difference of the true capacities.
    families : tuple of FamilyDifference
        Paired differences, family by family.
    note : str or None
        What was left out, or is undefined.
    """

    current: DrivingCapacity
    challenger: DrivingCapacity
    replaces: bool | None
    difference: float | None
    interval: Interval | None
    families: tuple[FamilyDifference, ...]
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "current": self.current.to_dict(),
            "challenger": self.challenger.to_dict(),
            "replaces": self.replaces,
            "difference": json_value(self.difference),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.current.level,
            "method": None if bounds is None else bounds.method,
            "families": [family.to_dict() for family in self.families],
            "note": self.note,
        }


def _ids(rows: Iterable[ScoredContrast]) -> dict[tuple[str, str], ScoredContrast]:
    return {(row.family, row.contrast): row for row in rows}


def _paired(found: ScoredSet, current: str, challenger: str) -> list[Pair]:
    """Rows of both graders, contrast by contrast."""
    for name, value in (("current", current), ("challenger", challenger)):
        if value not in found.graders:
            raise ArgumentError(
                f"`{name}` is {value!r}; the graders are {', '.join(map(repr, found.graders))}"
            )
    if current == challenger:
        raise ArgumentError(f"`challenger` is {challenger!r}, the current grader; name another")
    if not found.named:
        raise InputError("the rows have no ids of contrasts to pair by; name them, as contrast=id")
    ours, theirs = _ids(found.of(current)), _ids(found.of(challenger))
    for one, other, grader in ((ours, theirs, challenger), (theirs, ours, current)):
        lacking = sorted(set(one) - set(other))
        if lacking:
            shown = ", ".join(f"{family}/{name}" for family, name in lacking[:_SHOWN])
            more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
            raise InputError(
                f"grader {grader!r} lacks {len(lacking)} contrasts that the other has: "
                f"{shown}{more}; compare on the same contrasts"
            )
    return [(ours[name], theirs[name]) for name in ours]


def _both(pairs: Sequence[Pair]) -> list[ScoredContrast]:
    """Rows of both graders, without a score where either has none."""
    rows: list[ScoredContrast] = []
    for pair in pairs:
        whole = all(r.score_base is not None and r.score_degraded is not None for r in pair)
        for row in pair:
            lost = replace(row, score_base=None, score_degraded=None, reason="not scored by both")
            rows.append(row if whole else lost)
    return rows


def _sign(pair: Pair, margin: float) -> int:
    """1 where the challenger alone succeeds, -1 where the current grader does."""
    ours, theirs = (
        outcome_of(r.score_base, r.score_degraded, margin=margin) == "success" for r in pair
    )
    return int(theirs) - int(ours)


def _differences(
    pairs: Sequence[Pair], families: Sequence[str], margin: float
) -> tuple[FamilyDifference, ...]:
    found = []
    for family in families:
        own = [
            pair
            for pair in pairs
            if pair[0].family == family
            and all(r.score_base is not None and r.score_degraded is not None for r in pair)
        ]
        signs = [_sign(pair, margin) for pair in own]
        wins, losses = signs.count(1), signs.count(-1)
        sums: dict[str, int] = defaultdict(int)
        for number, (pair, sign) in enumerate(zip(own, signs, strict=True)):
            label = pair[0].cluster
            sums[f"row {number}" if label is None else f"cluster {label}"] += sign
        clustered = len(sums) < len(own)
        if clustered:
            tested = sign_flip(list(sums.values()), unit="cluster")
            p, test = tested.p_value, tested.name
        else:
            p, test = (mcnemar_exact(wins, losses) if own else None), "exact McNemar"
        found.append(
            FamilyDifference(
                family=family,
                n=len(own),
                wins=wins,
                losses=losses,
                difference=(wins - losses) / len(own) if own else None,
                p_value=p,
                p_adjusted=None,
                test=test,
            )
        )
    adjusted = adjust_p([f.p_value for f in found]).values
    return tuple(replace(f, p_adjusted=p) for f, p in zip(found, adjusted, strict=True))


def _interval(
    rows: ScoredSet, current: str, challenger: str, settings: Mapping[str, Any], level: float
) -> Interval | None:
    """Difference of two intervals that hold together: each at half the error rate."""
    wider = driving_capacity(rows, level=1 - (1 - level) / 2, **settings)
    found = {result.grader: result.interval for result in wider}
    ours, theirs = found[current], found[challenger]
    if ours is None or theirs is None:
        return None
    return Interval(
        low=theirs.low - ours.high,
        high=theirs.high - ours.low,
        level=level,
        method="difference of two worst-family intervals, Bonferroni",
    )


def select_challenger(
    data: Any,
    current: str,
    challenger: str,
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
) -> Selection:
    """Decide whether a challenger replaces the current grader.

    Parameters
    ----------
    data : ScoredSet, path, dataframe of any engine, or sequence of mappings
        Scores of both graders, as for :func:`driving_capacity`.
    current, challenger : str
        Names of the graders.
    key, margin, centring, level, method, cluster, families, columns, partial
        As for :func:`driving_capacity`.

    Returns
    -------
    Selection

    Raises
    ------
    ArgumentError
        If a grader is not there, or a setting has a value that is not allowed.
    InputError
        If the graders do not have the same contrasts; the message names those that are missing.

    Notes
    -----
    The rule: the challenger replaces the current grader only if its driving capacity is strictly
    higher. It is taken as it is and is no test: two equally good graders are exchanged in about
    four of ten comparisons (docs/contrasts.md). The interval of the difference subtracts two
    worst-family intervals, each at half the error rate; that is valid without using the pairing,
    and wide. A bootstrap of a difference of minima is not given, because it does not have its
    level. Which families changed is told by the paired tests with Holm's adjustment.

    Examples
    --------
    >>> rows = [{"grader": g, "family": f, "contrast": i, "score_base": 1.0,
    ...          "score_degraded": float(i < lost)}
    ...         for g, lost in (("old", 3), ("new", 1)) for f in ("pad", "cut") for i in range(12)]
    >>> found = select_challenger(rows, "old", "new")
    >>> found.replaces, round(found.difference, 3), found.families[0].wins
    (True, 0.167, 2)
    """
    check_settings(margin, centring, level, method)
    found = read_data(
        data, key=key, cluster=cluster, families=families, columns=columns, partial=partial
    )
    pairs = _paired(found, current, challenger)
    rows = _both(pairs)
    kept = ScoredSet(rows=tuple(rows), families=found.families, notes=found.notes)
    settings: dict[str, Any] = {"margin": margin, "centring": centring, "method": method}
    results = {r.grader: r for r in driving_capacity(kept, level=level, **settings)}
    ours, theirs = results[current], results[challenger]
    known = ours.capacity is not None and theirs.capacity is not None
    lost = sum(row.reason == "not scored by both" for row in rows) // 2
    notes = [f"{lost} contrasts that one of the two did not score were left out"] if lost else []
    if not known:
        notes.append("a capacity is undefined, so there is no decision")
    return Selection(
        current=ours,
        challenger=theirs,
        replaces=_higher(ours, theirs),
        difference=_less(theirs.capacity, ours.capacity),
        interval=_interval(kept, current, challenger, settings, level),
        families=_differences(pairs, found.families, margin),
        note="; ".join(notes) or None,
    )


def _higher(ours: DrivingCapacity, theirs: DrivingCapacity) -> bool | None:
    if ours.capacity is None or theirs.capacity is None:
        return None
    return theirs.capacity > ours.capacity


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
