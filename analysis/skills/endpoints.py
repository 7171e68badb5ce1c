"""Tables 2, A7, A8, A12, A16, A17 and A18: what counts and selection determine."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.rounding import round_number
from evalkit.studies import derived, load_module, recomputed, transcribed_share

common = load_module(Path(__file__).with_name("common.py"))
VIEWS, GPT, GEMINI, DEEPSEEK = common.VIEWS, common.GPT, common.GEMINI, common.DEEPSEEK

ROUNDED_CELLS = "equal as the difference of scores that were rounded before"
HALF_TENTH = Fraction(1, 20)


def rounded_difference(first: Fraction, second: Fraction, digits: int) -> tuple[Fraction, str]:
    """Return the difference of two scores rounded before, as an alternative."""
    value = Fraction(round_number(first, digits)) - Fraction(round_number(second, digits))
    return value, ROUNDED_CELLS


def table_2(records: common.Records) -> common.Cells:
    """Scores and differences from counts; R and T from panel differences where printed."""
    cells: common.Cells = {}
    for setting in records.settings:
        for condition in ("Parent", *VIEWS):
            row = common.setting_name((*setting, condition))
            for split, column in (("validation", "Validation"), ("test", "Test")):
                end = records.end(setting, condition, split)
                parent = records.end(setting, "Parent", split)
                cells[row, column] = recomputed(end.score, f"{end.k}/{end.n}")
                if condition != "Parent":
                    cells[row, f"{column} delta"] = recomputed(
                        end.score - parent.score,
                        f"{end.k}/{end.n} less {parent.k}/{parent.n}",
                        alternatives=[rounded_difference(end.score, parent.score, 1)],
                    )
            if condition != "Parent":
                cells |= _probe_cells(records, setting, condition, row)
    return cells


def _probe_cells(
    records: common.Records, setting: common.Setting, view: str, row: str
) -> common.Cells:
    parent_row = common.setting_name((*setting, "Parent"))
    cells: common.Cells = {}
    for family in ("R", "T"):
        parent = records.printed.value("2", parent_row, family)
        macro = records.macro((*setting, view), family)
        if macro is None:
            score = records.printed.value("2", row, family)
            cells[row, f"{family} delta"] = derived(
                score - parent, "difference of the two printed scores", slack=2 * HALF_TENTH
            )
        else:
            cells[row, f"{family} delta"] = _macro_cell(records, (*setting, view), family, macro)
            cells[row, family] = derived(
                parent + macro,
                "printed parent score plus the mean of the panel differences",
                slack=HALF_TENTH,
            )
    return cells


def _macro_cell(
    records: common.Records, key: common.RunKey, family: str, macro: Fraction
) -> object:
    return derived(
        macro,
        "mean of the panel differences, as counts",
        alternatives=[records.macro_of_printed(key, family)],
    )


def table_a7(records: common.Records) -> common.Cells:
    """GPT-5.5: scores from counts; counts and auxiliary scores where another cell implies them."""
    cells: common.Cells = {}
    for setting in records.all_settings:
        if setting[0] != GPT:
            continue
        for condition in ("Parent", *VIEWS):
            row = common.setting_name((*setting, condition))
            cells[row, "Best r"] = _best_round(records, setting, condition)
            for split, column in (("validation", "Validation"), ("test", "Test")):
                end = records.end(setting, condition, split)
                cells[row, f"{column} score"] = recomputed(end.score, f"{end.k}/{end.n}")
                cells[row, f"{column} n"] = derived(
                    int(records.printed.value("A1", setting[1], column)), "split size of A1"
                )
            cells |= _parent_validation(records, setting, condition, "A7")
    return cells


def table_a8(records: common.Records) -> common.Cells:
    """Gemini and DeepSeek: parent-identical entries from the parent; the rest attainable or not."""
    cells: common.Cells = {}
    for setting in records.settings:
        if setting[0] == GPT:
            continue
        for condition in ("Parent", *VIEWS):
            row = common.setting_name((*setting, condition))
            cells[row, "Best r"] = _best_round(records, setting, condition)
            for split, column in (("validation", "Validation"), ("test", "Test")):
                text = records.printed.text("A8", row, f"{column} score")
                n = records.splits[setting[1]][split]
                cells[row, f"{column} score"] = transcribed_share(text, n)
            cells |= _parent_validation(records, setting, condition, "A8")
    return cells


def _best_round(records: common.Records, setting: common.Setting, condition: str) -> object:
    if condition == "Parent":
        return derived(0, "the parent is round 0")
    return recomputed(
        records.replays[(*setting, condition)].best_round, "replayed from the run's history"
    )


def _parent_validation(
    records: common.Records, setting: common.Setting, condition: str, table: str
) -> common.Cells:
    """Return the validation entries that a parent-identical view shares with its parent."""
    if condition == "Parent" or records.improved(setting, condition):
        return {}
    row = common.setting_name((*setting, condition))
    parent = common.setting_name((*setting, "Parent"))
    columns = (
        ("Validation successes", "Validation aux")
        if table == "A7"
        else (*("Validation score", "Validation aux"),)
    )
    note = "the view kept the parent's artifact, so the parent's validation entry"
    found = {column: records.printed.get(table, parent, column) for column in columns}
    return {(row, c): derived(value, note) for c, value in found.items() if value is not None}


def table_a12(records: common.Records) -> common.Cells:
    """Two of the seven models are primary ones; two stand in A21 as well."""
    cells: common.Cells = {}
    for model in (GEMINI, DEEPSEEK):
        setting = (model, "SearchQA")
        gap = records.gaps[setting]
        test = {c: records.end(setting, c, "test").score for c in ("Parent", *VIEWS)}
        cells[model, "Selected r"] = recomputed(records.selected_round(setting), "replayed")
        for split, column in (("validation", "Val. delta"), ("test", "Test delta")):
            delta = records.delta(setting, gap.selected, split)
            cells[model, column] = recomputed(delta, "from counts")
        cells[model, "Selection gap"] = recomputed(
            test[gap.best[0]] - test[gap.selected], "from counts"
        )
    for model, case in (
        ("Claude Opus 4.8", "Claude Opus / SearchQA / 7"),
        ("Qwen3.5-Plus", "Qwen3.5-Plus / SearchQA / 3"),
    ):
        before, after = (
            records.printed.value("A21", case, f"Validation {when}") for when in ("before", "after")
        )
        cells[model, "Val. delta"] = derived(after - before, "validation scores of A21")
        cells[model, "Test delta"] = derived(
            records.printed.value("A21", case, "Test delta"), "printed in A21"
        )
        cells[model, "Selected r"] = derived(int(case.rpartition("/")[2]), "round of A21")
    items = {"GLM-5.1": 1398, "Qwen3.5-Plus": 1397}
    for row in records.labels("A12_labels"):
        model = row["model"]
        if row["selected_view"] == row["test_best_view"]:
            cells.setdefault(
                (model, "Selection gap"), derived(0, "the selected view is the test-best one")
            )
        sizes = {"Val. delta": 200, "Test delta": items.get(model, 1400)}
        sizes["Selection gap"] = sizes["Test delta"]
        for column, n in sizes.items():
            text = records.printed.text("A12", model, column)
            cells.setdefault((model, column), transcribed_share(text, n))
    return cells


def table_a16(records: common.Records) -> common.Cells:
    """Return selection gaps, parent-identical views sharing the parent's entry."""
    cells: common.Cells = {}
    for setting in records.settings:
        row, gap = common.setting_name(setting), records.gaps[setting]
        parent = records.end(setting, "Parent", "test").score
        chosen = records.end(setting, gap.selected, "test").score
        best = records.end(setting, gap.best[0], "test").score
        tie = records.tie_note(setting)
        cells[row, "Val.-selected test delta"] = recomputed(
            chosen - parent,
            "; ".join(filter(None, (gap.selected, tie))),
            alternatives=[rounded_difference(chosen, parent, 1)],
        )
        cells[row, "Test-best test delta"] = recomputed(
            best - parent,
            " / ".join(gap.best),
            alternatives=[rounded_difference(best, parent, 1)],
        )
        printed_deltas = Fraction(round_number(best - parent, 1)) - Fraction(
            round_number(chosen - parent, 1)
        )
        cells[row, "Selection gap"] = recomputed(
            best - chosen,
            f"{' / '.join(gap.best)} less {gap.selected}, from counts",
            alternatives=[(printed_deltas, "equal as the difference of the two rounded deltas")],
        )
    return cells


