"""The same work by evalkit: raw arrays in, percentile, BC and BCa limits out."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from timing import Method
from workload import rotating

from evalkit.bootstrap.engines import Engine
from evalkit.bootstrap.table import (
    BootstrapTable,
    TableMethod,
    bootstrap_intervals,
    cluster_bootstrap_intervals,
)

__all__ = [
    "COMPILED",
    "NUMPY",
    "Limits",
    "entries",
    "exact_rows",
    "limits",
    "without_numba",
]

Floats = NDArray[np.float64]
Limits = dict[str, tuple[float, float]]
Kind = Literal["mean", "pairs", "clusters", "columns"]

METHODS: tuple[TableMethod, ...] = ("percentile", "bc", "bca")
COMPILED = "evalkit exact, numba"
NUMPY = "evalkit exact, numpy only"
ENGINES: dict[str, Engine] = {COMPILED: "numba", NUMPY: "numpy"}


def without_numba() -> str | None:
    """Say that numba is missing; `None` where it is there."""
    return None if importlib.util.find_spec("numba") else "not installed: numba"


def limits(table: BootstrapTable, column: int = 0) -> Limits:
    """Read the three intervals of a column."""
    found: Limits = {}
    for method in METHODS:
        interval = table.interval(column, method=method)
        if interval is None:
            raise ValueError("a benchmark array without spread")
        found[method] = (interval.low, interval.high)
    return found


def _entry(kind: Kind, engine: Engine) -> Callable[..., BootstrapTable]:
    if kind == "mean":
        return lambda x: bootstrap_intervals([x], engine=engine)
    if kind == "pairs":
        return lambda a, b: bootstrap_intervals([a - b], engine=engine)
    if kind == "columns":
        return lambda columns: bootstrap_intervals(columns, engine=engine)
    return lambda sums, sizes: cluster_bootstrap_intervals(sums, sizes, engine=engine)


def entries(kind: Kind) -> list[tuple[str, Callable[..., BootstrapTable]]]:
    """Return what is there: the engine in numpy, and the compiled one with numba."""
    return [
        (name, _entry(kind, engine))
        for name, engine in ENGINES.items()
        if engine == "numpy" or without_numba() is None
    ]


def exact_rows(kind: Kind, arrays: Sequence[Any], *, repeats: int = 7) -> list[Method]:
    """Return one row for each engine; without numba the compiled one is missing."""
    there = dict(entries(kind))
    return [
        Method(
            name=name,
            side="evalkit",
            kind="exact",
            repeats=repeats,
            call=rotating(arrays, there[name]) if name in there else None,
            missing=None if name in there else without_numba(),
        )
        for name in ENGINES
    ]
