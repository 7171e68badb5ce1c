"""The interval of a mean: which rule applies to which data, and what happens when none does.

==================================  ======================  =====================================
data                                default                 alternatives by name
==================================  ======================  =====================================
0/1 scores, independent             ``wilson``              clopper-pearson, mid-p, jeffreys,
                                                            agresti-coull, wald, t
scores in a range, 30 and more      ``wilson-neff``         korn-graubard, augmented-t, t, wald
scores in a range, fewer, or mean
near an end (under 5 units of it)   ``augmented-t``         wilson-neff, korn-graubard, t, wald
clusters, scores in a range         ``augmented-cluster-t`` cr2, cr1, cr0
no range known                      ``t``; ``cr2``          wald; cr1, cr0
any                                                         percentile, bc, bca, bootstrap-t
==================================  ======================  =====================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

from evalkit.errors import ArgumentError
from evalkit.intervals import clustered, independent
from evalkit.intervals._wald_type import Pivot
from evalkit.intervals.binomial import ProportionMethod, proportion_interval
from evalkit.results import Interval, Range, check_level, check_range
from evalkit.tally import Tally, tally_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["MeanInterval", "MeanMethod", "infer_range", "mean_interval", "tally_interval"]

MeanMethod = Literal[
    "default",
    "wilson",
    "clopper-pearson",
    "mid-p",
    "jeffreys",
    "agresti-coull",
    "wilson-neff",
    "korn-graubard",
    "augmented-t",
    "t",
    "wald",
    "augmented-cluster-t",
    "cr2",
    "cr1",
    "cr0",
    "percentile",
    "bc",
    "bca",
    "bootstrap-t",
]
_CLUSTERED = ("augmented-cluster-t", "cr2", "cr1", "cr0")
_BOOTSTRAP = ("percentile", "bc", "bca", "bootstrap-t")
# The effective sample size needs a variance to divide by: of 12 continuous scores it covers .88 to
# .93 of a nominal .95, of 34 scores .93 to .965 (tests/coverage).
_ENOUGH = 30
_UNITS = 5
_NO_RANGE = (
    "no range declared and scores leave 0..1: the interval does not use one; "
    "declare it where the scores are bounded"
)
_NEEDS_RANGE = ("wilson-neff", "korn-graubard", "augmented-t", "augmented-cluster-t")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanInterval:
    """An interval, the sample standard error, and the reasons where either is missing.

    Attributes
    ----------
    interval : Interval or None
        Interval of the mean.
    se : float or None
        Standard error from the sample alone: CR2 with clusters, else ``s / sqrt(n)``.
        ``None`` where the sample has no spread.
    notes : tuple of str
        Reasons and assumptions.
    """

    interval: Interval | None
    se: float | None
    notes: tuple[str, ...]


def infer_range(tallies: Sequence[Tally], *, score_range: Range | None = None) -> Range | None:
    """Range of the scores: the declared one, else (0, 1) when every score lies there.

    Raises
    ------
    ArgumentError
        If a score lies outside the declared range.
    """
    if score_range is None:
        return (0.0, 1.0) if all(t.within(0.0, 1.0) for t in tallies) else None
    low, high = check_range(score_range)
    for t in tallies:
        if not t.within(low, high):
            worst = float(t.values[0] if t.values[0] < low else t.values[-1])
            raise ArgumentError(
                f"a score of {worst:g} lies outside the declared range {low:g}..{high:g}; "
                "correct the range, or mark the score as invalid"
            )
    return low, high


def _choose(tally: Tally, bounds: Range | None) -> MeanMethod:
    if tally.clusters is not None:
        return "cr2" if bounds is None else "augmented-cluster-t"
    if bounds is None:
        return "t"
    if tally.is_binary and bounds == (0.0, 1.0):
        return "wilson"
    few = tally.n < _ENOUGH or _near_an_end(tally, bounds)
    return "augmented-t" if few else "wilson-neff"


def _near_an_end(tally: Tally, bounds: Range) -> bool:
    """Whether the scores hold fewer than five units from the nearer end of their range.

    Then the sample variance says little: scores at the far end are too rare to have been seen.
    """
    if tally.mean is None:
        return False
    low, high = bounds
    return tally.n * min(tally.mean - low, high - tally.mean) < _UNITS * (high - low)


def _check_method(method: str, tally: Tally, bounds: Range | None) -> None:
    if method not in get_args(MeanMethod):
        allowed = ", ".join(get_args(MeanMethod))
        raise ArgumentError(f"`method` is {method!r}; for a mean use one of {allowed}")
    if method in _CLUSTERED and tally.clusters is None:
        raise ArgumentError(f"`method` {method!r} needs clusters; name their column")
    if method in _NEEDS_RANGE and bounds is None:
        raise ArgumentError(f"`method` {method!r} needs the range of the scores; declare it")
    if method in get_args(ProportionMethod) and method != "wald" and not tally.is_binary:
        raise ArgumentError(
            f"`method` {method!r} is for 0/1 scores, and some scores are neither; "
            "use wilson-neff, korn-graubard or t"
        )


def _standard_error(method: str, tally: Tally) -> tuple[float | None, tuple[str, ...]]:
    """Return the standard error of the method's own estimator, or of the usual one."""
    if tally.clusters is not None:
        own = method if method in ("cr0", "cr1") else "cr2"
        estimator = cast("Literal['cr0', 'cr1', 'cr2']", own)
        pivot = clustered.cluster_pivot(tally.clusters, estimator=estimator)
        if pivot is not None:
            return pivot.se, ()
        if tally.clusters.number < 2:
            return None, ("one cluster: the spread between clusters cannot be estimated",)
        return None, ("no spread between clusters: the standard error is not estimable from them",)
    if tally.n < 2:
        return None, ("one scored row: no spread to estimate a standard error from",)
    if tally.sum_of_squares <= 0:
        value = float(tally.values[0])
        reason = (
            f"all {tally.n} scores are {value:g} (degenerate): no standard error; "
            "the interval carries the uncertainty"
        )
        return None, (reason,)
    return math.sqrt(tally.sum_of_squares / (tally.n - 1) / tally.n), ()


