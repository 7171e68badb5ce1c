"""Figures 2, 3 and A2."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.figures import (
    CurvePoint,
    TrajectoryRow,
    amortised_calls_curve,
    evolution_panels,
    new_figure,
    scaling_curves,
)
from evalkit.studies import StudyFigure, load_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
scaling_tables = load_module(HERE.with_name("scaling_tables.py"))
SHORT = {"GPT-5.5": "GPT-5.5", "Gemini 3.1 Pro": "Gemini", "DeepSeek V4-Pro": "DeepSeek"}


def trajectories(records: common.Records) -> Figure:
    """Draw every primary run."""
    rows = []
    for benchmark in common.PRIMARY:
        for model in common.MODELS:
            for view in common.VIEWS:
                replay = records.replays.get((model, benchmark, view))
                if replay is None:
                    continue
                rows.append(
                    TrajectoryRow(
                        label=f"{SHORT[model]} {view}",
                        group=benchmark,
                        executed=replay.run.rounds,
                        new_bests=replay.new_bests,
                        best_round=replay.best_round,
                        selected=records.selections[model, benchmark].selected == view,
                    )
                )
    figure = new_figure(columns=2, height=2.7)
    evolution_panels(figure, rows)
    return figure


def test_time_scaling(records: common.Records) -> Figure:
    """Draw both controls beside the evolved skill, on the two primary contrasts."""
    figure = new_figure(columns=2, height=2.5)
    axes = figure.subplots(1, 2)
    for ax, benchmark in zip(axes, ("SearchQA", "SpreadsheetBench"), strict=True):
        curves = {s: records.curves[benchmark, s] for s in ("parallel", "sequential")}
        k_max = curves["parallel"].k_max
        evolved, n = scaling_tables.evolved_count(records, benchmark, attempts=k_max)
        first = scaling_tables.count_at(curves["parallel"], "parallel", 1)
        scaling_curves(
            ax,
            parallel=_points(curves["parallel"], "oracle"),
            sequential=_points(curves["sequential"], "last"),
            evolved=evolved / n,
            parent=first / n,
            title=f"{benchmark} (n = {n})",
            ylabel=benchmark == "SearchQA",
            digits=2,
        )
    return figure


def _points(curve: object, what: str) -> list[CurvePoint]:
    found = []
    for point in curve.points:  # type: ignore[attr-defined]
        interval = getattr(point, f"{what}_interval")
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        found.append(CurvePoint(k=point.k, value=getattr(point, what), low=low, high=high))
    return found


def amortised(records: common.Records) -> Figure:
    """Draw the calls per item of the evolved SearchQA skill."""
    curve = records.curves["SearchQA", "parallel"]
    figure = new_figure(columns=1, height=2.5)
    amortised_calls_curve(
        figure.subplots(),
        evolution_calls=common.EVOLUTION_CALLS,
        controls={"Parallel or Sequential": curve.calls_all / curve.items},
        n_max=10_000,
    )
    return figure


def figures(records: common.Records) -> dict[str, StudyFigure]:
    """Return the figures by file name."""
    return {
        "figure2_trajectories": StudyFigure(
            draw=lambda: trajectories(records),
            caption=(
                "Figure 2, redrawn: 388 candidates of 42 runs. Inner new bests of six runs are "
                "one of several placements that the round totals allow."
            ),
            alt="One line a run, five panels by benchmark; most rounds set no new best.",
            columns=2,
        ),
        "figure3_test_time_scaling": StudyFigure(
            draw=lambda: test_time_scaling(records),
            caption=(
                "Figure 3, redrawn with 95% intervals over items. SearchQA on the 548 items that "
                "have all six attempts."
            ),
            alt="Score against attempts for both controls, with the evolved skill as a line.",
            columns=2,
        ),
        "figureA2_amortised_calls": StudyFigure(
            draw=lambda: amortised(records),
            caption="Figure A2, redrawn: calls per item, evolution spread over n deployments.",
            alt="Calls per item fall with the number of deployments and cross the control.",
        ),
    }
