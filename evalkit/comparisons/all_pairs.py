"""Every pair of systems: adjusted p-values, tie groups and ranges of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from evalkit.comparisons.multiplicity import Adjusted, Adjustment, adjust_p
from evalkit.comparisons.paired import PairedMethod
from evalkit.errors import InputError
from evalkit.results import Comparison, Estimate, Interval, Range, Results, Verdict, json_value

if TYPE_CHECKING:
    import numpy as np

    from evalkit._design import Design

__all__ = ["AllPairs", "PairComparison", "RankedSystem", "compare_all", "letter_groups"]

_RULE = (
    "two systems are separated when the adjusted p-value of their paired difference is below "
    "1 - level; systems that share a letter are not separated from each other"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """One pair, with the p-value adjusted over all pairs.

    Attributes
    ----------
    comparison : Comparison
        The pair on its own: its interval and verdict are not adjusted.
    p_adjusted : float or None
        ``None`` where the p-value is undefined.
    verdict : {"separated", "not separated", "undefined"}
        Whether the adjusted p-value is below ``1 - level``.
    """

    comparison: Comparison
    p_adjusted: float | None
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the comparison, `p_adjusted`, and the adjusted verdict."""
        fields = self.comparison.to_dict()
        return {
            **fields,
            "p_adjusted": json_value(self.p_adjusted),
            "verdict_adjusted": self.verdict,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSystem:
    """One system among all: its mean, its letters and the ranks that it may have.

    Attributes
    ----------
    system : str
        Name.
    mean : float or None
        Mean over its own scored rows.
    interval : Interval or None
        Interval of the mean; not adjusted.
    n : int
        Scored rows.
    group : str
        Letters; two systems that share one are not separated.
    rank_low, rank_high : int
        Best and worst rank: 1 + the systems separated above it, and the number of systems less
        those separated below it.
    note : str or None
        What was left out or undefined.
    """

    system: str
    mean: float | None
    interval: Interval | None
    n: int
    group: str
    rank_low: int
    rank_high: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "system": self.system,
            "mean": json_value(self.mean),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": None if bounds is None else bounds.level,
            "method": None if bounds is None else bounds.method,
            "n": self.n,
            "group": self.group,
            "rank_low": self.rank_low,
            "rank_high": self.rank_high,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AllPairs:
    """All systems, and all pairs of them.

    Attributes
    ----------
    systems : tuple of RankedSystem
        By mean, best first.
    comparisons : tuple of PairComparison
        Every pair once; the candidate is the system with the higher mean.
    adjust : {"holm", "bh"}
        Adjustment of the p-values.
    m : int
        Pairs with a p-value: the family that was adjusted.
    undefined : int
        Pairs without one; they count as not separated.
    level : float
        Nominal coverage of each interval; ``1 - level`` is the limit of the adjusted p-values.
    notes : tuple of str
        The rule of the groups, and what was left out.
    """

    systems: tuple[RankedSystem, ...]
    comparisons: tuple[PairComparison, ...]
    adjust: Adjustment
    m: int
    undefined: int
    level: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return systems and comparisons as JSON-safe values."""
        return {
            "systems": [system.to_dict() for system in self.systems],
            "comparisons": [pair.to_dict() for pair in self.comparisons],
            "adjust": self.adjust,
            "m": self.m,
            "undefined": self.undefined,
            "level": self.level,
            "notes": list(self.notes),
        }

    def to_frame(self, table: Literal["comparisons", "systems"] = "comparisons") -> Any:
        """Return a pandas frame with one row for each comparison, or for each system."""
        if table == "systems":
            return Results(self.systems, notes=self.notes).to_frame()
        return Results(self.comparisons, notes=self.notes).to_frame()


def _absorbed(groups: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Drop every set that lies inside another."""
    distinct = set(groups)
    return [group for group in distinct if not any(group < other for other in distinct)]


def _letter(index: int) -> str:
    """Name letters a, b, …, z, aa, ab, …."""
    name = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        name = chr(ord("a") + digit) + name
    return name


def letter_groups(number: int, separated: Iterable[tuple[int, int]]) -> tuple[tuple[str, ...], ...]:
    """Letters of each of `number` systems, so that separated pairs share none.

    Parameters
    ----------
    number : int
        Systems, in the order of their means.
    separated : iterable of (int, int)
        Pairs that are separated.

    Returns
    -------
    tuple of tuple of str
        The letters of each system.

    Notes
    -----
    The insert-and-absorb algorithm for a compact letter display (Piepho 2004): start from one
    group of all; a separated pair splits each group that holds both into one without the first
    and one without the second; groups inside others are absorbed. What remains are the maximal
    sets of systems that are mutually not separated, so two systems share a letter exactly when
    they are not separated.

    Examples
    --------
    >>> letter_groups(3, [(0, 2)])
    (('a',), ('a', 'b'), ('b',))
    """
    groups = [frozenset(range(number))]
    for i, j in separated:
        split = []
        for group in groups:
            split += [group - {i}, group - {j}] if i in group and j in group else [group]
        groups = _absorbed(split)
    ordered = sorted(sorted(group) for group in groups if group)
    return tuple(
        tuple(_letter(k) for k, group in enumerate(ordered) if i in group) for i in range(number)
    )


def _by_system(found: Design) -> dict[str, Any]:
    """Rows of each system, as lazy frames, so that they are read and checked once."""
    import narwhals as nw

    if not found.has("system"):
        raise InputError("there is no column 'system', so there are no pairs; name it in `columns`")
    from evalkit._design import distinct_values

    names = distinct_values(found, "system")
    if len(names) < 2:
        raise InputError(f"{len(names)} system is in the data; pairs need at least two")
    rows = found.frame.lazy()
    system = nw.col("system").cast(nw.String)
    return {name: rows.filter(system == name) for name in sorted(map(str, names))}


def _verdict(p_adjusted: float | None, level: float) -> Verdict:
    if p_adjusted is None:
        return "undefined"
    return "separated" if p_adjusted < 1 - level else "not separated"


def _judged(
    found: Sequence[Comparison], adjusted: Adjusted, level: float
) -> tuple[PairComparison, ...]:
    return tuple(
        PairComparison(comparison=c, p_adjusted=p, verdict=_verdict(p, level))
        for c, p in zip(found, adjusted.values, strict=True)
    )


def _ranked(
    estimates: Sequence[Estimate], pairs: Sequence[PairComparison]
) -> tuple[RankedSystem, ...]:
    names = [e.by["system"] for e in estimates]
    place = {name: i for i, name in enumerate(names)}
    above, below = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    separated = []
    for pair in pairs:
        if pair.verdict != "separated":
            continue
        ahead, behind = pair.comparison.candidate, pair.comparison.base
        separated.append((place[ahead], place[behind]))
        if (pair.comparison.difference or 0.0) < 0:
            ahead, behind = behind, ahead
        below[ahead] += 1
        above[behind] += 1
    letters = letter_groups(len(names), separated)
    return tuple(
        RankedSystem(
            system=name,
            mean=e.estimate,
            interval=e.interval,
            n=e.n,
            group=("" if all(len(x) == 1 for x in own) else ",").join(own),
            rank_low=1 + above[name],
            rank_high=len(names) - below[name],
            note=e.note,
        )
        for name, e, own in zip(names, estimates, letters, strict=True)
    )


def _notes(m: int, undefined: int, adjust: str, pairs: Sequence[PairComparison]) -> list[str]:
    notes = [f"p-values are adjusted ({adjust}) over m = {m} pairs; {_RULE}"]
    if undefined:
        notes.append(f"{undefined} pairs are undefined (no p-value); they count as not separated")
    alone = sum(p.comparison.verdict == "separated" and p.verdict == "not separated" for p in pairs)
    if alone:
        notes.append(
            f"{alone} pairs have an interval that excludes 0 and are not separated after "
            "adjustment: each interval covers its own difference only"
        )
    return notes


def compare_all(
    data: Any,
    *,
    cluster: str | None = None,
    method: PairedMethod = "default",
    level: float = 0.95,
    adjust: Adjustment = "holm",
    score_range: Range | None = None,
    errors: Literal["exclude", "fail"] = "exclude",
    columns: Mapping[str, str] | None = None,
    rng: np.random.Generator | int = 0,
) -> AllPairs:
    """Compare every pair of systems, and rank them no further than the data allow.

    Parameters
    ----------
    data : path, Records, or dataframe of any engine
        Verdicts of two systems or more.
    cluster, method, level, score_range, errors, columns, rng
        As in :func:`evalkit.compare`, for each pair.
    adjust : {"holm", "bh"}
        Adjustment of the p-values over all pairs; see :func:`adjust_p`.

    Returns
    -------
    AllPairs

    Raises
    ------
    InputError
        If there are fewer than two systems, or several verifiers judged the items.

    Notes
    -----
    Each pair is compared on the items that both were scored on. Groups and ranks come from the
    adjusted p-values, so they never disagree with them: systems share a letter exactly when they
    are not separated (:func:`letter_groups`), and no strict rank is given. With ``"holm"`` the
    chance that any separation is false is at most ``1 - level``, and the ranges of ranks hold
    simultaneously; with ``"bh"`` the expected share of false ones is.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = [1] * 30 + [1] * 28 + [0] * 2 + [1] * 5 + [0] * 25
    >>> frame = pd.DataFrame(
    ...     {"system": list("A" * 30 + "B" * 30 + "C" * 30), "item": [*range(30)] * 3,
    ...      "score": scores})
    >>> found = compare_all(frame)
    >>> [(s.system, s.group, s.rank_low, s.rank_high) for s in found.systems], found.m
    ([('A', 'a', 1, 2), ('B', 'a', 1, 2), ('C', 'b', 3, 3)], 3)
    """
    from evalkit._design import design
    from evalkit.comparison import compare_groups
    from evalkit.estimation import estimate, unused_cluster_note

    found = design(
        data,
        columns=columns,
        keep=[cluster] if cluster else (),
        score_range=score_range,
    )
    bounds = found.score_range
    rows = _by_system(found)
    means = estimate(
        found.frame.lazy(),
        by=["system"],
        cluster=cluster,
        level=level,
        score_range=bounds,
        errors=errors,
    )
    order = sorted(means, key=lambda e: (e.estimate is None, -(e.estimate or 0.0), e.by["system"]))
    notes = [*found.notes, *unused_cluster_note(found, cluster, ())]
    singles: list[Comparison] = []
    for better, worse in combinations([e.by["system"] for e in order], 2):
        result = compare_groups(
            rows[worse],
            rows[better],
            names=(worse, better),
            cluster=cluster,
            method=method,
            level=level,
            score_range=bounds,
            errors=errors,
            rng=rng,
        )
        if len(result) != 1:
            raise InputError(
                f"{len(result)} verifiers judged the items of {worse!r} and {better!r}; keep the "
                "rows of one, since a difference over several would mix them"
            )
        singles += result
        notes += result.notes
    adjusted = adjust_p([c.p_value for c in singles], method=adjust)
    pairs = _judged(singles, adjusted, level)
    notes += _notes(adjusted.m, adjusted.missing, adjust, pairs)
    return AllPairs(
        systems=_ranked(order, pairs),
        comparisons=pairs,
        adjust=adjust,
        m=adjusted.m,
        undefined=adjusted.missing,
        level=level,
        notes=tuple(dict.fromkeys(notes)),
    )
