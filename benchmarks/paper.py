"""W6: all 504 intervals of a paper: 14 settings, 3 views, 12 metrics."""

from __future__ import annotations

from typing import Any

import data
import library
import numpy as np
import rivals
import sampled
from timing import Method
from workload import Check, Goal, Workload, check_percentile

import evalkit

__all__ = ["w6"]

SCIPY = "scipy.stats.bootstrap BCa, one call an interval"
API = "evalkit.estimate on a pandas frame"
API_POLARS = "evalkit.estimate on a Polars LazyFrame"
API_BCA = "evalkit.estimate on a Polars LazyFrame, method bca"
BY = ["system", "view", "verifier"]
RESAMPLES = 10_000


def _columns(cells: list[rivals.Floats]) -> list[rivals.Floats]:
    return [np.ascontiguousarray(cell[:, k]) for cell in cells for k in range(cell.shape[1])]


def _scipy_row(papers: list[list[rivals.Floats]], *, quick: bool) -> Method:
    """Scipy on every fourth interval; in quick runs on fewer resamples too."""
    step, share = 4, 50 if quick else 1

    def call(k: int) -> None:
        for column in _columns(papers[k % len(papers)])[k % step :: step]:
            rivals.scipy_bootstrap(column, method="BCa", resamples=RESAMPLES // share, batch=250)

    return Method(
        name=SCIPY,
        side="rival",
        kind="resampling",
        scale=step * share,
        repeats=1 if quick else 3,
        call=call,
    )


def _frame(cells: list[rivals.Floats]) -> Any:
    """Return a paper as a long data frame: one row a verdict, the metric as verifier."""
    import pandas as pd

    parts = []
    for place, cell in enumerate(cells):
        n, metrics = cell.shape
        parts.append(
            pd.DataFrame(
                {
                    "system": f"setting {place // 3:02d}",
                    "view": f"view {place % 3}",
                    "item": np.tile([f"{place % 3}-{k}" for k in range(n)], metrics),
                    "verifier": np.repeat([f"metric {k:02d}" for k in range(metrics)], n),
                    "score": cell.T.ravel(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _frame_rows(papers: list[list[rivals.Floats]]) -> list[Method]:
    """Return the rows that read the same paper from frames, through the public function."""
    frames = [_frame(cells) for cells in papers]
    lazy: list[Any] = []

    def on_polars(k: int, **settings: Any) -> Any:
        import polars as pl

        if not lazy:
            lazy.extend(pl.from_pandas(frame).lazy() for frame in frames)
        return evalkit.estimate(lazy[k % len(frames)], by=BY, **settings)

    return [
        Method(
            name=API,
            side="evalkit",
            kind="closed form",
            repeats=3,
            call=lambda k: evalkit.estimate(frames[k % len(frames)], by=BY),
        ),
        Method(name=API_POLARS, side="evalkit", kind="closed form", repeats=5, call=on_polars),
        Method(
            name=API_BCA,
            side="evalkit",
            kind="exact",
            repeats=5,
            call=lambda k: on_polars(k, method="bca"),
        ),
    ]


def _interval_checks(papers: list[list[rivals.Floats]], *, quick: bool) -> list[Check]:
    columns = _columns(papers[0])
    tables = [(name, entry(columns)) for name, entry in library.entries("columns")]
    out: list[Check] = []
    for place in range(0, len(columns), 6 if quick else 40):
        resampled: Any = rivals.scipy_bootstrap(
            columns[place], method="percentile", resamples=1_000 if quick else 4_000, batch=250
        )
        for name, table in tables:
            out += check_percentile(
                f"W6 {name}, interval {place}",
                library.limits(table, place)["percentile"],
                resampled.bootstrap_distribution,
            )
    return out


def _frame_checks(cells: list[rivals.Floats]) -> list[Check]:
    found = evalkit.estimate(_frame(cells), by=BY)
    means = [float(cell[:, k].mean()) for cell in cells for k in range(cell.shape[1])]
    worst = max(
        abs(float(result.estimate or 0.0) - mean) for result, mean in zip(found, means, strict=True)
    )
    return [Check(what="W6 means from a frame", difference=worst, allowed=1e-12)]


def w6(*, quick: bool) -> Workload:
    """Every interval of a paper: from raw arrays, jointly, and from frames."""
    papers = [data.paper(2 if quick else 14, seed=60 + k) for k in range(3)]
    number = len(_columns(papers[0]))

    def checks() -> list[Check]:
        return [
            *_interval_checks(papers, quick=quick),
            *_frame_checks(papers[0]),
            *sampled.joint_checks(papers[0][0], quick=quick),
        ]

    return Workload(
        key="W6",
        title=f"a paper: {number} intervals, percentile + BC + BCa, against 10,000 resamples each",
        reference=SCIPY,
        methods=[
            _scipy_row(papers, quick=quick),
            *library.exact_rows("columns", [_columns(cells) for cells in papers], repeats=5),
            *sampled.joint_rows(papers, resamples=RESAMPLES, share=50 if quick else 1),
            *_frame_rows(papers),
        ],
        goals=[
            Goal(method=library.COMPILED, over=SCIPY, at_least=2_000),
            Goal(method=sampled.JOINT, over=SCIPY, at_least=75),
            Goal(method=API, over=SCIPY, at_least=200),
            Goal(method=API_POLARS, over=SCIPY, at_least=200),
        ],
        checks=checks,
    )
