"""`evalkit.compare`: pairing by id, coherence, scales, and everything left out is said."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalkit
from evalkit.errors import ArgumentError, InputError, MissingColumnError, ScaleMismatchError


def frame(scores, system, items=None, **extra):
    """One row for each score."""
    names = items or [f"q{i}" for i in range(len(scores))]
    return pd.DataFrame({"system": system, "item": names, "score": scores, **extra})


def test_pairs_are_matched_by_id_not_by_position():
    """The same items in another order pair with themselves: +.375, 3 against 0, p = .25."""
    items = [f"q{i}" for i in range(1, 9)]
    a = frame([1, 0, 1, 0, 0, 1, 0, 0], "A", items)
    b = frame([1, 0, 1, 1, 1, 0, 1, 1], "B", ["q4", "q2", "q8", "q1", "q3", "q7", "q5", "q6"])
    expected = dict(zip(b["item"], b["score"], strict=True))
    difference = np.mean([expected[i] - s for i, s in zip(a["item"], a["score"], strict=True)])
    found = evalkit.compare(a, b)
    assert found.difference == pytest.approx(difference)
    assert (found.n_pairs, found.candidate_wins, found.base_wins) == (8, 3, 0)
    assert found.also[0].p_value == 0.25


def test_unmatched_items_are_counted():
    """Ten against ten items with five shared: five pairs, five left on each side."""
    a = frame([0, 1] * 5, "A", [f"q{i}" for i in range(10)])
    b = frame([1] * 10, "B", [f"q{i}" for i in range(5, 15)])
    found = evalkit.compare(a, b)
    assert (found.n_pairs, found.only_base, found.only_candidate) == (5, 5, 5)
    assert "unmatched" in found.note


def test_no_shared_item_is_undefined():
    """Nothing to compare is not a difference of 0."""
    found = evalkit.compare(frame([1, 0], "A"), frame([1, 0], "B", ["x", "y"]))
    assert (found.verdict, found.difference, found.interval) == ("undefined", None, None)
    assert "no item is scored for both" in found.note
    assert found.only_base == found.only_candidate == 2


def test_errored_rows_are_not_pairs():
    """An item that errored for one system is unmatched, and the error is counted."""
    found = evalkit.compare(frame([1, 0, 1], "A"), frame([1, None, 0], "B"))
    assert (found.n_pairs, found.only_base) == (2, 1)
    assert "B: rows left out: 1 missing" in found.note
    failed = evalkit.compare(frame([1, 0, 1], "A"), frame([1, None, 0], "B"), errors="fail")
    assert failed.n_pairs == 3


def test_clusters_come_from_either_file_and_must_agree():
    """One file may lack the cluster column; two files must not contradict each other."""
    a = frame([1, 0, 1, 0], "A", cluster=list("xxyy"))
    b = frame([1, 1, 1, 0], "B")
    assert evalkit.compare(a, b, cluster="cluster").clusters == 2
    assert evalkit.compare(b, a, cluster="cluster").clusters == 2
    clash = frame([1, 1, 1, 0], "B", cluster=list("xyyy"))
    with pytest.raises(InputError, match=r"'q1'.*clusters 'x' and 'y'"):
        evalkit.compare(a, clash, cluster="cluster")
    with pytest.raises(MissingColumnError, match="nope"):
        evalkit.compare(a, b, cluster="nope")


def test_one_cluster_is_undefined():
    """No interval, no p-value, no SE; the reason is given."""
    a = frame([1, 0, 1], "A", cluster=["c"] * 3)
    found = evalkit.compare(a, frame([1, 1, 0], "B"), cluster="cluster")
    assert (found.interval, found.p_value, found.se, found.verdict) == (None,) * 3 + ("undefined",)
    assert "one cluster" in found.note


def test_fractions_are_not_compared_with_percentages():
    """.83 against 82.0 is a question of scale, not a difference of -81.17."""
    a, b = frame([0.9, 0.8, 0.79], "A"), frame([82.0, 85.0, 79.0], "B")
    for pair in ((a, b), (b, a)):
        with pytest.raises(ScaleMismatchError, match="two scales"):
            evalkit.compare(*pair)
    with pytest.raises((InputError, ArgumentError), match=r"range|no item"):
        raise_if_undefined(evalkit.compare(a, b, score_range=(0, 1)))


def raise_if_undefined(found):
    """With range 0..1 declared, the percentages are invalid rows and nothing pairs."""
    if found.verdict == "undefined":
        raise InputError(found.note)


def test_two_systems_of_one_source():
    """`systems` names them; without it the error lists those that are there."""
    both = pd.concat([frame([1, 0, 1], "A"), frame([1, 1, 1], "B")])
    assert evalkit.compare(both, systems=("A", "B")).difference == pytest.approx(1 / 3)
    assert evalkit.compare(both, systems=("B", "A")).difference == pytest.approx(-1 / 3)
    with pytest.raises(ArgumentError, match="A, B"):
        evalkit.compare(both)
    with pytest.raises(ArgumentError, match="'C'"):
        evalkit.compare(both, systems=("A", "C"))
    with pytest.raises(InputError, match="2 systems"):
        evalkit.compare(both, frame([1], "Z"))


def test_attempts_enter_as_item_means():
    """Three runs of an item are one pair, not three."""
    a = pd.concat([frame([1, 0, 0], "A", attempt=k) for k in (1, 2, 3)])
    b = pd.concat([frame([1, 1, int(k == 1)], "B", attempt=k) for k in (1, 2, 3)])
    found = evalkit.compare(a, b)
    assert found.n_pairs == 3
    assert found.difference == pytest.approx((0 + 1 + 1 / 3) / 3)
    assert "more than once" in found.note


def test_several_verifiers_are_compared_one_by_one():
    """One difference over two verifiers would mix two measurements."""
    a = pd.concat([frame([1, 0], "A", verifier=v) for v in ("V0", "V1")])
    b = pd.concat([frame([1, 1], "B", verifier=v) for v in ("V0", "V1")])
    assert [r.by["verifier"] for r in evalkit.compare_groups(a, b)] == ["V0", "V1"]
    with pytest.raises(InputError, match="2 groups"):
        evalkit.compare(a, b)


def test_unpaired_samples():
    """Without pairing, all scored rows count and wins are undefined."""
    found = evalkit.compare(frame([1] * 12 + [0] * 8, "A"), frame([1] * 18, "B"), paired=False)
    assert (found.n_pairs, found.base_wins) == (0, None)
    assert found.interval.method == "newcombe"
    assert "independent samples" in found.note


def test_engines_agree():
    """Pandas and Polars, lazy or not, give the same comparison."""
    a = frame([1, 0, 0.5, 1, 0], "A", cluster=list("xxyyz"))
    b = frame([1, 1, 0.5, 0, 0.5], "B", cluster=list("xxyyz"))
    expected = evalkit.compare(a, b, cluster="cluster")
    eager = evalkit.compare(pl.from_pandas(a), pl.from_pandas(b), cluster="cluster")
    lazy = evalkit.compare(pl.from_pandas(a).lazy(), pl.from_pandas(b).lazy(), cluster="cluster")
    assert expected.to_dict() == eager.to_dict() == lazy.to_dict()
    mixed = evalkit.compare(pl.from_pandas(a).lazy(), b, cluster="cluster")
    assert mixed.to_dict() == expected.to_dict()


@given(
    st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), min_size=2),
    st.randoms(use_true_random=False),
)
def test_order_of_rows_and_names_do_not_matter(pairs, random):
    """Shuffling either file, or renaming items, changes nothing."""
    a = frame([x for x, _ in pairs], "A")
    b = frame([y for _, y in pairs], "B")
    expected = evalkit.compare(a, b).to_dict()
    order = list(range(len(pairs)))
    random.shuffle(order)
    assert evalkit.compare(a, b.iloc[order]).to_dict() == expected
    names = {f"q{i}": f"item-{i * 7}" for i in order}
    renamed = [f.assign(item=f["item"].map(names)) for f in (a, b)]
    assert evalkit.compare(*renamed).to_dict() == expected
    assert json.dumps(expected, allow_nan=False)
