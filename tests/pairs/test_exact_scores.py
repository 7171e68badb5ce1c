"""Exact scores: decimal text and floats become fractions, and columns compare without rounding."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.pairs.exact import exact_column, exact_number, exact_setting, number_text
from evalkit.records.values import CellError


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.58", Fraction(29, 50)),
        (0.58, Fraction(29, 50)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int32(7), Fraction(7)),
        (Decimal("1.10"), Fraction(11, 10)),
        ("1e-3", Fraction(1, 1000)),
        (" +2. ", Fraction(2)),
        (True, Fraction(1)),
        (np.bool_(0), Fraction(0)),
        ("passed", Fraction(1)),
        ("false", Fraction(0)),
        ("1" * 60, Fraction(int("1" * 60))),
    ],
)
def test_cells_become_fractions(cell, value):
    """A number of any kind stands for its shortest decimal text."""
    assert exact_number(cell) == value


@pytest.mark.parametrize("cell", [None, "", "nan", float("nan"), "N/A", np.nan])
def test_missing_cells_are_none(cell):
    """What is missing has no value."""
    assert exact_number(cell) is None


@pytest.mark.parametrize("cell", ["inf", float("-inf"), "58%", "0,58", "good", [1], "1e999999999"])
def test_no_number_is_refused(cell):
    """What is not a finite number is refused, a giant exponent without computing it."""
    with pytest.raises(CellError):
        exact_number(cell)


@pytest.mark.parametrize("value", [-0.1, "x", None, float("nan")])
def test_settings_are_at_least_zero(value):
    """A negative or missing margin is refused by name."""
    with pytest.raises(ArgumentError, match="`margin`"):
        exact_setting("margin", value)


@given(st.fractions())
def test_text_reads_back(value):
    """The text of a fraction is read back as the fraction."""
    assert Fraction(number_text(value)) == value


@given(st.lists(st.one_of(st.none(), st.fractions(), st.integers(-(10**40), 10**40)), max_size=6))
def test_columns_keep_order_and_differences(numbers):
    """Scaled or not, numpy compares a column as Python compares the fractions."""
    numbers = [None if x is None else Fraction(x) for x in numbers]
    column = exact_column(numbers)
    known = [k for k, x in enumerate(numbers) if x is not None]
    assert column.present.tolist() == [x is not None for x in numbers]
    for i in known:
        for j in known:
            difference = numbers[i] - numbers[j]
            found = column.values[i] - column.values[j]
            assert Fraction(found) == difference * column.scale
            limit = Fraction(8, 100)
            assert bool(found >= column.bound(limit)) == (difference >= limit)


def test_many_denominators_stay_fractions():
    """Where a common denominator would be huge, the fractions themselves are compared."""
    numbers = [Fraction(1, p) for p in range(1, 1500)]
    column = exact_column(numbers)
    assert column.values.dtype == object
    assert column.scale == 1
    assert column.values[0] - column.values[1] == Fraction(1, 2)
