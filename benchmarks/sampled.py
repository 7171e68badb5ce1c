"""Work that evalkit does by resampling, for the ratio of one Monte Carlo to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import library
import numpy as np
import rivals
from numpy.typing import NDArray
from timing import Method
from workload import Check, check_percentile, rotating

from evalkit.bootstrap.engines import Engine
from evalkit.bootstrap.resampling import MonteCarlo, monte_carlo

__all__ = [
    "JOINT",
    "SAMPLED",
    "correlation_checks",
    "correlation_rows",
    "joint_checks",
    "joint_rows",
    "mean_rows",
    "ratio_rows",
]

Floats = NDArray[np.float64]
THREADS = 2
SAMPLED = "evalkit Monte Carlo, numba"
SAMPLED_NUMPY = "evalkit Monte Carlo, numpy only"
JOINT = "evalkit Monte Carlo, numba, shared resamples"
JOINT_NUMPY = "evalkit Monte Carlo, numpy only, shared resamples"


def _correlation(weights: Floats, a: Floats, b: Floats) -> Floats:
    x, y = a - a.mean(), b - b.mean()
    moments = weights @ np.column_stack([x, y, x * x, y * y, x * y]) / x.size
    mx, my, xx, yy, xy = moments.T
    found: Floats = (xy - mx * my) / np.sqrt((xx - mx * mx) * (yy - my * my))
    return found


def _percentile(result: MonteCarlo) -> tuple[float, float]:
    interval = result.interval(method="percentile")
    if interval is None:
        raise ValueError("a benchmark array without spread")
    return interval.low, interval.high


def _sampled(
    arrays: Sequence[Floats], statistic: Any, resamples: int, engine: Engine
) -> MonteCarlo:
    return monte_carlo(
        arrays, statistic, resamples=resamples, rng=0, threads=THREADS, engine=engine
    )


def _rows(
    names: tuple[str, str], work: Callable[[Engine], Callable[[int], Any]], *, share: int
) -> list[Method]:
    """Return one row for each engine; without numba the compiled one is missing."""
    rows = []
    for name, engine in zip(names, get_args(Engine)[::-1], strict=True):
        missing = library.without_numba() if engine == "numba" else None
        rows.append(
            Method(
                name=name,
                side="evalkit",
                kind="resampling",
                call=None if missing else work(engine),
                repeats=5 if engine == "numba" else 3,
                scale=share,
                missing=missing,
            )
        )
    return rows


def mean_rows(arrays: Sequence[Any], *, resamples: int, share: int) -> list[Method]:
    """Return the row that resamples a mean, or a mean difference of pairs."""

    def work(engine: Engine) -> Callable[[int], Any]:
        def one(a: Floats, b: Floats | None = None) -> tuple[float, float]:
            d = a if b is None else a - b
            return _percentile(_sampled([d], "mean", resamples // share, engine))

        return rotating(arrays, one)

    return _rows((SAMPLED, SAMPLED_NUMPY), work, share=share)


def ratio_rows(arrays: Sequence[Any], *, resamples: int, share: int) -> list[Method]:
    """Return the row that resamples a ratio of sums."""

    def work(engine: Engine) -> Callable[[int], Any]:
        return rotating(
            arrays, lambda s, m: _percentile(_sampled([s, m], "ratio", resamples // share, engine))
        )

    return _rows((SAMPLED, SAMPLED_NUMPY), work, share=share)


def correlation_rows(pairs: Sequence[Any], *, resamples: int, share: int) -> list[Method]:
    """Return the row that resamples a correlation."""

    def work(engine: Engine) -> Callable[[int], Any]:
        return rotating(
            pairs,
            lambda a, b: _percentile(_sampled([a, b], _correlation, resamples // share, engine)),
        )

    return _rows((SAMPLED, SAMPLED_NUMPY), work, share=share)


def correlation_checks(a: Floats, b: Floats, distribution: Floats) -> list[Check]:
    """Compare two sampled laws: five standard deviations of a difference of shares."""
    engine: Engine = "numpy" if library.without_numba() else "numba"
    result = _sampled([a, b], _correlation, 10_000, engine)
    checks = check_percentile("any: correlation", _percentile(result), distribution)
    # Here both sides are sampled, so the allowance covers both.
    widen = (1 + distribution.size / result.resamples) ** 0.5
    checks = [
        Check(what=c.what, difference=c.difference, allowed=c.allowed * widen) for c in checks
    ]
    expected = float(np.corrcoef(a, b)[0, 1])
    found = float(result.estimate[0])
    return [*checks, Check(what="any: estimate", difference=abs(found - expected), allowed=1e-12)]


def _joint(
    cells: Sequence[Floats], resamples: int, engine: Engine
) -> list[list[tuple[float, float]]]:
    out = []
    for cell in cells:
        result = _sampled([cell], "mean", resamples, engine)
        bounds = [result.interval(k, method="percentile") for k in range(cell.shape[1])]
        out.append([(x.low, x.high) for x in bounds if x is not None])
    return out


def joint_rows(papers: Sequence[Sequence[Floats]], *, resamples: int, share: int) -> list[Method]:
    """Return the row that resamples all metrics of a cell together."""

    def work(engine: Engine) -> Callable[[int], Any]:
        return lambda k: _joint(papers[k % len(papers)], resamples // share, engine)

    return _rows((JOINT, JOINT_NUMPY), work, share=share)


def joint_checks(cell: Floats, *, quick: bool) -> list[Check]:
    """Compare the percentile limits of two metrics, sampled jointly, with those of scipy."""
    size = 1_000 if quick else 10_000
    bounds = _joint([cell], size, "numpy" if library.without_numba() else "numba")[0]
    checks: list[Check] = []
    for metric in (0, 11):
        column = np.ascontiguousarray(cell[:, metric])
        law: Any = rivals.scipy_bootstrap(column, method="percentile", resamples=size, batch=250)
        checks += [
            Check(what=c.what, difference=c.difference, allowed=c.allowed * 2**0.5)
            for c in check_percentile(
                f"W6 joint, metric {metric}", bounds[metric], law.bootstrap_distribution
            )
        ]
    return checks
