"""Decisions of the baselines, each by itself."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.environments.base import Item
from evalkit.environments.draws import Draw
from evalkit.errors import InputError, MissingPackageError
from evalkit.evolve.baselines.edits import apply_edits, structured_edits
from evalkit.evolve.baselines.gepa_adapter import imputed_scores
from evalkit.evolve.baselines.loop import BASELINES, GEPA, SKILLOPT
from evalkit.evolve.baselines.settings import SkillOptSettings
from evalkit.evolve.baselines.skillopt import epoch_batch
from evalkit.evolve.loops import LOOPS

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "é"]), max_size=7)
DOCUMENTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))
ITEMS = tuple(Item(id=f"i{k}", input="x") for k in range(11))


@given(DOCUMENTS, DOCUMENTS)
def test_all_structured_edits_together_make_the_new_document(before, after):
    """Applying every edit gives the new text; applying none, the old one."""
    edits = structured_edits(before, after)
    assert apply_edits(before, edits) == after
    assert apply_edits(before, ()) == before
    assert bool(edits) == (before != after)


@given(DOCUMENTS, DOCUMENTS, st.integers(0, 4))
def test_a_budget_keeps_the_first_edits(before, after, budget):
    """What is left of a proposal has at most as many edits as the budget allows."""
    kept = structured_edits(before, after)[:budget]
    made = apply_edits(before, kept)
    lines = [line for edit in kept for line in edit.lines]
    assert sum(map(len, made.splitlines())) <= sum(map(len, (before + "".join(lines)).splitlines()))
    assert {edit.kind for edit in kept} <= {"add", "delete", "replace"}


def test_epochs_go_through_all_items_in_an_order_of_their_own():
    """Four batches of three or fewer cover the items once; the next epoch differs."""
    epochs = []
    for first in (1, 5):
        batches = [epoch_batch(ITEMS, number=first + k, batch=3, draw=Draw.of(0)) for k in range(4)]
        assert [len(b) for b in batches] == [3, 3, 3, 2]
        epochs.append([item.id for b in batches for item in b])
        assert sorted(epochs[-1]) == sorted(item.id for item in ITEMS)
    assert epochs[0] != epochs[1]
    assert epoch_batch(ITEMS[::-1], number=2, batch=3, draw=Draw.of(0)) == epoch_batch(
        ITEMS, number=2, batch=3, draw=Draw.of(0)
    )


def test_an_errored_outcome_moves_no_mean_that_gepa_compares():
    """It gets the mean of the others, and 0 where there is none."""
    assert imputed_scores([1.0, None, 0.0, None]) == (1.0, 0.5, 0.0, 0.5)
    assert imputed_scores([None]) == (0.0,)
    assert imputed_scores([]) == ()


def test_gepa_names_the_package_that_is_missing(monkeypatch):
    """The settings are refused before anything is run."""
    monkeypatch.setitem(sys.modules, "gepa", None)
    with pytest.raises(MissingPackageError, match="needs the package 'gepa'"):
        GEPA.settings({}, path="loop.toml")


@pytest.mark.parametrize(
    ("loop", "table", "message"),
    [
        (SKILLOPT, {"grader": "G0"}, "skillopt.grader"),
        (SKILLOPT, {"budget_max": 1}, "`budget_max` is 1"),
        (SKILLOPT, {"gate": "any"}, "`gate` is 'any'"),
        (GEPA, {"metric_calls": 0}, "`metric_calls` is 0"),
        (BASELINES, {}, r"`baselines\.method` is None"),
        (BASELINES, {"method": "gepa", "gate": "strict"}, r"`baselines\.gate` is not a setting"),
        (BASELINES, {"method": "parallel", "attempts": 2, "shares": [0.0]}, "`shares`"),
    ],
)
def test_bad_settings_are_refused(loop, table, message):
    """The error names the key and what is allowed."""
    with pytest.raises(InputError, match=message):
        loop.settings(table, path="loop.toml")


def test_the_defaults_are_those_of_the_comparison():
    """Minibatch 8, budget 4 on the common schedule, a strict gate."""
    found = SkillOptSettings()
    assert (found.batch, found.budget_max, found.budget_min, found.gate) == (8, 4, 2, "strict")
    assert {"skills", "skillopt", "gepa", "direct", "parallel", "sequential"} <= set(LOOPS)
