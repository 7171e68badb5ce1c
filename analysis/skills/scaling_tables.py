"""Tables A4 and A25 to A27: what item-level outcomes of the scaling controls determine."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.studies import derived, load_module, recomputed, transcribed
from evalkit.testtime import ScalingCurve

common = load_module(Path(__file__).with_name("common.py"))
GPT = common.GPT
# The skill whose released-test count stands as "Evolved" in A27.
EVOLVED_VIEW = {
    "SearchQA": "Normal",
    "OfficeQA": "Normal",
    "DocVQA": "Normal",
    "LiveMath": "Fail-only",
    "SpreadsheetBench": "Fail-only",
}
ROW_NAMES = {"parallel": "Parallel oracle", "sequential": "Sequential last"}


def count_at(curve: ScalingCurve, system: str, k: int) -> int:
    """Return successes with k attempts on the common support."""
    point = curve.points[k - 1]
    value = point.oracle if system == "parallel" else point.last
    return round((value or 0) * point.support)


def dynamic_count(curve: ScalingCurve, system: str) -> int:
    """Return successes with each item's own number of attempts."""
    value = curve.dynamic_oracle if system == "parallel" else curve.dynamic_last
    return round((value or 0) * curve.dynamic_items)


def evolved_count(records: common.Records, benchmark: str, *, attempts: int = 1) -> tuple[int, int]:
    """Return successes and items of the evolved skill, on items with enough parent attempts."""
    systems = records.outcomes[benchmark]
    used = [i for i, tries in systems["parallel"].items() if len(tries) >= attempts]
    return sum(int(systems["evolved"][i][0]) for i in used), len(used)


def attempt_one(records: common.Records, benchmark: str) -> int:
    """Return successes of the shared first attempt over all items."""
    return sum(int(tries[0]) for tries in records.outcomes[benchmark]["parallel"].values())


def table_a4(records: common.Records) -> common.Cells:
    """Split sizes as in A1; budgets and calls counted in the item-level outcomes."""
    cells: common.Cells = {}
    for row, column in records.printed.keys("A4"):
        size = records.printed.get("A1", row, column)
        if size is not None:
            cells[row, column] = derived(int(size), "printed in A1")
            continue
        curve = records.curves[row, "parallel"]
        value = {"TTS n": curve.items, "TTS K": curve.k_max, "TTS calls": curve.calls_added}[column]
        cells[row, column] = recomputed(value, "counted in the item-level outcomes")
    return cells


def changes(records: common.Records, benchmark: str) -> dict[str, Fraction]:
    """Return changes from the one-call parent at maximum budget, in points."""
    n = records.curves[benchmark, "parallel"].items
    parent = attempt_one(records, benchmark)
    counts = {
        "Evolved": evolved_count(records, benchmark)[0],
        "Parallel": dynamic_count(records.curves[benchmark, "parallel"], "parallel"),
        "Sequential": dynamic_count(records.curves[benchmark, "sequential"], "sequential"),
    }
    found = {name: Fraction(100 * (count - parent), n) for name, count in counts.items()}
    return {**found, "Gap": found["Evolved"] - found["Parallel"]}


def table_a25(records: common.Records) -> common.Cells:
    """Differences at maximum budget."""
    return {
        (benchmark, column): recomputed(value, "counted in the item-level outcomes")
        for benchmark in ("SearchQA", "SpreadsheetBench")
        for column, value in changes(records, benchmark).items()
    }


def table_a26(records: common.Records) -> common.Cells:
    """Allocations and calls."""
    cells: common.Cells = {}
    for row, column in records.printed.keys("A26"):
        benchmark = row.removesuffix(" / allocation")
        curve = records.curves[benchmark, "parallel"]
        if column.startswith("K_i"):
            budget = int(column.rpartition("=")[2])
            value = curve.allocation.get(budget, 0)
            if budget < curve.k_max:
                cells[row, column] = _margin(records, row, column, value, table="A26")
                continue
        elif column.startswith("D"):
            value = curve.points[int(column[1:]) - 1].allocated
        else:
            value = {
                "n": curve.items,
                "K_max": curve.k_max,
                "C_add": curve.calls_added,
                "C_all": curve.calls_all,
            }[column]
        cells[row, column] = recomputed(value, "counted in the item-level outcomes")
    return cells


