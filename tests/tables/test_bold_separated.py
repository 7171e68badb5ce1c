"""Bold by evidence: the maximum and what is not separated from it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.comparisons import compare_all
from evalkit.errors import ArgumentError
from evalkit.results import Comparison, Interval, Verdict
from evalkit.tables import Table, bold_separated, make_table


def compared(base: str, candidate: str, verdict: Verdict) -> Comparison:
    """Return a comparison with this verdict."""
    bounds = {"separated": (0.1, 0.3), "not separated": (-0.1, 0.3)}.get(verdict)
    return Comparison(
        base=base,
        candidate=candidate,
        difference=None if bounds is None else 0.1,
        interval=None
        if bounds is None
        else Interval(low=bounds[0], high=bounds[1], level=0.95, method="t"),
        p_value=None,
        test=None,
        verdict=verdict,
        se=None,
        n_pairs=9,
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


def table_of(values: Mapping[str, float | None]) -> Table:
    """Return one row a system."""
    return make_table(["system", "mean"], [[name, value] for name, value in values.items()])


def bold(table: Table) -> list[str]:
    """Return the systems whose value is bold."""
    return [str(row.cells[0].value) for row in table.rows if row.cells[1].bold]


VALUES = {"a": 0.9, "b": 0.8, "c": 0.5}


def test_a_separated_maximum_stands_alone() -> None:
    """The maximum is bold alone when every other value is separated from it."""
    found = [compared("b", "a", "separated"), compared("c", "a", "separated")]
    marked = bold_separated(table_of(VALUES), "mean", found)
    assert bold(marked) == ["a"]
    rule = "Bold: the highest value and those not separated from it"
    assert marked.notes == (f"{rule} (interval of the paired difference).",)


@pytest.mark.parametrize("verdict", ["not separated", "undefined"])
def test_the_tie_group_of_the_maximum_is_bold(verdict: Verdict) -> None:
    """What is not separated from the maximum is bold with it, and so is what has no verdict."""
    found = [compared("a", "b", verdict), compared("c", "a", "separated")]
    assert bold(bold_separated(table_of(VALUES), "mean", found)) == ["a", "b"]


def test_equal_maxima_are_both_bold_and_must_both_be_separated() -> None:
    """A value that one of two equal maxima does not beat stays in the tie group."""
    values = {"a": 0.9, "b": 0.9, "c": 0.5}
    found = [compared("c", "a", "separated"), compared("c", "b", "not separated")]
    assert bold(bold_separated(table_of(values), "mean", found)) == ["a", "b", "c"]


def test_undefined_values_are_never_bold_and_need_no_comparison() -> None:
    """A system without a value decides nothing; nor does a table without any."""
    marked = bold_separated(table_of({"a": 0.9, "x": None}), "mean", [])
    assert bold(marked) == ["a"]
    assert bold(bold_separated(table_of({"x": None}), "mean", [])) == []


def test_a_missing_comparison_is_refused() -> None:
    """Silence about a pair is no verdict."""
    with pytest.raises(ArgumentError, match="no comparison of 'a' with 'b'"):
        bold_separated(table_of(VALUES), "mean", [compared("c", "a", "separated")])


def test_groups_are_marked_one_at_a_time() -> None:
    """The same names in two groups need the group; marking one leaves the other."""
    table = make_table(
        ["system", "mean"],
        [["a", 0.9], ["b", 0.1], ["a", 0.2], ["b", 0.8]],
        groups=["g", "g", "h", "h"],
    )
    found = [compared("b", "a", "separated")]
    with pytest.raises(ArgumentError, match="names 'a' in two rows"):
        bold_separated(table, "mean", found)
    once = bold_separated(table, "mean", found, group="g")
    twice = bold_separated(once, "mean", found, group="h")
    assert [row.cells[1].bold for row in once.rows] == [True, False, False, False]
    assert [row.cells[1].bold for row in twice.rows] == [True, False, False, True]
    assert len(twice.notes) == 1


def test_unknown_columns_are_refused() -> None:
    """Both the marked and the naming column must exist."""
    for arguments in ({"column": "x"}, {"column": "mean", "names": "x"}):
        with pytest.raises(ArgumentError, match="the table has the columns"):
            bold_separated(table_of(VALUES), found=[], **arguments)  # type: ignore[arg-type]


@settings(max_examples=15)
@given(st.integers(0, 1000))
def test_bold_systems_are_those_that_share_a_letter_with_the_best(seed: int) -> None:
    """With all pairs compared, bold means sharing a letter of the compact display with the top."""
    rng = np.random.default_rng(seed)
    rates = {name: rng.choice([0.2, 0.5, 0.6, 0.9]) for name in "abcd"}
    rows = [
        {"system": name, "item": i, "score": int(rng.random() < rate)}
        for name, rate in rates.items()
        for i in range(30)
    ]
    import pandas as pd

    found = compare_all(pd.DataFrame(rows))
    table = table_of({each.system: each.mean for each in found.systems})
    top = [each for each in found.systems if each.mean == found.systems[0].mean]
    expected = [
        each.system
        for each in found.systems
        if each in top or any(set(each.group) & set(one.group) for one in top)
    ]
    assert bold(bold_separated(table, "mean", found)) == expected
    assert "Holm" in bold_separated(table, "mean", found).notes[0]
    assert len(found.comparisons) == len(list(combinations("abcd", 2)))
