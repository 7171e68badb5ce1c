"""Runs that never disagree, and runs that disagree one way only."""

import pytest
from commands import document, jsonl


def compared(tmp_path, base, candidate):
    """Comparison of two runs."""
    paths = [
        jsonl(tmp_path / f"{name}.jsonl", [{"id": f"q{i}", "score": s} for i, s in enumerate(run)])
        for name, run in (("a", base), ("b", candidate))
    ]
    return document("compare", *paths)["results"][0]


def test_no_discordant_pairs(tmp_path):
    """Identical runs: difference 0, no discordant pair, an exact p of 1 and no NaN."""
    run = [1] * 7 + [0] * 5
    found = compared(tmp_path, run, run)
    assert (found["difference"], found["ties"]) == (0.0, 12)
    exact = [t["p_value"] for t in found["also"] if "McNemar" in t["test"] or "sign" in t["test"]]
    assert {found["p_value"], *exact} <= {1.0, None}


def test_six_against_none(tmp_path):
    """0 against 6: the exact two-sided p is 2 / 2^6."""
    found = compared(tmp_path, [0] * 6 + [1] * 6, [1] * 12)
    tests = {t["test"]: t["p_value"] for t in found["also"]}
    assert any(p == pytest.approx(0.03125) for p in [found["p_value"], *tests.values()])
    assert (found["candidate_wins"], found["base_wins"]) == (6, 0)


def test_single_discordant_pair(tmp_path):
    """One disagreement cannot be significant: p is 1."""
    found = compared(tmp_path, [0] + [1] * 5, [1] * 6)
    assert any(t["p_value"] == pytest.approx(1.0) for t in found["also"])
    assert found["verdict"] != "separated"
