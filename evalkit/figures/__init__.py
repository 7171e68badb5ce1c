"""Figures: functions that take a result and an axes and return the axes, without pyplot.

Draw and save inside ``matplotlib.rc_context(paper_style())``.
"""

from __future__ import annotations

from evalkit.figures.amortised import amortised_calls_curve
from evalkit.figures.driving_capacity import capacity_forest
from evalkit.figures.forest import ForestRow, forest, forest_row
from evalkit.figures.labels import display_labels
from evalkit.figures.save import save_figure, svg_text
from evalkit.figures.scaling import CurvePoint, scaling_curves
from evalkit.figures.style import PALETTE, new_figure, paper_style
from evalkit.figures.trajectories import TrajectoryRow, evolution_panel, evolution_panels

__all__ = [
    "PALETTE",
    "CurvePoint",
    "ForestRow",
    "TrajectoryRow",
    "amortised_calls_curve",
    "capacity_forest",
    "display_labels",
    "evolution_panel",
    "evolution_panels",
    "forest",
    "forest_row",
    "new_figure",
    "paper_style",
    "save_figure",
    "scaling_curves",
    "svg_text",
]
