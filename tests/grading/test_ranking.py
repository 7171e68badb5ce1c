"""Bradley-Terry scores, their simultaneous intervals and groups, and comparisons without a fit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, EvalkitError, InputError, MissingColumnError
from evalkit.grading import DisconnectedError, UnboundedFitError, rank
from evalkit.grading.bradley_terry import Outcomes, fit_bradley_terry

GAME = st.tuples(st.sampled_from("wxyz"), st.sampled_from("wxyz"), st.sampled_from(["a", "b", "="]))


def games(*counts):
    """Rows from (left, right, left wins, right wins, ties)."""
    return [
        {"left": a, "right": b, "winner": w}
        for a, b, *numbers in counts
        for w, k in zip(("left", "right", "tie"), numbers, strict=True)
        for _ in range(k)
    ]


# A cycle of wins under all systems makes every fit finite.
CIRCLE = games(("w", "x", 1, 1, 1), ("x", "y", 1, 1, 0), ("y", "z", 1, 1, 0), ("z", "w", 1, 1, 1))


def scores(found):
    """Scores by system."""
    return {r.system: r.score for r in found}


def test_two_systems_by_hand():
    """3 wins, 1 loss, 2 ties. Half ties: odds 4:2. Davidson: odds 3:1, tie odds 2 / sqrt(3)."""
    rows = games(("x", "y", 3, 1, 2))
    half = scores(rank(rows, ties="half", resamples=0))
    assert half["x"] - half["y"] == pytest.approx(math.log(2))
    davidson = rank(rows, resamples=0)
    assert scores(davidson)["x"] - scores(davidson)["y"] == pytest.approx(math.log(3))
    assert any(f"nu = {2 / math.sqrt(3):.4f}" in note for note in davidson.notes)
    assert (davidson[0].wins, davidson[0].ties, davidson[0].losses) == (3, 2, 1)


def test_a_consistent_chain_by_hand():
    """Odds 3 twice over: scores log 3, 0, -log 3, shares 9:3:1 of 13."""
    found = rank(games(("x", "y", 3, 1, 0), ("y", "z", 3, 1, 0)), resamples=0)
    assert [r.score for r in found] == pytest.approx([math.log(3), 0, -math.log(3)], abs=1e-9)
    assert [r.strength for r in found] == pytest.approx([9 / 13, 3 / 13, 1 / 13])


def minorised(rows, sweeps=4000):
    """Bradley-Terry with half ties by Zermelo's fixed point, as an independent fit."""
    names = sorted({r[s] for r in rows for s in ("left", "right")})
    strength = dict.fromkeys(names, 1.0)
    won = dict.fromkeys(names, 0.0)
    for r in rows:
        share = {"left": 1.0, "right": 0.0, "tie": 0.5}[r["winner"]]
        won[r["left"]] += share
        won[r["right"]] += 1 - share
    for _ in range(sweeps):
        load = dict.fromkeys(names, 0.0)
        for r in rows:
            each = 1 / (strength[r["left"]] + strength[r["right"]])
            load[r["left"]] += each
            load[r["right"]] += each
        strength = {k: won[k] / load[k] for k in names}
        mean = sum(map(math.log, strength.values())) / len(names)
        strength = {k: v / math.exp(mean) for k, v in strength.items()}
    return {k: math.log(v) for k, v in strength.items()}


def test_half_ties_equal_a_fixed_point_iteration():
    """Newton steps and Zermelo's iteration reach the same scores."""
    rows = games(("w", "x", 3, 2, 1), ("x", "y", 2, 1, 2), ("y", "z", 3, 1, 0), ("z", "w", 1, 2, 1))
    assert scores(rank(rows, ties="half", resamples=0)) == pytest.approx(minorised(rows), abs=1e-9)


