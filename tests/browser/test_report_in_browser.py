"""The report page in headless Chromium: sorting, keyboard, schemes, phone width, no request.

Three tests run by default; the others are slow ones. Screenshots go to ``build/screenshots``.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest

from evalkit.figures import ForestRow, forest, new_figure, paper_style, svg_text
from evalkit.report import Finding, ReportFigure, write_file_report, write_page
from evalkit.results import Interval
from evalkit.tables import Column, estimate, make_table, number, text, with_footnote

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
REQUIRED = os.environ.get("EVALKIT_BROWSER") == "1"
if REQUIRED:
    api = importlib.import_module("playwright.sync_api")
else:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LONG = "a-very-long-system-name-without-any-place-to-break-" * 3


def executable() -> str:
    """Return Chromium, or skip; with EVALKIT_BROWSER=1 its absence is a failure."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        message = "chromium is not installed; the report page was not tried in a browser"
        if REQUIRED:
            pytest.fail(f"{message}, and EVALKIT_BROWSER=1 asks for it")
        pytest.skip(message)
    return found


def interval(low: float, high: float) -> Interval:
    """Return an interval."""
    return Interval(low=low, high=high, level=0.95, method="wilson")


def drawing(label: str) -> ReportFigure:
    """Return a small forest plot."""
    with mpl.rc_context(paper_style()):
        figure = new_figure(height=1.2)
        forest(figure.subplots(), [ForestRow(label=label, value=0.5, low=0.4, high=0.6)])
    return ReportFigure(svg=svg_text(figure), alt=f"Interval of {label}", caption=f"Fig. {label}")


def page_file(folder: Path) -> Path:
    """Write a page with every part."""
    numbers = make_table(
        ["name", "score", "interval", "printed"],
        [
            ["ten", number(10, 1), estimate(interval(0.3, 0.4), 2), text("10 of 30")],
            ["none", number(None, 1), estimate(None, 2), text("–")],  # noqa: RUF001
            ["minus", number(-2, 1), estimate(interval(-0.2, 0.1), 2), text("-2 of 30")],
            ["nine", number(9, 1), estimate(interval(0.1, 0.9), 2), text("9 of 30")],
            ["nine again", number(9, 1), estimate(interval(0.1, 0.2), 2), text("9 of 30")],
        ],
        caption="Numbers, intervals and what is missing",
        notes=["Wilson intervals."],
    )
    columns = [
        Column(key="system", header="System <b>"),
        *(
            Column(key=f"c{i}", header=f"Column {i}", spanner=f"Group {i // 4}", align="right")
            for i in range(12)
        ),
    ]
    wide = make_table(
        columns,
        [
            [name, *(number(i * sign, 3) for i in range(12))]
            for name, sign in ((LONG, 1), ("b", -1))
        ],
        groups=["first", "second"],
    )
    return write_page(
        folder / "index.html",
        title=f"Report of {LONG}",
        summary="Two of three systems are separated.",
        findings=[
            Finding(status="separated", title="A is above B.", detail="+0.1 [+0.0, +0.2]"),
            Finding(status="mismatch", title="A printed number is wrong."),
        ],
        tables=[
            ("Numbers", with_footnote(numbers, "One run.", column="score")),
            ("Wide", wide),
        ],
        figures=[drawing("one"), drawing("two")],
        methods="Wilson intervals.\n\nPaired by item.",
        left_out=["Nine rows: timeouts"],
        provenance={"Input": f"results.jsonl, sha256 {'0' * 64}", "Seed": "0"},
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once."""
    path = executable()
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the page once and return its file address."""
    return page_file(tmp_path_factory.mktemp("page")).as_uri()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the page of a file of verdicts and of one of histories."""
    folder = tmp_path_factory.mktemp("files")
    rows: dict[str, list[dict[str, object]]] = {
        "verdicts": [
            {"system": f"{name} {LONG}", "item": i, "score": int(i % step > 0)}
            for name, step in (("a", 9), ("b", 3), ("c", 2))
            for i in range(30)
        ],
        "histories": [
            {"run": f"r{k}", "round": r, "score": (3 * r + k) % 7 / 10}
            for k in range(4)
            for r in range(6)
        ],
    }
    out = {}
    for name, lines in rows.items():
        source = folder / f"{name}.jsonl"
        source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        out[name] = write_file_report(source, folder / f"{name}.html").as_uri()
    return out


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open the page; at the end nothing may have been requested or complained about."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    opened.on("request", lambda request: requests.append(request.url))
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(address)
    yield opened
    context.close()
    # The icon is data within the page.
    assert [url for url in requests if not url.startswith("data:")] == [address]
    assert complaints == []


def column(page: Page, number_of_column: int) -> list[str]:
    """Return the printed cells of a column of the first table."""
    cells = page.locator(f"table >> nth=0 >> tbody tr > :nth-child({number_of_column})")
    return cells.all_inner_texts()


def header(page: Page, name: str) -> Locator:
    """Return the heading of a column of the first table."""
    return page.locator("table >> nth=0 >> thead th").filter(has_text=name).first


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than its window."""
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


# Contrast of every text against the nearest background that is not transparent (WCAG 2.2).
CONTRAST = """
() => {
  const light = c => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
  const rgb = s => s.match(/[\\d.]+/g).map(Number);
  const lum = s => {
    const [r, g, b] = rgb(s).map(light);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = e => {
    for (; e; e = e.parentElement) {
      const s = getComputedStyle(e).backgroundColor;
      if (rgb(s)[3] !== 0) { return s; }
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const e of document.querySelectorAll("body *:not(script):not(svg *)")) {
    const own = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own) { continue; }
    const [a, b] = [lum(getComputedStyle(e).color), lum(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) { low.push(`${e.tagName} ${e.textContent.slice(0, 30)} ${ratio}`); }
  }
  return low;
}
"""


def test_columns_sort_both_ways_with_missing_values_last(page: Page) -> None:
    """Numbers, intervals and printed texts sort by value, ties keep their order."""
    score = header(page, "score")
    score.get_by_role("button").click()
    assert score.get_attribute("aria-sort") == "ascending"
    assert column(page, 1) == ["minus", "nine", "nine again", "ten", "none"]
    score.get_by_role("button").click()
    assert score.get_attribute("aria-sort") == "descending"
    assert column(page, 1) == ["ten", "nine", "nine again", "minus", "none"]
    bounds = header(page, "interval")
    bounds.get_by_role("button").click()
    assert score.get_attribute("aria-sort") is None
    # Lower bounds -0.2, 0.1, 0.1, 0.3; the two equal ones stand as they stood before.
    assert column(page, 1) == ["minus", "nine", "nine again", "ten", "none"]
    printed = header(page, "printed")
    printed.get_by_role("button").click()
    assert column(page, 4)[0] == "-2 of 30"
    assert column(page, 1)[3:] == ["ten", "none"]
    assert page.get_by_role("status").inner_text() == "Sorted by printed, ascending"


@pytest.mark.slow
def test_groups_keep_their_rows(page: Page) -> None:
    """Sorting moves rows within their group, and the group heading stays on top."""
    table = page.locator("table >> nth=1")
    table.get_by_role("button", name="Column 3").click()
    bodies = table.locator("tbody")
    assert bodies.count() == 2
    firsts = [bodies.nth(i).locator("tr").first.inner_text() for i in range(2)]
    assert firsts == ["first", "second"]


@pytest.mark.slow
def test_everything_is_reached_and_used_by_keyboard(page: Page) -> None:
    """Tab reaches the skip link first; a heading is sorted by Enter and by Space."""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    sorter = header(page, "name").get_by_role("button")
    for _ in range(30):
        page.keyboard.press("Tab")
        if sorter.evaluate("e => e === document.activeElement"):
            break
    assert sorter.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert header(page, "name").get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert header(page, "name").get_attribute("aria-sort") == "descending"
    assert column(page, 1)[0] == "ten"


def test_a_screen_reader_finds_names_and_landmarks(page: Page) -> None:
    """Language, landmarks, figures and regions have names."""
    assert page.locator("html").get_attribute("lang") == "en"
    for role in ("main", "banner", "contentinfo", "navigation"):
        assert page.get_by_role(role).count() == 1
    assert page.get_by_role("img", name="Interval of one").count() == 1
    assert page.locator("svg").count() == page.locator("svg[role=img][aria-label]").count() == 2
    assert page.get_by_role("region", name="Numbers").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("button", name="score").count() == 1
    links = page.locator("nav a").evaluate_all("all => all.map(a => a.hash.slice(1))")
    assert links == ["findings", "tables", "figures", "methods", "left-out", "provenance"]
    assert page.evaluate("ids => ids.every(id => document.getElementById(id))", links)


@pytest.mark.slow
def test_methods_are_copied_without_network(page: Page) -> None:
    """The button puts the paragraphs on the clipboard and says so, also without its API."""
    copy = page.get_by_role("button", name="Copy the methods")
    copy.click()
    page.get_by_text("Methods copied").wait_for(state="attached")
    pasted = page.evaluate("navigator.clipboard.readText()")
    assert pasted == "Wilson intervals.\n\nPaired by item."
    page.evaluate("navigator.clipboard.writeText('other')")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    copy.click()
    assert page.get_by_role("status").inner_text() == "Methods copied"
    assert page.locator("textarea").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_can_be_read(page: Page, scheme: str) -> None:
    """Every text has a contrast of 4.5 or more, and dark is dark."""
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 24, 26)"}[scheme]
    assert page.evaluate(CONTRAST) == []
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"report-{scheme}.png", full_page=True)


