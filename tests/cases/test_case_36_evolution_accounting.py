"""Evaluations of a search are added up once."""

import pytest

from evalkit.trajectories.evaluations import evaluation_ledger

SEED = {"step": 0, "kind": "seed", "evals": {"val": 20}, "val": 0.5}


def proposal(step, accepted, val=None):
    """One proposal: three items for the parent and three for the child, then validation."""
    row = {"step": step, "kind": "proposal", "evals": {"mini": 6}, "accepted": accepted}
    if val is not None:
        row |= {"evals": {"mini": 6, "val": 20}, "val": val}
    return row


STEPS = [SEED, proposal(1, False), proposal(2, True, 0.55), proposal(3, True, 0.55)]
STEPS.append(proposal(4, False, 0.4))


def test_ledger():
    """104 = 20 + 4 * 6 + 3 * 20, best so far .50 .50 .55 .55 .55, two of four accepted."""
    found = evaluation_ledger(STEPS)
    assert found.total == 104
    assert found.cumulative == (20, 26, 52, 78, 104)
    assert [float(best) for best in found.best] == [0.5, 0.5, 0.55, 0.55, 0.55]
    assert (found.proposals, found.accepted, found.full_validations) == (4, 2, 3)
    assert not found.too_few_proposals


@pytest.mark.parametrize(("count", "few"), [(0, True), (1, True), (2, True), (3, False)])
def test_budgets_without_a_search_are_named(count, few):
    """Fewer than three proposals are called so."""
    found = evaluation_ledger([SEED, *(proposal(i + 1, False) for i in range(count))])
    assert found.too_few_proposals is few


def test_rejected_candidate_is_never_the_best():
    """A higher score of a rejected candidate does not move the best so far."""
    found = evaluation_ledger([SEED, proposal(1, False, 0.9)])
    assert found.total == 46
    assert float(found.best[0]) == 0.5