def test_davidson_equals_a_general_optimiser():
    """BFGS on the written-out likelihood, finite differences and all, agrees to 1e-4."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    first, second = np.triu_indices(5, k=1)
    counts = rng.integers(1, 9, size=(3, first.size)).astype(float)
    outcomes = Outcomes(
        first=first, second=second, wins=counts[0], losses=counts[1], ties=counts[2], number=5
    )

    def loss(x):
        up = np.exp((x[first] - x[second]) / 2)
        total = up + 1 / up + np.exp(x[5])
        logs = counts[0] @ np.log(up / total) - counts[1] @ np.log(up * total)
        return -(logs + counts[2] @ (x[5] - np.log(total)))

    other = minimize(loss, np.zeros(6), method="BFGS").x
    mine = fit_bradley_terry(outcomes)
    assert mine.scores == pytest.approx(other[:5] - other[:5].mean(), abs=1e-4)
    assert mine.tie_parameter == pytest.approx(math.exp(other[5]), rel=1e-4)


@given(st.lists(GAME, max_size=15), st.randoms())
def test_exchange_order_and_duplication(extra, random):
    """Sides exchanged, rows shuffled or doubled: the same scores. Outcomes reversed: mirrored."""
    word = {"a": "left", "b": "right", "=": "tie"}
    rows = CIRCLE + [{"left": a, "right": b, "winner": word[w]} for a, b, w in extra if a != b]
    other = {"left": "right", "right": "left", "tie": "tie"}
    exchanged = [
        {"left": r["right"], "right": r["left"], "winner": other[r["winner"]]} for r in rows
    ]
    reversed_ = [{**r, "winner": other[r["winner"]]} for r in rows]
    one = scores(rank(rows, resamples=0))
    for same in (exchanged, random.sample(rows, len(rows)), rows * 2):
        assert scores(rank(same, resamples=0)) == pytest.approx(one, abs=1e-8)
    mirrored = scores(rank(reversed_, resamples=0))
    assert mirrored == pytest.approx({k: -v for k, v in one.items()}, abs=1e-8)
    assert sum(one.values()) == pytest.approx(0, abs=1e-9)


def test_groups_follow_the_evidence():
    """A clear chain is separated; systems of equal record share a letter; ranks follow."""
    clear = rank(games(("x", "y", 60, 20, 0), ("y", "z", 60, 20, 0)), resamples=300)
    assert [r.group for r in clear] == ["a", "b", "c"]
    assert [(r.rank_low, r.rank_high) for r in clear] == [(1, 1), (2, 2), (3, 3)]
    even = rank(games(("x", "y", 10, 10, 3), ("y", "z", 9, 11, 0)), resamples=300)
    assert {r.group for r in even} == {"a"}
    assert {(r.rank_low, r.rank_high) for r in even} == {(1, 3)}


def test_intervals_are_simultaneous_and_repeat():
    """All intervals hold their score, are symmetric, and depend on nothing but the seed."""
    rows = CIRCLE * 10
    one, again, other = (rank(rows, resamples=100, rng=s) for s in (0, 0, 1))
    assert [r.interval for r in one] == [r.interval for r in again]
    assert one[0].interval != other[0].interval
    for r in one:
        middle = (r.interval.low + r.interval.high) / 2
        assert middle == pytest.approx(r.score, abs=1e-9)
        assert r.interval.method.startswith("sup-t")


def test_clusters_widen_the_intervals():
    """Ten copies of each comparison in one cluster carry what one comparison does."""
    rows = [{**r, "item": i} for i, r in enumerate(CIRCLE * 4) for _ in range(10)]
    apart, grouped = rank(rows, resamples=200), rank(rows, cluster="item", resamples=200)
    assert grouped[0].interval.width > 2 * apart[0].interval.width


def test_one_cluster_and_no_resamples_have_no_interval():
    """The scores stand, intervals and groups are None, and the reason is given."""
    rows = [{**r, "item": 0} for r in CIRCLE]
    for found, reason in (
        (rank(rows, cluster="item"), "one cluster"),
        (rank(rows, resamples=0), "no resamples"),
    ):
        assert all(r.interval is None and r.group is None for r in found)
        assert reason in found[0].note


def test_simultaneous_coverage():
    """60 clusters of 4 comparisons of 3 equal systems: all scores covered about as promised."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(60):
        rows = [
            {"left": a, "right": b, "winner": rng.choice(["left", "right", "tie"]), "item": i}
            for i in range(60)
            for a, b in (("x", "y"), ("y", "z"), ("z", "x"), ("x", "y"))
        ]
        found = rank(rows, cluster="item", resamples=64)
        hits += all(0.0 in r.interval for r in found)
    # 50 or fewer of 60 has a chance of about .002 at a coverage of .95.
    assert hits >= 51


def test_unbeaten_system_is_refused():
    """A perfect record has no finite score; the message names the system."""
    with pytest.raises(UnboundedFitError, match=r"x never lost to nor tied with the rest \(y, z\)"):
        rank(games(("x", "y", 10, 0, 0), ("y", "z", 5, 5, 0)))
    with pytest.raises(UnboundedFitError, match=r"the rest \(z\)"):
        rank(games(("x", "y", 5, 5, 0), ("y", "z", 5, 0, 0)))


def test_ties_alone_do_not_bound_davidson():
    """A system that only won and tied is finite with half ties, not by Davidson's model."""
    rows = games(("x", "y", 4, 0, 4))
    with pytest.raises(UnboundedFitError, match="half"):
        rank(rows)
    assert scores(rank(rows, ties="half", resamples=0))["x"] == pytest.approx(math.log(3) / 2)


def test_disconnected_systems_are_refused():
    """Two leagues cannot be ranked together; every error is one of evalkit's."""
    with pytest.raises(DisconnectedError, match=r"2 groups .* w, x against y, z"):
        rank(games(("w", "x", 1, 1, 0), ("y", "z", 1, 1, 0)))
    assert issubclass(DisconnectedError, (EvalkitError, ValueError))
    assert issubclass(UnboundedFitError, (EvalkitError, ValueError))


def test_outcome_by_name_and_missing_outcomes():
    """The winner may be named; words that say nothing are counted, not taken for ties."""
    rows = [
        {"model_a": "x", "model_b": "y", "winner": w}
        for w in ("x", "x", "y", "model_a", "tie (bothbad)", None)
    ]
    found = rank(rows, resamples=0)
    assert (found[0].system, found[0].wins, found[0].losses, found[0].ties) == ("x", 3, 1, 0)
    assert any("2 comparisons without an outcome" in note for note in found.notes)
    assert any("tie(bothbad)" in note for note in found.notes)


@pytest.mark.parametrize(
    ("rows", "settings", "error", "message"),
    [
        ([], {}, InputError, "no comparisons"),
        ([{"left": "x", "right": "x", "winner": "left"}], {}, InputError, "two systems"),
        ([{"left": "x", "winner": "left"}], {}, MissingColumnError, "system b"),
        (CIRCLE, {"cluster": "item"}, MissingColumnError, "'item'"),
        (CIRCLE, {"ties": "ignore"}, ArgumentError, "ties"),
        (CIRCLE, {"level": 1}, ArgumentError, "level"),
        (CIRCLE, {"resamples": 1}, ArgumentError, "resamples"),
        (CIRCLE, {"columns": {"c": "left"}}, ArgumentError, "allowed are"),
    ],
)
def test_wrong_input_is_refused(rows, settings, error, message):
    """Each fault has its error."""
    with pytest.raises(error, match=message):
        rank(rows, **settings)
