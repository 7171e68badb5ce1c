"""Any statistic, by Monte Carlo on both sides: no exact law is used here."""

from __future__ import annotations

from typing import Any

import data
import numpy as np
import rivals
import sampled
from numpy.typing import NDArray
from timing import Method
from workload import Check, Goal, Workload, rotating

__all__ = ["any_statistic"]

Floats = NDArray[np.float64]
RESAMPLES = 10_000


def _correlation(a: Floats, b: Floats, axis: int = -1) -> Any:
    """Pearson correlation along an axis."""
    x = a - a.mean(axis=axis, keepdims=True)
    y = b - b.mean(axis=axis, keepdims=True)
    return (x * y).sum(axis=axis) / np.sqrt((x * x).sum(axis=axis) * (y * y).sum(axis=axis))


def any_statistic(*, quick: bool) -> Workload:
    """Correlation of two sets of credits, percentile limits from 10,000 resamples."""
    pairs = data.credit_pairs(1_400, seed=9)
    share = 20 if quick else 1
    scipy = "scipy.stats.bootstrap percentile"

    def scipy_call(a: Floats, b: Floats) -> Any:
        return rivals.scipy_bootstrap(
            a,
            b,
            statistic=_correlation,
            method="percentile",
            resamples=RESAMPLES // share,
            batch=25,
        )

    def checks() -> list[Check]:
        a, b = pairs[0]
        return sampled.correlation_checks(a, b, scipy_call(a, b).bootstrap_distribution)

    rows = [
        Method(
            name=scipy,
            side="rival",
            kind="resampling",
            scale=share,
            repeats=5,
            call=rotating(pairs, scipy_call),
        )
    ]
    if not quick:
        rows.append(
            Method(
                name="foostrap BCa, its own correlation",
                side="rival",
                kind="resampling",
                call=rotating(
                    pairs,
                    lambda a, b: rivals.foostrap_interval(
                        np.column_stack([a, b]), statistic="pearson", resamples=RESAMPLES
                    ),
                ),
            )
        )
    return Workload(
        key="any",
        title="any statistic by Monte Carlo: correlation of credits, 1,400 items, 10,000 resamples",
        reference=scipy,
        methods=[*rows, *sampled.correlation_rows(pairs, resamples=RESAMPLES, share=share)],
        goals=[Goal(method=sampled.SAMPLED, over=scipy, at_least=8)],
        checks=checks,
    )