def _pivot_of(method: str, tally: Tally, bounds: Range | None) -> Pivot | None:
    low, high = bounds or (-math.inf, math.inf)
    pivots: dict[str, Callable[[], Pivot | None]] = {
        "t": lambda: independent.student_t(tally),
        "wald": lambda: independent.wald_mean(tally),
        "augmented-t": lambda: independent.augmented_t(tally, low=low, high=high),
        "augmented-cluster-t": lambda: clustered.augmented_cluster_t(tally, low=low, high=high),
    }
    if method in pivots:
        return pivots[method]()
    if tally.clusters is None:
        return None
    return clustered.cluster_pivot(
        tally.clusters, estimator=cast("Literal['cr0', 'cr1', 'cr2']", method)
    )


def _bootstrap_of(
    method: str, tally: Tally, bounds: Range | None, level: float
) -> tuple[Interval | None, tuple[str, ...]]:
    """Interval off the exact bootstrap law, or the bootstrap-t interval with seed 0."""
    from evalkit.bootstrap.continuous import roughness
    from evalkit.bootstrap.intervals import bootstrap_interval
    from evalkit.bootstrap.studentised import bootstrap_t_interval

    remarks: list[str] = []
    if method == "bootstrap-t":
        drawn = bootstrap_t_interval(tally, level=level, rng=0)
        found, note = drawn.interval, drawn.note
    else:
        kind = cast("Literal['percentile', 'bc', 'bca']", method)
        with roughness() as remarks:
            law = bootstrap_interval(tally, method=kind, level=level)
        found, note = law.interval, law.note
    if found is not None and bounds is not None:
        low, high = (min(max(x, bounds[0]), bounds[1]) for x in (found.low, found.high))
        found = Interval(low=low, high=high, level=level, method=found.method)
    return found, (*([] if note is None else [note]), *dict.fromkeys(remarks))


