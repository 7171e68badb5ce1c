"""Amortised calls and their break-even."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.testtime import amortised_calls, break_even_deployments


@given(st.integers(1, 10_000), st.fractions(min_value=1, max_value=20))
def test_break_even_is_the_first_n_that_pays(calls, control):
    """At the break-even evolution costs no more; one deployment earlier it costs more."""
    n = break_even_deployments(calls, control_calls_per_item=control)
    if control == 1:
        assert n is None
        return
    assert calls + n <= control * n
    assert n == 1 or calls + (n - 1) > control * (n - 1)


def test_published_amortisation():
    """2,750 calls: 6 calls an item at n = 550; never even with a control of one call."""
    assert amortised_calls(550, 2750) == 6
    assert break_even_deployments(2750, control_calls_per_item=6) == 550
    assert break_even_deployments(2750, control_calls_per_item=1) is None


def test_impossible_counts_are_refused():
    """Calls and deployments are not negative."""
    with pytest.raises(ArgumentError, match="`n` is 0"):
        amortised_calls(0, 10)
    with pytest.raises(ArgumentError, match="number of calls is -1"):
        break_even_deployments(-1, control_calls_per_item=2)
