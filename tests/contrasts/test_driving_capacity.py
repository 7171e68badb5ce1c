"""Driving capacity: published values, the margin, nulls, families, the choice of a challenger."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalkit.contrasts import (
    ScoredSet,
    blind,
    build_contrasts,
    driving_capacity,
    outcome_of,
    read_scored,
    select_challenger,
    worst_family_interval,
)
from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.rounding import format_number
from evalkit.tally import tally_values


def rows(successes, n=12, grader="g", **more):
    """Rows of one grader: the first successes of each family have a gap of 1, the others none."""
    return [
        {"grader": grader, "family": family, "contrast": f"{family}{i}", "score_base": 1.0,
         "score_degraded": 0.0 if i < k else 1.0, **more}
        for family, k in successes.items() for i in range(n)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("worst", "half", "double"),
    [
        (11, "0.417", "0.833"),
        (12, "0.500", "1.000"),
        (6, "0.000", "0.000"),
        (3, "-0.250", "-0.500"),
    ],
)
def test_published_values(worst, half, double):
    """Three families of twelve: 11/12 - 1/2 = .417, 12/12 - 1/2 = .500, negative below chance."""
    data = rows({"a": 12, "b": worst, "c": 12})
    found = driving_capacity(data)[0]
    assert format_number(found.capacity, 3) == half
    assert format_number(driving_capacity(data, centring="double")[0].capacity, 3) == double
    assert found.families[0].accuracy == worst / 12
    assert found.worst_family == ("b" if worst < 12 else "a")


def test_families_stand_worst_first_and_the_interval_holds_the_point():
    """Families ascend; low is the smallest lower bound, high the smallest simultaneous one."""
    found = driving_capacity(rows({"a": 12, "b": 7, "c": 10}))[0]
    assert [f.family for f in found.families] == ["b", "c", "a"]
    assert found.interval.low <= found.capacity <= found.interval.high
    assert found.interval.low == min(f.interval.low for f in found.families)
    assert found.interval.high == min(f.joint_high for f in found.families)
    # Clopper-Pearson of 7 of 12 in scipy: the lower bound at .025, the upper at .025 / 3.
    low = stats.binomtest(7, 12).proportion_ci(0.95).low
    high = stats.binomtest(7, 12).proportion_ci(1 - 0.05 / 3).high
    assert (found.interval.low + 0.5, found.interval.high + 0.5) == pytest.approx((low, high))
    double = driving_capacity(rows({"a": 12, "b": 7, "c": 10}), centring="double")[0]
    assert double.interval.low == pytest.approx(2 * found.interval.low)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_order_of_rows_does_not_matter(counts):
    """Rows in any order give one result, and the capacity is the smallest centred share."""
    data = rows({f"f{i}": k for i, k in enumerate(counts)}, n=9)
    found = driving_capacity(data)[0]
    assert found == driving_capacity(data[::-1])[0]
    assert found.capacity == pytest.approx(min(counts) / 9 - 0.5)
    tied = counts.count(min(counts))
    assert (f"{tied} families tie" in (found.note or "")) == (tied > 1)


@pytest.mark.parametrize(
    ("base", "degraded", "margin", "expected"),
    [
        (0.81, 0.80, 0.01, "tie"),
        (0.8101, 0.80, 0.01, "success"),
        (0.3, 0.1 + 0.2, 0.0, "tie"),
        (0.80, 0.81, 0.01, "tie"),
        (0.80, 0.82, 0.01, "inversion"),
        (1e9 + 0.5, 1e9, 0.0, "tie"),
        (100, 98, 1, "success"),
        (1.0, 0.0, 1.0, "tie"),
        (None, 0.1, 0.01, "null"),
    ],
)
def test_margin_is_strict_up_to_float_noise(base, degraded, margin, expected):
    """A success exceeds the margin by more than noise; the other way it is an inversion."""
    assert outcome_of(base, degraded, margin=margin) == expected


def test_margin_of_the_paper_decides():
    """Gaps of .03 succeed at 0 and .01, and are ties at .05."""
    data = [{"family": "a", "score_base": 0.83, "score_degraded": 0.8} for _ in range(12)]
    found = {m: driving_capacity(data, margin=m)[0] for m in (0, 0.01, 0.05)}
    assert [r.capacity for r in found.values()] == [0.5, 0.5, -0.5]
    assert found[0.05].families[0].ties == 12


def test_nulls_are_left_out_and_bound_the_capacity():
    """Of 12, 8 succeed and 3 have no score: 8/9, between 8/12 and 11/12."""
    data = rows({"a": 9})
    for i, bad in enumerate(
        ({"score_base": None}, {"status": "infra"}, {"score_base": "unparsed"})
    ):
        data[9 + i].update(bad)
    data[0]["score_degraded"] = 2.0
    found = driving_capacity(data)[0]
    assert found.capacity == pytest.approx(8 / 9 - 1 / 2)
    assert found.capacity_if_nulls_fail == pytest.approx(8 / 12 - 1 / 2)
    assert found.capacity_if_nulls_pass == pytest.approx(11 / 12 - 1 / 2)
    family = found.families[0]
    assert (family.n, family.successes, family.inversions, family.nulls) == (9, 8, 1, 3)
    assert "2 no score, 1 infra" in found.note


def test_a_family_without_scores_leaves_the_capacity_open():
    """The reason is named, and missing scores still bound it."""
    data = rows({"a": 12, "b": 12})
    for row in data[12:]:
        row["score_base"] = None
    found = driving_capacity(data)[0]
    assert (found.capacity, found.interval, found.worst_family) == (None, None, None)
    assert "no scored contrast in b" in found.note
    assert (found.capacity_if_nulls_fail, found.capacity_if_nulls_pass) == (-0.5, 0.5)
    asked = driving_capacity(rows({"a": 12}), families=["a", "c"])[0]
    assert asked.capacity is None
    assert asked.capacity_if_nulls_fail is None
    json.dumps([found.to_dict(), asked.to_dict()], allow_nan=False)


def test_graders_stand_apart_and_sorted():
    """Each grader has a result, the highest first; one that lacks a family has no capacity."""
    data = [
        *rows({"a": 9, "b": 12}, grader="low"), *rows({"a": 12, "b": 11}, grader="high"),
        *rows({"a": 12}, grader="half"),
    ]  # fmt: skip
    found = driving_capacity(pd.DataFrame(data))
    assert [r.grader for r in found] == ["high", "low", "half"]
    assert found[2].capacity is None


def test_repeated_clusters_widen_the_interval():
    """With two contrasts a task the interval is wider; with one it is the exact one."""
    data = rows({"a": 9, "b": 11})
    free = driving_capacity(data)[0]
    own = driving_capacity([{**r, "task": r["contrast"]} for r in data], cluster="task")[0]
    assert own.interval == free.interval
    assert "taken as independent" in free.note
    pairs = [{**r, "task": i // 2} for i, r in enumerate(data)]
    wide = driving_capacity(pairs, cluster="task")[0]
    assert wide.interval.width > free.interval.width
    assert wide.families[0].clusters == 6
    assert "effective n" in wide.interval.method
    single = driving_capacity([{**r, "task": 1} for r in data], cluster="task")[0]
    assert single.interval is None
    assert "one cluster in a, b" in single.note


def test_an_always_first_grader_has_no_capacity():
    """Naming A everywhere is chance in every family, so the capacity is 0."""
    texts = [
        f"Sales {i} rose 12 % [1]. The market is calm. Costs fell. We wait." for i in range(12)
    ]
    made = build_contrasts([{"item": i, "response": t} for i, t in enumerate(texts)],
                           families=["drop-citation", "pad", "truncate"])  # fmt: skip
    shown = blind(made)
    votes = [{"presentation_id": p.presentation_id, "verdict": "A"} for p in shown.pairs]
    found = driving_capacity(votes, key=shown.key)[0]
    assert found.capacity == 0
    assert all(f.accuracy == 0.5 and f.clusters == 12 for f in found.families)
    with pytest.raises(ArgumentError, match="drop `cluster`"):
        driving_capacity(votes, key=shown.key, cluster="x")


@pytest.mark.parametrize(
    ("given_settings", "words"),
    [
        ({"margin": -0.1}, "margin"),
        ({"margin": float("nan")}, "margin"),
        ({"centring": "third"}, "2 accuracy - 1"),
        ({"level": 1.0}, "level"),
        ({"method": "wald"}, "clopper-pearson"),
    ],
)
def test_settings_are_checked(given_settings, words):
    """Each message names the setting and what is allowed."""
    with pytest.raises(ArgumentError, match=words):
        driving_capacity(rows({"a": 3}), **given_settings)


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ([], InputError, "no scored contrasts"),
        ([{"family": "a", "score": 1}], MissingColumnError, "score_base, score_degraded"),
        ([{"family": "", "score_base": 1, "score_degraded": 0}], InputError, "no family"),
        ([{"family": "a", "score_base": "x", "score_degraded": 0}], InputError, "not a number"),
        (
            [{"family": "a", "score_base": float("inf"), "score_degraded": 0}],
            InputError,
            "infinity",
        ),
        (rows({"a": 1}, n=1) * 2, DuplicateRowError, "twice"),
    ],
)
def test_unusable_rows_are_refused(data, error, words):
    """The message says what is wrong."""
    with pytest.raises(error, match=words):
        driving_capacity(data)


def test_own_column_names_and_files(tmp_path):
    """Logs with other names are read by --column, from CSV too, with CRLF and a BOM."""
    path = tmp_path / "log.csv"
    path.write_bytes(
        "\ufeffkind,good,bad\r\ntrim,0.9,0.2\r\ntrim,,0.1\r\nlie,0.9,0.95\r\n".encode()
    )
    columns = {"family": "kind", "score_base": "good", "score_degraded": "bad"}
    found = driving_capacity(path, columns=columns)[0]
    assert (found.worst_family, found.families[1].nulls) == ("lie", 1)
    assert read_scored(read_scored(path, columns=columns)).families == ("lie", "trim")


def test_boolean_verifiers_are_scored():
    """True above false is a success, both true a tie, in JSON and as the words of a CSV."""
    for yes, no in ((True, False), ("True", "false")):
        data = [{"family": "a", "score_base": yes, "score_degraded": d} for d in (no, yes, None)]
        family = driving_capacity(data)[0].families[0]
        assert (family.successes, family.ties, family.nulls) == (1, 1, 1)


def test_items_that_repeat_are_clusters_not_ids():
    """Several contrasts of one item are rows of their own, with the item as their cluster."""
    data = [{**r, "item": i // 3} for i, r in enumerate(rows({"a": 11}))]
    for row in data:
        del row["contrast"]
    found = driving_capacity(data, cluster="item")[0].families[0]
    assert (found.n, found.clusters) == (12, 4)


def test_interval_of_no_family_or_of_other_outcomes():
    """No family has no interval; an outcome between 0 and 1 is no success rate."""
    assert worst_family_interval([]) is None
    assert worst_family_interval([tally_values([])]) is None
    with pytest.raises(ArgumentError, match="0 and 1"):
        worst_family_interval([tally_values([0.5])])


def test_a_challenger_replaces_only_with_a_strictly_higher_capacity():
    """9/12 against 11/12 replaces; equal ones and the reverse do not."""
    both = [*rows({"a": 9, "b": 12}, grader="old"), *rows({"a": 11, "b": 11}, grader="new")]
    found = select_challenger(both, "old", "new")
    assert found.replaces is True
    assert found.difference == pytest.approx(2 / 12)
    a, b = found.families
    assert (a.wins, a.losses, b.wins, b.losses) == (2, 0, 0, 1)
    # Exact McNemar of 2 against 0 is 2/4; Holm over two families doubles it.
    assert (a.p_value, a.p_adjusted) == (0.5, 1.0)
    assert found.interval.low < 0 < found.interval.high
    assert select_challenger(both, "new", "old").replaces is False
    same = [*rows({"a": 9}, grader="old"), *rows({"a": 9}, grader="new")]
    assert select_challenger(same, "old", "new").replaces is False
    json.dumps(found.to_dict(), allow_nan=False)


def test_graders_are_compared_on_what_both_scored():
    """A contrast that one did not score is left out for both and counted."""
    both = [*rows({"a": 11}, grader="old"), *rows({"a": 12}, grader="new")]
    both[11]["score_base"] = None
    found = select_challenger(both, "old", "new")
    assert (found.current.families[0].n, found.challenger.families[0].n) == (11, 11)
    assert found.replaces is False
    assert "1 contrasts that one" in found.note


def test_other_contrasts_are_refused_by_name():
    """Missing ids are listed; rows without ids, unknown graders and one grader are refused."""
    both = [*rows({"a": 11}, grader="old"), *rows({"a": 12}, grader="new")]
    with pytest.raises(InputError, match=r"'new' lacks 2 contrasts .* a/a10, a/a11"):
        select_challenger(both[:-2], "old", "new")
    bare = [{k: v for k, v in row.items() if k != "contrast"} for row in both]
    with pytest.raises(InputError, match="no ids"):
        select_challenger(bare, "old", "new")
    with pytest.raises(ArgumentError, match="'new', 'old'"):
        select_challenger(both, "old", "newer")
    with pytest.raises(ArgumentError, match="the current grader"):
        select_challenger(both, "old", "old")


def test_repeated_clusters_are_flipped_together():
    """Two wins of one task are one unit of the sign-flip test: p = 1 for one cluster's wins."""
    both = [*rows({"a": 10}, grader="old"), *rows({"a": 12}, grader="new")]
    for i, row in enumerate(both):
        row["task"] = (i % 12) // 2
    found = select_challenger(both, "old", "new", cluster="task").families[0]
    assert "cluster sign-flip" in found.test
    assert found.p_value == 1.0


def test_the_interval_of_the_difference_is_of_two_that_hold_together():
    """Bounds are the differences of worst-family bounds at half the error rate each."""
    data = [*rows({"a": 8, "b": 12}, grader="old"), *rows({"a": 11, "b": 10}, grader="new")]
    found = select_challenger(data, "old", "new", level=0.9).interval
    new, old = (r.interval for r in driving_capacity(data, level=0.95))
    assert (found.low, found.high) == pytest.approx((new.low - old.high, new.high - old.low))
    assert found.level == 0.9
    assert isinstance(read_scored(data), ScoredSet)
