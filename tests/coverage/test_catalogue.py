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
from typer.testing import CliRunner

from evalkit.cli.app import app
from evalkit.comparisons.paired import PairedMethod
from evalkit.comparisons.two_sample import TwoSampleMethod
from evalkit.intervals.catalogue import methods
from evalkit.intervals.mean import MeanMethod

FOUND = {info.method: info for info in methods()}
RATES = (0.5, 0.785, 0.96)


def test_every_method_is_in_the_catalogue():
    """A method that `--method` takes has a row, and every row is a method."""
    known = {
        *get_args(MeanMethod),
        *get_args(PairedMethod),
        *get_args(TwoSampleMethod),
    } - {"default"}
    assert set(FOUND) == known


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
