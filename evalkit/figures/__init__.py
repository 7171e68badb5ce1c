"""Figures: functions that take a result and an axes and return the axes, without pyplot.

Draw and save inside ``matplotlib.rc_context(paper_style())``.
"""

from __future__ import annotations

from evalkit.figures.agreement_bins import agreement_by_bin
from evalkit.figures.amortised import amortised_calls_curve
from evalkit.figures.calibration import (
    Calibration,
    CalibrationBin,
    calibration_bins,
    calibration_diagram,
)
from evalkit.figures.cost_preference import CostPoint, cost_preference, pareto_front
from evalkit.figures.decisions import decision_bars
from evalkit.figures.driving_capacity import capacity_forest
from evalkit.figures.forest import ForestRow, forest, forest_row
from evalkit.figures.gate_characteristics import (
    gate_characteristics,
    gate_characteristics_panels,
    gate_table,
)
from evalkit.figures.labels import display_labels
from evalkit.figures.noise_floor import noise_floor
from evalkit.figures.save import save_figure, svg_text
from evalkit.figures.scaling import CurvePoint, scaling_curves
from evalkit.figures.style import PALETTE, new_figure, paper_style
from evalkit.figures.trajectories import TrajectoryRow, evolution_panel, evolution_panels
from evalkit.figures.yields import round_yield

__all__ = [
    "PALETTE",
    "Calibration",
    "CalibrationBin",
    "CostPoint",
    "CurvePoint",
    "ForestRow",
    "TrajectoryRow",
    "agreement_by_bin",
    "amortised_calls_curve",
    "calibration_bins",
    "calibration_diagram",
    "capacity_forest",
    "cost_preference",
    "decision_bars",
    "display_labels",
    "evolution_panel",
    "evolution_panels",
    "forest",
    "forest_row",
    "gate_characteristics",
    "gate_characteristics_panels",
    "gate_table",
    "new_figure",
    "noise_floor",
    "paper_style",
    "pareto_front",
    "round_yield",
    "save_figure",
    "scaling_curves",
    "svg_text",
]