def test_a_phone_shows_the_page_without_sideways_scrolling(page: Page) -> None:
    """At 360 pixels only tables and figures scroll, each inside its own frame."""
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) == 0
    frames = page.locator(".scroll").evaluate_all(
        "all => all.map(e => e.scrollWidth > e.clientWidth)"
    )
    assert frames[1] is True
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "report-phone.png", full_page=True)


@pytest.mark.slow
def test_print_shows_whole_tables_and_no_controls(page: Page) -> None:
    """On paper nothing is cut off by a frame, ink is black and the controls are gone."""
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(0, 0, 0)"
    assert page.evaluate(CONTRAST) == []
    overflows = page.locator(".scroll").evaluate_all(
        "all => all.map(e => getComputedStyle(e).overflowX)"
    )
    assert set(overflows) == {"visible"}
    assert not page.locator(".copy").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator("h2").last.is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["verdicts", "histories"])
def test_pages_of_files_keep_the_same_promises(
    browser: Browser, written: dict[str, str], kind: str
) -> None:
    """What `evalkit report` writes is quiet, legible in both schemes and fits a phone."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(written[kind])
    assert overflow(opened) == 0
    for scheme in ("light", "dark"):
        opened.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert opened.evaluate(CONTRAST) == []
    for button in opened.locator("th button").all():
        button.click()
    assert complaints == []
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    opened.screenshot(path=SCREENSHOTS / f"{kind}-phone.png", full_page=True)
    context.close()


@pytest.mark.slow
def test_a_page_without_scripts_is_whole(browser: Browser, address: str) -> None:
    """Without scripts every table and text is there; only the buttons are missing."""
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(address)
    assert opened.locator("table").count() == 2
    assert opened.get_by_text("Paired by item.").is_visible()
    assert opened.get_by_role("button").count() == 0
    context.close()
