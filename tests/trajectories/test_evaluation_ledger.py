"""Evaluations are counted once, by step."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, InputError
from evalkit.trajectories import evaluation_ledger

SEED = {"step": 0, "kind": "seed", "evals": {"val": 20}, "val": 0.5}
SEARCH = [
    SEED,
    {"step": 1, "kind": "proposal", "evals": {"mini": 6}, "accepted": False},
    {"step": 2, "kind": "proposal", "evals": {"mini": 6, "val": 20}, "accepted": True, "val": 0.55},
    {"step": 3, "kind": "proposal", "evals": {"mini": 6, "val": 20}, "accepted": True, "val": 0.55},
    {"step": 4, "kind": "proposal", "evals": {"mini": 6, "val": 20}, "accepted": False, "val": 0.4},
]


def test_hand_ledger():
    """104 = 20 + 4*6 + 3*20 evaluations; counting a child's mini-batch twice would give 116."""
    ledger = evaluation_ledger(SEARCH)
    assert ledger.total == 104
    assert ledger.cumulative == (20, 26, 52, 78, 104)
    assert ledger.best == (0.5, 0.5, 0.55, 0.55, 0.55)
    assert (ledger.proposals, ledger.accepted, ledger.full_validations) == (4, 2, 3)
    assert (ledger.too_few_proposals, ledger.note) == (False, None)


def test_search_of_one_proposal_is_named():
    """A budget that ended after one proposal is no search."""
    ledger = evaluation_ledger(SEARCH[:2])
    assert ledger.too_few_proposals
    assert ledger.note.startswith("only 1 proposal, fewer than 3")
    assert not evaluation_ledger(SEARCH[:2], min_proposals=1).too_few_proposals


def test_rejected_proposal_does_not_raise_the_best():
    """Only the seed and accepted proposals can be the best."""
    step = {"step": 1, "kind": "proposal", "evals": {"val": 2}, "accepted": False, "val": 0.9}
    assert evaluation_ledger([SEED, step]).best == (0.5, 0.5)


def test_empty_ledger():
    """No steps spend nothing."""
    ledger = evaluation_ledger([])
    assert (ledger.total, ledger.cumulative, ledger.too_few_proposals) == (0, (), True)


def test_ledger_is_json_safe():
    """The dictionary is strict JSON."""
    read = json.loads(json.dumps(evaluation_ledger(SEARCH).to_dict(), allow_nan=False))
    assert read["steps"][2]["fully_validated"] is True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": 0}, "step 0 follows step 0"),
        ({"step": "1"}, "`step` is '1'"),
        ({"kind": "merge"}, "`kind` is 'merge'"),
        ({"accepted": None}, "step 1: `accepted` is None"),
        ({"evals": None}, "step 1: `evals` is None"),
        ({"evals": {"mini": -1}}, "-1 for 'mini'"),
        ({"evals": {"mini": 1.5}}, r"1\.5 for 'mini'"),
        ({"accepted": True, "val": 0.6}, "no evaluations under `val`"),
        ({"accepted": True, "val": "high"}, "step 1: `val` is 'high'"),
    ],
)
def test_unreadable_steps_are_refused(change, message):
    """A step that cannot be read is named."""
    with pytest.raises(InputError, match=message):
        evaluation_ledger([SEED, {**SEARCH[1], **change}])


def test_negative_minimum_is_refused():
    """The smallest search is not negative."""
    with pytest.raises(ArgumentError, match="`min_proposals` is -1"):
        evaluation_ledger([], min_proposals=-1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=8))
def test_ledger_invariants(entries):
    """The total is the plain sum, and cumulative counts never fall."""
    steps = [
        {"step": i, "kind": "proposal", "evals": {"mini": a, "val": b}, "accepted": ok}
        for i, (a, b, ok) in enumerate(entries)
    ]
    ledger = evaluation_ledger(steps)
    assert ledger.total == sum(a + b for a, b, _ in entries)
    assert list(ledger.cumulative) == sorted(ledger.cumulative)
    assert ledger.accepted <= ledger.proposals == len(entries)
