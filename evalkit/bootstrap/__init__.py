"""The bootstrap without resamples: laws of means, ratios and quantiles, computed and not drawn.

`bootstrap_law` chooses a law, `bootstrap_interval` reads an interval off it,
`bootstrap_intervals` does many raw columns in one call, and `monte_carlo` resamples where no law
is known.
"""

from __future__ import annotations

from evalkit.bootstrap.choose import (
    bootstrap_law,
    mean_law,
    ratio_law,
    two_sample_law,
)
from evalkit.bootstrap.continuous import (
    ContinuousLaw,
    InversionWarning,
)
from evalkit.bootstrap.intervals import (
    BootstrapInterval,
    bootstrap_interval,
    law_interval,
)
from evalkit.bootstrap.law import (
    BootstrapLaw,
    DiscreteLaw,
    LatticeLaw,
    PointLaw,
)
from evalkit.bootstrap.order_statistic import (
    quantile_law,
)
from evalkit.bootstrap.ratio import (
    RatioLaw,
)
from evalkit.bootstrap.resampling import (
    MonteCarlo,
    monte_carlo,
)
from evalkit.bootstrap.studentised import (
    BootstrapT,
    bootstrap_t_interval,
)
from evalkit.bootstrap.table import (
    BootstrapTable,
    bootstrap_intervals,
    cluster_bootstrap_intervals,
)

__all__ = [
    "BootstrapInterval",
    "BootstrapLaw",
    "BootstrapT",
    "BootstrapTable",
    "ContinuousLaw",
    "DiscreteLaw",
    "InversionWarning",
    "LatticeLaw",
    "MonteCarlo",
    "PointLaw",
    "RatioLaw",
    "bootstrap_interval",
    "bootstrap_intervals",
    "bootstrap_law",
    "bootstrap_t_interval",
    "cluster_bootstrap_intervals",
    "law_interval",
    "mean_law",
    "monte_carlo",
    "quantile_law",
    "ratio_law",
    "two_sample_law",
]
