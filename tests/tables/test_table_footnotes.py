"""Footnotes and means with standard deviations in every format."""

# The dash of an undefined value is the text under test.
# ruff: noqa: RUF001

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from evalkit.errors import ArgumentError
from evalkit.results import Estimate, RowCounts
from evalkit.tables import (
    Column,
    MeanSD,
    Table,
    bold_max,
    cell_text,
    make_table,
    mean_sd,
    number,
    p_value,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    underline_max,
    with_footnote,
)
from evalkit.tables.cells import sort_value
from evalkit.tables.footnotes import footnote_marks

HOSTILE = (
    "m\ud835 a|b pri$$ce $x$ \\ {x} }{ ~^ # _ % & \n\r\n [é] Δ≤ – −5 中 שלום \u202e 😀 ``q'' ?` !` "
    "<script>alert(1)</script> --- * @ \x00"
)


def marked() -> Table:
    """Return two columns with footnotes on a heading and on cells."""
    table = make_table(["m", "x"], [["a", 1.0], ["b", 2.0]], notes=["n = 9."])
    table = with_footnote(table, "median of 3", column="x", row=1)
    table = with_footnote(table, "seed 0", column="x")
    return with_footnote(table, "seed 0", column="m", row=0)


def test_marks_follow_the_reading_order_and_are_shared() -> None:
    """Headings come before rows, and one text has one mark however often it is used."""
    assert footnote_marks(marked()) == {"seed 0": "a", "median of 3": "b"}


def test_footnotes_stand_above_the_notes_in_every_format() -> None:
    """Marks are raised, footnotes come before notes, and CSV has neither."""
    html, markdown, latex = to_html(marked()), to_markdown(marked()), to_latex(marked())
    assert 'data-key="x">x<sup>a</sup></th>' in html
    assert 'data-value="2">2.0<sup>b</sup></td>' in html
    feet = [
        '<tr><td colspan="2"><sup>a</sup> seed 0</td></tr>',
        '<tr><td colspan="2"><sup>b</sup> median of 3</td></tr>',
        '<tr><td colspan="2">n = 9.</td></tr>',
    ]
    assert "\n".join(feet) in html
    assert "| m | x<sup>a</sup> |" in markdown
    assert markdown.endswith("<sup>a</sup> seed 0\n\n<sup>b</sup> median of 3\n\nn = 9.\n")
    assert r"m & x\textsuperscript{a} \\" in latex
    assert r"a\textsuperscript{a} & 1.0 \\" in latex
    assert r"{\footnotesize \textsuperscript{b} median of 3\par}" in latex
    assert to_csv(marked()) == "m,x\na,1.0\nb,2.0\n"


def test_verbs_keep_footnotes_and_the_old_table_is_untouched() -> None:
    """Marking a cell keeps its footnote, and adding one changes a copy only."""
    before = make_table(["m", "x"], [["a", 1.0]])
    after = bold_max(with_footnote(before, "f", column="x", row=0), "x")
    assert (after.rows[0].cells[1].bold, after.rows[0].cells[1].footnotes) == (True, ("f",))
    assert before.rows[0].cells[1].footnotes == ()


def test_marks_continue_after_z() -> None:
    """The 27th and 28th footnotes are marked aa and ab."""
    table = make_table(["m"], [["a"]])
    for i in range(28):
        table = with_footnote(table, f"f{i}", column="m")
    assert list(footnote_marks(table).values())[24:] == ["y", "z", "aa", "ab"]


@pytest.mark.parametrize(
    ("text", "column", "row", "message"),
    [
        (" ", "x", 0, "must say something"),
        ("f", "y", 0, "the table has the columns"),
        ("f", "x", 2, "the table has 2 rows"),
        ("f", "x", -1, "the table has 2 rows"),
    ],
)
def test_footnotes_reject_places_that_do_not_exist(
    text: str, column: str, row: int, message: str
) -> None:
    """Blank texts, unknown columns and rows out of range are refused."""
    with pytest.raises(ArgumentError, match=message):
        with_footnote(make_table(["m", "x"], [["a", 1], ["b", 2]]), text, column=column, row=row)


def test_mean_sd_rounds_both_half_up_and_sorts_by_the_mean() -> None:
    """77.25 and 0.25 print 77.3 and 0.3; the cell sorts by 77.25."""
    cell = mean_sd("77.25", "0.25", digits=1)
    assert cell_text(cell) == "77.3 ± 0.3"
    assert sort_value(cell) == 77.25
    assert cell_text(mean_sd(0.145, 0.005, digits=0, scale=100)) == "15 ± 1"
    assert r"77.3 $\pm$ 0.3" in to_latex(make_table(["m", "x"], [["a", cell]]))


def test_mean_sd_says_what_is_undefined() -> None:
    """One value has no standard deviation, never 0; no mean prints a dash alone."""
    assert cell_text(mean_sd(1.5, None, digits=1)) == "1.5 ± –"
    assert cell_text(mean_sd(None, None, digits=1)) == "–"
    assert sort_value(mean_sd(None, 1.0, digits=1)) is None


