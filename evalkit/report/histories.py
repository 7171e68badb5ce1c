"""The page of recorded evolution runs: decisions, yields and the runs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.figures import (
    TrajectoryRow,
    decision_bars,
    evolution_panels,
    new_figure,
    paper_style,
    round_yield,
    svg_text,
)
from evalkit.report.checks import check_findings, check_tables
from evalkit.report.numbers import percent_text
from evalkit.report.page import Finding, ReportFigure, write_page
from evalkit.report.provenance import provenance_of
from evalkit.report.settings import ReportSettings
from evalkit.tables import Cell, Column, Table, count, make_table, number, text

if TYPE_CHECKING:
    from evalkit.doctor import Diagnosis
    from evalkit.trajectories import Replay, Trajectory
    from evalkit.trajectories.accounting import Accounting, RoundYield

__all__ = ["write_history_report"]

_MOST_RUNS = 40


def write_history_report(
    source: Path, path: Path, *, found: Diagnosis, settings: ReportSettings
) -> Path:
    """Write the page of a file of evolution histories.

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
        If the rows cannot be read as runs.
    """
    from evalkit.records.importers import load
    from evalkit.trajectories import trajectory

    held = load(source, columns=settings.columns)
    account = trajectory(held.tables["history"], level=settings.level)
    return write_page(
        path,
        title=f"Report of {source.name}",
        summary=_summary(account),
        findings=[*_findings(account), *check_findings(found)],
        tables=[
            ("New bests", _yields(account)),
            ("Runs", _runs(account.replays)),
            *check_tables(found),
        ],
        figures=_figures(account),
        methods=(
            "Every run is replayed from its validation scores: a new best scores strictly above "
            f"the best so far with another artifact; the gate is {account.gate}. Yields are new "
            f"bests by candidate with {100 * settings.level:g} % Wilson intervals, as if "
            "candidates were independent."
        ),
        left_out=list(dict.fromkeys([*held.notes, *account.notes])),
        provenance=provenance_of([source], command=settings.command, seed=None),
    )


def _summary(account: Trajectory) -> str:
    total = account.accounting
    if not total.candidates:
        return f"{total.runs} runs hold no candidate, so there is no yield."
    return (
        f"{total.new_bests} of {total.candidates} candidates in {total.runs} runs set a new best "
        f"({percent_text(total.yield_, total.interval)} %), and {total.runs_improved} runs "
        "improved on their parent by validation score."
    )


def _findings(account: Trajectory) -> list[Finding]:
    wrong = [entry for entry in account.replays if entry.disagreements]
    if not wrong:
        return []
    return [
        Finding(
            status="mismatch",
            title=f"In {len(wrong)} runs recorded decisions differ from what the scores say.",
            detail="; ".join(_name(entry) for entry in wrong[:5]),
        )
    ]


def _yields(account: Trajectory) -> Table:
    total = account.accounting
    columns = [
        Column(key="what", header="candidates of"),
        Column(key="share", header="new bests", align="right"),
        Column(key="yield", header="yield [interval] (%)", align="right"),
    ]
    entries: list[tuple[str, int, int, Accounting | RoundYield]] = [
        ("all runs", total.new_bests, total.candidates, total),
        *(
            (", ".join(group.by.values()), group.new_bests, group.candidates, group)
            for group in total.groups
        ),
        *((f"round {e.round}", e.new_bests, e.attempted, e) for e in total.by_round),
    ]
    rows: list[list[Cell]] = [
        [text(name), count(new, tried), text(percent_text(entry.yield_, entry.interval))]
        for name, new, tried, entry in entries
    ]
    return make_table(columns, rows)


def _name(entry: Replay) -> str:
    return ", ".join(entry.run.labels.values()) or "run"


def _runs(replays: Sequence[Replay]) -> Table:
    columns = [
        Column(key="run", header="run"),
        *(
            Column(key=key, header=key, align="right")
            for key in ("rounds", "parent", "best", "best round", "new bests")
        ),
    ]

    def score(value: object) -> Cell:
        return number(None if value is None else float(str(value)), 4)

    rows = [
        [
            text(_name(entry)),
            number(len(entry.steps)),
            score(None if entry.run.baseline is None else float(entry.run.baseline)),
            score(None if entry.best_score is None else float(entry.best_score)),
            number(entry.best_round),
            number(len(entry.new_bests)),
        ]
        for entry in replays
    ]
    return make_table(columns, rows, notes=["Round 0 is the parent; scores are on validation."])


def _figures(account: Trajectory) -> list[ReportFigure]:
    import matplotlib as mpl

    total = account.accounting
    if not total.candidates:
        return []
    counts = "; ".join(f"round {e.round} {e.new_bests} of {e.attempted}" for e in total.by_round)
    out = []
    with mpl.rc_context(paper_style(2)):
        figure = new_figure(columns=2)
        decision_bars(figure.subplots(), account.replays)
        out.append(
            ReportFigure(
                svg=svg_text(figure),
                alt=f"Decisions by round as stacked bars; new bests: {counts}",
                caption="Decisions of each round, one candidate a run.",
            )
        )
        figure = new_figure(columns=2)
        round_yield(figure.subplots(), total)
        out.append(
            ReportFigure(
                svg=svg_text(figure),
                alt=f"New bests by candidate with intervals: {counts}",
                caption="Yield of each round with Wilson intervals.",
            )
        )
        if len(account.replays) <= _MOST_RUNS:
            out.append(_rounds(account.replays))
    return out


def _rounds(replays: Sequence[Replay]) -> ReportFigure:
    last = max(entry.steps[-1].round for entry in replays if entry.steps)
    names = _distinct([_name(entry) for entry in replays])
    rows = [
        TrajectoryRow(
            label=name,
            group="runs",
            executed=entry.steps[-1].round if entry.steps else 0,
            new_bests=entry.new_bests,
            best_round=entry.best_round,
            selected=True,
            max_round=last,
        )
        for name, entry in zip(names, replays, strict=True)
    ]
    figure = new_figure(columns=2, height=1.1 + 0.2 * len(rows))
    evolution_panels(figure, rows, columns=1)
    listed = "; ".join(f"{r.label}: {', '.join(map(str, r.new_bests)) or 'none'}" for r in rows)
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Rounds with new bests by run: {listed}",
        caption="Rounds that ran, new bests, and the round of the best candidate.",
    )


def _distinct(names: Sequence[str]) -> list[str]:
    """Give names that occur more than once a number."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if names.count(name) == 1 else f"{name} #{seen[name]}")
    return out
