"""The capacity figure draws what the results hold."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from evalkit.contrasts import driving_capacity
from evalkit.errors import ArgumentError
from evalkit.figures import new_figure
from evalkit.figures.driving_capacity import capacity_forest

ROWS = [
    {"grader": grader, "family": family, "score_base": 1.0, "score_degraded": float(i < lost)}
    for grader, losses in (("g$1", {"pad": 1, "truncate": 0}), ("h", {"pad": 5, "truncate": 2}))
    for family, lost in losses.items()
    for i in range(12)
]


def test_bars_are_the_intervals_of_the_results() -> None:
    """Each grader has the bar of its worst family and one for each family, chance marked."""
    results = driving_capacity(ROWS)
    ax = new_figure().subplots()
    assert capacity_forest(ax, list(results), title="Graders") is ax
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    ends = [np.asarray(s)[:, 0].tolist() for c in lines for s in c.get_segments()]
    expected = []
    for result in results:
        bounds = [result.interval, *(family.interval for family in result.families)]
        expected += [[b.low, b.high] for b in bounds if b is not None]
    assert ends == expected
    assert len(ends) == 6
    assert ax.get_xlabel() == "accuracy - 1/2 (0 is chance)"
    assert any(text.get_text().startswith("+0.417 [") for text in ax.texts)


def test_undefined_capacities_are_written_out() -> None:
    """A grader without scores in a family is there, as undefined."""
    results = driving_capacity(ROWS[:12], families=["pad", "truncate"])
    ax = new_figure().subplots()
    capacity_forest(ax, list(results))
    assert [text.get_text() for text in ax.texts][:2] == ["undefined", "undefined"]


def test_results_must_share_a_centring() -> None:
    """Nothing, and two scales, are refused."""
    ax = new_figure().subplots()
    mixed = [*driving_capacity(ROWS), *driving_capacity(ROWS, centring="double")]
    for results in ([], mixed):
        with pytest.raises(ArgumentError, match="centrings"):
            capacity_forest(ax, results)
