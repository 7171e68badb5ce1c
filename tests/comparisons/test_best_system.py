"""The best of several systems from rows: shared items, clusters, policies, refusals."""

import pandas as pd
import pytest

from evalkit.comparisons.best_system import best_system
from evalkit.comparisons.selection import selection_corrected
from evalkit.errors import ArgumentError, EvalkitError, InputError, MissingColumnError

A, B = [1, 0, 1, 1, 0, 1, 0, 1], [1, 1, 0, 1, 1, 0, 0, 0]


def rows(**scores):
    """One row for each system and item, two items a cluster."""
    return pd.DataFrame(
        [
            {"system": name, "item": f"q{i}", "score": s, "passage": f"p{i // 2}"}
            for name, own in scores.items()
            for i, s in enumerate(own)
        ]
    )


def test_rows_give_what_the_arrays_give():
    """Any order of rows: the correction of the two arrays, with and without clusters."""
    frame = rows(A=A, B=B).sample(frac=1, random_state=1)
    assert best_system(frame)[0] == selection_corrected({"A": A, "B": B})
    found = best_system(frame, cluster="passage")[0]
    expected = selection_corrected({"A": A, "B": B}, clusters=[i // 2 for i in range(8)])
    assert (found.winner, found.best, found.lower) == (
        expected.winner,
        expected.best,
        expected.lower,
    )
    assert found.clusters == 4


def test_only_items_of_every_system_count():
    """An item that one system was not scored on is left out and counted."""
    frame = rows(A=A, B=B[:6])
    found = best_system(frame)
    assert found[0].n == 6
    assert "2 items are not used" in " ".join(found.notes)


def test_repeated_items_enter_with_their_mean():
    """Two attempts at .5 are one item at .5."""
    twice = pd.concat([rows(A=A, B=B).assign(attempt=1), rows(A=A, B=B).assign(attempt=2)])
    assert best_system(twice)[0].best == best_system(rows(A=A, B=B))[0].best
    assert best_system(twice)[0].n == 8


def test_errors_as_failures_need_the_range():
    """A row without a score is left out, or is a failure where the range says what that is."""
    frame = rows(A=[1, 1, 1, None], B=[0, 1, 0, 1])
    assert best_system(frame)[0].best == 1
    counted = best_system(frame, errors="fail", score_range=(0, 1))
    assert counted[0].best == 0.75
    with pytest.raises(ArgumentError, match="declare it"):
        best_system(frame, errors="fail")


def test_nothing_and_one_system():
    """No scored rows give no result; one system was not selected."""
    empty = best_system(rows(A=[None, None]))
    assert len(empty) == 0
    assert "nothing to choose" in empty.notes[-1]
    assert "nothing was selected" in best_system(rows(A=A))[0].note


def test_systems_without_a_shared_item():
    """Nothing to compare on is undefined, with the reason."""
    frame = pd.DataFrame({"system": ["A", "B"], "item": ["x", "y"], "score": [1, 0]})
    found = best_system(frame)
    assert (found[0].winner, found[0].note) == (None, "no items")


def test_several_verifiers_are_refused():
    """A mean over graders would mix them."""
    frame = pd.concat([rows(A=A, B=B).assign(verifier=v) for v in ("x", "y")])
    with pytest.raises(InputError, match="several verifiers"):
        best_system(frame)


def test_clusters_that_do_not_fit_are_refused():
    """A missing column, a missing cluster, an item in two clusters: each is named."""
    frame = rows(A=A, B=B)
    with pytest.raises(MissingColumnError, match="'repo'"):
        best_system(frame, cluster="repo")
    holes = frame.assign(passage=[None, *frame["passage"][1:]])
    with pytest.raises(EvalkitError, match="cluster"):
        best_system(holes, cluster="passage")
    moved = frame.assign(passage=[*frame["passage"][:8], *["z"] * 8])
    with pytest.raises(InputError, match="an item belongs to one"):
        best_system(moved, cluster="passage")
