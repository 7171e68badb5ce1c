"""Agreement on pairs: credits, conventions, missing verdicts, both orders."""

import csv
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.grading import agreement, compare_graders
from evalkit.intervals import wilson

# A shown first / A shown second, verdicts by place; the better answer is always A.
BOTH_ORDERS = [
    ("first", "second"),
    ("first", "first"),
    ("second", "second"),
    ("tie", "second"),
    ("tie", "tie"),
    ("second", "first"),
    ("first", None),
]
MIRROR = {"A": "B", "B": "A", "tie": "tie", None: None}
VERDICT = st.sampled_from(["A", "B", "tie", None])


def rows_of(orders, label="A"):
    """Rows with both orders and one label."""
    return [
        {"pair": i, "label": label, "order1": one, "order2": two}
        for i, (one, two) in enumerate(orders)
    ]


def scores(a, b):
    """Rows with the scores of two answers, of which A is better."""
    return [
        {"pair": i, "label": "A>B", "score_a": x, "score_b": y}
        for i, (x, y) in enumerate(zip(a, b, strict=True))
    ]


def convention(result, name):
    """One line of the convention table."""
    return next(line for line in result.conventions if line.name == name)


def test_equal_scores_earn_half():
    """Two wins, two ties, one loss: 3/5, and 2/5 for the other side."""
    a, b = [3, 5, 2, 4, 4], [1, 5, 2, 5, 3]
    found = agreement(scores(a, b))[0]
    assert (found.agreement, found.wins, found.ties, found.inversions) == (0.6, 2, 2, 1)
    assert agreement(scores(b, a))[0].agreement == pytest.approx(0.4)


def test_float_noise_is_a_tie_only_within_a_stated_tolerance():
    """0.1 + 0.2 beats 0.3 unless a tolerance says otherwise, and a note says so."""
    rows = scores([0.1 + 0.2], [0.3])
    strict, loose = agreement(rows), agreement(rows, tie_tolerance=1e-9)
    assert (strict[0].wins, loose[0].ties) == (1, 1)
    assert any("not ties unless a tolerance" in note for note in strict.notes)
    assert any("a tie within 1e-09" in note for note in loose.notes)


def test_average_of_both_orders():
    """Six complete pairs: (1 + 1/2 + 1/2 + 3/4 + 1/2 + 0) / 6 = 3.25/6."""
    found = agreement(rows_of(BOTH_ORDERS))[0]
    assert found.agreement == pytest.approx(3.25 / 6, abs=1e-12)
    assert (found.n, found.incomplete, found.nulls) == (6, 1, 0)


def test_consistent_rule_of_both_orders():
    """Agree or tie: (1 + 4/2 + 0) / 6 = 1/2."""
    found = agreement(rows_of(BOTH_ORDERS), rule="consistent")
    assert found[0].agreement == 0.5
    assert any("the verdict that both give" in note for note in found.notes)


def test_order_effects_are_counted():
    """Three consistent, two flipped (one to each place), one tie against a win."""
    orders = agreement(rows_of(BOTH_ORDERS))[0].orders
    assert (orders.consistent, orders.flipped, orders.tie_against_win) == (3, 2, 1)
    assert (orders.towards_first, orders.towards_second) == (1, 1)
    assert orders.inconsistent.value == 0.5
    assert orders.position_bias.value == 0.5


def test_missing_verdicts_bound_the_agreement():
    """The incomplete pair is 1/2 if its missing verdict is wrong, 1 if right."""
    found = agreement(rows_of(BOTH_ORDERS))[0]
    assert found.low_if_nulls_wrong == pytest.approx(float(Fraction(375, 700)))
    assert found.high_if_nulls_right == pytest.approx(float(Fraction(425, 700)))


def test_nulls_are_not_ties():
    """An unparsed verdict is left out and counted; words that say nothing are named."""
    rows = [
        {"pair": i, "label": "A", "verdict": v}
        for i, v in enumerate(["A", "unparsed", "tie (both bad)", None])
    ]
    found = agreement(rows)
    assert (found[0].agreement, found[0].n, found[0].nulls, found[0].ties) == (1.0, 1, 3, 0)
    assert any("tie(bothbad)" in note for note in found.notes)


def test_the_five_conventions():
    """Hand table of seven pairs: net votes +2 0 0 +1 0 -2 +1."""
    found = agreement(rows_of(BOTH_ORDERS))[0]
    values = {line.name: line.value * line.n for line in found.conventions}
    assert values == pytest.approx(
        {"half_credit": 4.5, "ties_wrong": 3, "both_right": 1, "order_1": 3, "order_2": 3}
    )
    assert all(line.n == 7 and line.interval is not None for line in found.conventions)


def test_published_rule_and_its_interval():
    """JudgeBench prints 65.71 for 230 of 350 pairs whose net vote is right; Wilson by default."""
    counts = [(203, ("A", "B")), (27, ("A", "tie")), (81, ("A", "A")), (39, ("B", "A"))]
    found = agreement(rows_of([orders for k, orders in counts for _ in range(k)]))[0]
    official = convention(found, "ties_wrong")
    assert round(100 * official.value, 2) == 65.71
    assert (official.interval.low, official.interval.high) == wilson(230, 350, level=0.95)
    assert convention(found, "half_credit").value == pytest.approx(270.5 / 350)
    assert convention(found, "both_right").value == pytest.approx(0.58)


