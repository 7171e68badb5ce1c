"""Judgments with one row for each order."""

import pytest

from evalkit.errors import DuplicateRowError, InputError
from evalkit.grading import agreement

WIDE = [
    {"pair": "p1", "label": "A", "order1": "A", "order2": "B"},
    {"pair": "p2", "label": "B", "order1": "A", "order2": "A"},
    {"pair": "p3", "label": "A", "order1": "tie", "order2": None},
]


def long_rows(words):
    """Return the rows of `WIDE`, one for each order, in another sequence."""
    rows = [
        {"pair": row["pair"], "label": row["label"], "order": word, "verdict": row[side]}
        for row in WIDE
        for side, word in zip(("order1", "order2"), words, strict=True)
    ]
    return rows[::-1]


@pytest.mark.parametrize(
    "words", [("1", "2"), (0, 1), ("AB", "BA"), ("original", "swapped"), (False, True)]
)
def test_long_rows_agree_with_wide_rows(words):
    """One row an order gives what one row a pair gives, whatever the orders are called."""
    wide, long = agreement(WIDE)[0], agreement(long_rows(words))[0]
    assert long.to_dict() == wide.to_dict()
    assert long.n == 2


def test_an_order_that_is_missing_leaves_the_pair_incomplete():
    """A pair with one row keeps its verdict and counts as incomplete."""
    rows = [row for row in long_rows(("1", "2")) if (row["pair"], row["order"]) != ("p1", "2")]
    found = agreement(rows)[0]
    assert (found.n, found.incomplete) == (1, 2)


def test_a_pair_judged_twice_in_one_order_is_refused():
    """Two rows of one pair and order are named."""
    rows = long_rows(("1", "2"))
    with pytest.raises(DuplicateRowError, match="twice in the order '1'"):
        agreement([*rows, rows[-1]])


@pytest.mark.parametrize("words", [("x", "y"), ("left", "right")])
def test_orders_that_say_nothing_known_are_refused(words):
    """The words found and the ones to write are in the message."""
    with pytest.raises(InputError, match="original and swapped"):
        agreement(long_rows(words))


def test_one_order_for_all_is_no_long_form():
    """Rows of one order only are verdicts in one order."""
    found = agreement([row for row in long_rows(("1", "2")) if row["order"] == "1"])[0]
    assert (found.n, found.incomplete, found.wins, found.ties, found.inversions) == (3, 0, 1, 1, 1)


def test_pairs_judged_once_in_either_order_are_turned():
    """Each pair shown once, in a random order: the place is turned into the answer."""
    rows = [
        {"pair": "p1", "label": "A", "order": "original", "verdict": "first"},
        {"pair": "p2", "label": "A", "order": "swapped", "verdict": "first"},
        {"pair": "p3", "label": "A", "order": "swapped", "verdict": "second"},
    ]
    found = agreement(rows)[0]
    assert (found.n, found.wins, found.inversions, found.incomplete) == (3, 2, 1, 0)
    assert found.position_bias.value == pytest.approx(2 / 3)


def test_labels_that_depend_on_the_order_are_refused():
    """A label that flips with the order is no label of the pair."""
    rows = long_rows(("1", "2"))
    rows[0] = {**rows[0], "label": "B"}
    with pytest.raises(InputError, match="the two orders of a pair"):
        agreement(rows)


def test_cells_of_one_order_do_not_become_cells_of_the_pair():
    """A reply that differs between the orders is dropped, and does not split the pair."""
    rows = [{**row, "reply": f"reply {i}"} for i, row in enumerate(long_rows(("1", "2")))]
    assert agreement(rows)[0].n == 2
