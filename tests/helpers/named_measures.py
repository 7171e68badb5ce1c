"""Coverage and size of the methods that are asked for by a verb or a function of their own.

Exact enumeration for independent counts, else simulation with a fixed seed. Sizes are the shares of
samples that reject a true null hypothesis at .05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from laws import compositions, multinomial_weights
from measures import sample_of
from scipy import stats

from evalkit.bootstrap import monte_carlo
from evalkit.comparisons import (
    adjust_p,
    confidence_sequence,
    equivalence_test,
    mcnemar_exact,
    mcnemar_mid_p,
    non_inferiority_test,
    prediction_powered_mean,
    selection_corrected,
    sign_flip,
)
from evalkit.comparisons.multiplicity import Adjustment
from evalkit.contrasts import worst_family_interval
from evalkit.tally import Tally, tally_values

ALPHA = 0.05
DISAGREEMENTS = (0.1, 0.3, 0.6)
MARGIN = 0.1
SIGNS = np.array([-1.0, 0.0, 1.0])
SELECTION_GRID = [
    (groups, size, number, rate, icc)
    for groups, size in ((10, 4), (25, 8), (50, 4))
    for number, rate in ((4, 0.6), (20, 0.6), (20, 0.95))
    for icc in (0.1, 0.4, 0.8)
]


def paired_size(n: int, effect: float, rejects: Callable[[Tally], bool]) -> np.ndarray:
    """Exact chance of rejection under each disagreement, for 0/1 pairs with this difference."""
    states = compositions(n, 3)
    rejected = np.array([rejects(sample_of(SIGNS, counts)) for counts in states])
    out = []
    for disagreement in DISAGREEMENTS:
        law = np.array([(disagreement - effect) / 2, 1 - disagreement, (disagreement + effect) / 2])
        out.append(multinomial_weights(states, np.maximum(law, 0.0))[rejected].sum())
    return np.array(out)


def equivalence_size(n: int = 80) -> np.ndarray:
    """Chance to call systems equivalent that differ by the margin."""
    return paired_size(
        n, MARGIN, lambda d: equivalence_test(d, margin=MARGIN).verdict == "equivalent"
    )


def non_inferiority_size(n: int = 80) -> np.ndarray:
    """Chance to call a candidate non-inferior that is worse by the margin."""
    return paired_size(
        n, -MARGIN, lambda d: non_inferiority_test(d, margin=MARGIN).verdict == "non-inferior"
    )


def discordant_size(n: int, test: Callable[[int, int], float]) -> np.ndarray:
    """Size of a test of the discordant counts."""

    def rejects(d: Tally) -> bool:
        counts = dict(zip(d.values.tolist(), d.counts.tolist(), strict=True))
        return test(counts.get(1.0, 0), counts.get(-1.0, 0)) <= ALPHA

    return paired_size(n, 0.0, rejects)


def sign_flip_rejects(d: Tally) -> bool:
    """Whether the exact sign-flip test rejects at .05."""
    p = sign_flip(np.repeat(d.values, d.counts)).p_value
    return p is not None and p <= ALPHA


def sampled_sign_flip_size(replications: int, *, n: int = 24, resamples: int = 999) -> float:
    """Size of the sign-flip test that samples its law."""
    rng = np.random.default_rng(71)
    hits = 0
    for index in range(replications):
        found = sign_flip(rng.standard_t(4, n), law="monte-carlo", resamples=resamples, rng=index)
        hits += found.p_value is not None and found.p_value <= ALPHA
    return hits / replications


def sequence_coverage(rates: Sequence[float], replications: int, *, looks: int = 500) -> np.ndarray:
    """Chance that the intervals at all looks hold the mean."""
    out = []
    for index, rate in enumerate(rates):
        rng = np.random.default_rng(81 + index)
        held = sum(
            confidence_sequence(rng.random(looks) < rate).first_excluding(rate) is None
            for _ in range(replications)
        )
        out.append(held / replications)
    return np.array(out)


def predicted_coverage(
    rates: Sequence[float], replications: int, *, n: int = 50, size: int = 500, right: float = 0.85
) -> np.ndarray:
    """Coverage of a prediction-powered mean with a judge that is right this often."""
    out = []
    for index, rate in enumerate(rates):
        rng = np.random.default_rng(91 + index)
        held = 0
        for _ in range(replications):
            truth = (rng.random(n + size) < rate).astype(float)
            judge = np.where(rng.random(n + size) < right, truth, 1 - truth)
            found = prediction_powered_mean(judge[n:], judge[:n], truth[:n]).interval
            held += found is not None and rate in found
        out.append(held / replications)
    return np.array(out)


def selected_coverage(
    design: tuple[int, int, int, float, float], replications: int, *, level: float = 0.95
) -> tuple[float, float]:
    """Coverage of the interval, and of the lower bound, of the best of equal candidates.

    Clusters have beta-distributed rates of their own for each candidate, which is where choosing
    the best adds most.
    """
    groups, size, number, rate, icc = design
    a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc
    clusters = np.repeat(np.arange(groups), size)
    rng = np.random.default_rng(101)
    two_sided = lower = 0
    for _ in range(replications):
        scores = {
            str(k): (rng.random(clusters.size) < rng.beta(a, b, groups)[clusters]).astype(float)
            for k in range(number)
        }
        found = selection_corrected(
            scores, clusters=clusters.tolist(), level=level, score_range=(0.0, 1.0), resamples=1
        )
        two_sided += found.interval is not None and rate in found.interval
        lower += found.lower is not None and found.lower <= rate
    return two_sided / replications, lower / replications


def worst_family_coverage(families: int, n: int) -> float:
    """Exact coverage at worst over rates of the worst family, the others equal to it."""
    outcomes = [tally_values([1.0] * k + [0.0] * (n - k)) for k in range(n + 1)]
    intervals = [worst_family_interval([t] * families) for t in outcomes]
    low = np.array([-1.0 if i is None else i.low for i in intervals])
    high = np.array([2.0 if i is None else i.high for i in intervals])
    rates = np.arange(0.02, 1.0, 0.02)
    pmf = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
    # The smallest of the bounds misses above when all lower bounds do, below when some upper does.
    above = (pmf * (low[:, None] > rates + 1e-12)).sum(axis=0) ** families
    below = 1 - (pmf * (high[:, None] >= rates - 1e-12)).sum(axis=0) ** families
    return float((1 - above - below).min())


def monte_carlo_coverage(rates: Sequence[float], replications: int, *, n: int = 34) -> np.ndarray:
    """Coverage of the percentile interval off 999 simulated resamples of 0/1 scores."""
    cached: dict[int, tuple[float, float] | None] = {}
    for k in range(n + 1):
        found = monte_carlo(
            [np.array([1.0] * k + [0.0] * (n - k))], "mean", resamples=replications, rng=k
        ).interval(method="percentile")
        cached[k] = None if found is None else (found.low, found.high)
    out = []
    for rate in rates:
        inside = [
            bounds is not None and bounds[0] - 1e-12 <= rate <= bounds[1] + 1e-12
            for bounds in cached.values()
        ]
        out.append(float(stats.binom.pmf(np.arange(n + 1), n, rate)[inside].sum()))
    return np.array(out)


def familywise_size(method: Adjustment, replications: int, *, m: int = 10) -> float:
    """Chance of any rejection among independent true hypotheses."""
    rng = np.random.default_rng(111)
    hits = 0
    for _ in range(replications):
        found = adjust_p(rng.random(m).tolist(), method=method).values
        hits += min(p for p in found if p is not None) <= ALPHA
    return hits / replications


def measure_named(rates: Sequence[float], replications: int) -> dict[str, dict[str, object]]:
    """Return the figures by setting and method, as coverage.json holds them."""

    def three(values: np.ndarray) -> list[float]:
        return [round(float(v), 3) for v in values]

    selected = [selected_coverage(design, replications // 4) for design in SELECTION_GRID]
    sizes = {
        "mcnemar exact": three(discordant_size(34, mcnemar_exact)),
        "mcnemar mid-p": three(discordant_size(34, mcnemar_mid_p)),
        "sign-flip": three(paired_size(34, 0.0, sign_flip_rejects)),
    }
    return {
        "size at .05, 34 pairs of 0/1, disagreement .1 .3 .6": {
            name: {"size": found} for name, found in sizes.items()
        },
        "size at .05, 24 pairs, t(4), 999 draws": {
            "sign-flip, sampled": {"size": [round(sampled_sign_flip_size(replications), 3)]}
        },
        "size at .05, a true difference of the margin .1, 80 pairs, disagreement .1 .3 .6": {
            "equivalence": {"size": three(equivalence_size())},
            "non-inferiority": {"size": three(non_inferiority_size())},
        },
        "size at .05, any of 10 true hypotheses": {
            "holm": {"size": [round(familywise_size("holm", 20 * replications), 3)]},
            "bh": {"size": [round(familywise_size("bh", 20 * replications), 3)]},
        },
        "all of 500 looks at once": {
            "confidence-sequence": {"at": three(sequence_coverage(rates, replications // 2))}
        },
        "50 labels, 500 judged, judge right .85": {
            "prediction-powered": {"at": three(predicted_coverage(rates, 2 * replications))}
        },
        f"best of 4 to 20 equal candidates, {len(SELECTION_GRID)} clustered designs": {
            "selection-corrected": {
                "worst": min(round(each[0], 3) for each in selected),
                "below_93": round(sum(each[0] < 0.93 for each in selected) / len(selected), 3),
            }
        },
        "6 equal families of 30 pairs, 49 rates": {
            "worst-family": {"floor": round(worst_family_coverage(6, 30), 3)}
        },
        "binary, n = 34, 9,999 resamples": {
            "monte-carlo": {"at": three(monte_carlo_coverage(rates, 9999))}
        },
    }