def test_second_order_may_name_the_answers():
    """In original order the second verdict is not flipped."""
    rows = rows_of([("A", "A"), ("B", "B")])
    shown, named = agreement(rows), agreement(rows, order2="original")
    assert [shown[0].orders.flipped, named[0].orders.flipped] == [2, 0]
    assert any("displayed order" in note for note in shown.notes)


def test_one_order_leaves_the_rest_undefined():
    """What needs both orders is None with a reason, never 0."""
    found = agreement([{"pair": 1, "label": "A", "verdict": "A"}])[0]
    assert found.inconsistent.value is None
    assert convention(found, "both_right").to_dict()["note"] == "one order only"
    assert found.orders.consistent is None


def test_position_bias_without_labels():
    """1,352 left against 593 right, ties apart: .6951, and no agreement without labels."""
    winners = ["left"] * 1352 + ["right"] * 593 + ["tie"] * 194
    found = agreement([{"id": i, "winner": w} for i, w in enumerate(winners)])[0]
    assert found.position_bias.value == pytest.approx(1352 / 1945)
    bounds = found.position_bias.interval
    assert (bounds.low, bounds.high) == wilson(1352, 1945, level=0.95)
    assert found.agreement is None
    assert "no reference labels" in found.note


@given(st.lists(st.tuples(VERDICT, VERDICT, st.sampled_from("AB")), min_size=1, max_size=12))
def test_exchanging_the_answers_changes_nothing(cells):
    """Naming A as B, label and verdicts alike, mirrors every verdict and keeps every number."""
    rows = [
        {"pair": i, "label": label, "order1": one, "order2": two}
        for i, (one, two, label) in enumerate(cells)
    ]
    # What was shown second is now shown first.
    mirrored = [
        {"pair": r["pair"], "label": MIRROR[r["label"]], "order1": r["order2"],
         "order2": r["order1"]}
        for r in rows
    ]  # fmt: skip
    one, two = agreement(rows)[0].to_dict(), agreement(mirrored)[0].to_dict()
    conventions = one.pop("conventions"), two.pop("conventions")
    assert one == two
    for name, other in {"half_credit": "half_credit", "order_1": "order_2"}.items():
        assert conventions[0][name]["value"] == conventions[1][other]["value"]


@given(st.lists(st.tuples(VERDICT, VERDICT), min_size=1, max_size=12), st.randoms())
def test_order_of_rows_does_not_matter(cells, random):
    """Shuffled rows give the same result, to the last bit."""
    rows = rows_of(cells)
    shuffled = random.sample(rows, len(rows))
    assert agreement(rows)[0].to_dict() == agreement(shuffled)[0].to_dict()


@given(st.lists(st.tuples(VERDICT, VERDICT), min_size=1, max_size=12))
def test_bounds_enclose_the_agreement_of_complete_data(cells):
    """Filling in the missing verdicts as wrong or right gives exactly the two bounds."""
    found = agreement(rows_of(cells))[0]
    for fill, bound in (("B", found.low_if_nulls_wrong), ("A", found.high_if_nulls_right)):
        filled = [(one or fill, two or MIRROR[fill]) for one, two in cells]
        assert agreement(rows_of(filled))[0].agreement == pytest.approx(bound)


