"""Every method by name: how to ask for it, its rule, its source, its measured coverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalkit.results import Results, json_value

__all__ = ["MethodInfo", "methods"]

COVERAGE_FILE = "coverage.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodInfo:
    """One interval method, or one test.

    Attributes
    ----------
    method : str
        Name; ``--method`` takes those that `ask` says so of.
    estimates : str
        What it estimates (a mean, a paired difference, a two-sample difference) or tests.
    ask : str
        How to ask for it: an option of a verb, or a function.
    default_for : str or None
        Data that it is the default for.
    rule : str
        How the bounds are computed.
    source : str
        Where the rule is published.
    coverage : mapping
        Measured coverage of the nominal 95 % interval, or size of the test at .05, by setting.
    """

    method: str
    estimates: str
    ask: str
    default_for: str | None
    rule: str
    source: str
    coverage: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: json_value(getattr(self, name)) for name in self.__slots__}


_MEAN, _PAIR, _TWO = "mean", "paired difference", "two independent samples"
_BOTH = "mean, paired difference"
_TABLE = (
    ("wilson", _MEAN, "0/1 scores", "inverts the score test", "Wilson 1927"),
    (
        "wilson-neff",
        _MEAN,
        "30 and more scores in a range",
        "wilson at n_eff = n m(1-m)/s²",
        "Wilson 1927; effective n as in Korn and Graubard 1998",
    ),
    (
        "augmented-t",
        _BOTH,
        "paired differences, and few scores, in a range",
        "t after one pseudo-outcome at each end of the range",
        "after Agresti and Min 2005; Bonett and Price 2012",
    ),
    (
        "augmented-cluster-t",
        _BOTH,
        "clusters, scores in a range",
        "CR2 and t after one pseudo-cluster at each end of the range",
        "docs/statistics.md",
    ),
    ("t", _BOTH, "no range known", "mean ± t(n-1) s/√n", "Student 1908"),
    ("cr2", _BOTH, "clusters, no range known", "CR2, Satterthwaite t", "Bell and McCaffrey 2002"),
    ("cr1", _BOTH, None, "cluster-robust with G/(G-1), t(G-1)", "Liang and Zeger 1986"),
    ("cr0", _BOTH, None, "cluster-robust without correction, normal", "Liang and Zeger 1986"),
    ("clopper-pearson", _MEAN, None, "inverts exact binomial tails", "Clopper and Pearson 1934"),
    ("mid-p", _MEAN, None, "inverts exact binomial mid-p tails", "Berry and Armitage 1995"),
    ("jeffreys", _MEAN, None, "Beta(1/2, 1/2) posterior quantiles", "Brown, Cai, DasGupta 2001"),
    ("agresti-coull", _MEAN, None, "Wald after adding z²/2 of each", "Agresti and Coull 1998"),
    ("korn-graubard", _MEAN, None, "clopper-pearson at n_eff", "Korn and Graubard 1998"),
    ("wald", _BOTH, None, "mean ± z SE; for comparison only", "textbook"),
    ("percentile", _BOTH, None, "exact bootstrap law, percentile limits", "Efron 1979"),
    ("bc", _BOTH, None, "exact bootstrap law, bias-corrected limits", "Efron 1981"),
    ("bca", _BOTH, None, "exact bootstrap law, BCa limits", "Efron 1987"),
    ("bootstrap-t", _MEAN, None, "studentised bootstrap, 9,999 resamples", "Efron 1981"),
    ("tango", _PAIR, None, "inverts the paired score test", "Tango 1998"),
    ("bonett-price", _PAIR, None, "Wald after one pseudo-pair at each end", "Bonett, Price 2012"),
    (
        "newcombe",
        f"{_TWO}, {_PAIR}",
        "two samples of 0/1 scores",
        "square-and-add of two wilson intervals",
        "Newcombe 1998, method 10",
    ),
    (
        "augmented-welch-t",
        _TWO,
        "scores in a range",
        "Welch t of two augmented means",
        "Welch 1947; docs/statistics.md",
    ),
    ("welch-t", _TWO, "no range known", "Welch t", "Welch 1947"),
)
_FAMILY = "family of p-values"
_NAMED = (
    (
        "mcnemar exact",
        _PAIR,
        "compare (under also)",
        "binomial tail of the discordant pairs",
        "McNemar 1947",
    ),
    (
        "mcnemar mid-p",
        _PAIR,
        "compare (under also)",
        "mid-p of the discordant pairs",
        "Fagerland, Lydersen and Laake 2013",
    ),
    (
        "sign-flip",
        _PAIR,
        "compare (under also)",
        "permutation of signs, exact on a lattice and up to 20 units",
        "Fisher 1935",
    ),
    (
        "sign-flip, sampled",
        _PAIR,
        'sign_flip(law="monte-carlo"); compare where no exact law is at hand',
        "p = (hits + 1)/(B + 1) of B random sign patterns",
        "Phipson and Smyth 2010",
    ),
    (
        "monte-carlo",
        "any statistic",
        "evalkit.bootstrap.monte_carlo",
        "bootstrap by resampling: percentile, basic, BC, BCa",
        "Efron 1979",
    ),
    (
        "equivalence",
        _PAIR,
        "compare --gate equivalent:MARGIN",
        "interval at 1 - 2 alpha within MARGIN of 0 (two one-sided tests)",
        "Schuirmann 1987",
    ),
    (
        "non-inferiority",
        _PAIR,
        "compare --gate non-inferior:MARGIN",
        "lower bound above -MARGIN",
        "Schuirmann 1987",
    ),
    (
        "prediction-powered",
        _MEAN,
        "estimate --predicted COLUMN",
        "label less λ judge, plus λ judge on all; t",
        "Angelopoulos, Duchi and Zrnic 2023",
    ),
    (
        "selection-corrected",
        "mean of the best of K",
        "estimate --best",
        "wilson at pooled n_eff by Bonferroni; bootstrap of the choice",
        "after Efron 1983; Korn and Graubard 1998",
    ),
    (
        "confidence-sequence",
        "mean, at every look",
        "evalkit.comparisons.confidence_sequence",
        "hedged betting, running intersection",
        "Waudby-Smith and Ramdas 2024",
    ),
    (
        "worst-family",
        "smallest of several rates",
        "contrasts score",
        "least clopper-pearson bound, upper by Bonferroni",
        "docs/contrasts.md",
    ),
    ("holm", _FAMILY, "compare --all", "step-down Bonferroni", "Holm 1979"),
    ("bh", _FAMILY, "compare --all --adjust bh", "step-up", "Benjamini and Hochberg 1995"),
)


def _measured() -> Mapping[str, Any]:
    """Coverage figures that the package carries."""
    import json
    from importlib.resources import files

    text = files("evalkit.intervals").joinpath(COVERAGE_FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))


def methods() -> Results[MethodInfo]:
    """List every interval method and test with its measured coverage or size.

    Returns
    -------
    Results of MethodInfo
        Intervals that ``--method`` takes, defaults first, then those with a verb or function of
        their own. `coverage` maps a setting to the figures measured there: coverage ``at``
        each of the rates of the notes, its ``floor`` over all rates, the ``worst`` of many laws
        and the share ``below_93`` percent; of a test its ``size`` in each of the laws that the
        setting names.

    Notes
    -----
    Independent outcomes are enumerated exactly; clustered ones are simulated. The figures are
    remeasured by ``python benchmarks/measure_coverage.py`` and checked by ``tests/coverage``.

    Examples
    --------
    >>> found = {info.method: info for info in methods()}
    >>> found["wilson"].coverage["binary, n = 34"]["at"]
    [0.942, 0.966, 0.954]
    >>> found["equivalence"].ask
    'compare --gate equivalent:MARGIN'
    """
    measured = _measured()
    settings = {name: figures for name, figures in measured.items() if isinstance(figures, dict)}
    table = [
        (name, estimates, f"--method {name}", default_for, rule, source)
        for name, estimates, default_for, rule, source in _TABLE
    ]
    table += [
        (name, estimates, ask, None, rule, source) for name, estimates, ask, rule, source in _NAMED
    ]
    rows = [
        MethodInfo(
            method=name,
            estimates=estimates,
            ask=ask,
            default_for=default_for,
            rule=rule,
            source=source,
            coverage={
                setting: figures[name] for setting, figures in settings.items() if name in figures
            },
        )
        for name, estimates, ask, default_for, rule, source in table
    ]
    rates = ", ".join(str(rate) for rate in measured["rates"])
    note = (
        f"coverage of nominal 95 % intervals; `at` means {rates}; size of tests at .05; "
        "independent counts are enumerated, the rest is simulated "
        f"({measured['replications']} samples a cell, fewer for sequences and selections)"
    )
    return Results(rows, notes=[note])
