"""Four renderers of the same cells."""

# The dash of an undefined cell is the text under test.
# ruff: noqa: RUF001

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.tables import (
    Column,
    Table,
    bold_max,
    count,
    delta,
    make_table,
    number,
    text,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    underline_max,
)
from evalkit.tables.latex_text import escape_latex

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=30)
NASTY = "m\ud835 a|b pri$$ce \\ {x} ~^ <b> & # _ %\n[é] Δ≤ – −中"


def small() -> Table:
    """Return two rows with every feature."""
    columns = [
        Column(key="m", header="Model"),
        Column(key="p", header="Parent", spanner="Test (%)", align="right"),
        Column(key="e", header="Evolved", spanner="Test (%)", align="right"),
        Column(key="d", header="Δ", align="right"),
    ]
    rows = [
        ["a|b", number("50.18", 1), number("85.77", 1), delta("35.59", 1)],
        ["c_d", number("75.6", 1), number(None, 1), delta(None, 1)],
    ]
    table = make_table(
        columns, rows, groups=["G&1", "G&2"], caption="Scores", label="tab:s", notes=["n = 281."]
    )
    return underline_max(bold_max(table, ["e"]), "p")


def nasty() -> Table:
    """Return a table with hard text in every position."""
    columns = [Column(key="a", header=NASTY, spanner=NASTY), Column(key="b", header="b")]
    return make_table(
        columns, [[NASTY, "x" * 300]], groups=[NASTY], caption=NASTY, label="t", notes=[NASTY]
    )


class Cells(HTMLParser):
    """Collect the text of the body cells."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        """Open a row or a cell."""
        self.stack.append(tag)
        if tag == "tr" and "tbody" in self.stack:
            self.rows.append([])
        if tag in {"td", "th"} and "tbody" in self.stack:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Check that elements nest."""
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        """Add text to the open cell."""
        if {"td", "th"} & set(self.stack) and "tbody" in self.stack:
            self.rows[-1][-1] += data


def html_rows(html: str) -> list[list[str]]:
    """Return the body cells of an HTML table."""
    parser = Cells()
    parser.feed(html)
    assert parser.stack == []
    return parser.rows


def markdown_cells(line: str) -> list[str]:
    """Split a Markdown row at its unescaped pipes."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    return re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]


def test_csv_snapshot() -> None:
    """CSV holds the printed text, with the spanner in the header and the group first."""
    expected = (
        "group,Model,Test (%): Parent,Test (%): Evolved,Δ\n"
        "G&1,a|b,50.2,85.8,+35.6\n"
        "G&2,c_d,75.6,–,–\n"
    )
    assert to_csv(small()) == expected


def test_markdown_snapshot() -> None:
    """Markdown marks cells, escapes pipes and repeats the cell count in every row."""
    expected = r"""**Scores**

| Model | Test (%): Parent | Test (%): Evolved | Δ |
| :--- | ---: | ---: | ---: |
| **G&1** |  |  |  |
| a\|b | 50.2 | **85.8** | +35.6 |
| **G&2** |  |  |  |
| c_d | <ins>75.6</ins> | – | – |

n = 281.
"""
    assert to_markdown(small()) == expected


def test_latex_snapshot() -> None:
    """LaTeX uses booktabs rules, spanners and group rows."""
    expected = r"""\begin{table}[t]
\centering
\caption{Scores}
\label{tab:s}
\begin{tabular}{lrrr}
\toprule
& \multicolumn{2}{c}{Test (\%)} & \\
\cmidrule(lr){2-3}
Model & Parent & Evolved & $\Delta$ \\
\midrule
\multicolumn{4}{l}{\textit{G\&1}} \\
a\textbar{}b & 50.2 & \textbf{85.8} & +35.6 \\
\midrule
\multicolumn{4}{l}{\textit{G\&2}} \\
c\_d & \underline{75.6} & -- & -- \\
\bottomrule
\end{tabular}
\par\smallskip{\footnotesize n = 281.\par}
\end{table}
"""
    assert to_latex(small()) == expected


def test_html_snapshot() -> None:
    """HTML carries scopes, alignment classes and sort values."""
    expected = """<table class="evalkit" id="tab:s">
