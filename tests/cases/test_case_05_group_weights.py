"""A group's mean and its error bar come from the same weights."""

import pytest

from evalkit.comparisons import pooled_mean
from evalkit.tally import tally_values

TASKS = [tally_values([1] * 300 + [0] * 100), tally_values([1] * 4 + [0] * 12)]


@pytest.mark.parametrize(
    ("weights", "mean", "se"), [("macro", 0.5, 0.0569427889), ("micro", 0.7307692308, 0.0212829281)]
)
def test_mean_and_error_bar(weights, mean, se):
    """Macro .5 with .0569, micro .7308 with .0213."""
    found = pooled_mean(TASKS, weights=weights)
    assert found.estimate == pytest.approx(mean)
    assert found.se == pytest.approx(se)


@pytest.mark.parametrize("part", [[1], [None, None]])
def test_group_without_an_error_bar(part):
    """A part without a standard error leaves that of the whole undefined, never smaller."""
    assert pooled_mean([TASKS[0], tally_values(part)], weights="macro").se is None