def table_a17(records: common.Records) -> common.Cells:
    """Return the 11 selected skills: rounds and differences."""
    cells: common.Cells = {}
    for setting in records.evolved_settings:
        row, view = common.setting_name(setting), records.selections[setting].selected
        tie = records.tie_note(setting)
        cells[row, "Selected r"] = recomputed(records.selected_round(setting), tie)
        for split, column in (("validation", "Validation delta"), ("test", "Test delta")):
            pair = [records.end(setting, c, split).score for c in (view, "Parent")]
            cells[row, column] = recomputed(
                pair[0] - pair[1], "from counts", alternatives=[rounded_difference(*pair, 1)]
            )
        for family in ("R", "T"):
            macro = records.macro((*setting, view), family)
            if macro is not None:
                key = (*setting, view)
                cells[row, f"{family} delta"] = _macro_cell(records, key, family, macro)
    return cells


def table_a18(records: common.Records) -> common.Cells:
    """Return rounds of the 11 selected skills."""
    return {
        (common.setting_name(s), "Selected r"): recomputed(
            records.selected_round(s), records.tie_note(s)
        )
        for s in records.evolved_settings
    }


def tables(records: common.Records) -> dict[str, common.Cells]:
    """Return the cells of this file by table."""
    return {
        "2": table_2(records),
        "A7": table_a7(records),
        "A8": table_a8(records),
        "A12": table_a12(records),
        "A16": table_a16(records),
        "A17": table_a17(records),
        "A18": table_a18(records),
    }