def _interval_of(method: str, tally: Tally, bounds: Range | None, level: float) -> Interval | None:
    if method in ("wilson-neff", "korn-graubard") and bounds is not None:
        rule = independent.wilson_neff if method == "wilson-neff" else independent.korn_graubard
        low, high = rule(tally, low=bounds[0], high=bounds[1], level=level)
        return Interval(low=low, high=high, level=level, method=method)
    if method in get_args(ProportionMethod) and tally.is_binary:
        return proportion_interval(
            round(tally.total), tally.n, method=cast("ProportionMethod", method), level=level
        )
    pivot = _pivot_of(method, tally, bounds)
    if pivot is None:
        return None
    low, high = bounds or (-math.inf, math.inf)
    return pivot.interval(level=level, low=low, high=high)


def tally_interval(
    tally: Tally,
    *,
    method: MeanMethod = "default",
    level: float = 0.95,
    score_range: Range | None = None,
) -> MeanInterval:
    """Interval and standard error of the mean of a tally.

    Parameters
    ----------
    tally : Tally
        Outcomes of one group.
    method : str
        ``"default"`` follows the table of this module.
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of the scores; (0, 1) is assumed when every score lies there.

    Returns
    -------
    MeanInterval

    Raises
    ------
    ArgumentError
        If the method does not fit the data, or a score lies outside the declared range.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> tally_interval(tally_values([0] * 20)).interval.high
    0.1611...
    >>> tally_interval(tally_values([1, 0], clusters=["c", "c"])).notes
    ('one cluster: the spread between clusters cannot be estimated',)
    """
    check_level(level)
    bounds = infer_range([tally], score_range=score_range)
    _check_method(method, tally, bounds)
    if tally.n == 0:
        return MeanInterval(interval=None, se=None, notes=("no scored rows",))
    chosen = _choose(tally, bounds) if method == "default" else method
    se, notes = _standard_error(chosen, tally)
    if tally.clusters is not None and chosen not in (*_CLUSTERED, *_BOOTSTRAP):
        notes += (f"`method` {chosen!r} ignores the clusters",)
    if method == "default" and bounds is None:
        notes += (_NO_RANGE,)
    if chosen in _BOOTSTRAP:
        interval, remarks = _bootstrap_of(chosen, tally, bounds, level)
        return MeanInterval(interval=interval, se=se, notes=notes + remarks)
    interval = _interval_of(chosen, tally, bounds, level)
    if interval is None and not any("one cluster" in n or "one scored" in n for n in notes):
        notes += (f"`method` {chosen!r} has no width without spread, so no interval is given",)
    return MeanInterval(interval=interval, se=se, notes=notes)


def mean_interval(
    values: ArrayLike,
    *,
    clusters: Sequence[object] | None = None,
    score_range: Range | None = (0.0, 1.0),
    method: MeanMethod = "default",
    level: float = 0.95,
) -> Interval | None:
    """Interval of the mean of plain outcomes.

    Parameters
    ----------
    values : array_like, shape (n,)
        Outcomes; NaN and ``None`` are left out.
    clusters : sequence of length n, optional
        Cluster of each outcome.
    score_range : (float, float) or None
        Range of the scores; ``None`` when unknown.
    method : str
        See :func:`tally_interval`.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval or None
        ``None`` where no interval is defined: no outcomes, or one cluster.

    Examples
    --------
    >>> mean_interval([1, 1, 0.5, 0])
    Interval(low=0.067..., high=1.0, level=0.95, method='augmented-t (t, 5 df)')
    """
    tally = tally_values(values, clusters=clusters)
    return tally_interval(tally, method=method, level=level, score_range=score_range).interval