def table_a27(records: common.Records) -> common.Cells:
    """Scores counted in the item-level outcomes; endpoint counts from the counts of A7."""
    cells: common.Cells = {}
    for benchmark in records.outcomes:
        for system, name in ROW_NAMES.items():
            cells |= _curve_cells(records, benchmark, system, f"{benchmark} / {name}")
        row = f"{benchmark} / Parallel oracle"
        k_max = records.curves[benchmark, "parallel"].k_max
        count, n = evolved_count(records, benchmark, attempts=k_max)
        cells[row, "Panel n"] = recomputed(n, f"items with all {k_max} attempts")
        cells[row, "Evolved score"] = recomputed(Fraction(100 * count, n), f"{count}/{n}")
        end = records.end((GPT, benchmark), EVOLVED_VIEW[benchmark], "test")
        cells[row, "Evolved successes"] = (
            _endpoint(records, benchmark, EVOLVED_VIEW[benchmark], row, "Evolved successes")
            if end.n == n
            else _margin(records, row, "Evolved successes", count)
        )
    return cells | _dynamic_cells(records)


def _curve_cells(records: common.Records, benchmark: str, system: str, row: str) -> common.Cells:
    curve = records.curves[benchmark, system]
    cells: common.Cells = {}
    for k in range(1, curve.k_max + 1):
        support, count = curve.points[k - 1].support, count_at(curve, system, k)
        cells[row, f"K={k} score"] = recomputed(
            Fraction(100 * count, support), f"{count}/{support}"
        )
        column = f"K={k} successes"
        end = records.end((GPT, benchmark), "Parent", "test")
        if k == 1 and system == "sequential":
            other = records.printed.value("A27", f"{benchmark} / Parallel oracle", column)
            cells[row, column] = derived(int(other), "attempt 1 is shared with Parallel")
        elif k == 1 and end.n == support:
            cells[row, column] = _endpoint(records, benchmark, "Parent", row, column)
        else:
            cells[row, column] = _margin(records, row, column, count)
    return cells


def _endpoint(
    records: common.Records, benchmark: str, condition: str, row: str, column: str
) -> object:
    end = records.end((GPT, benchmark), condition, "test")
    printed = records.printed.text("A27", row, column)
    score = records.printed.text("A27", row, column.replace("successes", "score"))
    return recomputed(
        end.k,
        f"{condition} released-test count of A7",
        conflict=(
            f"{benchmark} {condition.lower()}: {end.k}/{end.n} in A7 against "
            f"{printed}/{end.n} in A27, whose percentage {score} follows from {printed}"
        ),
    )


def _margin(
    records: common.Records, row: str, column: str, count: int, *, table: str = "A27"
) -> object:
    printed = records.printed.value(table, row, column)
    verified = "verified" if printed == count else f"NOT met ({count})"
    return transcribed(f"input of the reconstruction; margin {verified} in the item-level records")


def _dynamic_cells(records: common.Records) -> common.Cells:
    benchmark, row = "SearchQA", "SearchQA / dynamic"
    n = records.curves[benchmark, "parallel"].items
    counts = {
        "Parent": attempt_one(records, benchmark),
        "Evolved": evolved_count(records, benchmark)[0],
        "Parallel": dynamic_count(records.curves[benchmark, "parallel"], "parallel"),
        "Sequential": dynamic_count(records.curves[benchmark, "sequential"], "sequential"),
    }
    cells: common.Cells = {(row, "n"): recomputed(n, "counted in the item-level outcomes")}
    for name, count in counts.items():
        change = Fraction(100 * (count - counts["Parent"]), n)
        cells[row, f"{name} score"] = recomputed(Fraction(100 * count, n), f"{count}/{n}")
        cells[row, f"{name} change"] = recomputed(change, f"{count} less {counts['Parent']} of {n}")
        column = f"{name} successes"
        if name in {"Parallel", "Sequential"}:
            cells[row, column] = _margin(records, row, column, count)
        else:
            view = "Parent" if name == "Parent" else EVOLVED_VIEW[benchmark]
            cells[row, column] = _endpoint(records, benchmark, view, row, column)
    return cells


def tables(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of this file by table."""
    return {
        "A4": table_a4(records),
        "A25": table_a25(records),
        "A26": table_a26(records),
        "A27": table_a27(records),
    }
