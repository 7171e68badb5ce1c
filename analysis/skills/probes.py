"""Tables A13 to A15 and A28: panels of repeated deployments and of two verifiers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.studies import (
    attainable,
    derived,
    load_module,
    recomputed,
    transcribed,
    transcribed_share,
)

common = load_module(Path(__file__).with_name("common.py"))
GPT = common.GPT


def table_a13(records: common.Records) -> common.Cells:
    """Three repeats an artifact: the mean, and the evolved score, from whole counts."""
    conditions = {row["benchmark"]: row["condition"] for row in records.labels("A13_labels")}
    cells: common.Cells = {}
    for row in records.rows("repeats"):
        benchmark, n = row["benchmark"], int(row["n"])
        view = conditions[benchmark]
        note = ""
        if view == "Parent skill":
            view, note = (
                "Normal",
                "an independent execution of the parent; Normal's and Fail-only's agree",
            )
        delta = records.delta((GPT, benchmark), view, "test")
        cells[benchmark, "Test delta"] = recomputed(delta, note or f"{view}, from counts")
        repeats = [_units(row[f"Repeat delta {i}"], n) for i in (1, 2, 3)]
        mean = Fraction(100 * sum(repeats), 3 * n)
        parent = Fraction(100 * _units(row["Parent"], 3 * n), 3 * n)
        cells[benchmark, "Mean delta"] = derived(mean, f"mean of three repeats, counts out of {n}")
        cells[benchmark, "Evolved"] = derived(
            parent + mean, f"parent plus mean difference, counts out of {3 * n}"
        )
        for i in (1, 2, 3):
            cells[benchmark, f"Repeat delta {i}"] = transcribed_share(row[f"Repeat delta {i}"], n)
        cells[benchmark, "Parent"] = transcribed_share(row["Parent"], n, deployments=3)
    return cells


def _units(text: str, n: int) -> int:
    """Return the whole number of items nearest to a printed percentage of n."""
    return round(Fraction(text) * n / 100)


def table_a14(records: common.Records) -> common.Cells:
    """GPT-5.5 panels: sizes from A6, differences attainable or not."""
    cells: common.Cells = {}
    for row, column in records.printed.keys("A14"):
        benchmark = row.split(" / ")[0]
        panel, _, what = column.partition(" ")
        if what == "n":
            size = records.printed.get("A6", benchmark, column)
            if size is not None:
                cells[row, column] = derived(int(size), "panel size of A6")
        else:
            n = int(records.printed.value("A14", row, f"{panel} n"))
            text = records.printed.text("A14", row, column)
            cells[row, column] = transcribed_share(text, n, deployments=common.DEPLOYMENTS)
    return cells


def table_a15(records: common.Records) -> common.Cells:
    """Return the 11 selected skills: GPT-5.5 panels from A14, R and T from the panels."""
    views = {(r["model"], r["benchmark"]): r["view"] for r in records.labels("A15_labels")}
    cells: common.Cells = {}
    for row, column in records.printed.keys("A15"):
        model, benchmark = row.split(" / ")
        setting = (model, benchmark)
        key = (*setting, views[setting])
        panel = column.partition(" ")[0]
        if column == "Selected r":
            cells[row, column] = recomputed(
                records.selected_round(setting), records.tie_note(setting)
            )
        elif column in {"R", "T"}:
            macro = records.macro(key, column)
            panels = [name for name in records.probes[key] if name[0] == column]
            cells[row, column] = derived(
                macro,
                f"mean of {', '.join(panels)}, as counts",
                alternatives=[records.macro_of_printed(key, column)],
            )
        elif model == GPT:
            source = records.printed.value("A14", f"{benchmark} / {views[setting]}", column)
            cells[row, column] = derived(source, "printed in A14")
        else:
            n = records.probes[key][panel].n * common.DEPLOYMENTS
            cells[row, column] = transcribed(
                attainable(records.printed.text("A15", row, column), n) + ", n of A6"
            )
    return cells


def table_a28(records: common.Records) -> common.Cells:
    """Two verifiers on locked outputs: the difference of the two gains."""
    cells: common.Cells = {}
    for row in records.rows("sensitivity"):
        benchmark = row["benchmark"]
        gains = [Fraction(row[f"Delta V{i}"]) for i in (0, 1)]
        cells[benchmark, "Diff."] = derived(gains[1] - gains[0], "V1 gain less V0 gain")
        for i in (0, 1):
            cells[benchmark, f"Delta V{i}"] = transcribed_share(row[f"Delta V{i}"], 100)
    return cells


def tables(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of this file by table."""
    return {
        "A13": table_a13(records),
        "A14": table_a14(records),
        "A15": table_a15(records),
        "A28": table_a28(records),
    }
