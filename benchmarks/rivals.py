"""The same work by other packages. Each is imported when it is called, and may be missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "arch_interval",
    "foostrap_interval",
    "mean_over",
    "ratio_over",
    "scikits_interval",
    "scipy_bootstrap",
    "scipy_sign_flip",
]

Floats = NDArray[np.float64]
Interval = Literal["BCa", "percentile"]


def mean_over(x: Floats, axis: int = -1) -> Any:
    """Mean along an axis, as scipy wants it."""
    return np.mean(x, axis=axis)


def ratio_over(s: Floats, m: Floats, axis: int = -1) -> Any:
    """Ratio of sums along an axis."""
    return np.sum(s, axis=axis) / np.sum(m, axis=axis)


def scipy_bootstrap(
    *samples: Floats,
    statistic: Callable[..., Any] = mean_over,
    method: Interval,
    resamples: int,
    batch: int,
    seed: int = 0,
) -> Any:
    """`scipy.stats.bootstrap` with the batch that was fastest here; pairs are kept together."""
    from scipy.stats import bootstrap

    return bootstrap(
        samples,
        statistic,
        n_resamples=resamples,
        batch=batch,
        method=method,
        paired=len(samples) > 1,
        vectorized=True,
        rng=np.random.default_rng(seed),
    )


def scipy_sign_flip(d: Floats, *, resamples: int, batch: int, seed: int = 0) -> Any:
    """`scipy.stats.permutation_test` of signs."""
    from scipy.stats import permutation_test

    return permutation_test(
        (d,),
        mean_over,
        permutation_type="samples",
        n_resamples=resamples,
        batch=batch,
        vectorized=True,
        rng=np.random.default_rng(seed),
    )


def foostrap_interval(x: Floats, *, resamples: int, statistic: str = "auto") -> Any:
    """BCa interval of `foostrap`, compiled with numba and on all processors."""
    from foostrap import foostrap

    return foostrap(x, statistic=statistic, boot_samples=resamples, random_state=0)


def arch_interval(
    *samples: Floats,
    statistic: Callable[..., Any],
    method: Literal["bca", "percentile"],
    resamples: int,
) -> Any:
    """Interval of `arch.bootstrap.IIDBootstrap`."""
    from arch.bootstrap import IIDBootstrap

    return IIDBootstrap(*samples, seed=0).conf_int(statistic, reps=resamples, method=method)


def scikits_interval(x: Floats, *, resamples: int) -> Any:
    """BCa interval of `scikits.bootstrap`."""
    from scikits.bootstrap import ci

    return ci(x, statfunction=np.average, n_samples=resamples, method="bca", seed=0)
