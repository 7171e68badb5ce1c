"""The skills study: recomputed, committed and reported numbers agree, and depend on the records."""

import collections
import csv
import json
import re
from fractions import Fraction

import pytest

from evalkit.studies import build_study, load_reported, reproduce, sum_line

ISSUE_TABLES = {"2", "3", *(f"A{i}" for i in range(7, 17)), *(f"A{i}" for i in range(22, 29))}


def by_key(output):
    """Return cells by table, row and column."""
    return {(c.table, c.row, c.column): c for c in output.cells}


def edit(path, old, new):
    """Replace one record in a file."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_committed_report_is_what_the_study_makes(root):
    """Running the study again gives the committed report, byte by byte."""
    outcome = reproduce(["skills"], root=root, check=True)
    assert outcome.studies[0].differences == ()


def test_the_sum(skills):
    """The sum is the one the report prints."""
    assert sum_line(skills.cells) == (
        "1849 reported numbers: 678 recomputed, 503 derived, 668 transcribed; of 678 + 503: "
        "1151 match, 29 by rounding, 1 contradictions in the papers"
    )
    chosen = [c for c in skills.cells if c.table in ISSUE_TABLES]
    assert sum(c.level != "transcribed" for c in chosen) / len(chosen) > 0.62


def test_reported_columns_are_the_fixtures(skills, root):
    """Every printed number has exactly one cell with its printed text."""
    reported = load_reported(root / "fixtures/skills/reported")
    printed = [(n.table, n.row, n.column, n.text) for ns in reported.values() for n in ns]
    assert [(c.table, c.row, c.column, c.reported) for c in skills.cells] == printed


@pytest.mark.parametrize("table", ["3", "A10", "A11", "A16", "A25"])
def test_tables_without_a_transcribed_cell(skills, table):
    """These tables follow in full from lower records."""
    levels = {c.level for c in skills.cells if c.table == table}
    assert "transcribed" not in levels


def test_the_only_contradiction_is_the_spreadsheet_parent(skills):
    """141 of 281 in A7 stands against 142 of 281 in A27; nothing else contradicts."""
    [cell] = [c for c in skills.cells if c.status == "mismatch"]
    assert (cell.table, cell.reported, cell.computed) == ("A27", "142", "141")
    assert "141/281 in A7 against 142/281 in A27" in cell.note
    assert "50.53 follows from 142" in cell.note


def test_rounding_cells_say_which_rounding(skills):
    """Every cell that agrees by rounding only says how, and none rests on plain truncation."""
    notes = [c.note for c in skills.cells if c.status == "rounding"]
    assert all("rounded" in note or "rounding of its inputs" in note for note in notes)


def test_transcribed_percentages_are_attainable(skills):
    """No transcribed percentage of a known n is impossible."""
    notes = [c.note for c in skills.cells if c.level == "transcribed"]
    assert sum("attainable" in note for note in notes) > 250
    assert not [note for note in notes if "NOT" in note]


def test_claims_with_their_contradictions(skills):
    """Most claims follow from the records; the two that do not are explained."""
    count = collections.Counter(c.status for c in skills.claims)
    assert count["match"] + count["rounding"] >= 340
    wrong = {c.claim: c.note for c in skills.claims if c.status == "mismatch"}
    assert set(wrong) == {"gen-searchqa-robustness-not-above-parent-models", "a23-rolled-back"}
    assert "+0.2 for GPT-5.5" in wrong["gen-searchqa-robustness-not-above-parent-models"]
    assert all("; " in c.note for c in skills.claims if c.status == "not-computed")


def test_findings_name_what_the_paper_does_not_say(skills):
    """Gate words, stop rule, ties, identical artifacts and separated gains are on the page."""
    text = " ".join(f"{f.title} {f.detail}" for f in skills.findings)
    for part in ("141/281", "4 of the 33 gate words", "7 rejects in a row", "3 of the 11", "13.2"):
        assert part in text
    assert "2.0 points below the best, 0 would" in text


# file, old record, new record, the cell that has to move
PERTURBATIONS = [
    (
        "endpoints.csv",
        "GPT-5.5,SearchQA,Normal,test,1091,1400",
        "GPT-5.5,SearchQA,Normal,test,1092,1400",
        [
            ("A7", "GPT-5.5 / SearchQA / Normal", "Test score"),
            ("A27", "SearchQA / dynamic", "Evolved successes"),
        ],
    ),
    (
        "endpoints.csv",
        "DeepSeek V4-Pro,LiveMath,Fail-only,test,30,106",
        "DeepSeek V4-Pro,LiveMath,Fail-only,test,20,106",
        [
            ("2", "DeepSeek V4-Pro / LiveMath / Fail-only", "Test delta"),
            ("A16", "DeepSeek V4-Pro / LiveMath", "Selection gap"),
        ],
    ),
    (
        "endpoints.csv",
        "Gemini 3.1 Pro,DocVQA,Normal,test,359,374",
        "Gemini 3.1 Pro,DocVQA,Normal,test,300,374",
        [("3", "Normal", "Test up"), ("A17", "Gemini 3.1 Pro / DocVQA", "Test delta")],
    ),
    (
        "histories.csv",
        "GPT-5.5,SearchQA,Fail-only,2,163/200,yes,new best,printed",
        "GPT-5.5,SearchQA,Fail-only,2,159/200,yes,reject,printed",
        [
            ("A7", "GPT-5.5 / SearchQA / Fail-only", "Best r"),
            ("A10", "New-best events", "2"),
            ("A10", "Cumulative events", "10"),
            ("A11", "Fail-only", "Yield"),
            ("3", "Fail-only", "Val. up"),
        ],
    ),
    (
        "histories.csv",
        "GPT-5.5,DocVQA,Normal,9,,,reject,no new best\n",
        "",
        [("A10", "Candidates attempted", "9"), ("A11", "Normal", "Candidates")],
    ),
    (
        "histories.csv",
        "GPT-5.5,SearchQA,Normal,9,164/200,yes,new best,trace",
        "GPT-5.5,SearchQA,Normal,9,164/200,no,flat,trace",
        [("A22", "9", "Best r"), ("A18", "GPT-5.5 / SearchQA", "Selected r")],
    ),
    (
        "probes.csv",
        "GPT-5.5,SearchQA,Normal,R1,-0.7,97,3,-2,A14",
        "GPT-5.5,SearchQA,Normal,R1,-0.7,97,3,9,A14",
        [
            ("2", "GPT-5.5 / SearchQA / Normal", "R delta"),
            ("A15", "GPT-5.5 / SearchQA", "R"),
        ],
    ),
    (
        "repeats.csv",
        "SearchQA,100,+2.3,-2.0,-3.0,0.0",
        "SearchQA,100,+2.3,-2.0,-3.0,6.0",
        [("A13", "SearchQA", "Mean delta"), ("A13", "SearchQA", "Evolved")],
    ),
    (
        "sensitivity.csv",
        "OfficeQA,+5.0,+6.0",
        "OfficeQA,+5.0,+7.0",
        [("A28", "OfficeQA", "Diff.")],
    ),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "moved"), PERTURBATIONS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_changed_record_moves_the_cells_above_it(
    skills, skills_copy, root, file, old, new, moved
):
    """A cell is computed from its record: change the record and the computed value changes."""
    edit(skills_copy / "records" / file, old, new)
    before = by_key(skills)
    after = by_key(build_study("skills", root=root, fixtures=skills_copy))
    for key in moved:
        assert before[key].level != "transcribed"
        assert after[key].computed != before[key].computed, key


def test_an_item_outcome_moves_the_scaling_tables(skills, skills_copy, root):
    """One item more solved by the parent moves the score, the change and the gap."""
    import gzip

    path = skills_copy / "records/scaling/SpreadsheetBench.csv.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    changed = re.sub(r"(parallel,[^,]+,4),0", r"\1,1", text, count=1)
    assert changed != text
    path.write_bytes(gzip.compress(changed.encode()))
    before = by_key(skills)
    after = by_key(build_study("skills", root=root, fixtures=skills_copy))
    for key in (
        ("A25", "SpreadsheetBench", "Parallel"),
        ("A25", "SpreadsheetBench", "Gap"),
        ("A27", "SpreadsheetBench / Parallel oracle", "K=4 score"),
    ):
        assert after[key].computed != before[key].computed
    assert "NOT met" in after["A27", "SpreadsheetBench / Parallel oracle", "K=4 successes"].note


def test_recomputed_cells_never_read_a_printed_number(skills, skills_copy, root):
    """With every printed number of every table changed, recomputed values stay the same."""
    for path in (skills_copy / "reported").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        if rows[0] != ["row", "column", "reported"]:
            continue
        for row in rows[1:]:
            row[2] = re.sub(r"\d(?=\D*$)", lambda m: str(int(m[0]) % 9 + 1), row[2])
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    before = by_key(skills)
    after = by_key(build_study("skills", root=root, fixtures=skills_copy))
    assert sum(after[key].reported != cell.reported for key, cell in before.items()) == len(before)
    changed = [
        key
        for key, cell in before.items()
        if cell.level == "recomputed" and after[key].computed != cell.computed
    ]
    assert changed == []


@pytest.mark.parametrize("table", ["2", "A9", "A15"])
def test_derived_cells_never_read_themselves(skills, skills_copy, root, table):
    """A derived cell does not depend on its own printed text."""
    path = skills_copy / "reported" / f"{table}.csv"
    cells = [c for c in skills.cells if c.table == table and c.level == "derived"][:40:20]
    for cell in cells:
        text = path.read_text(encoding="utf-8")
        line = f"{cell.row},{cell.column},{cell.reported}\n"
        other = re.sub(r"\d(?=\D*$)", lambda m: str(int(m[0]) % 9 + 1), cell.reported)
        assert text.count(f"\n{line}") == 1
        path.write_text(text.replace(line, f"{cell.row},{cell.column},{other}\n"), encoding="utf-8")
        key = (table, cell.row, cell.column)
        found = by_key(build_study("skills", root=root, fixtures=skills_copy))[key]
        path.write_text(text, encoding="utf-8")
        assert (found.reported, found.computed) == (other, cell.computed)
        assert found.status in {"mismatch", "rounding"}


def test_scaling_changes_by_hand(skills):
    """A25 from the counts of A27, by hand: (241 - 142) / 281 and so on."""
    cells = by_key(skills)
    for column, units in (("Evolved", 99), ("Parallel", 12), ("Sequential", -15), ("Gap", 87)):
        expected = float(round(Fraction(100 * units, 281), 2))
        shown = float(cells["A25", "SpreadsheetBench", column].computed)
        assert shown == pytest.approx(expected)


def test_freedom_is_stated(skills, root):
    """The number of placements that the report states is the one of the records."""
    freedom = json.loads(
        (root / "fixtures/skills/records/freedom.json").read_text(encoding="utf-8")
    )
    assert any(f"one of {freedom['solutions']} placements" in line for line in skills.left_out)
    source = (root / "fixtures/skills/SOURCE.md").read_text(encoding="utf-8")
    assert f"There are {freedom['solutions']} solutions" in source
