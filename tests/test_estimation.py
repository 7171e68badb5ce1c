"""`evalkit.estimate` on files and frames: groups, clusters, errors and what is said of them."""

import duckdb
import pandas as pd
import polars as pl
import pytest

import evalkit
from evalkit.errors import ArgumentError, InputError, MissingColumnError


def rows(scores, system="A", **extra):
    """One row for each score."""
    return [
        {"system": system, "item": f"q{i}", "score": s, **{k: v[i] for k, v in extra.items()}}
        for i, s in enumerate(scores)
    ]


def test_errored_rows_are_excluded_and_bounded():
    """40 right, 5 wrong, 5 errored: .8889, between .8 and .9 (case: rate limits)."""
    frame = pd.DataFrame(rows([1] * 40 + [0] * 5 + [None] * 5))
    found = evalkit.estimate(frame)[0]
    assert found.estimate == pytest.approx(40 / 45)
    assert (found.n, found.counts.attempted, found.counts.errored) == (45, 50, 5)
    assert (found.low_if_errors_fail, found.high_if_errors_pass) == (0.8, 0.9)
    assert "5 missing" in found.note


def test_errored_rows_can_count_as_failures():
    """`errors="fail"` puts them at the low end of the range, and says so."""
    frame = pd.DataFrame(rows([1] * 40 + [0] * 5 + [None] * 5))
    results = evalkit.estimate(frame, errors="fail")
    assert results[0].estimate == 0.8
    assert results[0].n == 50
    counts = results[0].counts
    assert (counts.attempted, counts.scored, counts.errored) == (50, 45, 5)
    assert (results[0].low_if_errors_fail, results[0].high_if_errors_pass) == (0.8, 0.9)
    assert any("counted as failures" in note for note in results.notes)
    with pytest.raises(ArgumentError, match="exclude"):
        evalkit.estimate(frame, errors="drop")
    with pytest.raises(ArgumentError, match="declare"):
        evalkit.estimate(pd.DataFrame(rows([3, 9, None])), errors="fail")
    assert evalkit.estimate(pd.DataFrame(rows([3, 9, None])), errors="fail", score_range=(0, 12))[
        0
    ].estimate == pytest.approx(4)


def test_skipped_rows_are_not_attempted():
    """A skipped row is neither a failure nor an error."""
    frame = pd.DataFrame(rows([1, 0, None], status=["scored", "scored", "skipped"]))
    for policy in ("exclude", "fail"):
        found = evalkit.estimate(frame, errors=policy)[0]
        assert (found.counts.attempted, found.counts.errored, found.n) == (2, 0, 2)


def test_systems_and_verifiers_are_never_pooled():
    """Two answer filters of four documents are two estimates of n = 4, not one of 8."""
    strict = [{"doc_id": i, "filter": "strict", "exact_match": s} for i, s in enumerate("1001")]
    loose = [{"doc_id": i, "filter": "loose", "exact_match": s} for i, s in enumerate("1101")]
    found = {e.by["verifier"]: e for e in evalkit.estimate(pd.DataFrame(strict + loose))}
    assert (found["strict"].n, found["strict"].estimate) == (4, 0.5)
    assert found["strict"].se == pytest.approx(0.28867513459481287)
    assert (found["loose"].n, found["loose"].estimate) == (4, 0.75)
    assert found["loose"].se == pytest.approx(0.25)


def test_repeated_attempts_are_clustered_by_item():
    """Attempts at one item are not independent items."""
    data = [
        {"system": "A", "item": f"q{i}", "attempt": a, "score": s}
        for i, pair in enumerate(["11", "00", "10", "11"])
        for a, s in enumerate(pair)
    ]
    results = evalkit.estimate(pd.DataFrame(data))
    assert results[0].clusters == 4
    assert any("judged more than once" in note for note in results.notes)
    # Attempt means 3/4 and 1/2: standard deviation √(1/32).
    assert results[0].attempts == 2
    assert results[0].attempt_sd == pytest.approx((1 / 32) ** 0.5)


def test_one_attempt_each_is_no_repetition():
    """A column of seeds that differ between items does not make items clusters."""
    results = evalkit.estimate(pd.DataFrame(rows([1, 0, 1, 0], seed=[1, 2, 3, 4])))
    assert results[0].clusters is None
    assert not any("more than once" in note for note in results.notes)


def test_replies_are_not_verifiers(jsonl):
    """A column `judge` of long replies is no verifier, and it is said."""
    reply = "The first answer cites its source, the second does not. " * 4
    path = jsonl("judge.jsonl", rows([1, 0, 1], judge=[f"{reply}{i}" for i in range(3)]))
    results = evalkit.estimate(path)
    assert [r.n for r in results] == [3]
    assert "holds texts" in " ".join(results.notes)


