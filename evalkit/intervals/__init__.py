"""Intervals of one mean or proportion, each with its measured coverage.

`mean` decides which rule applies; `binomial`, `independent` and `clustered` hold the rules.
"""

from __future__ import annotations

from evalkit.intervals.binomial import (
    agresti_coull,
    clopper_pearson,
    jeffreys,
    mid_p,
    proportion_interval,
    wald,
    wilson,
)
from evalkit.intervals.clustered import (
    augmented_cluster_t,
    cluster_pivot,
    design_effect,
    satterthwaite_df,
)
from evalkit.intervals.independent import (
    augmented_t,
    effective_n,
    korn_graubard,
    student_t,
    wilson_neff,
)
from evalkit.intervals.mean import (
    MeanInterval,
    infer_range,
    mean_interval,
    tally_interval,
)

__all__ = [
    "MeanInterval",
    "agresti_coull",
    "augmented_cluster_t",
    "augmented_t",
    "clopper_pearson",
    "cluster_pivot",
    "design_effect",
    "effective_n",
    "infer_range",
    "jeffreys",
    "korn_graubard",
    "mean_interval",
    "mid_p",
    "proportion_interval",
    "satterthwaite_df",
    "student_t",
    "tally_interval",
    "wald",
    "wilson",
    "wilson_neff",
]
