"""Intervals of one mean or proportion, each with its measured coverage.

`mean` decides which rule applies; `binomial`, `independent` and `clustered` hold the rules.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "binomial": [
            "agresti_coull",
            "clopper_pearson",
            "jeffreys",
            "mid_p",
            "proportion_interval",
            "wald",
            "wilson",
        ],
        "clustered": ["augmented_cluster_t", "cluster_pivot", "design_effect", "satterthwaite_df"],
        "independent": ["augmented_t", "effective_n", "korn_graubard", "student_t", "wilson_neff"],
        "mean": ["MeanInterval", "infer_range", "mean_interval", "tally_interval"],
    },
)
