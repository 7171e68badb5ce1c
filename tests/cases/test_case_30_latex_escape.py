"""Headings, groups, rows and captions are escaped; the label is not."""

from evalkit.tables import Column, Row, Table, number, text, to_latex


def rendered(**more):
    """Render a table whose every text needs escaping."""
    columns = (
        Column(key="run", header="run_id"),
        Column(key="acc", header="acc_%", spanner="split_name", align="right"),
    )
    rows = (Row(cells=(text("m_1 & m_2"), number(0.5, 1)), group=more.pop("block", None)),)
    settings = {"caption": "50% of #7", "label": "tab:run_1", **more}
    return to_latex(Table(columns=columns, rows=rows, **settings))


def test_every_text_position():
    """The six of the report."""
    out = rendered()
    for piece in (
        r"run\_id",
        r"split\_name",
        r"acc\_\%",
        r"m\_1 \& m\_2",
        r"50\% of \#7",
        "tab:run_1",
    ):
        assert piece in out, piece


def test_siblings_notes_and_blocks():
    """Notes and names of blocks are text positions too; all ten specials are escaped."""
    out = rendered(notes=("a_b $5 {x} ~ ^ \\ done",), block="part_1")
    assert r"a\_b \$5 \{x\}" in out
    assert r"part\_1" in out
    assert "\\textbackslash" in out


def test_no_caption_and_no_label():
    """Absent texts leave nothing behind."""
    out = rendered(caption=None, label=None)
    assert "None" not in out
