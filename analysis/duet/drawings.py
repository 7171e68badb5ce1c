"""The differences of Table 1 with their intervals, and the grader sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.figures import ForestRow, forest, new_figure
from evalkit.studies import StudyFigure, load_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
added = load_module(HERE.with_name("added.py"))


def differences(records: common.Records, agent: str) -> list[ForestRow]:
    """Return DUET less each baseline of Table 1, with 95% intervals."""
    return [
        ForestRow(
            label=f"against {c.base}",
            value=c.difference,
            low=c.difference - c.half,
            high=c.difference + c.half,
            group=c.benchmark if c.items else f"{c.benchmark} (seeds only)",
        )
        for c in added.contrasts(records)
        if c.table == "1" and c.agent == agent
    ]


def solvers(records: common.Records) -> Figure:
    """Draw the solver differences."""
    figure = new_figure(columns=2, height=5.2)
    forest(
        figure.subplots(),
        differences(records, "Solver"),
        scale=100,
        digits=1,
        sign=True,
        reference=0.0,
        label_limit=40,
        xlabel="DUET less baseline, test score (points)",
    )
    return figure


def graders(records: common.Records) -> Figure:
    """Draw the gains of the grader."""
    figure = new_figure(columns=1, height=2.6)
    forest(
        figure.subplots(),
        differences(records, "Grader"),
        scale=100,
        digits=1,
        sign=True,
        reference=0.0,
        xlabel="DUET less G0, agreement (points)",
    )
    return figure


def figures(records: common.Records) -> dict[str, StudyFigure]:
    """Return the figures by file name."""
    note = (
        "95% intervals from the printed sds over three seeds and item sampling; unadjusted for "
        "the number of comparisons. Finance prints rubric means: seeds only."
    )
    return {
        "table1_solver_differences": StudyFigure(
            draw=lambda: solvers(records),
            caption=f"Solver differences of Table 1. {note}",
            alt="Twenty differences in four groups; most intervals include 0.",
            columns=2,
        ),
        "table1_grader_gains": StudyFigure(
            draw=lambda: graders(records),
            caption=f"Grader gains of Table 1. {note}",
            alt="Four differences on 78, 25, 34 and 95 pairs; every interval includes 0.",
        ),
    }
