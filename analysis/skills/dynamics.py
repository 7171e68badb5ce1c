"""Tables 3, A9 to A11 and A19 to A24: what histories and traces determine."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.studies import derived, load_module, recomputed, transcribed_share

common = load_module(Path(__file__).with_name("common.py"))
VIEWS, GPT, GEMINI, DEEPSEEK = common.VIEWS, common.GPT, common.GEMINI, common.DEEPSEEK

TRACES = {
    ("A22", ""): (GPT, "SearchQA", "Normal"),
    ("A23", ""): (GEMINI, "SpreadsheetBench", "Normal"),
    ("A24", "Normal / "): (DEEPSEEK, "LiveMath", "Normal"),
    ("A24", "Success-only / "): (DEEPSEEK, "LiveMath", "Success-only"),
}
SOLVED = (
    "inner new bests of six runs were placed by solving this row; "
    "attempts and totals do not depend on it"
)


def table_3(records: common.Records) -> common.Cells:
    """Count settings in which a view is selected, or improves with an artifact of its own."""
    cells: common.Cells = {}
    for view in VIEWS:
        byte_distinct = [s for s in records.settings if records.improved(s, view)]
        cells[view, "Selected"] = recomputed(_selected(records, (view,)))
        for split, column in (("validation", "Val. up"), ("test", "Test up")):
            wins = sum(records.delta(s, view, split) > 0 for s in byte_distinct)
            cells[view, column] = recomputed(wins, "byte-distinct views only")
        for family, column in (("R", "Robust. up"), ("T", "Transfer up")):
            rows = [common.setting_name((*s, view)) for s in byte_distinct]
            wins = sum(records.printed.value("2", row, f"{family} delta") > 0 for row in rows)
            cells[view, column] = derived(wins, f"{family} differences of Table 2")
    return cells


def _selected(records: common.Records, views: tuple[str, ...]) -> int:
    return sum(records.selections[s].selected in views for s in records.settings)


def table_a9(records: common.Records) -> common.Cells:
    """Return what A7, A8, A19 and the traces say about each run."""
    cells: common.Cells = {}
    traced = {run: (table, prefix) for (table, prefix), run in TRACES.items()}
    for run in records.runs:
        row = " / ".join(run)
        source = "A7" if run[0] == GPT else "A8"
        best = int(records.printed.value(source, row, "Best r"))
        cells[row, "Best r"] = derived(best, f"best r of {source}")
        count = int(records.printed.value("A9", row, "New bests"))
        if best == 0:
            cells[row, "New bests"] = derived(0, f"best r is 0 in {source}")
        elif count == 1 and records.printed.get("A9", row, "First new best") is not None:
            cells[row, "First new best"] = derived(best, "the only new best is the best")
        if run in traced:
            table, prefix = traced[run]
            cells |= _from_trace(records, table, prefix, row)
    office = f"{GPT} / OfficeQA / Normal"
    note = "rounds 1, 8 and 9, from the text and A19"
    cells[office, "First new best"] = derived(1, note)
    cells[office, "New bests"] = derived(3, note)
    return cells


def _from_trace(records: common.Records, table: str, prefix: str, row: str) -> common.Cells:
    steps = [
        (label["row"].removeprefix(prefix), label["gate"])
        for label in records.labels(f"{table}_labels")
        if label["row"].startswith(prefix)
    ]
    rounds = [int(name) for name, _ in steps if name.isdigit()]
    new_bests = [int(name) for name, gate in steps if gate == "New best"]
    note = f"from the trace in {table}"
    cells = {
        (row, "Executed rounds"): derived(max(rounds), note),
        (row, "New bests"): derived(len(new_bests), note),
    }
    if new_bests:
        cells[row, "First new best"] = derived(new_bests[0], note)
    return cells


def table_a10(records: common.Records) -> common.Cells:
    """Yield by round."""
    cells: common.Cells = {}
    for entry in records.accounting.by_round:
        column = str(entry.round)
        share = Fraction(100 * entry.new_bests, entry.attempted)
        cells["Candidates attempted", column] = recomputed(entry.attempted)
        cells["New-best events", column] = recomputed(entry.new_bests, SOLVED)
        cells["Per-round yield (%)", column] = recomputed(share, SOLVED)
        cells["Cumulative events", column] = recomputed(entry.cumulative, SOLVED)
    return cells


def table_a11(records: common.Records) -> common.Cells:
    """Search outcomes by feedback evidence."""
    groups = {group.by["view"]: group for group in records.accounting.groups}
    cells: common.Cells = {}
    for row, views in (*((v, (v,)) for v in VIEWS), ("Failure-containing", VIEWS[:2])):
        chosen = [groups[view] for view in views]
        runs, candidates, new_bests, improved = (
            sum(getattr(group, name) for group in chosen)
            for name in ("runs", "candidates", "new_bests", "runs_improved")
        )
        cells[row, "Runs"] = recomputed(runs)
        cells[row, "Candidates"] = recomputed(candidates)
        cells[row, "New bests"] = recomputed(new_bests)
        cells[row, "Yield"] = recomputed(Fraction(100 * new_bests, candidates))
        cells[row, "Runs improved"] = recomputed(improved)
        cells[row, "Runs improved of"] = recomputed(runs)
        cells[row, "Selected"] = recomputed(_selected(records, views))
    return cells


def case_studies(records: common.Records) -> dict[str, common.Cells]:
    """Return validation scores of the case studies in A19, A20 and A21."""

    def best(benchmark: str, view: str) -> object:
        end = records.end((GPT, benchmark), view, "validation")
        return recomputed(end.score, f"{end.k}/{end.n}, the best round of the run")

    n = records.splits["OfficeQA"]["validation"]
    a19 = {
        ("Normal / 9", "Validation"): best("OfficeQA", "Normal"),
        ("Fail-only / 8", "Validation"): best("OfficeQA", "Fail-only"),
    }
    for row in ("Normal / 8", "Normal / 10"):
        text = records.printed.text("A19", row, "Validation")
        a19[row, "Validation"] = transcribed_share(text, n)
    a20 = {
        ("Normal / 3", "Validation"): best("SpreadsheetBench", "Normal"),
        ("Fail-only / 6", "Validation"): best("SpreadsheetBench", "Fail-only"),
    }
    parent = records.end((DEEPSEEK, "LiveMath"), "Parent", "validation")
    row = "DeepSeek / LiveMath / 3"
    a21 = {
        (row, "Validation before"): recomputed(parent.score, f"{parent.k}/{parent.n}"),
        (row, "Validation after"): derived(
            records.printed.value("A24", "Success-only / 3", "Validation"), "round 3 of A24"
        ),
    }
    for key in records.printed.keys("A21"):
        size = 200 if key[1].startswith("Validation") else 1397 if "Qwen" in key[0] else 1400
        a21.setdefault(key, transcribed_share(records.printed.text("A21", *key), size))
    return {"A19": a19, "A20": a20, "A21": a21}


def traces(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of the complete traces."""
    found: dict[str, common.Cells] = {"A22": {}, "A23": {}, "A24": {}}
    for (table, prefix), run in TRACES.items():
        found[table] |= _trace(records, table, prefix, run)
    return found


