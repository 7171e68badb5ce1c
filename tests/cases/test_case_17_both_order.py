"""Verdicts in both orders: what a flip, a tie and a missing verdict count."""

import pytest

from evalkit import agreement

ORDERS = [
    ("first", "second"),
    ("first", "first"),
    ("second", "second"),
    ("tie", "second"),
    ("tie", "tie"),
    ("second", "first"),
    ("first", None),
]


def rows(orders, **more):
    """Pairs whose better answer is A."""
    return [
        {"pair_id": i, "label": "A", "order1": one, "order2": two, **more}
        for i, (one, two) in enumerate(orders)
    ]


def test_average_and_consistent_rules():
    """Six complete pairs: average 3.25/6, agree-or-tie 3/6, and both rules have names."""
    found = agreement(rows(ORDERS))[0]
    assert found.agreement == pytest.approx(3.25 / 6)
    strict = agreement(rows(ORDERS), rule="consistent")[0]
    assert strict.agreement == pytest.approx(3 / 6)


def test_a_flip_is_no_win_for_whoever_is_first():
    """Always the first shown: one half under both rules, and fully biased."""
    always = rows([("first", "first")] * 4)
    for rule in ("average", "consistent"):
        assert agreement(always, rule=rule)[0].agreement == 0.5


def test_one_missing_order_is_incomplete_and_not_a_loss():
    """A pair with one order only is reported, and does not enter."""
    found = agreement(rows([("first", "second"), ("first", None)]))[0]
    assert found.agreement == 1.0
    assert found.n == 1


def test_free_text_replies_are_read_the_same_way():
    """Replies in place of words give the same figures."""
    words = {"first": "So the winner is [[A]].", "second": "Hence my verdict: [[B]]"}
    words |= {
        "tie": "Neither stands out: it's a tie.",
        None: "I cannot decide between them at all.",
    }
    replies = [(words[one], words[two]) for one, two in ORDERS]
    assert agreement(rows(replies))[0].agreement == pytest.approx(3.25 / 6)
