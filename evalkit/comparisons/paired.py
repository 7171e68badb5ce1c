"""Paired differences: the interval that decides, from the tally of differences."""

from __future__ import annotations

import math
from typing import Literal, cast, get_args

import numpy as np

from evalkit.comparisons.decision import Decision, decide, detectable, undefined
from evalkit.comparisons.proportions import paired_proportions, tango_bounds
from evalkit.comparisons.resampled import BootstrapMethod, bootstrap_decision
from evalkit.comparisons.sign_tests import mcnemar_exact, mcnemar_mid_p, sign_flip
from evalkit.errors import ArgumentError
from evalkit.intervals import clustered, independent
from evalkit.intervals._student import two_sided_p
from evalkit.intervals._wald_type import Pivot
from evalkit.results import (
    Interval,
    Range,
    SignificanceTest,
    Verdict,
    check_level,
)
from evalkit.tally import Tally

__all__ = [
    "PairedMethod",
    "compare_pairs",
    "other_tests",
    "paired_pivot",
    "paired_se",
    "sign_counts",
]

PairedMethod = Literal[
    "default",
    "augmented-t",
    "augmented-cluster-t",
    "t",
    "wald",
    "bonett-price",
    "tango",
    "newcombe",
    "cr2",
    "cr1",
    "cr0",
    "percentile",
    "bc",
    "bca",
]
_CLUSTERED = ("augmented-cluster-t", "cr2", "cr1", "cr0")
_AUGMENTED = ("augmented-t", "augmented-cluster-t", "bonett-price")
_BINARY = ("tango", "newcombe")
_BOOTSTRAP = ("percentile", "bc", "bca")


def sign_counts(differences: Tally) -> tuple[int, int, int]:
    """Count pairs won by the candidate, won by the base, and tied."""
    wins = int(differences.counts[differences.values > 0].sum())
    losses = int(differences.counts[differences.values < 0].sum())
    return wins, losses, differences.n - wins - losses


def _is_binary(differences: Tally) -> bool:
    return bool(np.isin(differences.values, (-1.0, 0.0, 1.0)).all())


def _check(method: str, differences: Tally, score_range: Range | None) -> None:
    if method not in get_args(PairedMethod):
        allowed = ", ".join(get_args(PairedMethod))
        raise ArgumentError(f"`method` is {method!r}; for paired differences use one of {allowed}")
    if method in _CLUSTERED and differences.clusters is None:
        raise ArgumentError(f"`method` {method!r} needs clusters; name their column")
    if method in _AUGMENTED and score_range is None:
        raise ArgumentError(f"`method` {method!r} needs the range of the scores; declare it")
    if method in _BINARY and not _is_binary(differences):
        raise ArgumentError(f"`method` {method!r} is for 0/1 scores; use augmented-t or t")


def _tango(differences: Tally, level: float) -> Decision:
    wins, losses, _ = sign_counts(differences)
    low, high = tango_bounds(wins, losses, differences.n, level=level)
    discordant = wins + losses
    p = 1.0 if not discordant else two_sided_p((wins - losses) / math.sqrt(discordant), math.inf)
    se = math.sqrt(differences.sum_of_squares) / differences.n
    return Decision(
        interval=Interval(low=low, high=high, level=level, method="tango"),
        p_value=p,
        test="score test of paired proportions (tango)",
        mde=detectable(se, math.inf, level=level) if se > 0 else None,
    )


def _newcombe(differences: Tally, level: float, base_mean: float | None) -> Decision:
    if base_mean is None:
        raise ArgumentError("`method` 'newcombe' needs `base_mean`, the base's rate over the pairs")
    wins, losses, _ = sign_counts(differences)
    both = round(base_mean * differences.n) - losses
    neither = differences.n - both - wins - losses
    found = paired_proportions(both, wins, losses, neither, level=level)
    se = math.sqrt(differences.sum_of_squares) / differences.n
    return Decision(
        interval=found.interval,
        p_value=found.p_value,
        test="newcombe (paired, inverted)",
        mde=detectable(se, math.inf, level=level) if se > 0 else None,
    )


