"""Agreement between raters beyond chance: ``evalkit.raters``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from evalkit.bootstrap.seeds import streams
from evalkit.bootstrap.weights import weight_batches
from evalkit.errors import ArgumentError
from evalkit.grading import chance_corrected as chance
from evalkit.grading.category_weights import CategoryWeights, category_weights
from evalkit.grading.rating_matrix import RatingMatrix, read_ratings
from evalkit.intervals.mean import tally_interval
from evalkit.results import Interval, Results, check_level, json_value
from evalkit.tally import tally_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Coefficient", "RaterAgreement", "raters"]

Coefficient = Literal["raw", "kappa", "conger", "fleiss", "alpha", "gwet", "brennan-prediger"]
_DEFAULT: tuple[Coefficient, ...] = ("raw", "kappa", "fleiss", "alpha", "gwet")
_METHOD = "percentile bootstrap of items"
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """One coefficient of agreement between raters.

    Attributes
    ----------
    coefficient : str
        Its name, with the weights where they are not the identity.
    value : float or None
        ``None`` where it is undefined, and `note` says why.
    interval : Interval or None
        Percentile interval from resampled items; for raw agreement the interval of a mean.
    observed, expected : float or None
        Agreement observed, and expected by chance.
    n : int
        Items that it uses: with two ratings or more, by both raters for Cohen's kappa.
    raters : tuple of str
        The raters.
    level : float
        Nominal coverage.
    note : str or None
        Definition, and what is undefined.
    """

    coefficient: str
    value: float | None
    interval: Interval | None
    observed: float | None
    expected: float | None
    n: int
    raters: tuple[str, ...]
    level: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit raters`` as JSON-safe values."""
        bounds = self.interval
        return {
            "coefficient": self.coefficient,
            "value": json_value(self.value),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "observed": json_value(self.observed),
            "expected": json_value(self.expected),
            "n": self.n,
            "raters": list(self.raters),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """One coefficient to compute; raw agreement is a mean of `items`, and has its interval."""

    name: str
    parts: chance.Parts
    chosen: tuple[int, ...]
    items: NDArray[np.float64] | None = None
    note: str | None = None

    def value(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficient under each vector of item weights."""
        po, pe = self.parts(b)
        return chance.corrected(po, pe) if self.items is None else po


def _tasks(
    matrix: RatingMatrix, coefficients: Sequence[Coefficient], kind: CategoryWeights
) -> list[_Task]:
    weights = category_weights(matrix.values, kind)
    everyone = tuple(range(len(matrix.raters)))
    plain = kind == "identity"
    suffix = "" if plain else f" ({kind} weights)"
    builders = {
        "raw": chance.raw_agreement,
        "conger": chance.conger,
        "fleiss": chance.fleiss,
        "alpha": chance.krippendorff,
        "gwet": chance.gwet,
        "brennan-prediger": chance.brennan_prediger,
    }
    tasks = []
    for name in coefficients:
        if name == "kappa":
            tasks += [
                _Task(
                    name=f"Cohen kappa{suffix}",
                    parts=chance.cohen(matrix, weights, pair),
                    chosen=pair,
                )
                for pair in combinations(everyone, 2)
            ]
            continue
        title = {
            "raw": "raw agreement",
            "conger": "Conger kappa",
            "fleiss": "Fleiss kappa",
            "alpha": "Krippendorff alpha",
            "gwet": "Gwet AC1" if plain else "Gwet AC2",
            "brennan-prediger": "Brennan-Prediger",
        }[name]
        parts, note, items = builders[name](matrix, weights), None, None
        if name == "raw":
            own, paired = chance.item_agreement(matrix.counts, weights)
            items = own[paired > 0]
        if name == "alpha" and kind == "ordinal":
            parts = chance.krippendorff_ordinal(matrix)
            note = "Krippendorff's ordinal metric (mid-ranks), not the ordinal weights"
        tasks.append(
            _Task(name=title + suffix, parts=parts, chosen=everyone, items=items, note=note)
        )
    return tasks


def _usable(matrix: RatingMatrix, chosen: Sequence[int]) -> NDArray[np.bool_]:
    rated = matrix.codes[:, list(chosen)] >= 0
    return np.asarray(rated.sum(axis=1) >= 2, dtype=bool)


def _why_undefined(matrix: RatingMatrix, task: _Task) -> str:
    if len(task.chosen) < 2:
        return "one rater: there is nobody to agree with"
    rows = _usable(matrix, task.chosen)
    if not rows.any():
        return "no item has two ratings, so there is no overlap"
    used = matrix.codes[rows][:, list(task.chosen)]
    if np.unique(used[used >= 0]).size == 1:
        return "only one label used: agreement by chance is certain, so the coefficient is 0/0"
    return "agreement by chance is certain, or a rater has no rating"


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _percentile(
    drawn: NDArray[np.float64], items: int, level: float
) -> tuple[Interval | None, str | None]:
    """Percentile interval of the resampled coefficients, or why there is none."""
    kept = drawn[np.isfinite(drawn)]
    lost = drawn.size - kept.size
    if items < 2:
        return None, "one item: no spread between items, so no interval"
    if 2 * kept.size < drawn.size:
        return None, f"undefined in {lost} of {drawn.size} resamples, so no interval"
    if not kept.size:
        return None, "no resamples were asked for, so no interval"
    if np.ptp(kept) < _SAME:
        return None, "no spread between resamples, so no interval is given"
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(low=float(low), high=float(high), level=level, method=_METHOD)
    return interval, f"{lost} undefined resamples were left out" if lost else None


def _result(
    task: _Task, matrix: RatingMatrix, drawn: NDArray[np.float64], level: float
) -> RaterAgreement:
    names = tuple(matrix.raters[k] for k in task.chosen)
    rows = _usable(matrix, task.chosen)
    ones = np.ones((1, len(matrix.codes)))
    enough = bool(rows.any())
    po, pe = (float(x[0]) for x in task.parts(ones)) if enough else (math.nan, math.nan)
    value = _number(float(task.value(ones)[0])) if enough else None
    notes = [task.note] if task.note else []
    interval = None
    if value is None:
        notes.append(_why_undefined(matrix, task))
    elif task.items is not None:
        interval = tally_interval(tally_values(task.items), level=level).interval
    else:
        interval, reason = _percentile(drawn, int(rows.sum()), level)
        notes += [reason] if reason else []
    return RaterAgreement(
        coefficient=task.name,
        value=value,
        interval=interval,
        observed=_number(po),
        expected=_number(pe) if task.items is None else None,
        n=int(rows.sum()),
        raters=names,
        level=level,
        note="; ".join(notes) or None,
    )


def _wanted(coefficient: str | Sequence[str] | None, number: int) -> list[Coefficient]:
    """Return the coefficients asked for; Cohen's kappa of every pair only for a few raters."""
    allowed = get_args(Coefficient)
    if coefficient is None:
        few = number <= 4
        return [name for name in _DEFAULT if few or name != "kappa"]
    names = [coefficient] if isinstance(coefficient, str) else list(coefficient)
    for name in names:
        if name not in allowed:
            raise ArgumentError(f"`coefficient` is {name!r}; it must be among {', '.join(allowed)}")
    return [name for name in allowed if name in names]


def raters(
    data: Any,
    *,
    coefficient: Coefficient | Sequence[Coefficient] | None = None,
    weights: CategoryWeights | None = None,
    raters: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator | int = 0,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Results[RaterAgreement]:
    """Agreement between raters beyond chance, with intervals from resampled items.

    Parameters
    ----------
    data : path, dataframe of any engine, sequence of mappings, or 2-D array
        Items in rows and raters in columns, or one row for each item, rater and rating. Gaps
        are empty cells.
    coefficient : str or sequence of str, optional
        ``raw``, ``kappa`` (Cohen, each pair of raters), ``conger``, ``fleiss``, ``alpha``
        (Krippendorff), ``gwet`` (AC1, or AC2 with weights), ``brennan-prediger``.
    weights : str, optional
        How far apart categories are; by default they are equal or not. For alpha ``quadratic``
        is the interval metric and ``ordinal`` Krippendorff's own ordinal metric.
    raters : sequence of str, optional
        Rater columns, where a guess by name would be wrong.
    level : float
        Nominal coverage.
    resamples : int
        Resamples of the items; 0 gives no intervals.
    rng : Generator or int
        Seed. All coefficients use the same resamples.
    columns : mapping of str to str, optional
        The item, rater and rating columns of the long form.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    Results of RaterAgreement

    Raises
    ------
    ArgumentError
        If a setting has a value that is not allowed.
    InputError
        If no raters are found.

    Notes
    -----
    Undefined coefficients (one label used, one rater, no item with two ratings) are ``None`` with
    the reason. Raw agreement averages, over items, the share of pairs of ratings that agree.

    Examples
    --------
    >>> found = raters([["A", "A"], ["A", "B"], ["B", "B"], ["T", "T"]], coefficient="kappa")
    >>> found[0].value == 7 / 11
    True
    >>> raters([["A", "A"]] * 5, coefficient="kappa")[0].note
    'only one label used: agreement by chance is certain, so the coefficient is 0/0'
    """
    check_level(level)
    if resamples < 0:
        raise ArgumentError(f"`resamples` is {resamples}; it must be 0 or more")
    twice = [name for k, name in enumerate(raters or ()) if name in (raters or ())[:k]]
    if twice:
        raise ArgumentError(f"`raters` names {twice[0]!r} twice; a rater agrees with itself")
    matrix = read_ratings(data, raters=raters, columns=columns, partial=partial)
    kind: CategoryWeights = weights or "identity"
    n, number = matrix.codes.shape
    tasks = _tasks(matrix, _wanted(coefficient, number), kind) if n else []
    notes = list(matrix.notes)
    if not n:
        notes.append("no rows, so there is nothing to estimate")
    elif number > n:
        notes.append(
            f"{n} items by {number} raters: more raters than items; items go in rows, raters in "
            "columns"
        )
    if kind != "identity" and not matrix.numeric and n:
        notes.append(f"labels are not numbers; their order is {', '.join(matrix.categories)}")
    drawn: list[list[NDArray[np.float64]]] = [[] for _ in tasks]
    if tasks and resamples:
        for batch in weight_batches(streams(rng), units=n, resamples=resamples, batch=256):
            for own, task in zip(drawn, tasks, strict=True):
                own.append(task.value(batch))
    results = [
        _result(task, matrix, np.concatenate([*own, np.empty(0)]), level)
        for own, task in zip(drawn, tasks, strict=True)
    ]
    return Results(results, notes=dict.fromkeys(notes))
