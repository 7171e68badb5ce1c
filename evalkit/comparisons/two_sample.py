"""Two independent samples: Newcombe for 0/1 scores, an augmented Welch t otherwise."""

from __future__ import annotations

import math
from typing import Literal, get_args

from evalkit.comparisons.decision import Decision, decide, detectable, undefined
from evalkit.comparisons.proportions import two_proportions
from evalkit.errors import ArgumentError
from evalkit.intervals import clustered, independent
from evalkit.intervals._wald_type import Pivot
from evalkit.results import Range, check_level
from evalkit.tally import Tally

__all__ = ["TwoSampleMethod", "compare_samples", "welch_pivot"]

TwoSampleMethod = Literal["default", "newcombe", "augmented-welch-t", "welch-t", "wald"]


def welch_pivot(base: Pivot, candidate: Pivot, *, name: str) -> Pivot:
    """Difference of two independent pivots, with Welch's degrees of freedom.

    Notes
    -----
    ``se² = se1² + se2²`` and ``df = se⁴ / (se1⁴/df1 + se2⁴/df2)`` (Welch 1947).

    Examples
    --------
    >>> a = Pivot(centre=0.5, se=0.1, df=10, name="t")
    >>> b = Pivot(centre=0.7, se=0.1, df=10, name="t")
    >>> pivot = welch_pivot(a, b, name="welch-t")
    >>> round(pivot.se, 4), round(pivot.df, 6)
    (0.1414, 20.0)
    """
    v1, v2 = base.se**2, candidate.se**2
    if math.isinf(base.df) and math.isinf(candidate.df):
        difference = candidate.centre - base.centre
        return Pivot(centre=difference, se=math.sqrt(v1 + v2), df=math.inf, name=name)
    return Pivot(
        centre=candidate.centre - base.centre,
        se=math.sqrt(v1 + v2),
        df=(v1 + v2) ** 2 / (v1**2 / base.df + v2**2 / candidate.df),
        name=name,
    )


def _sample_pivot(sample: Tally, method: str, score_range: Range | None) -> Pivot | None:
    if method == "wald":
        return independent.wald_mean(sample)
    if method == "welch-t":
        if sample.clusters is None:
            return independent.student_t(sample)
        return clustered.cluster_pivot(sample.clusters)
    low, high = score_range or (0.0, 1.0)
    if sample.clusters is None:
        return independent.augmented_t(sample, low=low, high=high)
    return clustered.augmented_cluster_t(sample, low=low, high=high)


def _choose(base: Tally, candidate: Tally, score_range: Range | None) -> TwoSampleMethod:
    clusters = base.clusters is not None or candidate.clusters is not None
    if score_range is None:
        return "welch-t"
    binary = base.is_binary and candidate.is_binary
    return "newcombe" if binary and not clusters else "augmented-welch-t"


def compare_samples(
    base: Tally,
    candidate: Tally,
    *,
    method: TwoSampleMethod = "default",
    level: float = 0.95,
    score_range: Range | None = (0.0, 1.0),
) -> Decision:
    """Decide whether the means of two independent samples are separated.

    Parameters
    ----------
    base, candidate : Tally
        Outcomes of the two samples; clusters must not be shared between them.
    method : {"default", "newcombe", "augmented-welch-t", "welch-t", "wald"}
        By default Newcombe for 0/1 scores, an augmented Welch t for other bounded scores and for
        clusters, a plain Welch t when no range is known.
    level : float
        Nominal coverage.
    score_range : (float, float) or None
        Range of the scores.

    Returns
    -------
    Decision

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> a, b = tally_values([1] * 12 + [0] * 8), tally_values([1] * 18 + [0] * 2)
    >>> decision = compare_samples(a, b)
    >>> round(decision.interval.low, 3), decision.verdict
    (0.029, 'separated')
    """
    check_level(level)
    if method not in get_args(TwoSampleMethod):
        allowed = ", ".join(get_args(TwoSampleMethod))
        raise ArgumentError(f"`method` is {method!r}; for two samples use one of {allowed}")
    if base.n == 0 or candidate.n == 0:
        return undefined("one of the samples has no scored rows")
    chosen = _choose(base, candidate, score_range) if method == "default" else method
    if chosen == "newcombe":
        return _newcombe(base, candidate, level)
    if chosen == "augmented-welch-t" and score_range is None:
        raise ArgumentError("`method` 'augmented-welch-t' needs the range of the scores")
    pivots = [_sample_pivot(s, chosen, score_range) for s in (base, candidate)]
    if pivots[0] is None or pivots[1] is None:
        reason = "one cluster, or no spread, in one of the samples"
        return undefined(f"`method` {chosen!r} is undefined here: {reason}")
    pivot = welch_pivot(pivots[0], pivots[1], name=chosen)
    width = math.inf if score_range is None else score_range[1] - score_range[0]
    return decide(pivot, level=level, low=-width, high=width)


def _newcombe(base: Tally, candidate: Tally, level: float) -> Decision:
    if not (base.is_binary and candidate.is_binary):
        raise ArgumentError("`method` 'newcombe' is for 0/1 scores; use augmented-welch-t")
    k1, k2 = round(base.total), round(candidate.total)
    found = two_proportions(k1, base.n, k2, candidate.n, level=level)
    variance = sum(k * (n - k) / n**3 for k, n in ((k1, base.n), (k2, candidate.n)))
    return Decision(
        interval=found.interval,
        p_value=found.p_value,
        test="newcombe (inverted)",
        mde=detectable(math.sqrt(variance), math.inf, level=level) if variance > 0 else None,
        notes=("base and candidate are taken as independent samples",),
    )
