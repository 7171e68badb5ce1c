"""Results as tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "HONEST",
    "print_growth",
    "print_startup",
    "print_summary",
    "print_workload",
    "ratio_text",
    "seconds_text",
]

HONEST = (
    "The large ratios come from removing resampling: an exact law takes the place of thousands of "
    "resamples. Where both sides resample, the ratio is the one of the Monte Carlo rows."
)


def seconds_text(seconds: float | None) -> str:
    """Write seconds with three digits and a unit.

    Examples
    --------
    >>> seconds_text(13.6e-6), seconds_text(0.0607), seconds_text(91.3)
    ('13.6 us', '60.7 ms', '91.3 s')
    """
    if seconds is None:
        return "-"
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def ratio_text(ratio: float | None) -> str:
    """Write a ratio with as many digits as mean something.

    Examples
    --------
    >>> ratio_text(4453.2), ratio_text(0.33), ratio_text(None)
    ('4,450 x', '0.33 x', '-')
    """
    if ratio is None:
        return "-"
    if ratio >= 1000:
        digits = len(str(int(ratio))) - 3
        return f"{round(ratio, -digits):,.0f} x"
    return f"{ratio:.3g} x"


def _met(met: bool | None, goal: float | None) -> str:
    if goal is None:
        return ""
    return "?" if met is None else ("yes" if met else "NO")


def workload_cells(rows: Iterable[dict[str, Any]]) -> list[list[str]]:
    """Return the cells of a workload's table."""
    cells = []
    for row in rows:
        if row["missing"]:
            cells.append([row["method"], row["kind"], row["missing"], "", "", "", ""])
            continue
        star = "*" if row["extrapolated"] else ""
        low, high = row["spread_seconds"]
        cells.append(
            [
                row["method"],
                row["kind"],
                seconds_text(row["median_seconds"]) + star,
                f"{seconds_text(low)}..{seconds_text(high)}",
                ratio_text(row["ratio_to_scipy"]),
                "" if row["goal"] is None else f">= {row['goal']:,.0f} x",
                _met(row["met"], row["goal"]),
            ]
        )
    return cells


HEADER = ("method", "how", "median", "min..max", "ratio to scipy", "goal", "met")


def _print(title: str, header: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """Print a table with rich, or in plain text where rich is not installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(title)
        for line in (header, *cells):
            print("  ".join(str(cell) for cell in line))
        return
    grid = Table(title=title, title_justify="left")
    for place, name in enumerate(header):
        grid.add_column(name, justify="left" if place < 2 else "right", overflow="fold")
    for line in cells:
        grid.add_row(*line)
    Console(width=130, highlight=False).print(grid)


def print_workload(part: dict[str, Any]) -> None:
    """Print one workload: its table, and how its numbers compare with scipy's."""
    rows = part["rows"]
    _print(f"{rows[0]['work']}: {rows[0]['title']}", HEADER, workload_cells(rows))
    for key, checks in part["checks"].items():
        failed = [check for check in checks if not check["passed"]]
        print(f"{key}: {len(checks) - len(failed)} of {len(checks)} numbers agree")
        for check in failed:
            print(f"  WRONG {check['what']}: {check['difference']:.3g} > {check['allowed']:.3g}")
        share = part["other_processes"][key]
        if share is not None and share > 0.05:
            print(f"  other processes used {share:.0%} of the processors meanwhile")


def print_growth(rows: Sequence[dict[str, Any]]) -> None:
    """Print how cost grows."""
    cells = [
        [row["series"], row["method"], f"{row['size']:,}", seconds_text(row["seconds"])]
        for row in rows
    ]
    _print("how cost grows", ("with", "method", "size", "median"), cells)


def print_startup(rows: Sequence[dict[str, Any]]) -> None:
    """Print how long it takes to start."""
    cells = [
        [
            row["what"],
            "",
            seconds_text(row["median_seconds"]),
            "" if row["limit_seconds"] is None else f"< {row['limit_seconds']} s",
            _met(row["met"], row["limit_seconds"]),
        ]
        for row in rows
    ]
    _print("start-up", ("what", "", "median", "limit", "met"), cells)


def goal_cells(goals: Iterable[dict[str, Any]]) -> list[list[str]]:
    """Return the cells of the table of goals."""
    return [
        [
            goal["work"],
            f"{goal['method']} over {goal['over']}",
            ratio_text(goal["ratio"]),
            f">= {goal['at_least']:,.0f} x",
            _met(goal["met"], goal["at_least"]),
        ]
        for goal in goals
    ]


def sampled_cells(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return the ratios of resampling to resampling, for each workload that has both."""
    return [
        [row["work"], row["method"], ratio_text(row["ratio_to_scipy"])]
        for row in rows
        if row["side"] == "evalkit" and row["kind"] == "resampling" and row["median_seconds"]
    ]


def print_summary(results: dict[str, Any]) -> None:
    """Print the goals, and the Monte Carlo ratios beside the exact ones."""
    if results["goals"]:
        header = ("work", "ratio", "measured", "goal", "met")
        _print("goals", header, goal_cells(results["goals"]))
    sampled = sampled_cells(results["rows"])
    if sampled:
        _print("Monte Carlo against Monte Carlo", ("work", "method", "ratio to scipy"), sampled)
    print(HONEST)
    if results["quick"]:
        print("quick run: small sizes and few resamples, so these ratios are not measurements")
    if any(row["extrapolated"] for row in results["rows"]):
        print("* extrapolated from fewer resamples or intervals; the cost is linear in them.")
