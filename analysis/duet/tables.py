"""Tables 1 to 11 and Figure 3: attainability of what is printed once, equality of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evalkit.studies import derived, load_module, transcribed
from evalkit.studies.cells import attainable

common = load_module(Path(__file__).with_name("common.py"))

AGENTS = {"Solver": "Solver", "Grader": "Grader"}
FINANCE = "Finance"
REPEATS: Mapping[str, Mapping[tuple[str, str], tuple[str, str]]] = {
    "2": {
        (method, "Prompt only"): (f"Solver / {method}", "tau2")
        for method in ("SkillOpt", "GEPA", "DUET")
    },
    "3": {
        (row, "Opus 4.8"): (row, FINANCE)
        for row in (
            "Solver / A0",
            "Solver / SkillOpt",
            "Solver / GEPA",
            "Solver / DUET",
            "Grader / G0",
            "Grader / DUET",
        )
    },
    "4": {
        ("Empty", "Initial solver"): ("Solver / A0", FINANCE),
        ("Empty", "DUET solver"): ("Solver / DUET", FINANCE),
        ("Empty", "Initial grader"): ("Grader / G0", FINANCE),
        ("Empty", "DUET grader"): ("Grader / DUET", FINANCE),
    },
    "8": {
        (method, "Accuracy"): (f"Solver / {method}", "SpreadsheetBench")
        for method in ("A0", "SkillOpt", "GEPA", "DUET")
    },
    "9": {("4 to 2", agent): (f"{agent} / DUET", FINANCE) for agent in AGENTS},
    "10": {("c = 0.01", agent): (f"{agent} / DUET", FINANCE) for agent in AGENTS},
    "11": {("Validation-selected", agent): (f"{agent} / DUET", "GDPval") for agent in AGENTS},
    "F3": {("DUET", agent): (f"{agent} / DUET", FINANCE) for agent in AGENTS},
}
"""Cells that print a number of Table 1 again: (row, column) -> row and column of Table 1."""
TESTED: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "2": {"Prompt + skills": ("Solver", "tau2")},
    "4": {
        "Initial solver": ("Solver", FINANCE),
        "DUET solver": ("Solver", FINANCE),
        "Initial grader": ("Grader", FINANCE),
        "DUET grader": ("Grader", FINANCE),
    },
    "9": {"Solver": ("Solver", FINANCE), "Grader": ("Grader", FINANCE)},
    "10": {"Solver": ("Solver", FINANCE), "Grader": ("Grader", FINANCE)},
    "11": {"Solver": ("Solver", "GDPval"), "Grader": ("Grader", "GDPval")},
}
"""Columns with means and standard deviations over three seeds: agent and benchmark."""


def _repeated(records: common.Records, table: str) -> common.Cells:
    cells: common.Cells = {}
    for (row, column), (first_row, first_column) in REPEATS.get(table, {}).items():
        for suffix in ("", " sd"):
            if (row, f"{column}{suffix}") in records.printed.keys(table):
                value = records.printed.value("1", first_row, f"{first_column}{suffix}")
                cells[row, f"{column}{suffix}"] = derived(value, "printed in Table 1")
    return cells


def table_1(records: common.Records) -> common.Cells:
    """Means and standard deviations over three seeds."""
    cells: common.Cells = {}
    for row in dict.fromkeys(row for row, _ in records.printed.keys("1")):
        for benchmark in common.BENCHMARKS:
            score = records.score("1", row, benchmark, row.partition(" ")[0], benchmark)
            cells[row, benchmark] = common.mean_cell(score)
            cells[row, f"{benchmark} sd"] = common.sd_cell(score)
    return cells


def table_over_seeds(records: common.Records, table: str) -> common.Cells:
    """Return a later table: repeats of Table 1, and attainability of the rest."""
    cells = _repeated(records, table)
    for column, (agent, benchmark) in TESTED[table].items():
        for row in dict.fromkeys(row for row, _ in records.printed.keys(table)):
            if (row, column) not in cells:
                score = records.score(table, row, column, agent, benchmark)
                cells[row, column] = common.mean_cell(score)
                cells[row, f"{column} sd"] = common.sd_cell(score)
    return cells


def table_3(records: common.Records) -> common.Cells:
    """Two models on Finance; the number of runs of the second is not printed."""
    cells = _repeated(records, "3")
    for row, column in records.printed.keys("3"):
        if column == "Sonnet 4.6":
            cells[row, column] = _unknown_seeds(records, "3", row, column, FINANCE)
    return cells


def table_7(records: common.Records) -> common.Cells:
    """GPT-5.6 Sol; the number of runs is not printed."""
    return {
        (row, column): _unknown_seeds(records, "7", row, column, column)
        for row, column in records.printed.keys("7")
    }


def figure_3(records: common.Records) -> common.Cells:
    """Ablations of Figure 3 as the text gives them."""
    cells = _repeated(records, "F3")
    for row, column in records.printed.keys("F3"):
        if (row, column) in cells:
            continue
        n, kind = records.size(column, FINANCE)
        score = common.Score(mean=records.printed.text("F3", row, column), sd="0.0", n=n, kind=kind)
        cells[row, column] = common.mean_cell(score)
    return cells


def table_8(records: common.Records) -> common.Cells:
    """Accuracy of Table 1; tokens and calls stand alone."""
    cells = _repeated(records, "8")
    for key in records.printed.keys("8"):
        cells.setdefault(key, transcribed("nothing lower is printed"))
    return cells


def splits(records: common.Records) -> common.Cells:
    """Sizes are inputs; the reported test is the test less what cannot be evaluated."""
    return {key: transcribed("an input") for key in records.printed.keys("splits")}


def _unknown_seeds(
    records: common.Records, table: str, row: str, column: str, benchmark: str
) -> common.Computed:
    n, kind = records.size(row.partition(" ")[0], benchmark)
    text = records.printed.text(table, row, column)
    if n is None:
        return transcribed("a mean of rubric scores: any value is possible")
    steps = n * common.CREDITS[kind]
    fits = [
        seeds for seeds in range(1, 6) if attainable(text, steps * seeds).startswith("attainable:")
    ]
    seeds = ", ".join(map(str, fits)) or "none of 1 to 5"
    return transcribed(f"number of runs not printed; attainable with {seeds} of {n} items")


def tables(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of every table."""
    return {
        "1": table_1(records),
        "3": table_3(records),
        "7": table_7(records),
        "8": table_8(records),
        "F3": figure_3(records),
        "splits": splits(records),
        **{name: table_over_seeds(records, name) for name in TESTED},
    }