def test_mean_sd_of_an_estimate_is_that_of_its_attempts() -> None:
    """An estimate brings its mean and the spread of its attempts."""
    found = Estimate(
        estimate=0.5,
        interval=None,
        se=None,
        n=4,
        counts=RowCounts(attempted=4, scored=4, errored=0),
        attempts=2,
        attempt_sd=0.125,
    )
    assert cell_text(mean_sd(found, digits=2)) == "0.50 ± 0.13"
    with pytest.raises(ArgumentError, match="an estimate brings its own"):
        mean_sd(found, 0.1, digits=2)


@pytest.mark.parametrize(("mean", "sd"), [(float("nan"), 0.1), (0.5, float("inf")), (0.5, -0.1)])
def test_mean_sd_rejects_what_cannot_be_printed(mean: float, sd: float) -> None:
    """Numbers that are not finite and negative spreads are refused."""
    with pytest.raises(ArgumentError):
        mean_sd(mean, sd, digits=1)


def test_a_plain_mean_sd_becomes_a_cell() -> None:
    """A MeanSD in a row is printed with the decimals of the table."""
    table = make_table(["m", "x"], [["a", MeanSD(mean=1, sd=0.5)]], digits=2)
    assert to_csv(table) == "m,x\na,1.00 ± 0.50\n"


def test_p_values_never_print_zero() -> None:
    """A small p-value prints in scientific form and still sorts as a number."""
    assert [cell_text(p_value(p)) for p in (0.04995, 0.00004, 1e-300)] == [
        "0.0500",
        "4.0e-05",
        "1.0e-300",
    ]
    assert sort_value(p_value(1e-300)) == 1e-300
    assert bold_max(make_table(["p"], [[p_value(0.5)]]), "p").rows[0].cells[0].bold


def test_labels_that_latex_would_read_as_code_are_refused() -> None:
    """A label stands raw in LaTeX, so braces and the like are refused; underscores are fine."""
    assert make_table(["a"], [], label="tab:run_1").label == "tab:run_1"
    for label in ("a}b", "a\\b", "a%b", "a#b", "a\nb", "a~b"):
        with pytest.raises(ArgumentError, match="LaTeX reads it as it stands"):
            make_table(["a"], [], label=label)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("# one", "\\# one"),
        ("> q", "\\> q"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("2024 rows", "2024 rows"),
        ("costs $5 and $6", "costs \\$5 and \\$6"),
        ("~~gone~~", "\\~\\~gone\\~\\~"),
    ],
)
def test_markdown_notes_stay_paragraphs(note: str, expected: str) -> None:
    """A note that looks like a heading, a list, mathematics or a deletion stays plain text."""
    assert to_markdown(make_table(["a"], [["x"]], notes=[note])).endswith(f"\n\n{expected}\n")


def hostile() -> Table:
    """Return hostile text in every position that a table has."""
    columns = [
        Column(key="a", header=HOSTILE, spanner=HOSTILE, footnotes=(HOSTILE, "[second")),
        Column(key="b", header="[" + HOSTILE, spanner=HOSTILE, align="right"),
        Column(key="c", header="*"),
    ]
    rows = [
        [HOSTILE, mean_sd(1.5, None, digits=1), "["],
        ["*", number(1, 1, suffix=HOSTILE), ""],
        ["", number(None, 1), HOSTILE],
    ]
    table = make_table(
        columns,
        rows,
        groups=[HOSTILE, "[g", "*"],
        caption=HOSTILE,
        label="t_1",
        notes=[HOSTILE, "[", "*"],
    )
    table = underline_max(bold_max(table, "b"), "b")
    return with_footnote(with_footnote(table, HOSTILE, column="b", row=0), "[x", column="c", row=1)


def test_hostile_texts_stay_text_in_every_format() -> None:
    """No element, row end or cell comes out of a text, wherever it stands."""
    html, markdown, latex = to_html(hostile()), to_markdown(hostile()), to_latex(hostile())
    assert "<script" not in html
    for tag in ("td", "th", "tr", "sup"):
        opened = html.count(f"<{tag}>") + html.count(f"<{tag} ")
        assert opened == html.count(f"</{tag}>") > 0
    assert "<script" not in markdown.replace("\\<script", "")
    assert latex.isascii()
    # Spanner row, header row, three group rows, three rows.
    assert latex.count("\\\\\n") == 8
    assert to_csv(hostile()).encode("utf-8")


@pytest.mark.slow
def test_pdflatex_compiles_hostile_texts_everywhere(tmp_path: Path) -> None:
    """Specials, foreign scripts and brackets at row starts compile with nothing but booktabs."""
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    source = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    body = source + to_latex(hostile()) + to_latex(marked()) + "\\end{document}\n"
    (tmp_path / "t.tex").write_text(body, encoding="ascii")
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
