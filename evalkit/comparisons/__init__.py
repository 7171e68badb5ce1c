"""Differences between two systems: paired, two-sample and clustered.

One pivot gives both the interval and the p-value beside it; other tests stand under ``also``.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "decision": ["Decision", "detectable"],
        "paired": ["compare_pairs", "other_tests", "sign_counts"],
        "proportions": ["newcombe_bounds", "tango_bounds", "two_proportions"],
        "sign_tests": ["mcnemar_exact", "mcnemar_mid_p", "sign_flip"],
        "two_sample": ["compare_samples", "welch_pivot"],
    },
)
