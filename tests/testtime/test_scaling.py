"""Test-time scaling from item-level outcomes."""

from __future__ import annotations

import json
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.testtime import (
    amortised_calls,
    break_even_deployments,
    outcomes_from_frame,
    pass_at_k,
    pass_hat_k,
    scaling,
)


def _searchqa():
    """Return outcomes with the margins of Tables A26 and A27 (SearchQA, Parallel and last).

    A first success and a repeated one are placed on the first items that fit, so this is one of
    many sets of outcomes with these margins.
    """
    best, last = (410, 419, 421, 421, 422, 423), (410, 411, 410, 411, 410, 411)
    common = np.zeros((548, 6))
    for k in range(6):
        before = best[k - 1] if k else 0
        common[before : best[k], k] = 1
        common[: last[k] - (best[k] - before), k] = 1
    budgets = [2] * 25 + [3] * 460 + [4] * 229 + [5] * 138
    rest = [
        [float(i < 649)] + [float(i < 637 or 649 <= i < 662)] * (budget - 1)
        for i, budget in enumerate(budgets)
    ]
    return {f"q{i}": values for i, values in enumerate([*common.tolist(), *rest])}


def test_published_scaling():
    """Tables A26 and A27, SearchQA: allocation, calls, common-support and dynamic scores."""
    curve = scaling(_searchqa())
    assert [p.allocated for p in curve.points] == [1400, 1400, 1375, 915, 686, 548]
    assert curve.allocation == {2: 25, 3: 460, 4: 229, 5: 138, 6: 548}
    assert (curve.calls_added, curve.calls_all, curve.points[-1].calls) == (4924, 6324, 6324)
    assert {p.support for p in curve.points} == {548}
    assert [round(548 * p.oracle) for p in curve.points] == [410, 419, 421, 421, 422, 423]
    assert [round(548 * p.last) for p in curve.points] == [410, 411, 410, 411, 410, 411]
    assert curve.dynamic_oracle == 1085 / 1400
    assert curve.dynamic_last == 1061 / 1400
    assert curve.dynamic_oracle in curve.dynamic_oracle_interval


def test_support_each_uses_every_item_that_has_k_attempts():
    """With support each, k = 1 scores the whole panel."""
    curve = scaling(_searchqa(), support="each")
    assert [p.support for p in curve.points] == [p.allocated for p in curve.points]
    assert curve.points[0].oracle == curve.points[0].last == 1059 / 1400
    assert curve.policy.startswith("k on the items whose first k attempts")


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (3, 0, 5, None),
        (3, 1, 5, None),
        (10, 1, 10, 1.0),
        (6, 2, 3, 0.8),
        (1000, 3, 500, 0.8753753753753754),
        (5, 0, 5, 0.0),
    ],
)
def test_pass_at_k_known_values(n, c, k, expected):
    """More draws than attempts are undefined, never 1; large counts do not overflow."""
    found = pass_at_k(n, c, k)
    assert found is None if expected is None else found == pytest.approx(expected, abs=1e-12)


def test_pass_hat_k_is_undefined_beyond_n():
    """All of five cannot be estimated from three."""
    assert pass_hat_k(3, 3, 5) is None


