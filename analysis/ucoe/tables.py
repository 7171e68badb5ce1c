"""Tables 1, 2, 3, 4, 8, 9, 10, 11 and 12: what the printed numbers determine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

from evalkit.studies import attainable, derived, load_module, recomputed, transcribed

common = load_module(Path(__file__).with_name("common.py"))
HALF_HUNDREDTH = Fraction(1, 200)
VERIFIABLE = ("IFBench", "Hard-MATH", "BigCodeBench-Hard")
RATINGS = ("WildBench", "WritingBench")
NATIVE = ("Arena-Hard", *RATINGS, "MultiChallenge", "RefineBench")
ACTORS = ("Qwen3-8B", "Qwen3.8-27B")
DIRECT = "Direct Generation"


def _mean(values: Iterable[Fraction]) -> Fraction:
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def table_1(records: common.Records) -> common.Cells:
    """Preferences are sums of quarter credits; Overall is the mean of the six benchmarks."""
    cells: common.Cells = {}
    for method in (DIRECT, *common.METHODS):
        for benchmark in common.OPEN_ENDED:
            text = records.printed.text("1", method, benchmark)
            cells[method, benchmark] = (
                derived(common.PARITY, "a response against itself: every task is a tie")
                if method == DIRECT
                else transcribed(common.credit_note(text, records.tasks[benchmark]))
            )
        overall = _mean(records.preference(method, b) for b in common.OPEN_ENDED)
        cells[method, "Overall"] = derived(
            overall, "mean of the six printed benchmarks", slack=HALF_HUNDREDTH
        )
    return cells


def table_2(records: common.Records) -> common.Cells:
    """Overall is the mean of three accuracies; their denominators are recovered, not printed."""
    cells: common.Cells = {}
    for row, column in records.printed.keys("2"):
        if column == "Overall":
            overall = _mean(records.printed.value("2", row, b) for b in VERIFIABLE)
            cells[row, column] = derived(
                overall, "mean of the three printed benchmarks", slack=HALF_HUNDREDTH
            )
        else:
            cells[row, column] = transcribed("no number of tasks is printed")
    return cells


def table_3(records: common.Records) -> common.Cells:
    """Arena-Hard ablations."""
    return _credits(records, "3", {"vs. direct": "Arena-Hard"})


def table_4(records: common.Records) -> common.Cells:
    """Task counts are inputs."""
    return {key: transcribed("an input") for key in records.printed.keys("4")}


def table_8(records: common.Records) -> common.Cells:
    """Overall after scaling the two ratings to 100; percentages as counts of tasks."""
    cells: common.Cells = {}
    for row in dict.fromkeys(row for row, _ in records.printed.keys("8")):
        for actor in ACTORS:
            values = [
                records.printed.value("8", row, f"{actor} {b}") * (10 if b in RATINGS else 1)
                for b in NATIVE
            ]
            cells[row, f"{actor} Overall"] = derived(
                _mean(values),
                "mean of five, ratings times 10",
                slack=Fraction(1, 5) * Fraction(1, 20),
            )
            text = records.printed.text("8", row, f"{actor} MultiChallenge")
            note = attainable(text, records.tasks["MultiChallenge"])
            cells[row, f"{actor} MultiChallenge"] = transcribed(note)
    return cells


def table_9(records: common.Records) -> common.Cells:
    """Transfer to other actors: the same credits, and parity of a response with itself."""
    sizes = {
        column: column.rpartition(" ")[2]
        for column in dict.fromkeys(column for _, column in records.printed.keys("9"))
    }
    cells = _credits(records, "9", sizes)
    for column in sizes:
        cells[DIRECT, column] = derived(
            common.PARITY, "a response against itself: every task is a tie"
        )
    return cells


def table_10(records: common.Records) -> common.Cells:
    """Sensitivity: preferences as credits; the default row stands in both blocks."""
    cells = _credits(
        records, "10", {"vs. direct": "Arena-Hard", "Default vs. variant": "Arena-Hard"}
    )
    default, same = "Decision margin 0.01", "Initial candidate count 2"
    for column in ("Worst J", "Accepted", "Updates", "vs. direct"):
        cells[same, column] = derived(
            records.printed.value("10", default, column), "the default row, printed twice"
        )
    for row in (default, same):
        cells[row, "Default vs. variant"] = derived(
            common.PARITY, "the default against itself: every task is a tie"
        )
    for row in dict.fromkeys(row for row, _ in records.printed.keys("10")):
        if row != same:
            cells[row, "Worst J"] = transcribed(_worst_family(records, row))
    return cells


def _worst_family(records: common.Records, row: str) -> str:
    value = records.printed.value("10", row, "Worst J") + Fraction(1, 2)
    half = Fraction(1, 2000)
    n, k = next(
        (n, k) for n in range(2, 1000) for k in range(n + 1) if abs(Fraction(k, n) - value) <= half
    )
    return (
        "every family is judged right throughout"
        if value == 1
        else f"the smallest family that gives it: {k} of {n}, less 1/2"
    )


def table_11(records: common.Records) -> common.Cells:
    """Points as in Table 1; the intervals stand on tasks that are not printed."""
    cells: common.Cells = {}
    for row, column in records.printed.keys("11"):
        if not column.endswith((" low", " high")):
            cells[row, column] = derived(records.preference(row, column), "printed in Table 1")
            continue
        benchmark, _, end = column.rpartition(" ")
        point, bound = records.preference(row, benchmark), records.printed.value("11", row, column)
        inside = bound <= point if end == "low" else bound >= point
        cells[row, column] = transcribed(
            "on its side of the point" if inside else "on the WRONG side of the point"
        )
    return cells


def table_12(records: common.Records) -> common.Cells:
    """Preferences from the counts of better, worse and tied proposals."""
    cells: common.Cells = {}
    for found in records.decisions:
        cells[found.row, "n"] = recomputed(found.n, "better + worse + tie")
        cells[found.row, "Critic preference"] = recomputed(
            found.preference, f"({found.better} + {found.tie}/2) of {found.n}"
        )
    return cells


def _credits(records: common.Records, table: str, benchmarks: Mapping[str, str]) -> common.Cells:
    return {
        (row, column): transcribed(
            common.credit_note(
                records.printed.text(table, row, column), records.tasks[benchmarks[column]]
            )
        )
        for row, column in records.printed.keys(table)
        if column in benchmarks
    }


def tables(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of every table."""
    return {
        "1": table_1(records),
        "2": table_2(records),
        "3": table_3(records),
        "4": table_4(records),
        "8": table_8(records),
        "9": table_9(records),
        "10": table_10(records),
        "11": table_11(records),
        "12": table_12(records),
    }
