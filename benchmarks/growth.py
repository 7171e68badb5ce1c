"""How cost grows: with outcomes, clusters and intervals; and how long it takes to start."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import data
import library
import numpy as np

from evalkit.bootstrap.intervals import bootstrap_interval
from evalkit.estimation import estimate_tally
from evalkit.tally import tally_values

__all__ = ["growth", "startup"]

_LEAST_SECONDS = 0.02


def _median(work: Callable[[], Any], *, repeats: int = 5) -> float:
    """Median seconds of one call; each timing covers as many calls as a clock needs."""
    work()
    start = time.perf_counter()
    work()
    calls = max(1, int(_LEAST_SECONDS / max(time.perf_counter() - start, 1e-9)))
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        taken.append((time.perf_counter() - start) / calls)
    return statistics.median(taken)


def _row(series: str, size: int, method: str, seconds: float) -> dict[str, Any]:
    return {"series": series, "size": size, "method": method, "seconds": seconds}


def _with_outcomes(*, quick: bool) -> list[dict[str, Any]]:
    rows = []
    for exponent in range(2, 6 if quick else 8):
        n = 10**exponent
        x = data.binary(n, arrays=1, seed=exponent)[0]
        group = tally_values(x)
        works: list[tuple[str, Callable[[], Any]]] = [
            ("BCa from a tally", partial(bootstrap_interval, group)),
            ("default interval from a tally", partial(estimate_tally, group)),
            ("tally of the array", partial(tally_values, x)),
        ]
        works += [
            (f"{name}, from the array", partial(entry, x))
            for name, entry in library.entries("mean")
        ]
        rows += [_row("outcomes", n, name, _median(work)) for name, work in works]
    return rows


def _with_clusters(*, quick: bool) -> list[dict[str, Any]]:
    rows = []
    for number in (10, 100, 1_000, *(() if quick else (10_000, 100_000))):
        sums, sizes = data.clusters(number, unequal=True, arrays=1, seed=number)[0]
        rows += [
            _row("clusters", number, name, _median(partial(entry, sums, sizes)))
            for name, entry in library.entries("clusters")
        ]
    return rows


def _with_intervals(*, quick: bool) -> list[dict[str, Any]]:
    columns = data.binary(1_400, arrays=64 if quick else 4_096, seed=8)
    rows = []
    for number in (1, 8, 64, *(() if quick else (512, 4_096))):
        rows += [
            _row("intervals", number, name, _median(partial(entry, columns[:number]), repeats=3))
            for name, entry in library.entries("columns")
        ]
    return rows


def growth(*, quick: bool) -> list[dict[str, Any]]:
    """Seconds against size, for each series."""
    return [
        *_with_outcomes(quick=quick),
        *_with_clusters(quick=quick),
        *_with_intervals(quick=quick),
    ]


def _child(code: list[str], *, repeats: int) -> tuple[list[float], str]:
    taken, out = [], ""
    for _ in range(repeats):
        start = time.perf_counter()
        out = subprocess.run(  # noqa: S603 - our own interpreter and our own arguments
            [sys.executable, *code], check=True, capture_output=True, text=True
        ).stdout
        taken.append(time.perf_counter() - start)
    return taken, out


_IMPORT = "import time; t = time.perf_counter(); import evalkit; print(time.perf_counter() - t)"


def startup(*, quick: bool) -> list[dict[str, Any]]:
    """Seconds until something useful: the import, and a first interval from the command line."""
    repeats = 2 if quick else 5
    imports = [float(_child(["-c", _IMPORT], repeats=1)[1]) for _ in range(repeats)]
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verdicts.jsonl"
        path.write_text(
            "".join(
                json.dumps({"system": "A", "item": f"i{k}", "score": int(rng.random() < 0.7)})
                + "\n"
                for k in range(200)
            ),
            encoding="utf-8",
        )
        first, _ = _child(["-m", "evalkit", "estimate", str(path)], repeats=repeats)
    bare, _ = _child(["-c", "pass"], repeats=repeats)
    return [
        _start("an interpreter that does nothing", bare, None),
        _start("import evalkit", imports, 0.3),
        _start("first interval from the command line (200 rows of JSON Lines)", first, 1.0),
    ]


def _start(what: str, taken: list[float], limit: float | None) -> dict[str, Any]:
    median = statistics.median(taken)
    return {
        "what": what,
        "median_seconds": median,
        "spread_seconds": [min(taken), max(taken)],
        "limit_seconds": limit,
        "met": None if limit is None else median < limit,
    }
