"""Agreement of graders with a reference on pairs: ``evalkit.agreement``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.grading.conventions import convention_table
from evalkit.grading.credits import OrderRule, credit_bounds, pair_credits
from evalkit.grading.judgments import Judgments, SecondOrder, read_judgments
from evalkit.grading.position import OrderEffects, order_effects
from evalkit.grading.rates import Rate, rate
from evalkit.intervals.mean import MeanMethod
from evalkit.results import Interval, Results, check_level, json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["Agreement", "agreement", "check_settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of one grader, in one group, with the reference.

    Attributes
    ----------
    by : mapping of str to str
        The grader and the group.
    agreement : float or None
        Mean credit of the complete pairs.
    interval : Interval or None
        Its interval; ``None`` where none is defined, and `note` says why.
    n : int
        Complete pairs.
    clusters : int or None
        Clusters among them.
    wins, ties, inversions : int
        Complete pairs with credit above, at and below 1/2.
    nulls : int
        Pairs without any verdict.
    incomplete : int
        Pairs with a verdict in one of two orders.
    unlabelled, reference_ties : int
        Pairs that the reference says nothing about, or calls equal: they have no better answer
        to agree on and are left out.
    low_if_nulls_wrong, high_if_nulls_right : float or None
        Agreement over all pairs with every missing verdict wrong, and right.
    conventions : tuple of Rate
        The same verdicts under each convention.
    orders : OrderEffects
        Inconsistency between the two orders, and position bias.
    rule : {"average", "consistent"}
        How two orders make one credit.
    level : float
        Nominal coverage.
    note : str or None
        What was left out, assumed or undefined.
    """

    by: Mapping[str, str] = field(default_factory=dict)
    agreement: float | None
    interval: Interval | None
    n: int
    clusters: int | None
    wins: int
    ties: int
    inversions: int
    nulls: int
    incomplete: int
    unlabelled: int
    reference_ties: int
    low_if_nulls_wrong: float | None
    high_if_nulls_right: float | None
    conventions: tuple[Rate, ...]
    orders: OrderEffects
    rule: OrderRule
    level: float
    note: str | None = None

    @property
    def inconsistent(self) -> Rate:
        """Share of pairs whose verdict depends on the order."""
        return self.orders.inconsistent

    @property
    def position_bias(self) -> Rate:
        """Share of verdicts for the answer shown first."""
        return self.orders.position_bias

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit agreement`` as JSON-safe values."""
        bounds = self.interval
        return {
            "by": dict(self.by),
            "agreement": json_value(self.agreement),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "n": self.n,
            "clusters": self.clusters,
            "wins": self.wins,
            "ties": self.ties,
            "inversions": self.inversions,
            "nulls": self.nulls,
            "incomplete": self.incomplete,
            "unlabelled": self.unlabelled,
            "reference_ties": self.reference_ties,
            "low_if_nulls_wrong": json_value(self.low_if_nulls_wrong),
            "high_if_nulls_right": json_value(self.high_if_nulls_right),
            "rule": self.rule,
            "conventions": {line.name: line.to_dict() for line in self.conventions},
            **self.orders.to_dict(),
            "note": self.note,
        }


def _one(
    found: Judgments,
    by: Mapping[str, str],
    rows: NDArray[np.bool_],
    *,
    method: MeanMethod,
    level: float,
    rule: OrderRule,
) -> Agreement:
    """Agreement over some rows."""
    size = int(rows.sum())
    labels = np.full(size, np.nan) if found.reference is None else found.reference[rows]
    usable = np.abs(labels) == 1
    both = rows.copy()
    both[rows] = usable
    first, second = found.by_answer(both)
    reference = labels[usable]
    clusters = None if found.clusters is None else found.clusters[both].tolist()
    credit = pair_credits(first, second, reference, rule=rule)
    main = rate(
        "agreement",
        credit,
        clusters=clusters,
        level=level,
        method=method,
        empty="no pair has both a label and its verdicts",
    )
    complete = ~np.isnan(credit)
    unseen = np.isnan(first) if second is None else np.isnan(first) & np.isnan(second)
    bounds = credit_bounds(first, second, reference, rule=rule)
    ties, unlabelled = int((labels == 0).sum()), int(np.isnan(labels).sum())
    everyone = None if found.clusters is None else found.clusters[rows].tolist()
    return Agreement(
        by=by,
        agreement=main.value,
        interval=main.interval,
        n=main.n,
        clusters=None if clusters is None else len(set(np.array(clusters)[complete].tolist())),
        wins=int((credit > 0.5).sum()),
        ties=int((credit == 0.5).sum()),
        inversions=int((credit < 0.5).sum()),
        nulls=int(unseen.sum()),
        incomplete=int((~complete & ~unseen).sum()),
        unlabelled=unlabelled,
        reference_ties=ties,
        low_if_nulls_wrong=None if bounds is None else bounds[0],
        high_if_nulls_right=None if bounds is None else bounds[1],
        conventions=convention_table(first, second, reference, clusters=clusters, level=level),
        orders=order_effects(*found.by_place(rows), clusters=everyone, level=level),
        rule=rule,
        level=level,
        note=_note(found, main, unlabelled, ties),
    )


def _note(found: Judgments, main: Rate, unlabelled: int, ties: int) -> str | None:
    """Say what was left out or is undefined."""
    if found.reference is None:
        return "no reference labels, so no agreement; position and order effects stand"
    notes = [main.note] if main.note else []
    if unlabelled or ties:
        notes.append(f"left out: {unlabelled} pairs without a label, {ties} that it calls equal")
    return "; ".join(notes) or None


def check_settings(rule: str, level: float) -> None:
    """Refuse a rule or a level that is not allowed."""
    if rule not in ("average", "consistent"):
        raise ArgumentError(f"`rule` is {rule!r}; it must be 'average' or 'consistent'")
    check_level(level)


def agreement(
    data: Any,
    *,
    reference: Any = None,
    cluster: str | None = None,
    by: Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    tie_tolerance: float = 0.0,
    method: MeanMethod = "default",
    level: float = 0.95,
    rule: OrderRule = "average",
    order2: SecondOrder = "displayed",
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Results[Agreement]:
    """Agreement of each grader with the reference over pairs of answers.

    Parameters
    ----------
    data : path, dataframe of any engine, or sequence of mappings
        One row for each grader and pair, with verdicts in one order or both, or with the scores
        of the two answers; or one row for each order, which a column ``order`` tells apart.
    reference : path, dataframe or sequence of mappings, optional
        Labels by pair, and whatever other columns go with a pair. Without it the labels stand in
        `data`, or in ``pairs.csv`` beside a path.
    cluster : str, optional
        Column of clusters: pairs that share a task are not independent.
    by : sequence of str, optional
        Further columns that define groups (subset, cue), each grader apart.
    bins : mapping of str to sequence of float, optional
        Numeric columns that define groups by the intervals between these edges; ``margin`` is the
        distance between two reference scores where no column has that name.
    tie_tolerance : float
        Scores that differ by this much at most are a tie.
    method : str
        Interval of the agreement by name; see :func:`evalkit.intervals.tally_interval`. The
        conventions and order effects always use the default.
    level : float
        Nominal coverage.
    rule : {"average", "consistent"}
        Credit of a pair judged in both orders: the mean of both credits, or the credit of the
        verdict that both give and 1/2 where they differ.
    order2 : {"displayed", "original"}
        Whether verdicts with B shown first name the place (and are flipped) or the answer.
    columns : mapping of str to str, optional
        What is looked for (pair, grader, label, order1, order2, order, score_a, score_b,
        reference_a, reference_b) to its column, where the guess by name would be wrong;
        ``a,b`` joins two.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    Results of Agreement
        Sorted by group.

    Raises
    ------
    InputError
        If the data cannot be read as judgments of pairs.
    ArgumentError
        If a setting has a value that is not allowed.

    Notes
    -----
    The credit of a verdict is 1 where it prefers the better answer, 1/2 for a tie and 0 else.
    Missing and unparsed verdicts are never ties: their pairs are left out of the estimate, are
    counted, and bound it. Pairs without a better answer by the reference are left out.

    Examples
    --------
    >>> rows = [{"pair": i, "label": "A", "score_a": a, "score_b": b}
    ...         for i, (a, b) in enumerate(zip([3, 5, 2, 4, 4], [1, 5, 2, 5, 3]))]
    >>> found = agreement(rows)[0]
    >>> found.agreement, found.wins, found.ties, found.inversions
    (0.6, 2, 2, 1)
    """
    check_settings(rule, level)
    found = read_judgments(
        data,
        reference=reference,
        cluster=cluster,
        by=by,
        bins=bins,
        tie_tolerance=tie_tolerance,
        order2=order2,
        columns=columns,
        partial=partial,
    )
    notes = list(found.notes)
    if found.second is not None:
        meaning = {
            "average": "the mean of the credits in each",
            "consistent": "the credit of the verdict that both give, 1/2 where they differ",
        }
        notes.append(f"a pair judged in both orders earns {meaning[rule]}")
    if not found.pairs.size:
        return Results([], notes=[*notes, "no rows, so there is nothing to estimate"])
    keys = list(zip(*(column.tolist() for column in found.groups.values()), strict=True))
    places: dict[tuple[str, ...], list[int]] = {}
    for i, key in enumerate(keys or [()] * found.pairs.size):
        places.setdefault(key, []).append(i)
    results = [
        _one(
            found,
            dict(zip(found.groups, key, strict=True)),
            np.isin(np.arange(found.pairs.size), places[key]),
            method=method,
            level=level,
            rule=rule,
        )
        for key in sorted(places)
    ]
    return Results(results, notes=dict.fromkeys(notes))
