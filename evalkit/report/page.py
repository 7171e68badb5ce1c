"""One self-contained HTML page of a study or a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from evalkit.errors import ArgumentError
from evalkit.report.svg import inline_svg
from evalkit.tables.plain import printable
from evalkit.tables.render_html import to_html
from evalkit.tables.table import Table

__all__ = ["Finding", "ReportFigure", "render_page", "write_page"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding.

    Attributes
    ----------
    status : str
        One or two words, such as a verdict.
    title : str
        What was found, in one sentence.
    detail : str
        The numbers behind it; may be empty.
    """

    status: str
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigure:
    """One figure.

    Attributes
    ----------
    svg : str
        SVG text.
    alt : str
        What it shows, for those who do not see it.
    caption : str
        Printed below.
    """

    svg: str
    alt: str
    caption: str


def render_page(
    *,
    title: str,
    summary: str,
    findings: Sequence[Finding] = (),
    tables: Sequence[tuple[str, Table]] = (),
    figures: Sequence[ReportFigure] = (),
    methods: str = "",
    left_out: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
) -> str:
    """Render a page; the parameters are those of :func:`write_page`."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    if not title.strip() or not summary.strip():
        raise ArgumentError(
            f"`title` is {title!r} and `summary` is {summary!r}; a page needs both, so say in one "
            "sentence what was found"
        )
    silent = [i for i, figure in enumerate(figures, start=1) if not figure.alt.strip()]
    if silent:
        raise ArgumentError(
            f"`figures` has no text alternative for figure {silent[0]}; say in `alt` what it shows"
        )
    paragraphs = [printable(part) for part in re.split(r"\n\s*\n", methods.strip()) if part]
    source = files("evalkit.report").joinpath("page.html.jinja").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # A label may occur in several tables of a page; ids may not.
    html = [(printable(name), Markup(to_html(replace(t, label=None)))) for name, t in tables]  # noqa: S704
    drawn = [
        (
            printable(figure.caption),
            Markup(inline_svg(figure.svg, prefix=f"figure{i}-", alt=figure.alt)),  # noqa: S704
        )
        for i, figure in enumerate(figures, start=1)
    ]
    return environment.from_string(source).render(
        title=printable(title),
        summary=printable(summary),
        findings=[_printable_finding(finding) for finding in findings],
        tables=html,
        figures=drawn,
        methods=paragraphs,
        sections=[
            ("findings", "Findings", bool(findings)),
            ("tables", "Tables", bool(tables)),
            ("figures", "Figures", bool(figures)),
            ("methods", "Methods", True),
            ("left-out", "Left out", True),
            ("provenance", "Provenance", True),
        ],
        left_out=[printable(line) for line in left_out],
        provenance=[(printable(k), printable(v)) for k, v in (provenance or {}).items()],
    )


def write_page(
    path: Path | str,
    *,
    title: str,
    summary: str,
    findings: Sequence[Finding] = (),
    tables: Sequence[tuple[str, Table]] = (),
    figures: Sequence[ReportFigure] = (),
    methods: str = "",
    left_out: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
) -> Path:
    """Write one HTML page that loads nothing from anywhere.

    Parameters
    ----------
    path : Path or str
        File to write; missing folders are made.
    title : str
        Heading of the page.
    summary : str
        The answer in one sentence; it comes first.
    findings : sequence of Finding
        What was found.
    tables : sequence of (str, Table)
        A heading and a table each; sortable in the page.
    figures : sequence of ReportFigure
        Drawings with their text alternatives.
    methods : str
        How the numbers were made; a blank line starts a paragraph.
    left_out : sequence of str
        What was not counted, and why.
    provenance : mapping of str to str
        Inputs, versions and seeds, printed in the given order.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ArgumentError
        If `title` or `summary` is empty, or a drawing lacks its text alternative or would load or
        run something.

    Notes
    -----
    The same arguments write the same bytes: no date and no random id.
    """
    path = Path(path)
    page = render_page(
        title=title,
        summary=summary,
        findings=findings,
        tables=tables,
        figures=figures,
        methods=methods,
        left_out=left_out,
        provenance=provenance,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8", newline="\n")
    return path


def _printable_finding(finding: Finding) -> Finding:
    return Finding(
        status=printable(finding.status),
        title=printable(finding.title),
        detail=printable(finding.detail),
    )
