"""W3, W7: paired differences, by the bootstrap and by sign flips."""

from __future__ import annotations

from typing import Any

import data
import library
import numpy as np
import rivals
import sampled
from numpy.typing import NDArray
from timing import Method
from workload import Check, Goal, Workload, check_bca, check_percentile, rotating

from evalkit.comparisons.sign_tests import mcnemar_exact, sign_flip

__all__ = ["w3", "w7"]

Floats = NDArray[np.float64]
FOOSTRAP = "foostrap BCa of differences"


def _difference(a: Floats, b: Floats, axis: int = -1) -> Any:
    return np.mean(a - b, axis=axis)


def w3(*, quick: bool) -> Workload:
    """Paired difference of credits against 100,000 resamples."""
    pairs = data.credit_pairs(1_400)
    resamples, share = 100_000, 50 if quick else 1
    scipy = "scipy.stats.bootstrap paired BCa"

    def checks() -> list[Check]:
        a, b = pairs[0]
        taken = resamples // share
        sampled: Any = rivals.scipy_bootstrap(
            a, b, statistic=_difference, method="BCa", resamples=taken, batch=500
        )
        ends = (sampled.confidence_interval.low, sampled.confidence_interval.high)
        se = float((a - b).std() / a.size**0.5)
        return [
            check
            for name, entry in library.entries("pairs")
            for found in [library.limits(entry(a, b))]
            for check in (
                *check_percentile(
                    f"W3 {name}", found["percentile"], sampled.bootstrap_distribution
                ),
                *check_bca(
                    f"W3 {name}", found["bca"], ends, se=se, resamples=taken, step=0.5 / a.size
                ),
            )
        ]

    rows = [
        Method(
            name=scipy,
            side="rival",
            kind="resampling",
            scale=share,
            repeats=5,
            call=rotating(
                pairs,
                lambda a, b: rivals.scipy_bootstrap(
                    a,
                    b,
                    statistic=_difference,
                    method="BCa",
                    resamples=resamples // share,
                    batch=500,
                ),
            ),
        )
    ]
    if not quick:
        rows += [
            Method(
                name=FOOSTRAP,
                side="rival",
                kind="resampling",
                call=rotating(
                    pairs, lambda a, b: rivals.foostrap_interval(a - b, resamples=resamples)
                ),
            ),
            Method(
                name="arch IIDBootstrap percentile",
                side="rival",
                kind="resampling",
                scale=10,
                repeats=3,
                call=rotating(
                    pairs,
                    lambda a, b: rivals.arch_interval(
                        a, b, statistic=_difference, method="percentile", resamples=resamples // 10
                    ),
                ),
            ),
        ]
    return Workload(
        key="W3",
        title="paired difference of credits, 1,400 items, against 100,000 resamples",
        reference=scipy,
        methods=[
            *rows,
            *library.exact_rows("pairs", pairs),
            *sampled.mean_rows(pairs, resamples=resamples, share=share),
        ],
        goals=[
            Goal(method=library.COMPILED, over=scipy, at_least=20_000),
            Goal(method=library.COMPILED, over=FOOSTRAP, at_least=50),
        ],
        checks=checks,
    )


def _exact_p(d: Floats) -> float:
    p = sign_flip(d).p_value
    if p is None:
        raise ValueError("a benchmark array without pairs")
    return p


def w7(*, quick: bool) -> Workload:
    """Sign-flip p-value against 100,000 sign patterns; scipy is timed on a fiftieth."""
    arrays = data.flips(1_400)
    resamples, share = 100_000, 50

    def checks() -> list[Check]:
        taken = 2_000 if quick else 10_000
        resampled: Any = rivals.scipy_sign_flip(arrays[0], resamples=taken, batch=1_000)
        p, signs = _exact_p(arrays[0]), np.sign(arrays[0])
        wins, losses = int((signs > 0).sum()), int((signs < 0).sum())
        return [
            Check(
                what=f"W7 exact p-value against {taken} sign patterns",
                difference=abs(p - float(resampled.pvalue)),
                allowed=5 * (p * (1 - p) / taken) ** 0.5 + 2 / taken,
            ),
            Check(
                what="W7 exact p-value of signs against exact McNemar (relative)",
                difference=abs(_exact_p(signs) / mcnemar_exact(wins, losses) - 1),
                allowed=1e-10,
            ),
        ]

    scipy = "scipy.stats.permutation_test"
    return Workload(
        key="W7",
        title="paired sign-flip test, 1,400 items, against 100,000 sign patterns",
        reference=scipy,
        methods=[
            Method(
                name=scipy,
                side="rival",
                kind="resampling",
                scale=share,
                repeats=3 if quick else 5,
                call=rotating(
                    arrays,
                    lambda d: rivals.scipy_sign_flip(d, resamples=resamples // share, batch=1_000),
                ),
            ),
            Method(
                name=library.NUMPY,
                side="evalkit",
                kind="exact",
                call=rotating(arrays, sign_flip),
            ),
            Method(
                name=library.COMPILED,
                side="evalkit",
                kind="exact",
                call=(
                    None
                    if library.without_numba()
                    else rotating(arrays, lambda d: sign_flip(d, engine="numba"))
                ),
                missing=library.without_numba(),
            ),
            Method(
                name="evalkit Monte Carlo",
                side="evalkit",
                kind="resampling",
                scale=10,
                repeats=3,
                call=rotating(
                    arrays,
                    lambda d: sign_flip(d, law="monte-carlo", resamples=resamples // 10),
                ),
            ),
        ],
        goals=[
            Goal(method=library.COMPILED, over=scipy, at_least=50_000),
        ],
        checks=checks,
    )
