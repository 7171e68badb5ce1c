"""W1, W2, W5: intervals of one mean of independent outcomes."""

from __future__ import annotations

from typing import Any

import data
import library
import numpy as np
import rivals
import sampled
from numpy.typing import NDArray
from timing import Method
from workload import Check, Goal, Workload, check_bca, check_percentile, check_same, rotating

__all__ = ["w1", "w2", "w5"]

Floats = NDArray[np.float64]
SCIPY = "scipy.stats.bootstrap BCa"
FOOSTRAP = "foostrap BCa"


def _se(x: Floats) -> float:
    return float(x.std() / x.size**0.5)


def _rival_rows(arrays: list[Floats], resamples: int, *, quick: bool) -> list[Method]:
    """Return the other packages, on as many resamples; the slow ones a few times."""
    if quick:
        return []
    return [
        Method(
            name=FOOSTRAP,
            side="rival",
            kind="resampling",
            call=rotating(arrays, lambda x: rivals.foostrap_interval(x, resamples=resamples)),
        ),
        Method(
            name="arch IIDBootstrap BCa",
            side="rival",
            kind="resampling",
            repeats=3,
            call=rotating(
                arrays,
                lambda x: rivals.arch_interval(
                    x, statistic=np.mean, method="bca", resamples=resamples
                ),
            ),
        ),
        Method(
            name="scikits.bootstrap BCa",
            side="rival",
            kind="resampling",
            repeats=3,
            call=rotating(arrays, lambda x: rivals.scikits_interval(x, resamples=resamples)),
        ),
    ]


def _scipy_row(arrays: list[Floats], *, resamples: int, share: int, batch: int) -> Method:
    """Scipy on a share of the resamples, extrapolated: its cost is linear in them."""
    return Method(
        name=SCIPY,
        side="rival",
        kind="resampling",
        scale=share,
        repeats=5,
        call=rotating(
            arrays,
            lambda x: rivals.scipy_bootstrap(
                x, method="BCa", resamples=resamples // share, batch=batch
            ),
        ),
    )


def _binomial_checks(x: Floats, found: library.Limits, what: str) -> list[Check]:
    """Compare percentile limits of a rate with binomial quantiles, which they are."""
    from scipy.stats import binom

    rate, n = float(x.mean()), x.size
    return [
        check_same(
            f"{what}, {side} limit against binom.ppf", limit, float(binom.ppf(a, n, rate)) / n
        )
        for side, limit, a in zip(("low", "high"), found["percentile"], (0.025, 0.975), strict=True)
    ]


def _scipy_checks(
    x: Floats, found: library.Limits, what: str, *, resamples: int, batch: int, step: float
) -> list[Check]:
    sampled: Any = rivals.scipy_bootstrap(x, method="BCa", resamples=resamples, batch=batch)
    ends = (
        float(sampled.confidence_interval.low),
        float(sampled.confidence_interval.high),
    )
    return [
        *check_percentile(what, found["percentile"], sampled.bootstrap_distribution),
        *check_bca(what, found["bca"], ends, se=_se(x), resamples=resamples, step=step),
    ]


def w1(*, quick: bool) -> Workload:
    """Mean of 1,400 binary outcomes against 10,000 resamples."""
    arrays = data.binary(1_400)
    resamples, share = 10_000, 20 if quick else 1

    def checks() -> list[Check]:
        return [
            check
            for name, entry in library.entries("mean")
            for check in (
                *_binomial_checks(arrays[0], library.limits(entry(arrays[0])), f"W1 {name}"),
                *_scipy_checks(
                    arrays[0],
                    library.limits(entry(arrays[0])),
                    f"W1 {name}",
                    resamples=resamples // share,
                    batch=250,
                    step=1 / 1_400,
                ),
            )
        ]

    return Workload(
        key="W1",
        title="mean of 1,400 binary outcomes, percentile + BC + BCa, against 10,000 resamples",
        reference=SCIPY,
        methods=[
            _scipy_row(arrays, resamples=resamples, share=share, batch=250),
            *_rival_rows(arrays, resamples, quick=quick),
            *library.exact_rows("mean", arrays),
            *sampled.mean_rows(arrays, resamples=resamples, share=share),
        ],
        goals=[
            Goal(method=library.COMPILED, over=SCIPY, at_least=2_000),
            Goal(method=library.NUMPY, over=SCIPY, at_least=300),
            Goal(method=library.COMPILED, over=FOOSTRAP, at_least=50),
        ],
        checks=checks,
    )


def w2(*, quick: bool) -> Workload:
    """Mean of a million binary outcomes; scipy is timed on a fiftieth of the resamples."""
    n = 50_000 if quick else 1_000_000
    arrays = data.binary(n, arrays=4 if quick else 8, seed=2)
    resamples, share = 10_000, 50

    def checks() -> list[Check]:
        return [
            check
            for name, entry in library.entries("mean")
            for check in _binomial_checks(arrays[0], library.limits(entry(arrays[0])), f"W2 {name}")
        ]

    scipy = "scipy.stats.bootstrap percentile"
    return Workload(
        key="W2",
        title=f"mean of {n:,} binary outcomes from the array, against 10,000 resamples",
        reference=scipy,
        methods=[
            Method(
                name=scipy,
                side="rival",
                kind="resampling",
                scale=share,
                repeats=2 if quick else 3,
                call=rotating(
                    arrays,
                    lambda x: rivals.scipy_bootstrap(
                        x, method="percentile", resamples=resamples // share, batch=10
                    ),
                ),
            ),
            *_rival_rows(arrays, resamples, quick=quick)[:1],
            Method(
                name="sum of the array alone",
                side="rival",
                kind="floor",
                call=rotating(arrays, np.sum),
            ),
            *library.exact_rows("mean", arrays),
            *sampled.mean_rows(arrays, resamples=resamples, share=share),
        ],
        goals=[
            Goal(method=library.COMPILED, over=scipy, at_least=100_000),
            Goal(method=library.COMPILED, over=FOOSTRAP, at_least=50),
        ],
        checks=checks,
    )


def w5(*, quick: bool) -> Workload:
    """BCa of 10,000 continuous outcomes."""
    n = 2_000 if quick else 10_000
    arrays = data.continuous(n)
    resamples, share = 10_000, 20 if quick else 1

    def checks() -> list[Check]:
        return [
            check
            for name, entry in library.entries("mean")
            for check in _scipy_checks(
                arrays[0],
                library.limits(entry(arrays[0])),
                f"W5 {name}",
                resamples=resamples // share,
                batch=100,
                step=0.0,
            )
        ]

    return Workload(
        key="W5",
        title=f"mean of {n:,} continuous outcomes, percentile + BC + BCa, against 10,000 resamples",
        reference=SCIPY,
        methods=[
            _scipy_row(arrays, resamples=resamples, share=share, batch=100),
            *_rival_rows(arrays, resamples, quick=quick)[:2],
            Method(
                name="sum of the array alone",
                side="rival",
                kind="floor",
                call=rotating(arrays, np.sum),
            ),
            *library.exact_rows("mean", arrays),
            *sampled.mean_rows(arrays, resamples=resamples, share=share),
        ],
        goals=[
            Goal(method=library.COMPILED, over=SCIPY, at_least=10_000),
            Goal(method=library.COMPILED, over=FOOSTRAP, at_least=50),
        ],
        checks=checks,
    )