<caption>Scores</caption>
<thead>
<tr class="spanners"><td colspan="1"></td><th scope="colgroup" colspan="2">Test (%)</th>\
<td colspan="1"></td></tr>
<tr>
<th scope="col" class="left" data-key="m">Model</th>
<th scope="col" class="right" data-key="p">Parent</th>
<th scope="col" class="right" data-key="e">Evolved</th>
<th scope="col" class="right" data-key="d">Δ</th>
</tr>
</thead>
<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">G&amp;1</th></tr>
<tr><th scope="row" class="left" data-value="a|b">a|b</th>\
<td class="right" data-value="50.18">50.2</td>\
<td class="right" data-value="85.77"><strong>85.8</strong></td>\
<td class="right" data-value="35.59">+35.6</td></tr>
</tbody>
<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">G&amp;2</th></tr>
<tr><th scope="row" class="left" data-value="c_d">c_d</th>\
<td class="right" data-value="75.6"><u>75.6</u></td>\
<td class="right" data-value="">–</td><td class="right" data-value="">–</td></tr>
</tbody>
<tfoot>
<tr><td colspan="4">n = 281.</td></tr>
</tfoot>
</table>
"""
    assert to_html(small()) == expected


def test_latex_escapes_every_text_position() -> None:
    """Row heading, spanner, header, row name and caption are escaped; the label is not."""
    columns = [
        Column(key="r", header="run_id"),
        Column(key="a", header="acc_%", spanner="split_name", align="right"),
    ]
    latex = to_latex(
        make_table(columns, [["m_1 & m_2", 1]], caption="50% of #7", label="tab:run_1")
    )
    for escaped in (r"run\_id", r"split\_name", r"acc\_\%", r"m\_1 \& m\_2", r"50\% of \#7"):
        assert escaped in latex
    assert r"\label{tab:run_1}" in latex


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\\&%$#_{}~^", r"\textbackslash{}\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{}"),
        ("a–b—c−1", "a--b---c$-$1"),
        ("--flag ---", "-{}-flag -{}-{}-"),
        ("Δ ≤ λ Ω ±", r"$\Delta$ $\leq$ $\lambda$ $\Omega$ $\pm$"),
        ("x² H₂O ½", "x$^{2}$ H$_{2}$O [U+00BD]"),
        ("café naïve ő ﬁ", r"caf\'{e} na\"{\i}ve \H{o} fi"),
        ("m\ud835", "m?"),
        ("中", "[U+4E2D]"),
        ("a\r\nb", r"a\textbackslash{}r\textbackslash{}nb"),
        ("a < b | c", r"a \textless{} b \textbar{} c"),
    ],
)
def test_latex_spells_what_pdflatex_cannot_read(raw: str, expected: str) -> None:
    """Specials, dashes, Greek, powers, accents and surrogates become ASCII that compiles."""
    assert escape_latex(raw) == expected


@given(ANY_TEXT)
def test_latex_text_is_ascii_with_balanced_braces(raw: str) -> None:
    """Whatever comes in, LaTeX gets ASCII whose unescaped braces match."""
    latex = escape_latex(raw)
    assert latex.isascii()
    plain = re.sub(r"\\[\\{}$&%#_]", "", latex)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert "&" not in plain
    assert "%" not in plain


def test_latex_guards_a_row_that_starts_with_a_bracket() -> None:
    """A leading bracket or star is not read as the argument of the row end before it."""
    latex = to_latex(make_table(["m"], [["[0.1, 0.2]"], ["*best"]]))
    assert "{[}0.1, 0.2] \\\\\n{*}best" in latex


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=3), ANY_TEXT)
def test_markdown_rows_have_the_same_number_of_cells(
    rows: list[tuple[str, str]], header: str
) -> None:
    """Any text in any position leaves every row with the same number of cells."""
    columns = [Column(key="a", header=header, spanner=header), Column(key="b", header="b")]
    lines = to_markdown(make_table(columns, rows)).splitlines()
    assert len(lines) == len(rows) + 2
    assert {len(markdown_cells(line)) for line in lines} == {2}


def test_markdown_escapes_a_pipe_in_a_name() -> None:
    """A pipe is escaped, and an underscore within a word is left readable."""
    assert r"| a\|b | run_id |" in to_markdown(make_table(["m", "n"], [["a|b", "run_id"]]))


@given(ANY_TEXT, ANY_TEXT)
def test_csv_reads_back(first: str, second: str) -> None:
    """A CSV reader gets the text back, unwritable characters replaced."""
    written = to_csv(make_table(["a", "b"], [[first, second], ["x", "y"]]))
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert [len(row) for row in rows] == [2, 2, 2]
    assert rows[2] == ["x", "y"]
    assert written.encode("utf-8")


@given(ANY_TEXT)
def test_html_is_well_formed_for_any_text(raw: str) -> None:
    """Any text stays one cell and no element is left open."""
    rows = html_rows(to_html(make_table(["a", "b"], [[raw, "x"]], caption=raw, notes=[raw])))
    assert [len(row) for row in rows] == [2]
    assert rows[0][1] == "x"


@given(
    st.one_of(
        st.fractions(min_value=-1000, max_value=1000),
        st.floats(-1e6, 1e6),
        st.integers(-(10**9), 10**9),
    ),
    st.integers(0, 4),
    st.booleans(),
)
def test_a_number_prints_the_same_in_every_format(
    value: Fraction | float, digits: int, signed: bool
) -> None:
    """One cell gives one text in CSV, Markdown, LaTeX and HTML."""
    cell = delta(value, digits) if signed else number(value, digits)
    table = make_table(["m", "x"], [["a", cell]])
    printed = to_csv(table).splitlines()[1].split(",")[1]
    assert to_markdown(table).splitlines()[-1] == f"| a | {printed} |"
    assert f"\na & {printed} \\\\\n" in to_latex(table)
    assert html_rows(to_html(table)) == [["a", printed]]


@pytest.mark.parametrize("render", [to_csv, to_markdown, to_latex, to_html])
def test_nasty_names_never_stop_a_renderer(render: object) -> None:
    """Surrogates, specials and long names are written whole in every format."""
    assert callable(render)
    out = render(nasty())
    assert out.encode("utf-8")
    assert "x" * 300 in out
    assert "\ud835" not in out
    assert unescape(out).count("pri") >= 4 - (render is to_csv)


def test_a_table_without_rows_still_renders() -> None:
    """No rows leave the header."""
    table = make_table(["a"], [])
    assert to_csv(table) == "a\n"
    assert to_markdown(table) == "| a |\n| :--- |\n"
    assert r"\bottomrule" in to_latex(table)
    assert html_rows(to_html(table)) == []


def test_counts_and_marked_text_render() -> None:
    """A bold text cell and a count keep their escapes inside the marks."""
    table = make_table(["m", "k"], [[text("a_b", bold=True), count(1, 8, 0)]])
    assert r"\textbf{a\_b} & 1/8 (13\%) \\" in to_latex(table)
    assert "| **a_b** | 1/8 (13%) |" in to_markdown(table)


@pytest.mark.slow
def test_pdflatex_compiles_the_tables(tmp_path: Path) -> None:
    """A document with the hardest names compiles."""
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    body = to_latex(nasty()) + to_latex(small())
    source = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    (tmp_path / "t.tex").write_text(source + body + "\\end{document}\n", encoding="ascii")
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