def _trace(records: common.Records, table: str, prefix: str, run: common.RunKey) -> common.Cells:
    batch = min(40, records.splits[run[1]]["train"])
    result = records.replays[run]
    best_at = {0: 0, **{step.round: step.best_round for step in result.steps}}
    ends = {0: "Parent", result.best_round: run[2] if result.best_round else "Parent"}
    n = records.splits[run[1]]["validation"]
    cells: common.Cells = {}
    for row, column in records.printed.keys(table):
        if not row.startswith(prefix):
            continue
        name = row.removeprefix(prefix)
        number = int(name) if name.isdigit() else result.run.rounds
        text = records.printed.text(table, row, column)
        if column == "Best r":
            cells[row, column] = recomputed(best_at[number], "replayed from validation scores")
        elif column == "Failures used":
            used = records.printed.value(table, row, "Successes used")
            cells[row, column] = derived(batch - int(used), f"{batch} trajectories a round")
        elif column == "Validation" and number in ends:
            end = records.end(run[:2], ends[number], "validation")
            cells[row, column] = recomputed(end.score, f"{end.k}/{end.n}")
        elif column == "Validation":
            cells[row, column] = transcribed_share(text, n)
    return cells


def tables(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of this file by table."""
    return {
        "3": table_3(records),
        "A9": table_a9(records),
        "A10": table_a10(records),
        "A11": table_a11(records),
        **case_studies(records),
        **traces(records),
    }
