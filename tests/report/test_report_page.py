"""The page is one file that loads nothing, says its summary first and is always the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.figures import ForestRow, forest, new_figure, svg_text
from evalkit.report import Finding, ReportFigure, render_page, write_page
from evalkit.report.svg import inline_svg
from evalkit.tables import make_table, number

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=40)


class Outline(HTMLParser):
    """Check nesting and collect ids, references and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "xlink:href"} and (value or "").startswith("#"):
                self.references.append((value or "")[1:])
            if name == "aria-labelledby":
                self.references.append(value or "")
            self.references += re.findall(r"url\(#([^)]+)\)", value or "")
        if tag not in {"meta", "link"}:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open and close an element."""
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that elements nest."""
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep visible text."""
        if not {"style", "script", "title"} & set(self.stack) and data.strip():
            self.text.append(data.strip())


def outline(page: str) -> Outline:
    """Parse a page."""
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.stack == []
    return parser


def drawing(label: str) -> ReportFigure:
    """Return a small forest plot."""
    figure = new_figure(height=1.5)
    forest(figure.subplots(), [ForestRow(label=label, value=0.5, low=0.4, high=0.6)])
    return ReportFigure(svg=svg_text(figure), alt=f"Interval of {label}", caption=f"Fig {label}")


def full_page(text: str = "x") -> str:
    """Return a page with every part."""
    table = make_table(["model", "score"], [["a|b", number("3.15", 1)]], label="t", caption="Cap")
    return render_page(
        title=f"Title {text}",
        summary=f"Two of three are separated {text}.",
        findings=[Finding(status="separated", title=f"First {text}", detail="d")],
        tables=[("Scores", table), ("Again", table)],
        figures=[drawing("one"), drawing("two")],
        methods="Wilson intervals.\n\nPaired by item.",
        left_out=[f"Nine rows {text}"],
        provenance={"seed": "0", "input": text},
    )


def test_page_parses_and_its_ids_are_unique_and_resolved() -> None:
    """Elements nest, no id occurs twice and every reference has its target."""
    page = outline(full_page())
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)
    assert page.tags.count("svg") == 2
    assert page.tags.count("table") == 2


def test_page_loads_nothing() -> None:
    """No address occurs outside of the XML name spaces."""
    page = re.sub(r'xmlns(:xlink)?="[^"]*"', "", full_page())
    assert "http" not in page
    assert "//" not in page
    assert "@import" not in page
    assert set(re.findall(r"url\((.)", page)) <= {"#"}
    parsed = outline(page)
    loaded = [v for _, name, v in parsed.attributes if name in {"src", "href", "xlink:href"}]
    assert all(value.startswith(("#", "data:,")) for value in loaded)


def test_summary_comes_first_and_the_parts_in_order() -> None:
    """After the title the page says its summary, then parts in their fixed order."""
    text = outline(full_page()).text
    assert text[1:3] == ["Title x", "Two of three are separated x."]
    parts = ["Findings", "Tables", "Figures", "Methods", "Left out", "Provenance"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_page_is_accessible() -> None:
    """Language, landmarks, skip link, captions, text alternatives and scopes are there."""
    page = outline(full_page())
    assert ("html", "lang", "en") in page.attributes
    assert {"header", "main", "footer", "caption", "figcaption"} <= set(page.tags)
    assert ("a", "href", "#content") in page.attributes
    assert ("main", "id", "content") in page.attributes
    assert ("svg", "aria-label", "Interval of one") in page.attributes
    assert ("svg", "role", "img") in page.attributes
    assert ("th", "scope", "col") in page.attributes


def test_page_has_dark_print_and_phone_styles() -> None:
    """The style answers to the scheme, the printer and narrow screens."""
    page = full_page()
    for query in ("prefers-color-scheme: dark", "@media print", "max-width: 34rem"):
        assert query in page
    assert 'name="viewport"' in page


def test_page_is_deterministic(tmp_path: Path) -> None:
    """The same arguments write the same bytes with line feeds only."""
    one = write_page(tmp_path / "a" / "index.html", title="T", summary="S.")
    two = write_page(tmp_path / "b.html", title="T", summary="S.")
    assert one.read_bytes() == two.read_bytes()
    assert b"\r" not in one.read_bytes()
    assert full_page() == full_page()


@given(ANY_TEXT)
def test_any_text_is_escaped(text: str) -> None:
    """Any text, surrogates and markup included, leaves the page well formed."""
    page = render_page(
        title=f"T{text}",
        summary=f"S{text}",
        findings=[Finding(status=text, title=text, detail=text)],
        tables=[(text, make_table(["a"], [[text]]))],
        methods=text,
        left_out=[text],
        provenance={text: text},
    )
    assert page.encode("utf-8")
    assert outline(page).tags.count("script") == 1


def test_page_without_parts_says_so() -> None:
    """Empty parts leave no empty headings, and nothing left out is said."""
    text = outline(render_page(title="T", summary="S.")).text
    assert "Figures" not in text
    assert "Nothing is recorded as left out." in text


@pytest.mark.parametrize("blank", [{"title": " "}, {"summary": ""}])
def test_page_rejects_an_empty_title_or_summary(blank: dict[str, str]) -> None:
    """A page without an answer is refused."""
    with pytest.raises(ArgumentError, match="in one sentence what was found"):
        render_page(**({"title": "T", "summary": "S."} | blank))


@pytest.mark.parametrize(
    "body",
    [
        "<script>x()</script>",
        '<g onload="x()"/>',
        '<image xlink:href="pic.png"/>',
        '<use href="other.svg#a"/>',
        '<g style="fill: url(pic.svg#a)"/>',
        "<style>@import 'a.css'</style>",
    ],
)
def test_drawings_that_load_or_run_something_are_refused(body: str) -> None:
    """A drawing must not reach out of the page."""
    with pytest.raises(ArgumentError, match="must not run or load"):
        inline_svg(f"<svg>{body}</svg>", prefix="p-", alt="a")


@pytest.mark.parametrize("damage", [str.upper, lambda _: "", lambda s: s[3:]])
def test_what_is_no_drawing_is_refused(damage: Callable[[str], str]) -> None:
    """Text without an svg element is refused."""
    with pytest.raises(ArgumentError, match="must be an SVG document"):
        inline_svg(damage("<svg></svg>"), prefix="p-", alt="a")


def test_inline_svg_prefixes_ids_and_quotes_the_alternative() -> None:
    """Ids and references move together, prologs go and the text alternative is quoted."""
    svg = (
        '<?xml version="1.0"?><!DOCTYPE svg><!-- c --><svg viewBox="0 0 1 1"><metadata>m</metadata>'
        '<g id="a" data-id="a" clip-path="url(#a)"/></svg>'
    )
    assert inline_svg(svg, prefix="p-", alt='5 < 6 "x"') == (
        '<svg role="img" aria-label="5 &lt; 6 &quot;x&quot;" viewBox="0 0 1 1">'
        '<g id="p-a" data-id="a" clip-path="url(#p-a)"/></svg>'
    )


def test_every_figure_needs_a_text_alternative() -> None:
    """A drawing that says nothing to those who do not see it is refused."""
    silent = ReportFigure(svg="<svg></svg>", alt=" ", caption="c")
    with pytest.raises(ArgumentError, match="text alternative for figure 2"):
        render_page(title="T", summary="S.", figures=[drawing("one"), silent])


def test_contents_name_only_parts_that_are_there() -> None:
    """The list of contents links to each part of the page, and to nothing else."""
    page = outline(render_page(title="T", summary="S.", methods="M."))
    parts = ["methods", "left-out", "provenance"]
    assert page.references == ["content", *parts, *parts]
    assert "No method is recorded." in outline(render_page(title="T", summary="S.")).text
