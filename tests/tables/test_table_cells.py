"""Cells keep exact values and print them by one rule."""

# The dash of an undefined cell is the text under test.
# ruff: noqa: RUF001

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from evalkit.errors import ArgumentError
from evalkit.results import Comparison, Estimate, Interval, RowCounts
from evalkit.tables import Cell, cell_text, count, delta, estimate, number, text
from evalkit.tables.cells import sort_value

WILSON = Interval(low=0.7524, high=0.7961, level=0.95, method="wilson")
COUNTS = RowCounts(attempted=1400, scored=1400, errored=0)


def made(value: float | None, interval: Interval | None) -> Estimate:
    """Return an estimate of these values."""
    return Estimate(
        estimate=value, interval=interval, se=None, n=1400, counts=COUNTS, note="constant"
    )


def compared(difference: float | None, interval: Interval | None) -> Comparison:
    """Return a comparison of these values."""
    return Comparison(
        base="a",
        candidate="b",
        difference=difference,
        interval=interval,
        p_value=None,
        test=None,
        verdict="undefined",
        se=None,
        n_pairs=4,
        clusters=None,
        base_mean=None,
        candidate_mean=None,
        only_base=0,
        only_candidate=0,
        base_wins=None,
        candidate_wins=None,
        ties=None,
        mde=None,
    )


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (number(Fraction(1, 8), 0, scale=100), "13"),
        (number(Fraction(3, 8), 0, scale=100), "38"),
        (number(Fraction(5, 8), 0, scale=100), "63"),
        (number("3.15", 1), "3.2"),
        (number(3.15, 1), "3.2"),
        (number(Decimal("3.65"), 1), "3.7"),
        (number(0.145, 0, scale=100), "15"),
        (number("0.145", 0, scale=100), "15"),
        (number(0.285, 1, scale=100, suffix="%"), "28.5%"),
        (number(1400), "1400"),
        (number("14.50"), "14.50"),
        (number(None, 2, suffix="%"), "–"),
        (delta("2.25", 1), "+2.3"),
        (delta(-6.6, 1), "-6.6"),
        (delta(0, 1), "+0.0"),
        (delta(None, 1), "–"),
        (count(141, 281), "141/281"),
        (count(141, 281, 2), "141/281 (50.18%)"),
        (count(0, 0, 1), "0/0 (–)"),
        (text("run_id"), "run_id"),
        (text(None), "–"),
        (estimate(made(0.775, WILSON), 4), "0.7750 [0.7524, 0.7961]"),
        (estimate(made(0.775, WILSON), 1, scale=100), "77.5 [75.2, 79.6]"),
        (estimate(made(1.0, None), 2), "1.00 [–]"),
        (estimate(made(None, None), 2), "–"),
        (estimate(WILSON, 2), "[0.75, 0.80]"),
        (estimate(None, 2), "–"),
        (
            estimate(
                compared(0.02, Interval(low=-0.01, high=0.05, level=0.95, method="t")),
                1,
                scale=100,
            ),
            "+2.0 [-1.0, +5.0]",
        ),
    ],
)
def test_cell_prints_its_exact_value_half_up(cell: Cell, expected: str) -> None:
    """A cell prints the half-up rounding of its exact value, and an en dash when undefined."""
    assert cell_text(cell) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN")])
def test_cell_rejects_a_number_that_is_not_finite(value: float | Decimal) -> None:
    """A number that is not finite is refused with the remedy."""
    with pytest.raises(ArgumentError, match="use None for an undefined cell"):
        number(value, 1)


def test_cell_rejects_negative_digits() -> None:
    """Digits below zero are refused."""
    with pytest.raises(ArgumentError, match="`digits` is -1"):
        number(1, -1)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (count(1, 8), 0.125),
        (count(0, 0), None),
        (estimate(made(0.775, WILSON), 2), 0.775),
        (estimate(compared(-0.5, None), 2), -0.5),
        (estimate(WILSON, 2), 0.7524),
        (number("1.5", 1), 1.5),
        (number(Fraction(1, 4), 1), 0.25),
        (text("a"), "a"),
        (number(None, 1), None),
    ],
)
def test_cell_sorts_by_its_number_or_text(cell: Cell, expected: float | str | None) -> None:
    """A cell sorts by its point estimate, its share, its number or its text."""
    assert sort_value(cell) == expected
