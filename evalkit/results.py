"""Frozen results shared by every statistic.

A result keeps its ingredients and the settings that made it.
What is undefined is ``None`` and `note` says why; a point is never passed off as an interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, overload

from evalkit._checks import check_level, check_range
from evalkit.errors import ArgumentError
from evalkit.rounding import format_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Comparison",
    "Estimate",
    "Interval",
    "Range",
    "Reportable",
    "Results",
    "RowCounts",
    "SignificanceTest",
    "Verdict",
    "check_level",
    "check_range",
    "json_value",
]

Verdict = Literal["separated", "not separated", "undefined"]
Range = tuple[float, float]
T_co = TypeVar("T_co", bound="Reportable", covariant=True)


def json_value(value: Any) -> Any:
    """Return `value` as strict JSON: numpy scalars unboxed, non-finite numbers as ``None``."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(k): json_value(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [json_value(v) for v in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return json_value(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Bounds, on the scale of the estimate; finite, ``low <= high``.
    level : float
        Nominal coverage, strictly between 0 and 1.
    method : str
        Name of the method, degrees of freedom included where it has some.

    Examples
    --------
    >>> Interval(low=0.1, high=0.3, level=0.95, method="wilson")
    Interval(low=0.1, high=0.3, level=0.95, method='wilson')
    """

    low: float
    high: float
    level: float
    method: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ArgumentError(f"interval bounds must be finite, got [{self.low}, {self.high}]")
        if self.low > self.high:
            raise ArgumentError(f"`low` {self.low} is above `high` {self.high}")
        check_level(self.level)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        """Distance between the bounds."""
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {"low": self.low, "high": self.high, "level": self.level, "method": self.method}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """What became of the rows behind an estimate.

    Attributes
    ----------
    attempted : int
        Rows that should have a verdict (skipped rows are not attempted).
    scored : int
        Rows with a usable score.
    errored : int
        ``attempted - scored``: infrastructure, timeout, unparsed judge, missing, invalid.
    by_status : mapping of str to int
        The rows that are not scored, by status, ``skipped`` included.
    """

    attempted: int
    scored: int
    errored: int
    by_status: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-safe values."""
        return {
            "attempted": self.attempted,
            "scored": self.scored,
            "errored": self.errored,
            "by_status": dict(self.by_status),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean outcome with its uncertainty.

    Attributes
    ----------
    by : mapping of str to str
        The group that was estimated; empty for all rows.
    estimate : float or None
        Mean score of the scored rows.
    interval : Interval or None
        ``None`` where no interval is defined; `note` says why.
    se : float or None
        Standard error. ``None``, never 0, when the data hold no spread.
    n : int
        Scored rows.
    clusters : int or None
        Number of clusters, when clusters were declared.
    counts : RowCounts
        Attempted, scored and errored rows.
    low_if_errors_fail, high_if_errors_pass : float or None
        The estimate with every errored row at the low, and at the high, end of the range.
    attempts : int or None
        Number of attempts (seeds, runs) over the items, when there are several.
    attempt_sd : float or None
        Standard deviation of the means of the attempts, which papers print beside a mean over
        seeds. The interval does not come from it: it carries the sampling of items.
    note : str or None
        What was left out, assumed or undefined.
    """

    by: Mapping[str, str] = field(default_factory=dict)
    estimate: float | None
    interval: Interval | None
    se: float | None
    n: int
    clusters: int | None = None
    counts: RowCounts
    low_if_errors_fail: float | None = None
    high_if_errors_pass: float | None = None
    attempts: int | None = None
    attempt_sd: float | None = None
    level: float = 0.95
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit estimate`` as JSON-safe values."""
        bounds = self.interval
        return {
            "by": dict(self.by),
            "estimate": json_value(self.estimate),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "n": self.n,
            "clusters": self.clusters,
            "se": json_value(self.se),
            **{k: v for k, v in self.counts.to_dict().items() if k != "by_status"},
            "errors": dict(self.counts.by_status),
            "low_if_errors_fail": json_value(self.low_if_errors_fail),
            "high_if_errors_pass": json_value(self.high_if_errors_pass),
            "attempts": self.attempts,
            "attempt_sd": json_value(self.attempt_sd),
            "note": self.note,
        }

    def __str__(self) -> str:
        if self.interval is None:
            return f"{format_number(self.estimate, 4)} (n={self.n}; {self.note})"
        low, high = (format_number(x, 4) for x in (self.interval.low, self.interval.high))
        return f"{format_number(self.estimate, 4)} [{low}, {high}] (n={self.n})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """A p-value by name.

    Attributes
    ----------
    name : str
        Test, with how its p-value was computed.
    p_value : float or None
        Two-sided; ``None`` where undefined.
    note : str or None
        A warning, or why it is undefined.
    """

    name: str
    p_value: float | None
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {"test": self.name, "p_value": json_value(self.p_value), "note": self.note}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Candidate minus base, with the interval that decides and the p-value it inverts.

    Attributes
    ----------
    base, candidate : str
        Names of the two systems.
    by : mapping of str to str
        The group that was compared; empty for all rows.
    difference : float or None
        Mean candidate score minus mean base score.
    interval : Interval or None
        Interval of the difference.
    p_value : float or None
        Two-sided p-value of the statistic that the interval inverts.
    test : str
        Name of that statistic.
    verdict : {"separated", "not separated", "undefined"}
        Whether the interval excludes 0.
    n_pairs : int
        Items scored for both systems (0 for unpaired designs).
    clusters : int or None
        Clusters among the pairs.
    base_mean, candidate_mean : float or None
        The two means, over the rows that the difference uses.
    only_base, only_candidate : int
        Items with a usable score for one system only.
    base_wins, candidate_wins, ties : int or None
        Pairs by the sign of their difference; ``None`` for unpaired designs.
    mde : float or None
        Smallest difference that this design detects with 80 % power at this level.
    also : tuple of SignificanceTest
        Other tests of the same hypothesis.
    note : str or None
        What was left out, assumed or undefined.
    """

    base: str
    candidate: str
    by: Mapping[str, str] = field(default_factory=dict)
    difference: float | None
    interval: Interval | None
    p_value: float | None
    test: str | None
    verdict: Verdict
    se: float | None
    n_pairs: int
    clusters: int | None
    base_mean: float | None
    candidate_mean: float | None
    only_base: int
    only_candidate: int
    base_wins: int | None
    candidate_wins: int | None
    ties: int | None
    mde: float | None
    also: tuple[SignificanceTest, ...] = ()
    level: float = 0.95
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit compare`` as JSON-safe values."""
        bounds = self.interval
        return {
            "base": self.base,
            "candidate": self.candidate,
            "by": dict(self.by),
            "difference": json_value(self.difference),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "p_value": json_value(self.p_value),
            "test": self.test,
            "verdict": self.verdict,
            "se": json_value(self.se),
            "n_pairs": self.n_pairs,
            "clusters": self.clusters,
            "base_mean": json_value(self.base_mean),
            "candidate_mean": json_value(self.candidate_mean),
            "only_base": self.only_base,
            "only_candidate": self.only_candidate,
            "base_wins": self.base_wins,
            "candidate_wins": self.candidate_wins,
            "ties": self.ties,
            "mde": json_value(self.mde),
            "also": [test.to_dict() for test in self.also],
            "note": self.note,
        }


class Reportable(Protocol):
    """Anything that reports itself as strict JSON values."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        ...


class Results(Sequence[T_co], Generic[T_co]):
    """An immutable sequence of results, one for each group.

    Examples
    --------
    >>> row = SignificanceTest(name="sign test", p_value=0.5)
    >>> results = Results([row], notes=["one row"])
    >>> len(results), results[0].p_value, results.notes
    (1, 0.5, ('one row',))
    """

    __slots__ = ("_items", "notes")

    def __init__(self, items: Iterable[T_co], *, notes: Iterable[str] = ()) -> None:
        self._items: tuple[T_co, ...] = tuple(items)
        self.notes: tuple[str, ...] = tuple(notes)

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Results[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Results[T_co]:
        """Return one result, or a slice of them."""
        if isinstance(index, slice):
            return Results(self._items[index], notes=self.notes)
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and (self._items, self.notes) == (
            other._items,
            other.notes,
        )

    def __hash__(self) -> int:
        return hash((len(self._items), self.notes))

    def __repr__(self) -> str:
        return f"Results({list(self._items)!r}, notes={list(self.notes)!r})"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return every result as JSON-safe values."""
        return [item.to_dict() for item in self._items]

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each result, group columns first."""
        import pandas as pd

        rows = []
        for row in self.to_dicts():
            groups = row.pop("by", {})
            rows.append({**groups, **row})
        return pd.DataFrame(rows)

    def _repr_html_(self) -> str:
        """Show the frame in a notebook."""
        return str(self.to_frame().to_html(index=False))
