"""A permutation p-value is never 0, and is exact where all patterns can be counted."""

import numpy as np
import pytest
from commands import document, jsonl

from evalkit.comparisons import sign_flip

SIX = [1.0] * 6


def test_six_wins_are_enumerated(tmp_path):
    """Two of the 64 sign patterns are as extreme: p = 2/64, from either entrance."""
    found = sign_flip(SIX)
    assert found.p_value == pytest.approx(0.03125, abs=1e-15)
    assert "exact" in found.name
    paths = [
        jsonl(tmp_path / f"{name}.jsonl", [{"id": i, "score": s} for i in range(6)])
        for name, s in (("a", 0.25), ("b", 0.75))
    ]
    tests = document("compare", *paths)["results"][0]["also"]
    flips = [t["p_value"] for t in tests if "sign-flip" in t["test"]]
    assert flips == [pytest.approx(0.03125)]


@pytest.mark.parametrize(("draws", "smallest"), [(99, 0.01), (9, 0.1), (1, 0.5)])
def test_sampled_p_counts_the_sample_itself(draws, smallest):
    """(hits + 1) / (B + 1) is at least 1 / (B + 1), and the name says B."""
    for seed in range(20):
        found = sign_flip([3.0] * 40, law="monte-carlo", resamples=draws, rng=seed)
        assert found.p_value >= smallest - 1e-15
        hits = found.p_value * (draws + 1) - 1
        assert hits == pytest.approx(round(hits))
    assert str(draws) in found.name


def test_sibling_no_difference_at_all():
    """All differences 0: every pattern is as extreme, so p is 1, and no pairs is undefined."""
    assert sign_flip([0.0] * 6).p_value == 1
    assert sign_flip([0.0] * 6, law="monte-carlo", resamples=9).p_value == 1
    empty = sign_flip([])
    assert empty.p_value is None
    assert empty.note


def test_sibling_far_tails_and_irregular_differences():
    """Two hundred wins keep 2^-199; irregular differences are enumerated, then sampled."""
    assert sign_flip([1.0] * 200).p_value == pytest.approx(2.0**-199, rel=1e-9)
    irregular = np.sqrt(np.arange(2.0, 42.0))
    assert sign_flip(irregular[:10]).p_value == pytest.approx(2.0**-9, rel=1e-9)
    assert 0 < sign_flip(irregular, rng=0).p_value < 1e-3
