"""Benchmarks of evalkit against other packages, in one process: ``python benchmarks/run.py``.

Writes ``benchmarks/results.json``. ``--write-docs`` also renders it as ``docs/performance.md``;
``--render`` renders the last results and measures nothing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cluster_means
import document
import means
import pairs
import paper
import statistic
import table
from growth import growth, startup
from timing import Method, OtherWork, Timing, interleave, ready
from workload import Check, Workload

__all__ = ["main"]

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
DOCUMENT = HERE.parent / "docs" / "performance.md"
WORKLOADS: dict[str, Callable[..., Workload]] = {
    "W1": means.w1,
    "W2": means.w2,
    "W3": pairs.w3,
    "W4": cluster_means.w4,
    "W4-unequal": cluster_means.w4_unequal,
    "W5": means.w5,
    "W6": paper.w6,
    "W7": pairs.w7,
    "any": statistic.any_statistic,
}
OTHER = ("growth", "startup")
PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "pandas",
    "polars",
    "foostrap",
    "arch",
    "scikits.bootstrap",
)


def versions() -> dict[str, str | None]:
    """Return the version of Python and of each package; `None` where it is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def _ratio(timings: dict[str, Timing], method: str, over: str) -> float | None:
    if method not in timings or over not in timings:
        return None
    return timings[over].median / timings[method].median


def _row(
    work: Workload, method: Method, timings: dict[str, Timing], *, judge: bool
) -> dict[str, Any]:
    timing = timings.get(method.name)
    goal = next(
        (g.at_least for g in work.goals if (g.method, g.over) == (method.name, work.reference)),
        None,
    )
    ratio = _ratio(timings, method.name, work.reference)
    return {
        "work": work.key,
        "title": work.title,
        "method": method.name,
        "side": method.side,
        "kind": method.kind,
        "median_seconds": timing and timing.median,
        "spread_seconds": timing and [timing.low, timing.high],
        "repeats": timing and timing.repeats,
        "extrapolated": bool(timing and timing.extrapolated),
        "ratio_to_scipy": ratio,
        "goal": goal,
        "met": None if not judge or goal is None or ratio is None else ratio >= goal,
        "missing": method.missing,
    }


def _goals(work: Workload, timings: dict[str, Timing], *, judge: bool) -> list[dict[str, Any]]:
    rows = []
    for goal in work.goals:
        ratio = _ratio(timings, goal.method, goal.over)
        rows.append(
            {
                "work": work.key,
                "method": goal.method,
                "over": goal.over,
                "ratio": ratio,
                "at_least": goal.at_least,
                "met": None if not judge or ratio is None else ratio >= goal.at_least,
            }
        )
    return rows


def _check_rows(checks: Sequence[Check]) -> list[dict[str, Any]]:
    return [
        {
            "what": check.what,
            "difference": float(check.difference),
            "allowed": float(check.allowed),
            "passed": check.passed,
        }
        for check in checks
    ]


def run_workload(work: Workload, *, quick: bool) -> dict[str, Any]:
    """Check the numbers of a workload, then time its methods; a quick run judges no goal."""
    checks = work.checks()
    methods = [ready(method) for method in work.methods]
    if quick:
        methods = [replace(m, repeats=min(m.repeats, 2)) for m in methods]
    others = OtherWork()
    timings = interleave(methods)
    return {
        "rows": [_row(work, method, timings, judge=not quick) for method in methods],
        "goals": _goals(work, timings, judge=not quick),
        "checks": {work.key: _check_rows(checks)},
        "other_processes": {work.key: others.share()},
    }


def _load(path: Path | None) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "rows": [],
        "goals": [],
        "checks": {},
        "other_processes": {},
        "growth": [],
        "startup": [],
    }
    if path is not None and path.exists():
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return empty | kept
    return empty


def _merge(results: dict[str, Any], key: str, part: dict[str, Any]) -> None:
    """Replace what an earlier run said about this work; keep the order of the workloads."""
    order = list(WORKLOADS)
    for name in ("rows", "goals"):
        kept = [row for row in results[name] if row["work"] != key]
        results[name] = sorted([*kept, *part[name]], key=lambda row: order.index(row["work"]))
    for name in ("checks", "other_processes"):
        results[name] = {
            k: (results[name] | part[name])[k] for k in order if k in results[name] or k == key
        }


def _chosen(only: str | None) -> list[str]:
    """Return the keys that were asked for; `W4` stands for `W4-unequal` too."""
    everything = [*WORKLOADS, *OTHER]
    if not only:
        return everything
    wanted = [name.strip() for name in only.split(",")]
    for name in wanted:
        if not any(name in (key, key.partition("-")[0]) for key in everything):
            sys.exit(f"--only {name!r} is not a workload; they are {', '.join(everything)}")
    return [key for key in everything if {key, key.partition("-")[0]} & set(wanted)]


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmarks of evalkit against other packages.")
    parser.add_argument("--only", help="workloads, by comma: " + ", ".join([*WORKLOADS, *OTHER]))
    parser.add_argument("--quick", action="store_true", help="small sizes; results are not kept")
    parser.add_argument("--output", type=Path, help=f"where results go; else {RESULTS.name}")
    parser.add_argument("--write-docs", action="store_true", help="render the results as a page")
    parser.add_argument("--render", action="store_true", help="render the last results only")
    return parser.parse_args(argv)


def measure(keys: Sequence[str], results: dict[str, Any], *, quick: bool) -> None:
    """Run what was chosen, printing each table as it is done."""
    for key in keys:
        if key in WORKLOADS:
            part = run_workload(WORKLOADS[key](quick=quick), quick=quick)
            _merge(results, key, part)
            table.print_workload(part)
        elif key == "growth":
            results["growth"] = growth(quick=quick)
            table.print_growth(results["growth"])
        else:
            results["startup"] = startup(quick=quick)
            table.print_startup(results["startup"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmarks; the exit status is 1 if a number is wrong, whatever the speed."""
    arguments = _arguments(argv)
    target = arguments.output or RESULTS
    if arguments.render:
        DOCUMENT.write_text(document.render(_load(target)), encoding="utf-8")
        return 0
    keep = arguments.only and not arguments.quick
    results = _load(target if keep else None) | {
        "schema": 1,
        "quick": arguments.quick,
        "cpus": os.cpu_count(),
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS"),
        "versions": versions(),
    }
    measure(_chosen(arguments.only), results, quick=arguments.quick)
    table.print_summary(results)
    if arguments.output or not arguments.quick:
        target.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if arguments.write_docs and not arguments.quick:
        DOCUMENT.write_text(document.render(_load(target)), encoding="utf-8")
    return int(any(not c["passed"] for checks in results["checks"].values() for c in checks))


def _restart_with(setting: str, value: str) -> None:
    """Start again with a setting that libraries read once, while they are loaded."""
    if setting not in os.environ:
        environment = {**os.environ, setting: value}
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)  # noqa: S606 - ourselves


if __name__ == "__main__":
    # Resampling runs in threads of its own; products that start more threads only get in the way.
    _restart_with("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
