"""Coefficients of agreement between raters, by hand, by property, and where undefined."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, DuplicateRowError, MissingColumnError
from evalkit.grading import raters
from evalkit.intervals import wilson

# Krippendorff's textbook example: 12 units, 4 observers, gaps.
TEXTBOOK = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]
ALL = ("raw", "kappa", "conger", "fleiss", "alpha", "gwet", "brennan-prediger")
CELL = st.sampled_from(["a", "b", "c", None])
MATRIX = st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=2, max_size=8)


def value_of(data, coefficient, weights=None):
    """One coefficient without intervals."""
    return raters(data, coefficient=coefficient, weights=weights, resamples=0)[0].value


def test_cohen_kappa_by_hand():
    """A,A,B,T against A,B,B,T: po = 3/4, pe = 5/16, kappa = 7/11."""
    found = raters([["A", "A"], ["A", "B"], ["B", "B"], ["T", "T"]], coefficient="kappa")[0]
    assert (found.observed, found.expected) == (0.75, 5 / 16)
    assert found.value == pytest.approx(7 / 11, abs=1e-12)
    assert found.interval.low < found.value < found.interval.high


def test_one_label_is_undefined_with_a_reason():
    """Five times A from both: raw agreement 1, every corrected coefficient None, never 0 or 1."""
    found = {r.coefficient: r for r in raters([["A", "A"]] * 5, coefficient=ALL)}
    raw = found.pop("raw agreement")
    assert (raw.value, raw.n) == (1.0, 5)
    assert (raw.interval.low, raw.interval.high) == wilson(5, 5, level=0.95)
    for result in found.values():
        assert result.value is None
        assert result.interval is None
        assert "only one label used" in result.note


@pytest.mark.parametrize(
    ("weights", "published"),
    [
        (None, 0.7434210526315790),
        ("ordinal", 0.8153875037548813),
        ("quadratic", 0.8491071428571428),
        ("ratio", 0.7974027747116120),
    ],
)
def test_alpha_of_the_textbook_example(weights, published):
    """Krippendorff prints .743, .815, .849 and .797."""
    assert value_of(TEXTBOOK, "alpha", weights) == pytest.approx(published, abs=1e-12)


@pytest.mark.parametrize(
    ("coefficient", "weights", "published"),
    [
        ("fleiss", "identity", 0.761),
        ("fleiss", "quadratic", 0.865),
        ("gwet", "identity", 0.775),
        ("gwet", "ordinal", 0.899),
        ("gwet", "bipolar", 0.900),
        ("gwet", "circular", 0.830),
        ("fleiss", "radical", 0.790),
        ("fleiss", "ratio", 0.821),
        ("fleiss", "linear", 0.818),
    ],
)
def test_other_coefficients_of_the_textbook_example(coefficient, weights, published):
    """Gwet's handbook prints three decimals for the same matrix."""
    assert value_of(TEXTBOOK, coefficient, weights) == pytest.approx(published, abs=6e-4)


def test_fleiss_alpha_and_gwet_by_hand():
    """Three raters on two items: aab, bbb. po = (1/3 + 1)/2; shares a 1/3, b 2/3."""
    data = [["a", "a", "b"], ["b", "b", "b"]]
    po = Fraction(2, 3)
    chance = Fraction(1, 9) + Fraction(4, 9)
    assert value_of(data, "fleiss") == pytest.approx(float((po - chance) / (1 - chance)))
    even = 2 * Fraction(1, 3) * Fraction(2, 3)
    assert value_of(data, "gwet") == pytest.approx(float((po - even) / (1 - even)))
    # Disagreement: 4 ordered pairs over 2, of 6 values; expected 2 * 2 * 4 over 6 * 5.
    alpha = 1 - Fraction(4, 2) / 6 / Fraction(16, 30)
    assert value_of(data, "alpha") == pytest.approx(float(alpha))
    assert value_of(data, "brennan-prediger") == pytest.approx(float((po - Fraction(1, 2)) * 2))


def brute_alpha(data):
    """Nominal alpha from its definition: pairs within units against pairs of all values."""
    units = [[c for c in row if c is not None] for row in data]
    units = [u for u in units if len(u) >= 2]
    pooled = [c for u in units for c in u]
    n = len(pooled)
    if n < 2 or len(set(pooled)) < 2:
        return None
    observed = (
        sum(Fraction(sum(a != b for a, b in permutations(u, 2)), len(u) - 1) for u in units) / n
    )
    expected = Fraction(sum(a != b for a, b in permutations(pooled, 2)), n * (n - 1))
    return float(1 - observed / expected)  # fmt: skip


@given(MATRIX)
def test_alpha_equals_its_definition(data):
    """Matrix products and enumeration of pairs agree; undefined together."""
    mine, brute = value_of(data, "alpha"), brute_alpha(data)
    assert mine == (None if brute is None else pytest.approx(brute, abs=1e-12))


