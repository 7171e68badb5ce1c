"""The coverage that `evalkit methods` prints is what the code has."""

import json
from typing import get_args

import pytest
from measures import (
    binary_coverage,
    clustered_mean_coverage,
    credit_coverage,
    paired_binary_coverage,
)
from named_measures import (
    discordant_size,
    equivalence_size,
    monte_carlo_coverage,
    non_inferiority_size,
    paired_size,
    sign_flip_rejects,
    worst_family_coverage,
)
from typer.testing import CliRunner

from evalkit.cli.app import app
from evalkit.comparisons import mcnemar_exact, mcnemar_mid_p
from evalkit.comparisons.paired import PairedMethod
from evalkit.comparisons.two_sample import TwoSampleMethod
from evalkit.intervals.catalogue import methods
from evalkit.intervals.mean import MeanMethod

FOUND = {info.method: info for info in methods()}
RATES = (0.5, 0.785, 0.96)


def test_every_method_is_in_the_catalogue():
    """A method that `--method` takes has a row that says so, and so has no other."""
    known = {
        *get_args(MeanMethod),
        *get_args(PairedMethod),
        *get_args(TwoSampleMethod),
    } - {"default"}
    assert {name for name, info in FOUND.items() if info.ask == f"--method {name}"} == known


def test_every_other_row_says_how_to_ask_and_was_measured():
    """Tests and methods with a verb or function of their own: asked for, sourced, measured."""
    named = {name: info for name, info in FOUND.items() if not info.ask.startswith("--method")}
    assert set(named) == {
        "mcnemar exact",
        "mcnemar mid-p",
        "sign-flip",
        "sign-flip, sampled",
        "monte-carlo",
        "equivalence",
        "non-inferiority",
        "prediction-powered",
        "selection-corrected",
        "confidence-sequence",
        "worst-family",
        "holm",
        "bh",
    }
    for info in named.values():
        assert info.source
        assert info.rule
        assert len(info.coverage) == 1


def only(name):
    """Figures of a method that was measured in one setting."""
    [figures] = FOUND[name].coverage.values()
    return figures


def test_sizes_are_as_printed():
    """Exact enumeration of 34 pairs gives the sizes of the package."""
    for name, test in (("mcnemar exact", mcnemar_exact), ("mcnemar mid-p", mcnemar_mid_p)):
        assert list(discordant_size(34, test)) == pytest.approx(only(name)["size"], abs=6e-4)
    found = list(paired_size(34, 0.0, sign_flip_rejects))
    assert found == pytest.approx(only("sign-flip")["size"], abs=6e-4)


def test_exact_coverage_of_named_methods_is_as_printed():
    """Worst families by enumeration, and the simulated law on all 35 outcomes."""
    assert worst_family_coverage(6, 30) == pytest.approx(only("worst-family")["floor"], abs=6e-4)
    found = list(monte_carlo_coverage(RATES, 9999))
    assert found == pytest.approx(only("monte-carlo")["at"], abs=6e-4)


@pytest.mark.slow
def test_sizes_at_the_margin_are_as_printed():
    """Exact enumeration of 80 pairs whose systems differ by the margin."""
    assert list(equivalence_size()) == pytest.approx(only("equivalence")["size"], abs=6e-4)
    assert list(non_inferiority_size()) == pytest.approx(only("non-inferiority")["size"], abs=6e-4)


def test_no_named_method_misses_its_level_beyond_simulation_error():
    """Coverage at least .93 and sizes at most .055, one law of the margins aside."""
    for name in ("confidence-sequence", "prediction-powered"):
        assert min(only(name)["at"]) >= 0.93
    assert only("selection-corrected")["worst"] >= 0.95
    for name, info in FOUND.items():
        for figures in info.coverage.values():
            # Every disagreement one way, as many as the margin: docs/statistics.md says so.
            one_way = name in ("equivalence", "non-inferiority")
            sizes = figures.get("size", [0])[int(one_way) :]
            assert max(sizes, default=0) <= 0.055, name


@pytest.mark.parametrize("method", ["wilson", "mid-p", "t", "augmented-t", "korn-graubard"])
def test_binary_coverage_is_as_printed(method):
    """Exact enumeration at n = 34 gives the figures of the package."""
    said = FOUND[method].coverage["binary, n = 34"]["at"]
    assert list(binary_coverage(34, method, RATES)) == pytest.approx(said, abs=6e-4)


@pytest.mark.parametrize("method", ["wilson-neff", "t", "augmented-t"])
def test_credit_coverage_is_as_printed(method):
    """Exact enumeration of half credits at n = 34 gives the figures of the package."""
    said = FOUND[method].coverage["half credits, n = 34"]["at"]
    assert list(credit_coverage(34, method, RATES)) == pytest.approx(said, abs=6e-4)


def test_tango_coverage_is_the_published_one():
    """Exact enumeration of 34 pairs: .964 .957 .947 .961 .947, as printed."""
    found = list(paired_binary_coverage(34, "tango"))
    assert found == pytest.approx([0.964, 0.957, 0.947, 0.961, 0.947], abs=6e-4)
    [said] = [v["at"] for k, v in FOUND["tango"].coverage.items() if k.startswith("paired 0/1")]
    assert found == pytest.approx(said, abs=6e-4)


@pytest.mark.parametrize("method", ["augmented-cluster-t", "cr2"])
def test_clustered_coverage_is_compatible(method):
    """Three hundred samples a cell come within four standard errors of the printed figures."""
    said = FOUND[method].coverage["clustered mean, 25 clusters of 3, ICC .6"]["at"]
    found = clustered_mean_coverage(method, RATES, 300)
    for mine, printed in zip(found, said, strict=True):
        spread = (max(printed * (1 - printed), 0.002) / 300) ** 0.5
        assert abs(mine - printed) < 4 * spread + 0.004


def test_defaults_come_with_a_coverage():
    """Every default of the table has been measured somewhere."""
    for info in FOUND.values():
        if info.default_for is not None and not info.estimates.startswith("two independent"):
            assert info.coverage, info.method


def test_the_command_prints_strict_json():
    """`evalkit methods` prints one object with every method."""
    found = CliRunner().invoke(app, ["methods", "--format", "json"])
    document = json.loads(found.stdout)
    assert {row["method"] for row in document["results"]} == set(FOUND)
