"""Equal scores are half a win to each side."""

import pytest

from evalkit import agreement

A, B = [3, 5, 2, 4, 4], [1, 5, 2, 5, 3]


def rows(a, b):
    """Pairs with pointwise scores, the first answer being the better one."""
    return [
        {"pair_id": i, "label": "A>B", "score_a": x, "score_b": y}
        for i, (x, y) in enumerate(zip(a, b, strict=True))
    ]


def test_two_wins_two_ties_one_loss():
    """A .6, B .4, sum 1; not .4 and not .8."""
    one, two = agreement(rows(A, B))[0], agreement(rows(B, A))[0]
    assert one.agreement == pytest.approx(0.6)
    assert one.agreement + two.agreement == pytest.approx(1)


def test_all_ties_are_one_half():
    """Only ties: one half, not 0 and not 1."""
    assert agreement(rows([1, 1], [1, 1]))[0].agreement == 0.5


def test_float_noise_needs_a_tolerance():
    """.1 + .2 against .3 is a win unless a tolerance is stated."""
    noisy = rows([0.1 + 0.2], [0.3])
    assert agreement(noisy)[0].agreement == 1.0
    assert agreement(noisy, tie_tolerance=1e-9)[0].agreement == 0.5
