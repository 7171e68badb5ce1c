"""Reading tables as they are printed: CSV, Markdown, LaTeX, HTML, frames and folders."""

import gzip
from datetime import date

import pandas as pd
import polars as pl
import pytest

from evalkit.consistency import audit, read_grids
from evalkit.errors import ArgumentError, FileMissingError, InputError

LATEX = r"""
\begin{table}\centering
\caption{Main results on two sets.\label{tab:main}}
\begin{tabular}{@{}lccc@{}}
\toprule
 & \multicolumn{2}{c}{\textbf{Set A}} & \\ % a comment & not a cell
\cmidrule(lr){2-3}
Method & Val\,$\uparrow$ & Test & $\Delta$ \\
\midrule
\multicolumn{4}{l}{\emph{Small}} \\
Base~\cite{x} & 60.1 & $70.0_{\pm 1.2}$ & $+9.9$ \\[2pt]
Ours & \textbf{62.3} & \underline{71.0}$^{\dagger}$ & {\bfseries 8.7} \\
\midrule
Other & 1{,}024 & $\mathbf{72.0\pm0.5}\%$ & -- \\
\bottomrule
\end{tabular}
\end{table}
"""


def texts(grid):
    """Texts of the cells of a table."""
    return [[cell.text for cell in row] for row in grid.rows]


def test_latex_tabular(tmp_path):
    """Spanners, marks, errors, comments, separators and rules of a booktabs table are read."""
    path = tmp_path / "t.tex"
    path.write_text(LATEX)
    (grid,) = read_grids(path)
    assert grid.name == "Main results on two sets."
    assert grid.columns == ("Method", "Set A / Val ↑", "Set A / Test", "Δ")
    assert texts(grid) == [
        ["Base", "60.1", "70.0 ± 1.2", "+9.9"],
        ["Ours", "62.3", "71.0", "8.7"],
        ["Other", "1,024", "72.0±0.5%", "\N{EN DASH}"],
    ]
    ours = grid.rows[1]
    assert [c.bold for c in ours] == [False, True, False, True]
    assert ours[2].underline
    assert grid.groups[0] == grid.groups[1] != grid.groups[2]
    assert grid.rows[2][2].number.error.text == "0.5"


def test_latex_multirow_and_siblings(tmp_path):
    """A multirow label is carried down, and each tabular of a file is a table."""
    path = tmp_path / "t.tex"
    rows = r"\multirow{2}{*}{A} & x & 1 \\ & y & 2 \\"
    table = rf"\begin{{tabular}}{{llc}} set & s & n \\ \hline {rows} \end{{tabular}}"
    path.write_text(table + "\n" + table)
    first, second = read_grids(path)
    assert texts(first) == [["A", "x", "1"], ["A", "y", "2"]]
    assert first.name != second.name


def test_markdown_tables(tmp_path):
    """Pipe tables are named by the heading above; marks, escapes and links are read."""
    path = tmp_path / "t.md"
    path.write_text(
        "# Results\n\n| Model | Acc |\n|:--|--:|\n| [a](http://x) | **62.5** |\n"
        "| b\\|c | <u>60</u> |\n"
        "\ntext | no table\n\n## More\nModel | $x$\n--- | ---\nz | $\\mathbf{1.5}$\n"
    )
    first, second = read_grids(path)
    assert (first.name, second.name) == ("Results", "More")
    assert texts(first) == [["a", "62.5"], ["b|c", "60"]]
    assert first.rows[0][1].bold
    assert first.rows[1][1].underline
    assert second.rows[0][1].text == "1.5"
    assert second.rows[0][1].bold