@settings(deadline=None)
@given(st.integers(1, 8), st.data())
def test_draws_equal_enumeration(n, data):
    """pass@k and pass^k equal the share of subsets with any, and with only, successes."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    subsets = list(combinations([1] * c + [0] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, subsets)) / len(subsets))


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_draws_reject_bad_counts(n, c, k):
    """Counts out of range are refused."""
    with pytest.raises(ArgumentError, match=r"`[ck]` is"):
        pass_at_k(n, c, k)
    with pytest.raises(ArgumentError, match=r"`[ck]` is"):
        pass_hat_k(n, c, k)


binary = st.sampled_from([0, 1])
ragged = st.lists(st.lists(binary, min_size=1, max_size=5), min_size=1, max_size=12)


def _panel(rows):
    return {str(i): values for i, values in enumerate(rows)}


@settings(deadline=None)
@given(ragged)
def test_curve_invariants(rows):
    """On common support the oracle never falls, is above the last, and pass@1 is the mean."""
    curve = scaling(_panel(rows))
    oracle = [p.oracle for p in curve.points]
    assert oracle == sorted(oracle)
    assert all(p.oracle >= p.last for p in curve.points)
    full = [values for values in rows if len(values) == curve.k_max]
    assert curve.points[0].pass_at_k == pytest.approx(float(np.mean(full)))
    assert curve.points[-1].pass_at_k == pytest.approx(oracle[-1])
    hat = [p.pass_hat_k for p in curve.points]
    assert hat == sorted(hat, reverse=True)
    allocated = [p.allocated for p in curve.points]
    assert allocated == sorted(allocated, reverse=True)
    assert curve.calls_all == sum(map(len, rows)) == curve.calls_added + len(rows)
    assert curve.dynamic_oracle >= curve.dynamic_last


@settings(deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda k: st.lists(st.lists(binary, min_size=k, max_size=k), min_size=1, max_size=8)
    )
)
def test_equal_budgets_make_dynamic_and_common_agree(rows):
    """With one K for every item, the dynamic scores are those at K, under either support."""
    curve, each = scaling(_panel(rows)), scaling(_panel(rows), support="each")
    assert (curve.dynamic_oracle, curve.dynamic_last) == (
        curve.points[-1].oracle,
        curve.points[-1].last,
    )
    assert curve.points == each.points


@settings(deadline=None)
@given(ragged, st.randoms())
def test_order_of_items_does_not_matter(rows, random):
    """Items are a set."""
    panel = list(_panel(rows).items())
    random.shuffle(panel)
    assert scaling(dict(panel)).points == scaling(_panel(rows)).points


def test_errored_attempts_are_left_out_and_counted():
    """An errored attempt is neither a failure nor silently dropped; its call still counts."""
    panel = {"a": [1, 1], "b": [0, None], "c": [0, 1]}
    curve = scaling(panel)
    assert [p.support for p in curve.points] == [2, 2]
    assert (curve.points[1].oracle, curve.dynamic_last, curve.dynamic_items) == (1.0, 1.0, 2)
    assert (curve.errored_attempts, curve.errored_items, curve.calls_all) == (1, 1, 6)
    assert "1 item(s) with errored attempts" in curve.note
    assert [p.support for p in scaling(panel, support="each").points] == [3, 2]


def test_nothing_scored_is_undefined():
    """Without a usable item every score is None, with the reason."""
    curve = scaling({"a": [None, None]})
    assert [(p.support, p.oracle, p.last_interval, p.pass_at_k) for p in curve.points] == [
        (0, None, None, None)
    ] * 2
    assert (curve.dynamic_oracle, curve.dynamic_oracle_interval) == (None, None)
    assert "undefined" in curve.note
    json.dumps(curve.to_dict(), allow_nan=False)


def test_graded_outcomes_have_no_pass_at_k():
    """Outcomes between 0 and 1 give best and last, but no pass@k."""
    curve = scaling({"a": [0.25, 0.5], "b": [1.0, 0.0]})
    assert (curve.points[1].oracle, curve.points[1].last) == (0.75, 0.25)
    assert curve.points[1].pass_at_k is curve.points[1].pass_hat_k_interval is None
    assert curve.note == "pass@k and pass^k need outcomes of 0 and 1"


def test_intervals_are_those_of_a_bounded_mean():
    """For outcomes of 0 and 1 the interval of the oracle lies in [0, 1] and is never a point."""
    curve = scaling({str(i): [1, 1] for i in range(20)}, level=0.9)
    interval = curve.points[0].oracle_interval
    assert interval.level == 0.9
    assert 0 < interval.low < interval.high <= 1


def test_many_attempts_do_not_break_the_intervals():
    """With 200 attempts pass@k comes within float noise of 1; its interval stays below or at 1."""
    panel = {str(c): [1] * c + [0] * (200 - c) for c in range(80, 121)}
    intervals = [point.pass_at_k_interval for point in scaling(panel).points]
    assert all(0 <= interval.low < interval.high <= 1 for interval in intervals)


def test_curve_is_json_safe():
    """The dictionary is strict JSON."""
    read = json.loads(json.dumps(scaling({"a": [0, 1]}).to_dict(), allow_nan=False))
    assert read["allocation"] == {"2": 1}
    assert read["points"][1]["oracle"] == 1.0


@pytest.mark.parametrize(
    ("panel", "message"),
    [
        ({}, "no items"),
        ({"x": []}, "item 'x': it has no attempts"),
        ({"x": [0, 2]}, "item 'x': the outcome of attempt 2 is 2"),
        ({"x": [float("nan")]}, "item 'x': the outcome of attempt 1 is nan"),
    ],
)
def test_bad_outcomes_are_refused(panel, message):
    """Outcomes that cannot be used are named by item."""
    with pytest.raises(InputError, match=message):
        scaling(panel)


def test_unknown_support_is_refused():
    """The support is one of two words."""
    with pytest.raises(ArgumentError, match="'all'; it must be 'common' or 'each'"):
        scaling({"a": [1]}, support="all")


FRAME = {
    "system": ["s"] * 5,
    "item": ["a", "a", "b", "b", "b"],
    "attempt": ["2", "1", "1", "2", "3"],
    "score": [1.0, 0.0, 1.0, None, None],
    "status": ["scored", "scored", "scored", "timeout", "skipped"],
}


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_frames_of_any_engine(engine):
    """Attempts are put in order, errors become None, skipped rows are no attempts."""
    expected = {"a": (0.0, 1.0), "b": (1.0, None)}
    assert outcomes_from_frame(engine(FRAME)) == expected
    assert outcomes_from_frame(engine(FRAME), system="s") == expected


def test_records_are_scored_through_their_frame():
    """Anything with a frame will do, and skipped rows are mentioned."""
    curve = scaling(SimpleNamespace(frame=pd.DataFrame(FRAME)))
    assert (curve.items, curve.k_max, curve.errored_items) == (2, 2, 1)
    assert "1 skipped row(s) are no attempts" in curve.note


def test_ten_attempts_are_sorted_as_numbers():
    """Attempt 10 comes after attempt 9, not after attempt 1."""
    tries = [str(k) for k in range(1, 11)]
    frame = pd.DataFrame(
        {
            "item": ["a"] * 10,
            "attempt": sorted(tries),
            "score": [float(t == "10") for t in sorted(tries)],
        }
    )
    assert outcomes_from_frame(frame)["a"] == (0.0,) * 9 + (1.0,)


@pytest.mark.parametrize("attempts", [["1", "3"], ["0", "2"], ["a", "b"], ["1", "02"]])
def test_attempts_must_have_no_gap(attempts):
    """A gap or a name among the attempts is refused, naming the item."""
    frame = pd.DataFrame({"item": ["x", "x"], "attempt": attempts, "score": [1.0, 0.0]})
    with pytest.raises(InputError, match="item 'x': its attempts are"):
        outcomes_from_frame(frame)


def test_ambiguous_frames_are_refused():
    """Repeated attempts, several systems or verifiers, and missing columns are named."""
    frame = pd.DataFrame({"item": ["x", "x"], "attempt": ["1", "1"], "score": [1.0, 0.0]})
    with pytest.raises(DuplicateRowError, match="item 'x': attempt '1'"):
        outcomes_from_frame(frame)
    with pytest.raises(InputError, match="column 'system' holds 's', 't'"):
        outcomes_from_frame(frame.assign(system=["s", "t"]))
    with pytest.raises(InputError, match="column 'verifier' holds 'u', 'v'"):
        outcomes_from_frame(frame.assign(verifier=["u", "v"]))
    with pytest.raises(MissingColumnError, match="'score' is missing"):
        outcomes_from_frame(frame[["item", "attempt"]])
    with pytest.raises(ArgumentError, match="`system` is 'z'; the frame holds 's', 't'"):
        outcomes_from_frame(frame.assign(system=["s", "t"]), system="z")
    assert outcomes_from_frame(frame.assign(system=["s", "t"]), system="t") == {"x": (0.0,)}


def test_published_amortised_calls():
    """Figure A2: 1 + 2750/n calls a deployment; at 550 deployments it equals six calls an item."""
    assert amortised_calls(2750, 2750) == 2.0
    assert break_even_deployments(2750, control_calls_per_item=6) == 550
    assert amortised_calls(550, 2750) == 6.0


@settings(deadline=None)
@given(st.integers(0, 500), st.integers(0, 6), st.integers(0, 6))
def test_break_even_is_the_smallest(evolution, deploy, control):
    """It equals a search over n."""
    found = break_even_deployments(evolution, control_calls_per_item=control, deploy_calls=deploy)
    search = (n for n in range(1, 600) if evolution + deploy * n <= control * n)
    assert found == next(search, None)


def test_calls_reject_bad_counts():
    """Calls are not negative, and there is at least one deployment."""
    with pytest.raises(ArgumentError, match="`n` is 0"):
        amortised_calls(0, 10)
    with pytest.raises(ArgumentError, match="calls is -1"):
        amortised_calls(1, -1)
    with pytest.raises(ArgumentError, match="calls is inf"):
        break_even_deployments(1, control_calls_per_item=float("inf"))


def test_attempts_may_be_counted_from_zero():
    """Trials 0 to 3 are attempts 1 to 4; an item without trial 0 lost an attempt and is refused."""
    zero = pd.DataFrame({"item": list("aabb"), "attempt": list("0101"), "score": [1, 0, 0, 0]})
    one = zero.assign(attempt=list("1212"))
    assert outcomes_from_frame(zero) == outcomes_from_frame(one) == {"a": (1, 0), "b": (0, 0)}
    with pytest.raises(InputError, match="numbered 0 to 0"):
        outcomes_from_frame(zero.iloc[[0, 1, 3]])
