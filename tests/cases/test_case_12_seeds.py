"""Seed 0 is a seed."""

import numpy as np
import pytest
from commands import document, jsonl

from evalkit import estimate_values, raters
from evalkit.errors import EvalkitError

SCORES = [0.1, 0.5, 0.7, 0.2, 0.9, 0.4, 0.3, 0.8, 0.6, 1.0]


def test_seed_zero_repeats(tmp_path):
    """Equal seeds give equal bounds from the command line, 0 included."""
    path = jsonl(tmp_path / "a.jsonl", [{"id": f"q{i}", "score": s} for i, s in enumerate(SCORES)])
    command = ("estimate", path, "--method", "bca")
    one, two = (document(*command)["results"][0] for _ in range(2))
    assert (one["low"], one["high"]) == (two["low"], two["high"])


RATINGS = np.array([[1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]])


def bounds(seed):
    """Return the bootstrap bounds of the agreement of two raters."""
    return [each.to_dict() for each in raters(RATINGS, rng=seed, resamples=200)]


def test_seeds_that_are_taken():
    """Plain and numpy integers and generators; 0 repeats like any other seed."""
    assert bounds(0) == bounds(0) == bounds(np.int64(0))
    assert bounds(np.random.default_rng(0)) == bounds(np.random.default_rng(0))
    assert bounds(1) == bounds(1)


def test_estimates_need_no_seed():
    """An exact law has no seed to forget: the same bounds every time."""
    first = estimate_values(SCORES, method="percentile")
    assert first == estimate_values(SCORES, method="percentile")


@pytest.mark.parametrize("seed", [True, -1, 1.5, "0"])
def test_seeds_that_are_refused(seed):
    """Truth values, negative numbers, fractions and texts are no seeds."""
    with pytest.raises((EvalkitError, ValueError, TypeError)):
        raters(np.array([[1, 1], [0, 1]]), rng=seed, resamples=10)