def test_clusters_widen_the_interval():
    """Pairs of one task that agree among themselves carry less than their number."""
    rows = [
        {"pair": i, "task": i // 10, "label": "A", "verdict": "A" if (i // 10) % 3 else "B"}
        for i in range(120)
    ]
    plain, grouped = agreement(rows)[0], agreement(rows, cluster="task")[0]
    assert grouped.interval.width > 2 * plain.interval.width
    assert (grouped.clusters, plain.clusters) == (12, None)
    assert grouped.interval.method.startswith("augmented-cluster-t")


def test_one_cluster_has_no_interval():
    """Within one task no spread between tasks can be seen."""
    rows = [{"pair": i, "t": 0, "label": "A", "verdict": "A"} for i in range(5)]
    found = agreement(rows, cluster="t")[0]
    assert found.interval is None
    assert "one cluster" in found.note


def test_groups_by_grader_subset_and_margin():
    """Each grader apart, then by columns and by bins of a number; dataframes read as well."""
    frame = pd.DataFrame(
        {
            "pair": [1, 2, 3, 1],
            "judge": ["x", "x", "x", "y"],
            "cue": ["long", "short", "short", "long"],
            "margin": [0.05, 0.1, 0.3, 0.05],
            "label": list("ABAA"),
            "verdict": list("AAAB"),
        }
    )
    found = agreement(frame, by=["cue"])
    assert [(r.by["judge"], r.by["cue"], r.agreement) for r in found] == [
        ("x", "long", 1.0),
        ("x", "short", 0.5),
        ("y", "long", 0.0),
    ]
    binned = agreement(frame, bins={"margin": [0, 0.1, 0.3]})
    assert [(r.by["margin"], r.n) for r in binned if r.by["judge"] == "x"] == [
        ("[0, 0.1)", 1),
        ("[0.1, 0.3]", 2),
    ]


def test_labels_from_another_file(tmp_path):
    """Labels beside the verdicts are used and named; ids are text."""
    with (tmp_path / "pairs.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["pair_id", "label", "topic"], ["007", "A>B", "x"]])
    path = tmp_path / "verdicts.csv"
    path.write_text("pair_id,verdict\n007,A\n7,B\n")
    found = agreement(path, by=["topic"])
    assert [(r.by["topic"], r.agreement, r.unlabelled) for r in found] == [
        ("", None, 1),
        ("x", 1.0, 0),
    ]
    assert any("pairs.csv" in note for note in found.notes)
    assert any("1 pairs are not among the labels" in note for note in found.notes)


def test_better_answer_by_reference_scores():
    """Graded references: the higher score is better, equal scores have no better answer."""
    rows = [
        {"pair": 1, "reference_a": 0.9, "reference_b": 0.1, "verdict": "A"},
        {"pair": 2, "reference_a": 0.5, "reference_b": 0.5, "verdict": "A"},
    ]
    found = agreement(rows)[0]
    assert (found.agreement, found.n, found.reference_ties) == (1.0, 1, 1)


def test_margin_follows_from_reference_scores():
    """0.9 against 0.82 lies on the edge 0.08 and falls above it."""
    rows = [
        {"pair": i, "reference_a": a, "reference_b": b, "verdict": "A"}
        for i, (a, b) in enumerate([(0.9, 0.82), (0.5, 0.45), (0.1, 0.9)])
    ]
    found = agreement(rows, bins={"margin": [0.0, 0.08, 0.5]})
    assert [(r.by["margin"], r.n, r.agreement) for r in found] == [
        ("[0, 0.08)", 1, 1.0),
        ("[0.08, 0.5]", 1, 1.0),
        ("outside", 1, 0.0),
    ]
    with pytest.raises(ArgumentError, match="two edges"):
        agreement(rows, bins={"margin": [0.1]})


def test_compare_graders_pairs_by_id():
    """Credits 1 0 1 against 1/2 1 1 on the shared pairs; the pair of one grader is not used."""
    rows = [
        {"pair": i, "label": "A", "judge": judge, "verdict": v}
        for judge, verdicts in (("x", "ABAA"), ("y", ["tie", "A", "A"]))
        for i, v in enumerate(verdicts)
    ]
    found = compare_graders(rows, "x", "y")
    assert found.difference == pytest.approx((-0.5 + 1 + 0) / 3)
    assert (found.n_pairs, found.only_base) == (3, 1)
    back = compare_graders(rows, "y", "x")
    assert back.difference == pytest.approx(-found.difference)
    assert back.interval.low == pytest.approx(-found.interval.high)


@pytest.mark.parametrize(
    ("rows", "settings", "error", "message"),
    [
        ([{"pair": 1, "label": "A", "verdict": "A"}] * 2, {}, DuplicateRowError, "judged twice"),
        ([{"label": "A", "verdict": "A"}], {}, MissingColumnError, "pair ids"),
        ([{"pair": 1, "label": "A"}], {}, MissingColumnError, "verdicts"),
        ([{"pair": 1, "label": "best", "verdict": "A"}], {}, InputError, "not understood"),
        ([{"pair": 1, "label": 0, "verdict": "A"}], {}, InputError, "holds 0 and no 2"),
        ([{"pair": 1, "verdict": "A"}], {"rule": "strict"}, ArgumentError, "rule"),
        ([{"pair": 1, "verdict": "A"}], {"level": 1.5}, ArgumentError, "level"),
        ([{"pair": 1, "verdict": "A"}], {"tie_tolerance": -1}, ArgumentError, "tie_tolerance"),
        ([{"pair": 1, "verdict": "A"}], {"columns": {"x": "y"}}, ArgumentError, "allowed are"),
        ([{"pair": 1, "verdict": "A"}], {"cluster": "task"}, MissingColumnError, "'task'"),
        (scores([float("inf")], [0]), {}, InputError, "infinity"),
        (scores(["high"], [0]), {}, InputError, "not a number"),
        (7, {}, InputError, "int is not a table"),
    ],
)
def test_wrong_input_is_refused(rows, settings, error, message):
    """Each fault has its error, and the message names what is wrong."""
    with pytest.raises(error, match=message):
        agreement(rows, **settings)


def test_no_rows_is_said():
    """Nothing to estimate is an empty result with a note, not a number."""
    found = agreement(pd.DataFrame({"pair": [], "label": [], "verdict": []}))
    assert len(found) == 0
    assert any("nothing to estimate" in note for note in found.notes)


def test_result_is_strict_json():
    """No numpy scalar and no NaN reaches the fields."""
    document = agreement(rows_of(BOTH_ORDERS))[0].to_dict()
    assert all(not isinstance(value, np.generic) for value in document.values())
    assert document["position_bias"]["note"].startswith("share of flipped pairs")
