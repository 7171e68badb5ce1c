"""Checking printed numbers against computed values."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, DuplicateRowError, FileMissingError, InputError
from evalkit.studies import (
    Computed,
    ReportedNumber,
    attainable,
    check,
    check_claims,
    check_table,
    load_reported,
    number_of,
    read_rows,
    sum_line,
)


@pytest.mark.parametrize(
    ("reported", "value", "computed"),
    [
        ("50.18", Fraction(14100, 281), "50.18"),
        ("+2.3", Fraction(3200, 1400), "+2.3"),
        ("+0.0", 0, "+0.0"),
        ("0.0", 0, "0.0"),
        ("-0.4", Fraction(-500, 1400), "-0.4"),
        ("17.4%", Fraction(2300, 132), "17.4%"),
        ("42", 42, "42"),
        ("0.5", Decimal("0.45"), "0.5"),
    ],
)
def test_equal_numbers_match_and_print_alike(reported, value, computed):
    """A value that prints as reported is a match, with the same digits, sign and mark."""
    assert check(reported, value) == type(check("1", 1))(computed=computed, status="match", note="")


def test_half_even_and_truncation_are_rounding():
    """A number that is equal only under another rounding rule is not a contradiction."""
    even = check("0.2", Fraction(1, 4))
    assert (even.computed, even.status) == ("0.3", "rounding")
    assert "half to even" in even.note
    assert "truncation" in check("1.2", Fraction(129, 100)).note


def test_alternatives_and_slack_explain_a_difference():
    """A difference of rounded cells, or rounded inputs, explain a number before truncation does."""
    gap = Fraction(1700, 1400)
    assert check("1.3", gap).status == "mismatch"
    explained = check("1.3", gap, alternatives=[(Fraction(13, 10), "of rounded cells")])
    assert (explained.computed, explained.status, explained.note) == (
        "1.2",
        "rounding",
        "of rounded cells",
    )
    assert check("1.3", gap, slack=Fraction(1, 10)).status == "rounding"
    assert check("1.5", gap, slack=Fraction(1, 10)).status == "mismatch"


@given(st.integers(0, 400), st.integers(1, 400), st.integers(0, 3))
def test_a_value_always_matches_its_own_print(k, n, digits):
    """Whatever is printed half up from an exact value is checked as a match."""
    value = Fraction(100 * k, n)
    text = check("0." + "0" * digits if digits else "0", value).computed
    assert check(text, value).status == "match"
    assert check(text, value + Fraction(2, 10**digits)).status == "mismatch"


@given(st.integers(0, 300), st.integers(1, 300))
def test_attainable_finds_the_count(k, n):
    """A percentage made from a count is attainable, and the count is named."""
    k = min(k, n)
    text = check("0.00", Fraction(100 * k, n)).computed
    assert attainable(text, n).startswith("attainable: ")
    assert f"{k}/{n}" in attainable(text, n)


def test_unattainable_percentages_name_their_neighbours():
    """A percentage that no count gives is refused with the counts around it."""
    assert attainable("53.40", 281) == (
        "NOT attainable from n = 281: 150/281 is 53.38, 151/281 is 53.74"
    )
    assert attainable("-3.0", 33).startswith("attainable: -1/33")


def test_table_levels_and_stray_cells():
    """Numbers without a computed value are transcribed; computed cells need a printed one."""
    numbers = [
        ReportedNumber(table="1", row="a", column=c, text=t) for c, t in (("x", "1"), ("y", "2"))
    ]
    wrong = Computed(value=3, level="derived", note="sum", conflict="3 here against 2 there")
    cells = check_table(numbers, {("a", "y"): wrong})
    assert [(c.level, c.status, c.computed) for c in cells] == [
        ("transcribed", "not-computed", ""),
        ("derived", "mismatch", "3"),
    ]
    assert cells[1].note == "sum; 3 here against 2 there"
    assert sum_line(cells) == (
        "2 reported numbers: 0 recomputed, 1 derived, 1 transcribed; "
        "of 0 + 1: 0 match, 0 by rounding, 1 contradictions in the papers"
    )
    with pytest.raises(ArgumentError, match=r"does not print, such as \('b', 'x'\)"):
        check_table(numbers, {("b", "x"): wrong})


def test_load_reported_leaves_other_files_alone(tmp_path):
    """Only files with the reported header are loaded, in natural order."""
    for name in ("A10", "A2", "3"):
        (tmp_path / f"{name}.csv").write_text("row,column,reported\na,b,1.50\n", encoding="utf-8")
    (tmp_path / "A2_labels.csv").write_text("row,word\na,b\n", encoding="utf-8")
    tables = load_reported(tmp_path)
    assert list(tables) == ["3", "A2", "A10"]
    assert tables["3"][0].value == Fraction(3, 2)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("row,column,reported\na,b,1\na,b,2\n", DuplicateRowError, "1.csv, line 3"),
        ("row,column,reported\na,b,n/a\n", InputError, "'n/a' is not a printed number"),
        ("row,column,reported\na,b\n", InputError, "2 fields under 3 headings"),
        ("row,word\na,b\n", FileMissingError, "holds no file with the header"),
    ],
)
def test_load_reported_refuses_bad_files(tmp_path, content, error, message):
    """Repeated keys, words, short rows and an empty folder are refused by name."""
    (tmp_path / "1.csv").write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        load_reported(tmp_path)


def test_claims_need_known_ids(tmp_path):
    """A claim is checked by its id; an id that the file lacks is a slip."""
    path = tmp_path / "claims.csv"
    path.write_text("id,where,reported,quantity\nc,Text,14.2%,share\n", encoding="utf-8")
    share = Computed(value=Fraction(5500, 388), level="recomputed", note="from counts")
    [claim] = check_claims(path, {"c": share})
    assert (claim.computed, claim.status, claim.note) == ("14.2%", "match", "share; from counts")
    [claim] = check_claims(path, {}, reasons={"c": "not printed"})
    assert (claim.status, claim.note) == ("not-computed", "share; not printed")
    with pytest.raises(ArgumentError, match="'d'"):
        check_claims(path, {"d": share})


def test_missing_inputs_are_named(tmp_path):
    """A missing file is named, and a printed word is not a number."""
    with pytest.raises(FileMissingError, match=r"gone\.csv does not exist"):
        read_rows(tmp_path / "gone.csv")
    with pytest.raises(InputError, match="not a printed number"):
        number_of("n/a")