@given(MATRIX, st.randoms())
def test_order_of_items_and_raters_does_not_matter(data, random):
    """Shuffled rows and columns, and other names of labels, give the same coefficients."""
    columns = random.sample(range(3), 3)
    rename = {"a": "x", "b": "y", "c": "z", None: None}
    shuffled = [[rename[row[k]] for k in columns] for row in random.sample(data, len(data))]
    for coefficient in ("raw", "conger", "fleiss", "alpha", "gwet"):
        one, two = value_of(data, coefficient), value_of(shuffled, coefficient)
        assert one == (None if two is None else pytest.approx(two, abs=1e-9))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=9))
def test_conger_is_cohen_for_two_raters(data):
    """With two raters and no gaps both kappas are one."""
    one, two = value_of(data, "kappa"), value_of(data, "conger")
    assert one == (None if two is None else pytest.approx(two, abs=1e-9))


@given(st.lists(st.tuples(*[st.integers(1, 4)] * 2), min_size=3, max_size=12))
def test_weighted_kappa_equals_statsmodels(data):
    """Linear and quadratic weights against an independent implementation."""
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.zeros((4, 4))
    for a, b in data:
        table[a - 1, b - 1] += 1
    used = np.flatnonzero(table.sum(0) + table.sum(1))
    if (np.diff(used) > 1).any():
        return
    table = table[np.ix_(used, used)]
    for weights in ("linear", "quadratic"):
        mine = value_of(data, "kappa", weights)
        if mine is not None:
            other = cohens_kappa(table, wt=weights, return_results=False)
            assert mine == pytest.approx(float(other), abs=1e-9)


def test_intervals_share_resamples_and_repeat():
    """One seed gives the same intervals, another seed others; seed 0 is a seed."""
    data = TEXTBOOK * 3
    one, again, other = (raters(data, coefficient="alpha", rng=s)[0] for s in (0, 0, 1))
    assert one == again
    assert one.interval != other.interval
    assert one.interval.method == "percentile bootstrap of items"


def test_two_items_of_one_label_leave_resamples_undefined():
    """Resamples without a second label are left out and counted."""
    found = raters([["a", "a"], ["a", "b"], ["b", "b"]], coefficient="fleiss", resamples=500)[0]
    assert found.interval is not None
    assert "undefined resamples were left out" in found.note


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([["a"], ["b"]], "one rater"),
        ([["a", None], [None, "b"]], "no overlap"),
        ([[None, None], [None, None]], "no overlap"),
    ],
)
def test_undefined_has_a_reason(data, reason):
    """No rater to agree with, or nothing rated twice: None and why, without a warning."""
    for result in raters(data, coefficient=ALL, resamples=20):
        assert result.value is None
        assert reason in result.note


def test_unparsed_ratings_are_gaps():
    """An unparsed rating is no label; the labels in use are listed."""
    found = raters([["a", "a"], ["b", "unparsed"], ["b", "b"]], resamples=0, coefficient="raw")
    assert (found[0].n, found[0].value) == (2, 1.0)
    assert found.notes == ("1 unparsed ratings are gaps", "labels in use: a, b")


def test_long_and_wide_forms_agree():
    """One row for each rating gives what a column for each rater gives."""
    rows = [
        {"item": i, "rater": f"r{k}", "rating": cell}
        for i, row in enumerate(TEXTBOOK)
        for k, cell in enumerate(row)
        if cell is not None
    ]
    wide = pd.DataFrame(TEXTBOOK, columns=[f"rater{k}" for k in range(4)])
    one, two = raters(rows, resamples=50), raters(wide, resamples=50)
    assert [r.value for r in one] == [r.value for r in two]
    assert len([r for r in one if r.coefficient == "Cohen kappa"]) == 6


def test_orientation_is_questioned():
    """More raters than items is said, since it is usually a matrix lying on its side."""
    found = raters(np.array(TEXTBOOK, dtype=float).T.tolist(), resamples=0)
    assert any("items go in rows" in note for note in found.notes)


@pytest.mark.parametrize(
    ("data", "settings", "error", "message"),
    [
        ([["a", "b"]], {"coefficient": "pi"}, ArgumentError, "must be among"),
        ([["a", "b"]], {"weights": "cubic"}, ArgumentError, "must be one of"),
        ([["a", "b"]], {"level": 0}, ArgumentError, "level"),
        ([["a", "b"]], {"resamples": -1}, ArgumentError, "resamples"),
        ([{"x": 1}], {}, MissingColumnError, "no columns of raters"),
        ([{"x": 1}], {"raters": ["y"]}, MissingColumnError, "'y'"),
        ([{"item": 1, "rater": "a", "label": 1}] * 2, {}, DuplicateRowError, "twice"),
    ],
)
def test_wrong_input_is_refused(data, settings, error, message):
    """Each fault has its error."""
    with pytest.raises(error, match=message):
        raters(data, **settings)
