"""``docs/performance.md``, rendered from ``results.json`` and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reasons import REASONS, STARTUP_REASON
from table import (
    HEADER,
    HONEST,
    goal_cells,
    ratio_text,
    sampled_cells,
    seconds_text,
    workload_cells,
)

__all__ = ["render"]

INTRODUCTION = """\
# Performance

`make bench` runs every piece of work below in one process: each method in turn, again and again,
over rotating distinct arrays, warm, raw arrays in and the result out. Before anything is timed, the
numbers of each evalkit method are compared with those of scipy, within Monte Carlo error, or with
closed forms. This page is rendered from `benchmarks/results.json` alone; `python benchmarks/run.py
--render` does it again.
"""

EXACT_OR_SAMPLED = (
    (
        "mean, paired difference, difference of two means, on a lattice (0/1, half credits)",
        "exact: the characteristic function of the sum, inverted; error below 1e-11",
    ),
    (
        "mean of continuous outcomes",
        "the same inversion, error below 1e-11; a warning says where heavy tails make it rough",
    ),
    ("clusters of equal size", "exact, as a mean of cluster sums"),
    (
        "clusters of unequal size, precision, recall, F1",
        (
            "exact from the joint law of both sums up to about 100 units; else an inversion at "
            "each candidate limit, smoothed over the atoms of the ratio"
        ),
    ),
    ("median and other quantiles", "exact: the binomial law of an order statistic"),
    (
        "sign-flip test",
        "exact on a lattice, far tails included; enumerated or inverted otherwise",
    ),
    (
        "any other statistic, and joint inference over several metrics",
        "Monte Carlo with shared multinomial weights",
    ),
)
WHAT_EXACT_MEANS = """
Exact means: the limit of the same bootstrap, or the same permutation law, as the number of
resamples grows. It removes the Monte Carlo error (at 10,000 resamples a percentile limit has a
standard deviation of about 0.025 standard errors), and not the bootstrap's own under-coverage in
small samples.
"""

REACH = """\
## Where a goal is out of reach
"""


def _table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    rows += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(rows) + "\n"


def _conditions(results: dict[str, Any]) -> str:
    known = [f"{name} {version}" for name, version in results["versions"].items() if version]
    absent = [name for name, version in results["versions"].items() if not version]
    busy = [share for share in results["other_processes"].values() if share is not None]
    text = f"{results['cpus']} processors; {', '.join(known)}."
    if results.get("blas_threads"):
        text += f" OPENBLAS_NUM_THREADS={results['blas_threads']}: resampling has its own threads."
    if absent:
        text += f" Not installed: {', '.join(absent)}."
    if busy:
        text += f" Other processes used up to {max(busy):.0%} of the processors meanwhile."
    return text + "\n"


def _goals(results: dict[str, Any]) -> str:
    cells = goal_cells(results["goals"])
    met = sum(1 for goal in results["goals"] if goal["met"])
    known = sum(1 for goal in results["goals"] if goal["met"] is not None)
    header = ("work", "ratio", "measured", "goal", "met")
    return f"## Goals\n\n{met} of {known} measured goals are met.\n\n" + _table(header, cells)


def _sampled(results: dict[str, Any]) -> str:
    cells = sampled_cells(results["rows"])
    exact = {
        row["work"]: row["ratio_to_scipy"]
        for row in reversed(results["rows"])
        if row["kind"] == "exact" and row["ratio_to_scipy"]
    }
    lines = [[*cell, ratio_text(exact.get(cell[0]))] for cell in cells]
    return f"## Resampling against resampling\n\n{HONEST}\n\n" + _table(
        ("work", "Monte Carlo method", "over scipy", "exact law over scipy"), lines
    )


def _workload(key: str, results: dict[str, Any]) -> str:
    rows = [row for row in results["rows"] if row["work"] == key]
    checks = results["checks"].get(key, [])
    agreed = sum(1 for check in checks if check["passed"])
    text = f"### {key}: {rows[0]['title']}\n\n" + _table(HEADER, workload_cells(rows))
    if any(row["extrapolated"] for row in rows):
        text += (
            "\n`*` extrapolated from fewer resamples or intervals; the cost is linear in them.\n"
        )
    return text + f"\n{agreed} of {len(checks)} numbers agree.\n"


def _growth(results: dict[str, Any]) -> str:
    text = "## How cost grows\n"
    series = list(dict.fromkeys(row["series"] for row in results["growth"]))
    for name in series:
        rows = [row for row in results["growth"] if row["series"] == name]
        sizes = sorted({row["size"] for row in rows})
        lines = []
        for method in dict.fromkeys(row["method"] for row in rows):
            seconds = {row["size"]: row["seconds"] for row in rows if row["method"] == method}
            lines.append([method, *(seconds_text(seconds.get(size)) for size in sizes)])
        header = [f"number of {name}", *(f"{size:,}" for size in sizes)]
        text += "\n" + _table(header, lines)
    return text


def _startup(results: dict[str, Any]) -> str:
    lines = [
        [
            row["what"],
            seconds_text(row["median_seconds"]),
            "" if row["limit_seconds"] is None else f"< {row['limit_seconds']} s",
            {None: "", True: "yes", False: "NO"}[row["met"]],
        ]
        for row in results["startup"]
    ]
    text = "## Start-up\n\n" + _table(("what", "median", "limit", "met"), lines)
    missed = any(row["met"] is False for row in results["startup"])
    return text + STARTUP_REASON if missed else text


def _reach(results: dict[str, Any]) -> str:
    missed = [goal for goal in results["goals"] if goal["met"] is False]
    if not missed:
        return REACH + "\nEvery measured goal was met in this run.\n"
    lines = []
    for goal in missed:
        reason = REASONS.get((goal["work"], goal["method"]), "")
        lines.append(
            f"- **{goal['work']}**, {goal['method']} over {goal['over']}: "
            f"{ratio_text(goal['ratio'])} of {goal['at_least']:,.0f} x. {reason}".rstrip()
        )
    return REACH + "\n" + "\n".join(lines) + "\n"


def render(results: dict[str, Any]) -> str:
    """Render results as a page; the same results give the same page."""
    keys = list(dict.fromkeys(row["work"] for row in results["rows"]))
    parts = [INTRODUCTION, _conditions(results)]
    if results["goals"]:
        parts += [_goals(results), _sampled(results), _reach(results)]
    if keys:
        parts.append("## Measured\n")
        parts += [_workload(key, results) for key in keys]
    if results["growth"]:
        parts.append(_growth(results))
    if results["startup"]:
        parts.append(_startup(results))
    parts.append("## What is exact, and what is resampled\n")
    parts.append(_table(("statistic", "how"), EXACT_OR_SAMPLED) + WHAT_EXACT_MEANS)
    return "\n".join(parts)
