"""Evolution runs: recorded histories, gates, replay, accounting, selection and its noise."""

from __future__ import annotations

from evalkit.trajectories.accounting import (
    Accounting,
    PeriodYield,
    RoundYield,
    new_best_accounting,
    yield_by_period,
)
from evalkit.trajectories.evaluations import EvaluationLedger, LedgerStep, evaluation_ledger
from evalkit.trajectories.gates import (
    DeadBand,
    Gate,
    NonDecreasing,
    Reference,
    Strict,
    dead_band,
    non_decreasing,
    strict,
)
from evalkit.trajectories.history import Candidate, Decision, Run
from evalkit.trajectories.noise import SelectionTax, aa_new_best, false_new_best, selection_tax
from evalkit.trajectories.operating_characteristics import (
    OperatingCharacteristics,
    operating_characteristics,
)
from evalkit.trajectories.operating_runs import EffectPrior, RunCharacteristics
from evalkit.trajectories.paired_gates import (
    LowerBound,
    PairedGate,
    SignTest,
    StandardErrors,
    lower_bound,
    paired_gate_by_name,
    sign_test,
    standard_errors,
    standard_gates,
)
from evalkit.trajectories.reading import runs_from_rows
from evalkit.trajectories.replay import Replay, Step, replay
from evalkit.trajectories.scores import Score
from evalkit.trajectories.selection import (
    Selection,
    SelectionGap,
    ViewResult,
    select_view,
    selection_gap,
)
from evalkit.trajectories.trajectory import Trajectory, gate_by_name, trajectory

__all__ = [
    "Accounting",
    "Candidate",
    "DeadBand",
    "Decision",
    "EffectPrior",
    "EvaluationLedger",
    "Gate",
    "LedgerStep",
    "LowerBound",
    "NonDecreasing",
    "OperatingCharacteristics",
    "PairedGate",
    "PeriodYield",
    "Reference",
    "Replay",
    "RoundYield",
    "Run",
    "RunCharacteristics",
    "Score",
    "Selection",
    "SelectionGap",
    "SelectionTax",
    "SignTest",
    "StandardErrors",
    "Step",
    "Strict",
    "Trajectory",
    "ViewResult",
    "aa_new_best",
    "dead_band",
    "evaluation_ledger",
    "false_new_best",
    "gate_by_name",
    "lower_bound",
    "new_best_accounting",
    "non_decreasing",
    "operating_characteristics",
    "paired_gate_by_name",
    "replay",
    "runs_from_rows",
    "select_view",
    "selection_gap",
    "selection_tax",
    "sign_test",
    "standard_errors",
    "standard_gates",
    "strict",
    "trajectory",
    "yield_by_period",
]
