"""W4: means with clusters of equal and of unequal sizes."""

from __future__ import annotations

from typing import Any

import data
import library
import numpy as np
import rivals
import sampled
from timing import Method
from workload import Check, Goal, Workload, check_bca, check_percentile, rotating

__all__ = ["w4", "w4_unequal"]

SCIPY = "scipy.stats.bootstrap BCa of (sum, size)"
FOOSTRAP = "foostrap BCa of (sum, size)"
NUMBER = 500
RESAMPLES = 10_000


def w4(*, quick: bool) -> Workload:
    """500 clusters of 3."""
    return _work("W4", "500 clusters of 3", unequal=False, goal=1_500, quick=quick)


def w4_unequal(*, quick: bool) -> Workload:
    """500 clusters of 1 to 5."""
    return _work("W4-unequal", "500 clusters of 1 to 5", unequal=True, goal=500, quick=quick)


def _work(key: str, title: str, *, unequal: bool, goal: float, quick: bool) -> Workload:
    arrays = data.clusters(NUMBER, unequal=unequal)
    share = 20 if quick else 1

    def scipy_call(sums: rivals.Floats, sizes: rivals.Floats) -> Any:
        return rivals.scipy_bootstrap(
            sums,
            sizes,
            statistic=rivals.ratio_over,
            method="BCa",
            resamples=RESAMPLES // share,
            batch=250,
        )

    def checks() -> list[Check]:
        sums, sizes = arrays[0]
        sampled = scipy_call(sums, sizes)
        ends = (sampled.confidence_interval.low, sampled.confidence_interval.high)
        ratio = sums.sum() / sizes.sum()
        se = float(((sums - ratio * sizes) ** 2).sum() ** 0.5 / sizes.sum())
        # The smooth law of a ratio has no atoms; the resampled one jumps at multiples of 1/size.
        slack = 0.5 / sizes.sum() if unequal else 1e-9
        out: list[Check] = []
        for name, entry in library.entries("clusters"):
            found = library.limits(entry(sums, sizes))
            what = f"{key} {name}"
            out += check_percentile(
                what, found["percentile"], sampled.bootstrap_distribution, slack=slack
            )
            out += check_bca(
                what,
                found["bca"],
                ends,
                se=se,
                resamples=RESAMPLES // share,
                step=float(1 / sizes.sum()),
            )
        return out

    return Workload(
        key=key,
        title=f"{title}, percentile + BC + BCa, against 10,000 resamples of clusters",
        reference=SCIPY,
        methods=[
            Method(
                name=SCIPY,
                side="rival",
                kind="resampling",
                scale=share,
                call=rotating(arrays, scipy_call),
            ),
            *([] if quick else _rivals(arrays)),
            *library.exact_rows("clusters", arrays),
            *sampled.ratio_rows(arrays, resamples=RESAMPLES, share=share),
        ],
        goals=[
            Goal(method=library.COMPILED, over=SCIPY, at_least=goal),
            Goal(method=library.COMPILED, over=FOOSTRAP, at_least=50),
        ],
        checks=checks,
    )


def _rivals(arrays: list[tuple[rivals.Floats, rivals.Floats]]) -> list[Method]:
    return [
        Method(
            name=FOOSTRAP,
            side="rival",
            kind="resampling",
            call=rotating(
                arrays,
                lambda s, m: rivals.foostrap_interval(
                    np.column_stack([s, m]), statistic="ratio", resamples=RESAMPLES
                ),
            ),
        ),
        Method(
            name="arch IIDBootstrap percentile of (sum, size)",
            side="rival",
            kind="resampling",
            repeats=3,
            call=rotating(
                arrays,
                lambda s, m: rivals.arch_interval(
                    s, m, statistic=rivals.ratio_over, method="percentile", resamples=RESAMPLES
                ),
            ),
        ),
    ]
