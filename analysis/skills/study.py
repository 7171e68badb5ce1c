"""The skills study: every printed number that its records determine, and what the paper lacks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from evalkit.studies import (
    StudyOutput,
    check_claims,
    check_table,
    load_module,
    number_of,
    reproduced_table,
)
from evalkit.tables import Cell, Row, Table, with_note

HERE = Path(__file__)
PARTS = ("endpoints", "dynamics", "probes", "scaling_tables")
CAPTIONS = {
    "2": "Table 2: scores and differences by model, benchmark and feedback view",
    "3": "Table 3: settings improved or selected by each view",
    "A1": "Table A1: split sizes",
    "A4": "Table A4: splits and test-time-scaling budgets",
    "A6": "Table A6: probe panel sizes",
    "A7": "Table A7: GPT-5.5 validation and released test",
    "A8": "Table A8: Gemini and DeepSeek validation and released test",
    "A9": "Table A9: evolution summary by run",
    "A10": "Table A10: candidate yield by round",
    "A11": "Table A11: search outcomes by feedback evidence",
    "A12": "Table A12: seven more SearchQA models",
    "A13": "Table A13: repeated deployment",
    "A14": "Table A14: GPT-5.5 probe differences",
    "A15": "Table A15: probe differences of the selected skills",
    "A16": "Table A16: selection gaps on the released test",
    "A17": "Table A17: observed differences of the selected skills",
    "A18": "Table A18: rounds of the selected skills",
    "A19": "Table A19: OfficeQA case study, validation",
    "A20": "Table A20: SpreadsheetBench case study, validation",
    "A21": "Table A21: Success-only cases",
    "A22": "Table A22: GPT-5.5 SearchQA Normal, round by round",
    "A23": "Table A23: Gemini SpreadsheetBench Normal, round by round",
    "A24": "Table A24: DeepSeek LiveMath, round by round",
    "A25": "Table A25: test-time-scaling differences at maximum budget",
    "A26": "Table A26: allocations and calls",
    "A27": "Table A27: test-time-scaling results",
    "A28": "Table A28: verifier sensitivity",
}
METHODS = (
    (
        "Every printed number is compared with a value computed from the lowest-level records that "
        "the paper determines: counts of successes, histories of runs, round-by-round traces, "
        "panel "
        "differences as whole counts, and item-level outcomes of the scaling controls. Values stay "
        "exact fractions until they are rounded half up to the printed digits."
    ),
    (
        "Runs are replayed from validation scores where these are printed and from the recorded "
        "decision elsewhere. A new best needs a strictly higher validation score and other "
        "bytes. A "
        "view is selected by validation score, then auxiliary score; ties that remain follow the "
        "choice marked in Table A9."
    ),
    (
        "Counts of Gemini and DeepSeek are the only integers whose percentage prints as in A8. "
        "Panel "
        "differences are the only whole numbers of successes, out of three deployments of n items, "
        "that print as in A14 and A15; R and T are means of these. Item-level outcomes are "
        "reconstructed: they have every margin of A26 and A27, while the joint law of attempts is "
        "free, so nothing here uses it."
    ),
)
LEFT_OUT = (
    "Tables 1, A2, A3 and A5 hold no result figures.",
    (
        "Parent scores on R and T, auxiliary scores and most validation scores of single rounds "
        "have "
        "nothing printed below them; they are transcribed, percentages with an attainability check."
    ),
    (
        "Inner new-best rounds of six runs are one of 79 placements that add up to Table A10; the "
        "totals, the first and the best rounds do not depend on the choice."
    ),
    "No paired test: the paper prints no item-level outcomes of parents and evolved skills.",
)


def build(fixtures: Path) -> StudyOutput:
    """Compute the study from ``fixtures/skills``."""
    common, claims, added, drawings, findings = (
        load_module(HERE.with_name(f"{name}.py"))
        for name in ("common", "claims", "added", "drawings", "findings")
    )
    records = common.Records(fixtures)
    computed: dict[str, object] = {}
    for name in PARTS:
        computed |= load_module(HERE.with_name(f"{name}.py")).tables(records)
    cells = {
        table: check_table(numbers, computed.get(table, {}))
        for table, numbers in records.printed.tables.items()
    }
    tables = {
        f"table{name}": reproduced_table(checked, caption=CAPTIONS[name])
        for name, checked in cells.items()
    }
    tables["table2"] = _marked(tables["table2"], records)
    found = findings.findings(records)
    return StudyOutput(
        title="Rethinking Self-Evolving Agent Skills: the printed numbers, recomputed",
        source="Rethinking Self-Evolving Agent Skills: Feedback Dynamics over Multiple Rounds",
        summary=(
            "One printed count contradicts another, and "
            f"{sum(f.status == 'contradiction' for f in found) - 1} statements contradict what the "
            "tables show; the headline counts (55 of 388, 11 of 14, 9 of 11) are right."
        ),
        cells=tuple(cell for checked in cells.values() for cell in checked),
        claims=check_claims(
            records.reported_folder / "claims.csv",
            claims.values(records),
            reasons=claims.reasons(records),
        ),
        tables={**added.tables(records), **tables},
        figures=drawings.figures(records),
        findings=found,
        methods=METHODS,
        left_out=LEFT_OUT,
    )


def _marked(table: Table, records: object) -> Table:
    """Mark Table 2 as the paper does: selected condition bold, best of a metric underlined."""
    selected = {s: choice.selected for s, choice in records.selections.items()}  # type: ignore[attr-defined]
    metrics = [i for i, c in enumerate(table.columns) if c.key in {"Validation", "Test", "R", "T"}]
    rows = []
    for row in table.rows:
        setting = tuple((row.group or "").split(" / "))
        bold = selected[setting] == row.cells[0].value
        best = {i: _best(table, row.group, i) for i in metrics}
        rows.append(
            Row(
                cells=tuple(
                    replace(cell, bold=bold, underline=i in best and _value(cell) == best[i])
                    for i, cell in enumerate(row.cells)
                ),
                group=row.group,
            )
        )
    note = "Bold: selected by validation. Underlined: best of the metric within the setting."
    return with_note(replace(table, rows=tuple(rows)), note)


def _best(table: Table, group: str | None, column: int) -> Fraction:
    return max(_value(row.cells[column]) for row in table.rows if row.group == group)


def _value(cell: Cell) -> Fraction:
    return number_of(str(cell.value))