def _bonett_price(differences: Tally, width: float) -> Pivot:
    """Return the adjusted Wald statistic of paired proportions (Bonett and Price 2012)."""
    augmented = independent.augmented_t(differences, low=-width, high=width)
    n = differences.n + 2
    se = augmented.se * math.sqrt((n - 1) / n)
    return Pivot(centre=augmented.centre, se=se, df=math.inf, name="bonett-price")


def _pivot(method: str, differences: Tally, width: float) -> Pivot | None:
    if method == "augmented-t":
        return independent.augmented_t(differences, low=-width, high=width)
    if method == "t":
        return independent.student_t(differences)
    if method == "wald":
        return independent.wald_mean(differences, ddof=1)
    if method == "bonett-price":
        return _bonett_price(differences, width)
    if method == "augmented-cluster-t":
        return clustered.augmented_cluster_t(differences, low=-width, high=width)
    if differences.clusters is None:
        return None
    return clustered.cluster_pivot(
        differences.clusters, estimator=cast("Literal['cr0', 'cr1', 'cr2']", method)
    )


def _chosen(
    method: PairedMethod, differences: Tally, score_range: Range | None
) -> tuple[str, tuple[str, ...]]:
    """Name the method that applies, and say what it assumes."""
    grouped = differences.clusters
    notes: tuple[str, ...] = ()
    chosen: str = method
    if method == "default":
        if score_range is None:
            chosen = "t" if grouped is None else "cr2"
            notes = ("no range declared and scores leave 0..1: the interval does not use one",)
        else:
            chosen = "augmented-t" if grouped is None else "augmented-cluster-t"
    if grouped is not None and chosen not in (*_CLUSTERED, *_BOOTSTRAP):
        notes += (f"`method` {chosen!r} ignores the clusters",)
    return chosen, notes


def paired_pivot(
    differences: Tally,
    *,
    method: PairedMethod = "default",
    score_range: Range | None = (0.0, 1.0),
) -> Pivot | None:
    """Return the t-type statistic that :func:`compare_pairs` decides with.

    Parameters
    ----------
    differences, method, score_range
        As in :func:`compare_pairs`.

    Returns
    -------
    Pivot or None
        ``None`` where the decision is undefined (no pairs, one cluster, no spread), and for
        ``tango``, ``newcombe`` and the bootstrap, which are not of this type.

    Raises
    ------
    ArgumentError
        If the method does not fit the data.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> paired_pivot(tally_values([1] * 48 + [-1] * 30 + [0] * 122)).method
    'augmented-t (t, 201 df)'
    """
    _check(method, differences, score_range)
    if differences.n == 0:
        return None
    chosen, _ = _chosen(method, differences, score_range)
    grouped = differences.clusters
    if chosen in (*_BINARY, *_BOOTSTRAP) or (
        grouped is not None and chosen in _CLUSTERED and grouped.number < 2
    ):
        return None
    width = math.inf if score_range is None else score_range[1] - score_range[0]
    return _pivot(chosen, differences, width)


