"""Measure the coverage of every interval method and write evalkit/intervals/coverage.json.

Run: python benchmarks/measure_coverage.py [--replications N]

Independent outcomes are enumerated, so their figures have no simulation error; clustered ones are
simulated with a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import get_args

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from measures import (  # noqa: E402 - the helper folder joins the path above
    CLUSTERED_GRID,
    binary_coverage,
    clustered_difference_coverage,
    clustered_mean_coverage,
    credit_coverage,
    paired_binary_coverage,
    paired_coverage,
    sparse_laws,
)
from named_measures import measure_named  # noqa: E402 - the same

from evalkit.comparisons.paired import PairedMethod  # noqa: E402
from evalkit.intervals.binomial import ProportionMethod  # noqa: E402
from evalkit.intervals.mean import MeanMethod  # noqa: E402

TARGET = ROOT / "evalkit" / "intervals" / "coverage.json"
RATES = (0.5, 0.785, 0.96)
CLUSTER = ("augmented-cluster-t", "cr2", "cr1", "cr0")
INDEPENDENT = ("default", *CLUSTER)


def rounded(values: np.ndarray) -> list[float]:
    """Three decimals, as coverage is printed."""
    return [round(float(v), 3) for v in values]


def measure(replications: int) -> dict[str, object]:
    """Return coverage by kind of data and method."""
    grid = np.arange(0.02, 0.9801, 0.002)
    names = [m for m in get_args(MeanMethod) if m not in INDEPENDENT]
    binary, credit = {}, {}
    for method in names:
        at = binary_coverage(34, method, RATES)
        binary[method] = {
            "at": rounded(at),
            "floor": round(float(binary_coverage(34, method, grid).min()), 3),
        }
        if method not in get_args(ProportionMethod) or method == "wald":
            credit[method] = {"at": rounded(credit_coverage(34, method, RATES))}
    paired = {}
    laws = sparse_laws(500, seed=77)
    for method in get_args(PairedMethod):
        if method in (*INDEPENDENT, "tango", "newcombe"):
            continue
        found = paired_coverage(16, laws, method)
        paired[method] = {
            "worst": round(float(found.min()), 3),
            "below_93": round(float((found < 0.93).mean()), 3),
        }
    zero_one = {
        method: {"at": rounded(paired_binary_coverage(34, method))}
        for method in get_args(PairedMethod)
        if method not in (*INDEPENDENT, "newcombe")
    }
    clustered = {
        method: {"at": rounded(clustered_mean_coverage(method, RATES, replications))}
        for method in CLUSTER
    }
    differences = {}
    for method in CLUSTER:
        found = clustered_difference_coverage(method, CLUSTERED_GRID, replications)
        differences[method] = {
            "worst": round(float(found.min()), 3),
            "below_93": round(float((found < 0.93).mean()), 3),
        }
    return {
        "nominal": 0.95,
        "rates": list(RATES),
        "replications": replications,
        "binary, n = 34": binary,
        "half credits, n = 34": credit,
        "paired differences, n = 16, 500 laws": paired,
        "paired 0/1, n = 34, disagreement .10 .30 .30 .15 .40, effect 0 0 .10 .10 .30": zero_one,
        "clustered mean, 25 clusters of 3, ICC .6": clustered,
        f"clustered differences, {len(CLUSTERED_GRID)} designs": differences,
        **measure_named(RATES, replications),
    }


def main() -> None:
    """Write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    settings = parser.parse_args()
    found = measure(settings.replications)
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