def test_html_tables(tmp_path):
    """Spans are laid out, footnotes dropped, and a nested table is no table of its own."""
    path = tmp_path / "t.html"
    path.write_text(
        "<table><caption>T1</caption><thead><tr><th rowspan=2>s<th colspan=2>Set</tr>"
        "<tr><th>n<th>accuracy</tr></thead><tbody><tr><td rowspan=2>A<td>40"
        "<td><strong>62.5</strong><sup>1</sup></tr><tr><td>41"
        "<td style='font-weight: bold'>63&nbsp;%<table><tr><td>in</table></tr></tbody></table>"
    )
    (grid,) = read_grids(path)
    assert (grid.name, grid.columns) == ("T1", ("s", "Set / n", "Set / accuracy"))
    assert [row[0].text for row in grid.rows] == ["A", "A"]
    assert grid.rows[0][2].text == "62.5"
    assert [row[2].bold for row in grid.rows] == [True, True]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfs,n,accuracy\r\na,40,62.5\r\nb,40,63.0\r\n",
        b"s\tn\taccuracy\na\t40\t62.5\nb\t40\t63.0",
        b"s;n;accuracy\na;40;62.5\n\nb;40;63.0\n",
        gzip.compress(b"s,n,accuracy\na,40,62.5\nb,40,63.0\n"),
        "s,n,accuracy\na,40,62.5\nb,40,63.0\n".encode("utf-16"),
        b"row,column,reported\na,n,40\na,accuracy,62.5\nb,n,40\nb,accuracy,63.0\n",
    ],
    ids=["bom-crlf", "tabs", "semicolons", "gzip", "utf-16", "long"],
)
def test_csv_siblings_give_one_finding(tmp_path, data):
    """Byte marks, line ends, separators, compression and the long form change nothing."""
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    (cell,) = audit(path).findings
    assert (cell.row, cell.printed, cell.check) == ("b", "63.0", "attainable")


def test_folder_of_reported_tables(tmp_path):
    """Every table with the header row,column,reported is read, in natural order."""
    for name in ("A2", "A10"):
        (tmp_path / f"{name}.csv").write_text("row,column,reported\na,n,40\na,accuracy,63.0\n")
    (tmp_path / "labels.csv").write_text("x,y\n1,2\n")
    assert [g.name for g in read_grids(tmp_path)] == ["A2", "A10"]
    assert len([c for c in audit(tmp_path).findings if c.check == "attainable"]) == 2


def test_frames_and_rows():
    """Frames of two engines and plain rows agree; lost zeros are restored, and this is said."""
    columns = {"system": ["a", "b"], "n": [40, 40], "accuracy": [62.5, 63.0]}
    reports = [
        audit(pd.DataFrame(columns)),
        audit(pl.DataFrame(columns)),
        audit(
            [{"system": "a", "n": 40, "accuracy": 62.5}, {"system": "b", "n": 40, "accuracy": 63.0}]
        ),
    ]
    for report in reports:
        (cell,) = report.findings
        assert cell.printed == "63.0"
        assert any("trailing zeros are lost" in note for note in report.notes)
    frame = reports[0].to_frame()
    assert list(frame.columns[:4]) == ["table", "row", "column", "printed"]


def test_counts_with_gaps_stay_counts():
    """A missing n turns a pandas column into floats; the others are still whole numbers."""
    frame = pd.DataFrame({"s": ["a", "b"], "n": [40, None], "accuracy": ["62.5", "60.1"]})
    verdicts = {c.row: c.verdict for c in audit(frame) if c.check == "attainable"}
    assert verdicts == {"a": "ok", "b": "uncheckable"}


def test_cells_of_other_types():
    """Dates and booleans are labels, not numbers."""
    report = audit([{"d": date(2025, 1, 1), "open": True, "accuracy": "62.5"}])
    assert any("d = label" in note for note in report.notes)


@pytest.mark.parametrize(
    ("name", "data", "match"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b"a,b\n1,2,3\n", "line 2.*3 fields under 2"),
        ("t.csv", b"a\xe9,b\n1,2\n", "not utf-8 text"),
        ("t.html", b"<p>none</p>", "no table was found"),
        ("t.md", b"no table", "no table was found"),
        ("t.tex", b"\\section{x}", "no table was found"),
    ],
)
def test_bad_files_are_refused(tmp_path, name, data, match):
    """What holds no table is refused with the place and what is allowed."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=match):
        audit(tmp_path / name)


def test_bad_sources_are_refused(tmp_path):
    """Missing files, folders without tables and other objects are refused."""
    with pytest.raises(FileMissingError):
        audit(tmp_path / "none.csv")
    with pytest.raises(FileMissingError, match="row,column,reported"):
        audit(tmp_path)
    with pytest.raises(ArgumentError):
        audit(5)
    with pytest.raises(ArgumentError, match="mapping"):
        audit([1, 2])


def test_header_only_is_an_empty_report(tmp_path):
    """A table without rows is no error and no finding."""
    (tmp_path / "t.csv").write_text("system,accuracy\n")
    assert len(audit(tmp_path / "t.csv")) == 0
