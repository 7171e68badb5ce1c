"""Scores and calls by the number of attempts an item."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from evalkit.errors import ArgumentError, InputError
from evalkit.results import Interval, json_value
from evalkit.testtime.draws import pass_at_k, pass_hat_k
from evalkit.testtime.reading import read_frame

__all__ = ["ScalingCurve", "ScalingPoint", "Support", "scaling"]

Floats = NDArray[np.float64]
Support = Literal["common", "each"]
Outcomes = Mapping[str, Sequence[float | None]]
_POLICY = {
    "common": "every k on the items that have all K attempts, each of them scored",
    "each": "k on the items whose first k attempts are scored; pass@k from all scored attempts",
}


class _HasFrame(Protocol):
    @property
    def frame(self) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPoint:
    """What k attempts an item give.

    Attributes
    ----------
    k : int
        Attempts an item.
    allocated : int
        Items that were given a k-th attempt.
    support : int
        Items behind the four scores.
    oracle, last : float or None
        Mean of the best of the first k attempts, and of the k-th.
    pass_at_k, pass_hat_k : float or None
        Chance that any, and that all, of k attempts drawn from an item's attempts succeed;
        ``None`` for outcomes other than 0 and 1.
    oracle_interval, last_interval, pass_at_k_interval, pass_hat_k_interval : Interval or None
        Their intervals over items.
    calls : int
        Calls of attempts 1 to k over all items.
    """

    k: int
    allocated: int
    support: int
    oracle: float | None
    oracle_interval: Interval | None
    last: float | None
    last_interval: Interval | None
    pass_at_k: float | None
    pass_at_k_interval: Interval | None
    pass_hat_k: float | None
    pass_hat_k_interval: Interval | None
    calls: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: json_value(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingCurve:
    """Scores and calls by the number of attempts.

    Attributes
    ----------
    points : tuple of ScalingPoint
        From k = 1 to `k_max`.
    support : {"common", "each"}
        Which items each k uses; `policy` says it in words.
    items, k_max : int
        Items, and the most attempts any of them has.
    allocation : mapping of int to int
        Number of attempts -> items that have it.
    calls_added, calls_all : int
        Calls of attempts 2 and later, and of all attempts; errored attempts were made and count.
    dynamic_oracle, dynamic_last : float or None
        Mean best, and mean last, over each item's own number of attempts.
    dynamic_oracle_interval, dynamic_last_interval : Interval or None
        Their intervals.
    dynamic_items : int
        Items behind them: all without an errored attempt.
    errored_attempts, errored_items : int
        Attempts without an outcome, and items with at least one.
    note : str or None
        What was left out or is undefined.
    """

    points: tuple[ScalingPoint, ...]
    support: Support
    policy: str
    items: int
    k_max: int
    allocation: Mapping[int, int] = field(default_factory=dict)
    calls_added: int
    calls_all: int
    dynamic_oracle: float | None
    dynamic_oracle_interval: Interval | None
    dynamic_last: float | None
    dynamic_last_interval: Interval | None
    dynamic_items: int
    errored_attempts: int
    errored_items: int
    level: float = 0.95
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: json_value(getattr(self, name)) for name in self.__slots__}


def scaling(
    outcomes: Outcomes | _HasFrame, *, support: Support = "common", level: float = 0.95
) -> ScalingCurve:
    """Score k attempts an item, for every k.

    Parameters
    ----------
    outcomes : mapping of str to sequence of float, or Records
        Outcomes of an item's attempts in order, each in [0, 1] or ``None`` where the attempt
        errored; or anything with a ``frame`` that `outcomes_from_frame` can read.
    support : {"common", "each"}
        ``common`` uses the same items for every k, so that the curve moves with k alone;
        ``each`` uses all items that have k attempts.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    ScalingCurve

    Raises
    ------
    ArgumentError
        If `support` is unknown.
    InputError
        If there are no items, an item has no attempts, or an outcome lies outside [0, 1].

    Notes
    -----
    With D_k the items that have a k-th attempt (D_k+1 lies within D_k, since attempts count
    from 1 without a gap): oracle(k) = mean of max(z_1..z_k), last(k) = mean of z_k,
    calls_added = |D_2| + ... + |D_K|, calls_all = |D_1| + calls_added.
    An item with an errored attempt is left out where that attempt would be used, and counted;
    it is never a failure. The allocation must not depend on outcomes, or every score is biased.
    The oracle picks the best attempt in hindsight: an upper bound, not a deployable score.
    pass@k and pass^k take an item's attempts as exchangeable, which refinements are not.

    Examples
    --------
    >>> curve = scaling({"a": [0, 1], "b": [1, 0], "c": [0, 0], "d": [1, 1]})
    >>> [(point.oracle, point.last, point.calls) for point in curve.points]
    [(0.5, 0.5, 4), (0.75, 0.5, 8)]
    """
    if support not in _POLICY:
        raise ArgumentError(f"`support` is {support!r}; it must be 'common' or 'each'")
    skipped = 0
    if not isinstance(outcomes, Mapping):
        outcomes, skipped = read_frame(outcomes.frame, None)
    lengths, scores = _matrix(outcomes)
    items, k_max = scores.shape
    in_range = np.arange(k_max) < lengths[:, None]
    errored = in_range & np.isnan(scores)
    complete = ~errored.any(axis=1)
    common = complete & (lengths == k_max)
    binary = bool(np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all())
    allocated = [int(count) for count in in_range.sum(axis=0)]
    points = []
    for k in range(1, k_max + 1):
        scored_prefix = (lengths >= k) & ~errored[:, :k].any(axis=1)
        used = scores[common if support == "common" else scored_prefix]
        points.append(_point(used, k, allocated=allocated, binary=binary, level=level))
    best = np.nanmax(scores[complete], axis=1, initial=0.0)
    final = scores[complete, lengths[complete] - 1]
    left_out = int((~complete).sum())
    return ScalingCurve(
        points=tuple(points),
        support=support,
        policy=_POLICY[support],
        items=items,
        k_max=k_max,
        allocation=dict(sorted(Counter(lengths.tolist()).items())),
        calls_added=sum(allocated[1:]),
        calls_all=sum(allocated),
        dynamic_oracle=_mean(best),
        dynamic_oracle_interval=_interval(best, level),
        dynamic_last=_mean(final),
        dynamic_last_interval=_interval(final, level),
        dynamic_items=items - left_out,
        errored_attempts=int(errored.sum()),
        errored_items=left_out,
        level=level,
        note=_note(
            left_out, skipped, binary=binary, empty=any(point.support == 0 for point in points)
        ),
    )


def _matrix(outcomes: Outcomes) -> tuple[NDArray[np.int64], Floats]:
    """Return attempts an item, and their outcomes padded with NaN."""
    if not outcomes:
        raise InputError("there are no items; give the outcomes of at least one")
    lengths = np.array([len(values) for values in outcomes.values()], dtype=np.int64)
    scores = np.full((len(lengths), int(lengths.max())), np.nan)
    for row, (item, values) in enumerate(outcomes.items()):
        if not len(values):
            raise InputError("it has no attempts; leave it out or give one", item=item)
        for column, value in enumerate(values):
            if value is None:
                continue
            if not 0 <= value <= 1:
                raise InputError(
                    f"the outcome of attempt {column + 1} is {value!r}; it must lie in [0, 1], "
                    "or be None for an errored attempt",
                    item=item,
                )
            scores[row, column] = value
    return lengths, scores


def _point(
    used: Floats, k: int, *, allocated: Sequence[int], binary: bool, level: float
) -> ScalingPoint:
    best, final = used[:, :k].max(axis=1), used[:, k - 1]
    any_of, all_of = _pass_values(used, k) if binary else (None, None)
    return ScalingPoint(
        k=k,
        allocated=allocated[k - 1],
        support=len(used),
        oracle=_mean(best),
        oracle_interval=_interval(best, level),
        last=_mean(final),
        last_interval=_interval(final, level),
        pass_at_k=_mean(any_of),
        pass_at_k_interval=_interval(any_of, level),
        pass_hat_k=_mean(all_of),
        pass_hat_k_interval=_interval(all_of, level),
        calls=sum(allocated[:k]),
    )


def _pass_values(used: Floats, k: int) -> tuple[Floats, Floats]:
    """Return pass@k and pass^k of every item, from all its scored attempts."""
    tries, hits = (~np.isnan(used)).sum(axis=1), np.nansum(used, axis=1).astype(np.int64)
    base = used.shape[1] + 1
    pairs, which = np.unique(tries * base + hits, return_inverse=True)
    known = [divmod(int(pair), base) for pair in pairs]
    any_of = np.array([pass_at_k(n, c, k) for n, c in known], dtype=np.float64)
    all_of = np.array([pass_hat_k(n, c, k) for n, c in known], dtype=np.float64)
    return any_of[which], all_of[which]


def _mean(values: Floats | None) -> float | None:
    return None if values is None or not len(values) else math.fsum(values) / len(values)


def _interval(values: Floats | None, level: float) -> Interval | None:
    from evalkit.intervals.mean import mean_interval

    if values is None or not len(values):
        return None
    # pass@k can miss 1 by less than a float resolves once averaged; such a spread is no spread.
    return mean_interval(np.round(values, 9), level=level)


def _note(left_out: int, skipped: int, *, binary: bool, empty: bool) -> str | None:
    parts = []
    if left_out:
        parts.append(f"{left_out} item(s) with errored attempts left out where they would be used")
    if skipped:
        parts.append(f"{skipped} skipped row(s) are no attempts")
    if not binary:
        parts.append("pass@k and pass^k need outcomes of 0 and 1")
    if empty:
        parts.append("no item has every attempt scored at some k, so its scores are undefined")
    return "; ".join(parts) or None
