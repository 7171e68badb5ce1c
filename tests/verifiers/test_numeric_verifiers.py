"""Numbers, exactly and within a tolerance."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.verifiers import (
    numeric_exact,
    numeric_or_canonical,
    numeric_tolerance,
    parse_quantity,
)


@pytest.mark.parametrize(
    ("text", "value", "unit", "percent"),
    [
        ("1,234.50", "1234.5", "", False),
        ("1 234", "1234", "", False),
        ("1\u00a0234\u202f567", "1234567", "", False),
        ("$1,234", "1234", "usd", False),
        ("-$5", "-5", "usd", False),
        ("$-5", "-5", "usd", False),
        ("\u22125", "-5", "", False),
        ("(1,234)", "-1234", "", False),
        ("($5.00)", "-5", "usd", False),
        ("(3.2%)", "-3.2", "", True),
        ("(3.2)%", "-3.2", "", True),
        ("5 percent", "5", "", True),
        ("5 %", "5", "", True),
        ("1.2e3", "1200", "", False),
        ("1.2E-3 kg", "0.0012", "kg", False),
        ("3 \u00d7 10⁻²", "0.03", "", False),
        ("3 x 10^5", "300000", "", False),
        (".5", "0.5", "", False),
        ("5.", "5", "", False),
        ("2.5 million dollars", "2500000", "usd", False),
        ("€3 billion", "3000000000", "eur", False),
        ("\uff17", "7", "", False),
        ("10 km/h", "10", "km/h", False),
        ("0.1", "0.1", "", False),
    ],
)
def test_numbers_that_are_read(text, value, unit, percent):
    """Separators, signs, currencies, units, percent and powers of ten are read exactly."""
    found = parse_quantity(text)
    assert (found.value, found.unit, found.percent) == (Fraction(value), unit, percent)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "5 of them, or so",
        "3 but I am not sure it is",
        "1,5",
        "1,23,456",
        "1,234 567",
        "--5",
        "-$-5",
        "(-5)",
        "about 3",
        "3 or 4",
        "1.2.3",
        "nan",
        "inf",
        "5 5",
        "1e99999999",
        "12-13",
        "1/2",
        "$5 kg",
        "9" * 500,
        "()",
        "%",
    ],
)
def test_texts_that_are_not_one_number(text):
    """Decimal commas, ranges, fractions, two numbers and prose are refused, not guessed."""
    assert parse_quantity(text) is None
    assert numeric_exact(text, "5").abstained
    assert numeric_exact(text, "5", unparsed="fail").passed is False


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9
    )
)
def test_ways_of_writing_a_number_are_equal(number):
    """Separators, trailing zeros, currency and parentheses never change an exact verdict."""
    plain = f"{number:f}"
    forms = [plain, f"{number:,f}", f"{number:,f}00", f"{abs(number):f}"]
    if number < 0:
        forms[3] = f"({abs(number):,f})"
    for form in forms:
        assert numeric_exact(form, plain).passed
    assert numeric_exact(f"{number + Decimal('0.0001'):f}", plain).passed is False


def test_decimal_equality_is_exact():
    """Floats that print alike differ; 0.1 is one tenth."""
    assert numeric_exact("0.1", 0.1).passed
    assert numeric_exact("0.30000000000000004", "0.3").passed is False
    assert numeric_exact("12345678901234567890.1", "12345678901234567890.2").passed is False
    assert numeric_exact("-0", "0").passed


def test_percent_is_not_a_fraction_unless_declared():
    """5 % is distinct from 0.05 and 5; either can be declared."""
    assert numeric_exact("5%", "0.05").reason == "another percent sign"
    assert numeric_exact("5%", "5").passed is False
    assert numeric_exact("5%", "0.05", percent="fraction").passed
    assert numeric_exact("5%", "5", percent="fraction").passed is False
    assert numeric_exact("5%", "5", percent="ignore").passed
    assert numeric_exact("5 percent", "5%").passed


def test_units_agree_by_the_stated_rule():
    """A unit on one side only is implied, unless strict; two units must agree."""
    assert numeric_exact("5 kg", "5").passed
    assert numeric_exact("5 kg", "5", units="strict").passed is False
    assert numeric_exact("5 kg", "5 lb").reason == "another unit"
    assert numeric_exact("5 kg", "5 lb", units="ignore").passed
    assert numeric_exact("$5", "5 dollars").passed
    assert numeric_exact("$5", "€5").passed is False


def test_any_alias_will_do():
    """The verdict is that of the best alias."""
    assert numeric_exact("7", ["6", "7"]).passed
    assert numeric_exact("8", ["6", "7"]).passed is False


def test_tolerance_bounds_are_included():
    """1 % of 100 is 1: 101 passes and 101.001 does not; the larger tolerance counts."""
    assert numeric_tolerance("101", "100").passed
    assert numeric_tolerance("101.001", "100").passed is False
    assert numeric_tolerance("-101", "-100").passed
    assert numeric_tolerance("0.001", "0").passed is False
    assert numeric_tolerance("0.001", "0", absolute="0.001").passed
    assert numeric_tolerance("0.3", "0.1", relative=0, absolute=0.2).passed
    assert numeric_tolerance("5%", "0.0501", percent="fraction").passed


@pytest.mark.parametrize(
    "settings", [{"relative": -1}, {"absolute": "x"}, {"relative": float("nan")}]
)
def test_wrong_tolerance_is_refused(settings):
    """The message names the setting."""
    with pytest.raises(ArgumentError, match=next(iter(settings))):
        numeric_tolerance("1", "1", **settings)


@pytest.mark.parametrize("reference", ["x", True, None, [], ["5", "x"], float("nan")])
def test_wrong_numeric_reference_is_refused(reference):
    """A reference that is not a number is an error, not an abstention."""
    with pytest.raises(ArgumentError, match="reference"):
        numeric_exact("5", reference)


@pytest.mark.parametrize("settings", [{"percent": "x"}, {"units": "x"}, {"unparsed": "x"}])
def test_wrong_rule_is_refused(settings):
    """The message names the setting and what is allowed."""
    with pytest.raises(ArgumentError, match=next(iter(settings))):
        numeric_exact("1", "1", **settings)


def test_numeric_or_canonical_follows_the_reference():
    """Numbers are compared as numbers, texts as texts, and a text never equals a number."""
    assert numeric_or_canonical("2,602", "2602").passed
    assert numeric_or_canonical("26.02", "2602").passed is False
    assert numeric_or_canonical("unknown", "2602").passed is False
    assert numeric_or_canonical("Fiscal-year", "fiscal year").passed is False
    assert numeric_or_canonical("fiscal Year.", ["2602", "Fiscal year"]).passed
    assert numeric_or_canonical(None, "2602").abstained
