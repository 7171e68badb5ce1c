"""Printed numbers: what the digits say, and which values print as they do."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.consistency.printed import parse_printed, rule_of, rules_of
from evalkit.rounding import round_number


@pytest.mark.parametrize(
    ("text", "value", "digits"),
    [
        ("62.50", "62.5", 2),
        ("100.0", "100", 1),
        ("0", "0", 0),
        ("+2.3", "2.3", 1),
        ("\N{MINUS SIGN}1.5", "-1.5", 1),
        ("1,024", "1024", 0),
        ("-12,345.67", "-12345.67", 2),
        ("14.2%", "14.2", 1),
        (".625", "0.625", 3),
        ("5e-2", "0.05", 2),
        ("80.3†*", "80.3", 1),
        ("\N{NO-BREAK SPACE}80.3\N{THIN SPACE}%", "80.3", 1),
        ("90.1 ↑", "90.1", 1),
    ],
)
def test_numbers_are_read_as_printed(text, value, digits):
    """Signs, separators, spaces and footnote marks are read; trailing zeros are precision."""
    printed = parse_printed(text)
    assert (printed.value, printed.digits) == (Fraction(Decimal(value)), digits)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "—",
        "n/a",
        "62,5",
        "<0.01",
        "2025-01-01",
        "v1.2",
        "inf",
        "NaN",
        "1.2.3",
        "1e300",
        "9" * 101,
    ],
)
def test_other_texts_are_no_numbers(text):
    """A cell that is not wholly a number is none, decimal commas and bounds included."""
    assert parse_printed(text) is None


def test_parts_of_a_cell():
    """Errors, intervals and counts beside a number are kept."""
    assert parse_printed("80.3 ± 1.2").error.text == "1.2"
    assert parse_printed("80.3+/-1.2%").percent
    bounds = parse_printed("0.50 (0.41\N{EN DASH}0.59)")
    assert (bounds.low.value, bounds.high.value) == (Fraction("0.41"), Fraction("0.59"))
    assert parse_printed("10.2 (51/500)").ratio == (51, 500)
    assert parse_printed("1/0") is None


@given(st.integers(1, 400), st.integers(0, 400), st.integers(0, 3))
def test_a_rounded_count_is_recognised_under_its_rule(n, k, digits):
    """What was rounded half up, half to even or cut is found under that rule."""
    exact = Fraction(100 * min(k, n), n)
    for rounding, name in (("half-up", "half up"), ("half-even", "half to even")):
        text = str(round_number(exact, digits, rounding=rounding))
        assert name in rules_of(exact, parse_printed(text))
    cut = Decimal(int(exact * 10**digits)).scaleb(-digits)
    assert "truncation" in rules_of(exact, parse_printed(f"{cut:f}"))


@given(st.fractions(0, 100), st.integers(0, 3), st.integers(2, 50))
def test_a_number_two_units_off_is_under_no_rule(exact, digits, units):
    """No rule moves a number by two units of its last digit."""
    text = str(round_number(exact + Fraction(units, 10**digits), digits))
    assert rule_of(exact, parse_printed(text)) is None


def test_unrounded_doubles_are_compared_up_to_noise():
    """A quotient printed with all the digits of a double is that quotient."""
    for k, n in ((1571, 1608), (767, 804), (1, 3)):
        assert rule_of(Fraction(100 * k, n), parse_printed(repr(100 * k / n))) == "half up"
    assert rule_of(Fraction(1, 3), parse_printed("0.33333333343333")) is None
