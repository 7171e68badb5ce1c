"""A missing p-value is no hypothesis."""

import pytest

from evalkit.comparisons import adjust_p

GIVEN = [0.012, None, 0.031, 0.2, 0.008]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("bh", [0.024, None, 0.0413333333, 0.2, 0.024]),
        ("holm", [0.036, None, 0.062, 0.2, 0.032]),
    ],
)
@pytest.mark.parametrize("gap", [None, float("nan")])
def test_missing_stays_missing(method, expected, gap):
    """The rest is adjusted as a family of four, and m is said."""
    found = adjust_p([gap if p is None else p for p in GIVEN], method=method)
    assert found.m == 4
    assert found.values == pytest.approx(expected)


def test_nothing_to_adjust():
    """Only missing ones, or none at all, are a family of none."""
    assert adjust_p([None, None]).values == (None, None)
    assert adjust_p([]).m == 0


def test_one_hypothesis_is_not_adjusted():
    """A family of one keeps its p-value, whatever is missing beside it."""
    assert adjust_p([None, 0.03]).values == (None, 0.03)
