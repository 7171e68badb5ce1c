"""Numbers of the running text: equal to the tables, or to sums of the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evalkit.studies import derived, load_module

common = load_module(Path(__file__).with_name("common.py"))

CELLS: Mapping[str, tuple[str, str, str]] = {
    "rq1-finance-duet": ("1", "Solver / DUET", "Finance"),
    "rq1-finance-a0": ("1", "Solver / A0", "Finance"),
    "rq1-finance-skillopt": ("1", "Solver / SkillOpt", "Finance"),
    "rq1-finance-gepa": ("1", "Solver / GEPA", "Finance"),
    "rq1-finance-skillopt-oracle": ("1", "Solver / SkillOpt (G*)", "Finance"),
    "rq1-finance-gepa-oracle": ("1", "Solver / GEPA (G*)", "Finance"),
    "rq1-tau2-duet": ("1", "Solver / DUET", "tau2"),
    "rq1-tau2-a0": ("1", "Solver / A0", "tau2"),
    "rq1-tau2-skillopt": ("1", "Solver / SkillOpt", "tau2"),
    "rq1-tau2-gepa": ("1", "Solver / GEPA", "tau2"),
    "rq1-tau2-skillopt-oracle": ("1", "Solver / SkillOpt (G*)", "tau2"),
    "rq1-tau2-gepa-oracle": ("1", "Solver / GEPA (G*)", "tau2"),
    "rq2-finance-g0": ("1", "Grader / G0", "Finance"),
    "rq2-finance-duet": ("1", "Grader / DUET", "Finance"),
    "rq2-gdpval-g0": ("1", "Grader / G0", "GDPval"),
    "rq2-gdpval-duet": ("1", "Grader / DUET", "GDPval"),
    "rq2-tau2-g0": ("1", "Grader / G0", "tau2"),
    "rq2-tau2-duet": ("1", "Grader / DUET", "tau2"),
    "rq2-spreadsheet-g0": ("1", "Grader / G0", "SpreadsheetBench"),
    "rq2-spreadsheet-duet": ("1", "Grader / DUET", "SpreadsheetBench"),
    "rq3-duet-skills": ("2", "DUET", "Prompt + skills"),
    "rq3-duet-prompt": ("2", "DUET", "Prompt only"),
    "rq3-skillopt-skills": ("2", "SkillOpt", "Prompt + skills"),
    "rq3-gepa-skills": ("2", "GEPA", "Prompt + skills"),
    "rq5-adversarial-initial": ("4", "Adversarial", "Initial solver"),
    "rq5-adversarial-duet": ("4", "Adversarial", "DUET solver"),
    "c9-informed-initial": ("4", "Informed", "Initial solver"),
    "c9-informed-duet": ("4", "Informed", "DUET solver"),
    "c9-informed-grader-initial": ("4", "Informed", "Initial grader"),
    "c9-informed-grader-duet": ("4", "Informed", "DUET grader"),
    "rq6-duet-solver": ("1", "Solver / DUET", "Finance"),
    "rq6-duet-grader": ("1", "Grader / DUET", "Finance"),
    "rq6-grader-before": ("1", "Grader / G0", "Finance"),
    "c8-tau2-before": ("7", "Solver / A0", "tau2"),
    "c8-tau2-after": ("7", "Solver / DUET", "tau2"),
    "c8-spreadsheet-grader-before": ("7", "Grader / G0", "SpreadsheetBench"),
    "c8-spreadsheet-grader-after": ("7", "Grader / DUET", "SpreadsheetBench"),
}
"""Claims that repeat a printed cell."""
REASONS = {
    "rq5-prompt-kept": "the prompts' tokens are not printed",
    "rq6-grader-only": "printed in Figure 3 only as a drawing",
    "rq7-solver-before": "printed in Figure 3 only as a drawing",
    "rq7-grader-before": "printed in Figure 3 only as a drawing",
    "rq8-solver-before": "printed in Figure 3 only as a drawing",
    "rq8-grader-before": "printed in Figure 3 only as a drawing",
    "c2-spreadsheet-evaluable": "an input",
    "c4-gdpval-tasks": "the pairs' tasks are not listed",
    "c6-patience": "a setting",
}


def values(records: common.Records) -> dict[str, common.Computed]:
    """Return the value of every claim that the tables determine."""
    found = {
        claim: derived(records.printed.value(*cell), f"Table {cell[0]}")
        for claim, cell in CELLS.items()
    }
    gain = records.printed.value("1", "Grader / DUET", "GDPval") - records.printed.value(
        "1", "Grader / G0", "GDPval"
    )
    found["rq2-gdpval-gain"] = derived(gain, "difference of the two cells of Table 1")
    for benchmark, claim in (
        ("SpreadsheetBench", "c2-spreadsheet-tasks"),
        ("GDPval", "c2-gdpval-tasks"),
        ("tau2", "c2-tau2-tasks"),
        ("Finance", "c2-finance-tasks"),
    ):
        total = sum(
            records.printed.value("splits", benchmark, part)
            for part in ("Train", "Validation", "Test")
        )
        found[claim] = derived(total, "train, validation and test together")
    for benchmark in common.BENCHMARKS:
        pairs = records.printed.value("splits", benchmark, "Grader pairs")
        found[f"c4-{benchmark.lower()}-pairs"] = derived(pairs, "splits")
    found["rq1-wins"] = derived(_first_places(records), "benchmarks where DUET is largest")
    return found


def _first_places(records: common.Records) -> int:
    rows = [f"Solver / {name}" for name in ("A0", "SkillOpt", "GEPA", "SkillOpt (G*)", "GEPA (G*)")]
    return sum(
        all(
            records.printed.value("1", "Solver / DUET", b) > records.printed.value("1", row, b)
            for row in rows[:3]
        )
        for b in common.BENCHMARKS
    )
