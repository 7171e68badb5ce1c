"""Differences between two systems: paired, two-sample and clustered; many at once; power.

One pivot gives both the interval and the p-value beside it; other tests stand under ``also``.
"""

from __future__ import annotations

from evalkit.comparisons.all_pairs import (
    AllPairs,
    PairComparison,
    RankedSystem,
    compare_all,
    letter_groups,
)
from evalkit.comparisons.best_system import best_system
from evalkit.comparisons.decision import (
    Decision,
    detectable,
)
from evalkit.comparisons.equivalence import (
    Equivalence,
    NonInferiority,
    equivalence_test,
    non_inferiority_test,
)
from evalkit.comparisons.multiplicity import (
    Adjusted,
    adjust_p,
)
from evalkit.comparisons.paired import (
    compare_pairs,
    other_tests,
    paired_pivot,
    sign_counts,
)
from evalkit.comparisons.power import (
    Power,
    power_mean,
    power_paired_binary,
    sample_size,
    smallest_effect,
)
from evalkit.comparisons.power_counts import (
    gate_power,
    power_two_proportions,
)
from evalkit.comparisons.predicted_rows import estimate_predicted
from evalkit.comparisons.prediction_powered import (
    PredictionPowered,
    prediction_powered_mean,
)
from evalkit.comparisons.proportions import (
    newcombe_bounds,
    paired_proportions,
    tango_bounds,
    two_proportions,
)
from evalkit.comparisons.selection import (
    SelectionCorrected,
    selection_corrected,
)
from evalkit.comparisons.sequential import (
    ConfidenceSequence,
    confidence_sequence,
)
from evalkit.comparisons.sign_tests import (
    mcnemar_chi2,
    mcnemar_exact,
    mcnemar_mid_p,
    sign_flip,
)
from evalkit.comparisons.two_sample import (
    compare_samples,
    welch_pivot,
)
from evalkit.comparisons.weighting import (
    PooledMean,
    pooled_mean,
)

__all__ = [
    "Adjusted",
    "AllPairs",
    "ConfidenceSequence",
    "Decision",
    "Equivalence",
    "NonInferiority",
    "PairComparison",
    "PooledMean",
    "Power",
    "PredictionPowered",
    "RankedSystem",
    "SelectionCorrected",
    "adjust_p",
    "best_system",
    "compare_all",
    "compare_pairs",
    "compare_samples",
    "confidence_sequence",
    "detectable",
    "equivalence_test",
    "estimate_predicted",
    "gate_power",
    "letter_groups",
    "mcnemar_chi2",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "newcombe_bounds",
    "non_inferiority_test",
    "other_tests",
    "paired_pivot",
    "paired_proportions",
    "pooled_mean",
    "power_mean",
    "power_paired_binary",
    "power_two_proportions",
    "prediction_powered_mean",
    "sample_size",
    "selection_corrected",
    "sign_counts",
    "sign_flip",
    "smallest_effect",
    "tango_bounds",
    "two_proportions",
    "welch_pivot",
]
