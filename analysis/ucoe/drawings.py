"""The preferences of Table 11 and the decisions of Table 12, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.figures import ForestRow, forest, forest_row, new_figure
from evalkit.studies import StudyFigure, load_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
added = load_module(HERE.with_name("added.py"))


def preferences(records: common.Records) -> Figure:
    """Draw each printed interval against parity."""
    rows = [
        ForestRow(
            label=entry.method,
            value=float(entry.point) / 100,
            low=entry.low / 100,
            high=entry.high / 100,
            group=entry.benchmark,
        )
        for entry in sorted(
            added.preferences(records), key=lambda e: common.OPEN_ENDED.index(e.benchmark)
        )
    ]
    figure = new_figure(columns=2, height=6.0)
    forest(
        figure.subplots(),
        rows,
        scale=100,
        digits=1,
        reference=0.5,
        xlabel="preference against direct generation (%)",
    )
    return figure


def decisions(records: common.Records) -> Figure:
    """Draw the critic's preference for accepted and rejected proposals."""
    rows = [
        forest_row(found.decision, added.critic(found), group=found.actor)
        for found in records.decisions
    ]
    figure = new_figure(columns=1, height=2.0)
    forest(
        figure.subplots(),
        rows,
        scale=100,
        digits=1,
        reference=0.5,
        xlabel="proposal preferred to its draft (%)",
    )
    return figure


def figures(records: common.Records) -> dict[str, StudyFigure]:
    """Return the figures by file name."""
    return {
        "table11_preferences": StudyFigure(
            draw=lambda: preferences(records),
            caption="Table 11, drawn: preference against direct generation with the printed 95% "
            "intervals. The line is parity.",
            alt="Twenty-four intervals in six benchmark groups; most include 50 percent.",
            columns=2,
        ),
        "table12_decisions": StudyFigure(
            draw=lambda: decisions(records),
            caption="Table 12 with intervals of ours: the critic prefers accepted proposals to "
            "their drafts, and is indifferent to rejected ones.",
            alt="Accepted proposals lie near 70 percent, rejected ones near 51 percent.",
        ),
    }