def test_an_unused_cluster_column_is_said():
    """A file with a cluster column deserves a cluster-robust interval."""
    frame = pd.DataFrame(rows([1, 0, 1, 0], cluster=list("aabb")))
    assert "column `cluster` that was not used" in " ".join(evalkit.estimate(frame).notes)
    assert not evalkit.estimate(frame, cluster="cluster").notes


def test_one_cluster_is_undefined(jsonl):
    """One cluster: no interval, no SE, and the reason."""
    path = jsonl("one.jsonl", rows([0, 1] * 3, cluster=["c"] * 6))
    found = evalkit.estimate(path, cluster="cluster")[0]
    assert (found.interval, found.se) == (None, None)
    assert "one cluster" in found.note
    assert found.estimate == 0.5


def test_no_rows_is_an_empty_result_with_a_reason(jsonl):
    """An empty file has nothing to estimate."""
    results = evalkit.estimate(jsonl("empty.jsonl", []))
    assert len(results) == 0
    assert any("no rows" in note for note in results.notes)


def test_a_group_without_scores_is_undefined():
    """All rows errored: the estimate is undefined, and the bounds are the whole range."""
    found = evalkit.estimate(pd.DataFrame(rows([None, None])))[0]
    assert (found.estimate, found.interval) == (None, None)
    assert (found.low_if_errors_fail, found.high_if_errors_pass) == (0, 1)
    assert "no scored rows" in found.note


@pytest.mark.parametrize(
    "lazy", [pl.LazyFrame, lambda d: duckdb.from_arrow(pl.DataFrame(d).to_arrow())]
)
def test_lazy_frames_give_the_same_estimates(lazy):
    """A lazy frame stays in its engine and ends at the same numbers."""
    data = pd.DataFrame(rows([1, 0, None, 1], cluster=list("aabb")))
    eager = evalkit.estimate(data, cluster="cluster")[0]
    plain = {name: [None if pd.isna(x) else x for x in data[name]] for name in data}
    found = evalkit.estimate(lazy(plain), cluster="cluster")[0]
    assert found.interval == eager.interval
    assert found.counts == eager.counts


def test_columns_can_be_named():
    """The guess of a column can be overridden."""
    frame = pd.DataFrame(
        {"task": ["a", "b"], "hard": [1, 0], "soft": [0.9, 0.2], "item": ["x", "y"]}
    )
    assert evalkit.estimate(frame, columns={"score": "soft"})[0].estimate == pytest.approx(0.55)
    with pytest.raises(MissingColumnError, match="nope"):
        evalkit.estimate(frame, columns={"score": "nope"})
    with pytest.raises(MissingColumnError, match="cluster"):
        evalkit.estimate(frame, cluster="cluster")


def test_bad_scores_are_refused_by_name(jsonl):
    """A score that is no number is an error that names file, line and item."""
    path = jsonl("bad.jsonl", rows([1, "excellent", 0]))
    with pytest.raises(InputError, match=r"bad\.jsonl.*line 2.*q1.*excellent"):
        evalkit.estimate(path)


def test_results_become_a_frame():
    """One row for each group, groups first."""
    frame = evalkit.estimate(pd.DataFrame(rows([1, 0]) + rows([1, 1], system="B"))).to_frame()
    assert list(frame["system"]) == ["A", "B"]
    assert list(frame["estimate"]) == [0.5, 1.0]
    assert "method" in frame


def test_half_a_surrogate_pair_does_not_stop_an_estimate(jsonl):
    """Ids that no dataframe engine can hold are escaped, and stay distinct."""
    lines = [r'{"system": "m\ud835", "item": "a\ud835", "score": 1}']
    lines += [r'{"system": "m\ud835", "item": "a\ud836", "score": 0}']
    found = evalkit.estimate(jsonl("s.jsonl", lines))[0]
    assert dict(found.by) == {"system": r"m\ud835"}
    assert found.n == 2
    assert evalkit.compare(jsonl("x.jsonl", lines), jsonl("y.jsonl", lines)).n_pairs == 2


def test_groups_by_attempt_are_estimated_apart():
    """Each attempt on its own judges every item once, so items are no clusters there."""
    frame = pd.DataFrame(
        {
            "item": ["a", "b", "c"] * 2,
            "attempt": ["1"] * 3 + ["2"] * 3,
            "score": [1, 0, 1, 1, 1, 1],
        }
    )
    found = evalkit.estimate(frame, by=["attempt"])
    assert [(r.by["attempt"], r.n, r.clusters, r.attempts) for r in found] == [
        ("1", 3, None, None),
        ("2", 3, None, None),
    ]
    assert not any("judged more than once" in note for note in found.notes)


def test_a_group_column_named_twice_counts_once():
    """Repeating a name in `by` changes nothing."""
    frame = pd.DataFrame({"system": ["A", "B"], "item": ["x", "x"], "score": [1, 0]})
    twice = evalkit.estimate(frame, by=["system", "system"])
    assert [r.to_dict() for r in twice] == [
        r.to_dict() for r in evalkit.estimate(frame, by=["system"])
    ]