def compare_pairs(
    differences: Tally,
    *,
    method: PairedMethod = "default",
    level: float = 0.95,
    score_range: Range | None = (0.0, 1.0),
    base_mean: float | None = None,
) -> Decision:
    """Decide whether a mean paired difference is separated from 0.

    Parameters
    ----------
    differences : Tally
        Candidate minus base, pair by pair; with clusters when pairs are not independent.
    method : str
        By default ``augmented-cluster-t`` with clusters, ``augmented-t`` without; ``cr2`` and
        ``t`` when no range is known.
    level : float
        Nominal coverage.
    score_range : (float, float) or None
        Range of the scores, which bounds a difference by its width.
    base_mean : float, optional
        Mean score of the base over the pairs, which ``newcombe`` needs.

    Returns
    -------
    Decision

    Raises
    ------
    ArgumentError
        If the method does not fit the data.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> d = tally_values([1] * 48 + [-1] * 30 + [0] * 122)
    >>> decision = compare_pairs(d, method="t")
    >>> round(decision.interval.low, 4), round(decision.p_value, 4), decision.verdict
    (0.0036, 0.0412, 'separated')
    """
    check_level(level)
    _check(method, differences, score_range)
    if differences.n == 0:
        return undefined("no item is scored for both systems")
    grouped = differences.clusters
    width = math.inf if score_range is None else score_range[1] - score_range[0]
    chosen, notes = _chosen(method, differences, score_range)
    if grouped is not None and chosen in _CLUSTERED and grouped.number < 2:
        return undefined(*notes, "one cluster: the spread between clusters cannot be estimated")
    decision: Decision | None = None
    if chosen == "tango":
        decision = _tango(differences, level)
    elif chosen == "newcombe":
        decision = _newcombe(differences, level, base_mean)
    elif chosen in _BOOTSTRAP:
        decision = bootstrap_decision(
            differences, method=cast("BootstrapMethod", chosen), level=level
        )
    else:
        pivot = paired_pivot(differences, method=method, score_range=score_range)
        if pivot is None:
            return undefined(
                *notes, f"`method` {chosen!r} needs spread, and the differences have none"
            )
        decision = decide(pivot, level=level, low=-width, high=width)
    return Decision(
        interval=decision.interval,
        p_value=decision.p_value,
        test=decision.test,
        mde=decision.mde,
        notes=notes + decision.notes,
    )


def paired_se(differences: Tally) -> float | None:
    """Return the standard error of the mean difference; ``None`` without spread."""
    pivot = (
        independent.student_t(differences)
        if differences.clusters is None
        else clustered.cluster_pivot(differences.clusters)
    )
    return None if pivot is None else pivot.se


def _against(test: SignificanceTest, verdict: Verdict, level: float) -> SignificanceTest:
    """Say so where a test points the other way than the interval."""
    if test.p_value is None or verdict == "undefined":
        return test
    if (test.p_value < 1 - level) == (verdict == "separated"):
        return test
    reason = f"points the other way than the interval, which is {verdict}"
    note = reason if test.note is None else f"{test.note}; {reason}"
    return SignificanceTest(name=test.name, p_value=test.p_value, note=note)


def other_tests(
    differences: Tally, *, verdict: Verdict, level: float, rng: np.random.Generator | int = 0
) -> tuple[SignificanceTest, ...]:
    """Test the same hypothesis by other statistics, for the ``also`` list.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> d = tally_values([1] * 6 + [0] * 14)
    >>> [round(t.p_value, 5) for t in other_tests(d, verdict="separated", level=0.95)]
    [0.03125, 0.01562]
    """
    from evalkit.bootstrap.seeds import check_seed

    check_seed(rng)
    if differences.n == 0:
        return ()
    wins, losses, _ = sign_counts(differences)
    binary = _is_binary(differences)
    grouped = differences.clusters
    warning = None
    if grouped is not None and grouped.number < differences.n:
        warning = "takes items as independent, which clusters contradict: anticonservative"
    name = "exact McNemar" if binary else "sign test"
    tests = [SignificanceTest(name=name, p_value=mcnemar_exact(wins, losses), note=warning)]
    if binary:
        tests.append(
            SignificanceTest(
                name="mid-p McNemar", p_value=mcnemar_mid_p(wins, losses), note=warning
            )
        )
    if grouped is not None and grouped.number >= 2:
        tests.append(sign_flip(np.round(grouped.sums, 9), rng=rng, unit="cluster"))
    elif grouped is None and not binary:
        units = np.repeat(differences.values, differences.counts)
        tests.append(sign_flip(units, rng=rng, unit="item"))
    return tuple(_against(test, verdict, level) for test in tests)
