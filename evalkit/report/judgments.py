"""The page of pairwise judgments: agreement of each grader, conventions and order effects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.figures import ForestRow, forest, new_figure, paper_style, svg_text
from evalkit.report.checks import check_findings, check_tables
from evalkit.report.numbers import method_names, percent_text
from evalkit.report.page import ReportFigure, write_page
from evalkit.report.provenance import provenance_of
from evalkit.report.settings import ReportSettings
from evalkit.results import Results
from evalkit.tables import Cell, Column, Table, make_table, number, text

if TYPE_CHECKING:
    from evalkit.doctor import Diagnosis
    from evalkit.grading.pairwise import Agreement

__all__ = ["write_judgments_report"]


def write_judgments_report(
    source: Path, path: Path, *, found: Diagnosis, settings: ReportSettings
) -> Path:
    """Write the page of a file of pairwise judgments.

    Parameters
    ----------
    source, path, found, settings
        As in :func:`evalkit.report.verdicts.write_verdicts_report`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    EvalkitError
        If the rows cannot be read as judgments.
    """
    from evalkit.grading.pairwise import agreement
    from evalkit.records.importers import load

    data: Any = source
    if found.format != "plain":
        data = load(source).tables["judgments"]
    results = agreement(
        data, cluster=settings.cluster, level=settings.level, columns=settings.columns
    )
    return write_page(
        path,
        title=f"Report of {source.name}",
        summary=_summary(results),
        findings=check_findings(found),
        tables=[
            ("Agreement", _agreements(results)),
            ("Conventions and order effects", _conventions(results)),
            *check_tables(found),
        ],
        figures=_figures(results),
        methods=(
            "A pair judged in both orders has the mean credit of the two: 1 for the verdict of "
            "the reference, 1/2 for a tie, 0 otherwise. Agreement is the mean credit of pairs "
            f"with a label and both verdicts, with {100 * settings.level:g} % intervals "
            f"({method_names(r.interval for r in results)}). Missing verdicts are left out and "
            "bounded."
        ),
        left_out=list(dict.fromkeys([*results.notes, *_missing(results)])),
        provenance=provenance_of([source], command=settings.command, seed=None),
    )


def _grader(found: Agreement) -> str:
    return ", ".join(found.by.values()) or "grader"


def _summary(results: Results[Agreement]) -> str:
    known = sorted(
        (r for r in results if r.agreement is not None), key=lambda r: -(r.agreement or 0.0)
    )
    if not known:
        return f"No agreement can be computed for {len(results)} graders."
    best = known[0]
    shown = percent_text(best.agreement, best.interval)
    head = f"{_grader(best)} agrees with the reference on {shown} %"
    tail = f"; it is the highest of {len(results)} graders" if len(results) > 1 else ""
    return f"{head} of {best.n} pairs{tail}."


def _agreements(results: Results[Agreement]) -> Table:
    columns = [
        Column(key="grader", header="grader"),
        Column(key="agreement", header="agreement [interval] (%)", align="right"),
        *(
            Column(key=key, header=key, align="right")
            for key in ("pairs", "wins", "ties", "inversions", "nulls", "incomplete")
        ),
        Column(key="bounds", header="if nulls wrong / right (%)", align="right"),
    ]
    rows: list[list[Cell]] = [
        [
            text(_grader(r)),
            text(percent_text(r.agreement, r.interval)),
            *map(number, (r.n, r.wins, r.ties, r.inversions, r.nulls, r.incomplete)),
            text(f"{percent_text(r.low_if_nulls_wrong)} / {percent_text(r.high_if_nulls_right)}"),
        ]
        for r in results
    ]
    notes = [f"Intervals: {method_names(r.interval for r in results)}."] + [
        r.note for r in results if r.note
    ]
    return make_table(columns, rows, notes=list(dict.fromkeys(notes)))


def _conventions(results: Results[Agreement]) -> Table:
    columns = [
        Column(key="what", header="what"),
        Column(key="value", header="value [interval] (%)", align="right"),
        Column(key="n", header="n", align="right"),
    ]
    rows: list[list[Cell]] = []
    groups: list[str] = []
    for r in results:
        for rate in (*r.conventions, r.inconsistent, r.position_bias):
            shown = percent_text(rate.value, rate.interval)
            rows.append([text(rate.name.replace("_", " ")), text(shown), number(rate.n)])
            groups.append(_grader(r))
    return make_table(columns, rows, groups=groups)


def _missing(results: Results[Agreement]) -> list[str]:
    return [
        f"{_grader(r)}: {r.nulls} pairs without a verdict, {r.incomplete} judged in one of two "
        f"orders, {r.unlabelled} without a label, {r.reference_ties} that the reference calls equal"
        for r in results
        if r.nulls or r.incomplete or r.unlabelled or r.reference_ties
    ]


def _figures(results: Results[Agreement]) -> list[ReportFigure]:
    import matplotlib as mpl

    rows = [
        ForestRow(
            label=_grader(r),
            value=r.agreement,
            low=None if r.interval is None else r.interval.low,
            high=None if r.interval is None else r.interval.high,
        )
        for r in results
    ]
    if not rows:
        return []
    with mpl.rc_context(paper_style(2)):
        figure = new_figure(columns=2, height=0.8 + 0.2 * len(rows))
        forest(
            figure.subplots(),
            rows,
            scale=100,
            digits=1,
            reference=0.5,
            label_limit=40,
            xlabel="agreement (%); dashed: chance",
        )
    listed = "; ".join(f"{_grader(r)} {percent_text(r.agreement, r.interval)}" for r in results)
    return [
        ReportFigure(
            svg=svg_text(figure),
            alt=f"Agreement by grader in percent: {listed}",
            caption="Agreement of each grader with the reference, with intervals.",
        )
    ]
