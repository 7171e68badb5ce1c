"""Figures of a loop report."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.evolve.report_data import ExperimentData
from evalkit.evolve.report_numbers import held_out_gain
from evalkit.figures import (
    ForestRow,
    TrajectoryRow,
    evolution_panels,
    forest,
    forest_row,
    new_figure,
    paper_style,
    svg_text,
)
from evalkit.report import ReportFigure

__all__ = ["loop_figures"]

_AGENTS = ("solver", "grader")


def loop_figures(data: ExperimentData) -> tuple[ReportFigure, ...]:
    """Draw the gains of all arms, and the rounds of the first one."""
    import matplotlib as mpl

    with mpl.rc_context(paper_style(2)):
        found = [_gains(data, agent) for agent in _AGENTS]
        found.append(_rounds(data))
    return tuple(figure for figure in found if figure is not None)


def _gains(data: ExperimentData, agent: str) -> ReportFigure | None:
    rows: list[ForestRow] = []
    for arm in data.arms:
        gain = held_out_gain(list(data.of(arm, agent)))
        if gain is not None and gain.estimate is not None:
            rows.append(forest_row(arm, gain))
    if not rows:
        return None
    figure = new_figure(columns=2, height=0.8 + 0.2 * len(rows))
    forest(
        figure.subplots(),
        rows,
        scale=100,
        digits=1,
        reference=0.0,
        sign=True,
        xlabel="gain on test, points",
    )
    listed = "; ".join(f"{row.label} {100 * (row.value or 0):+.1f}" for row in rows)
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Gains of the {agent} by arm, in points: {listed}",
        caption=f"Test gain of the {agent}, returned minus initial, with item-sampling intervals.",
    )


def _rounds(data: ExperimentData) -> ReportFigure | None:
    arm = data.arms[0]
    rows: list[TrajectoryRow] = []
    runs = [run for run in data.runs if run.arm == arm]
    last = max((run.rounds for run in runs), default=0)
    for run in runs:
        for agent, found in run.agents.items():
            bests = tuple(row["round"] for row in found.history if row["decision"] == "new best")
            rows.append(
                TrajectoryRow(
                    label=f"seed {run.seed}",
                    group=agent,
                    executed=run.rounds,
                    new_bests=bests,
                    best_round=bests[-1] if bests else 0,
                    selected=True,
                    max_round=last,
                )
            )
    if not rows or last == 0:
        return None
    rows.sort(key=lambda row: _AGENTS.index(row.group))
    figure = new_figure(columns=2, height=1.1 + 0.25 * len(runs))
    evolution_panels(figure, rows, columns=2)
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Rounds and new bests of arm {arm}: {_said(rows)}",
        caption=f"Arm {arm}: rounds that ran, new bests, and the round that was returned.",
    )


def _said(rows: Sequence[TrajectoryRow]) -> str:
    return "; ".join(
        f"{row.group}, {row.label}: new bests in rounds "
        + (", ".join(map(str, row.new_bests)) or "none")
        for row in rows
    )
