"""Decisions of skill evolution, each by itself."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.environments.base import Component, Execution, Item, Verdict
from evalkit.environments.draws import Draw
from evalkit.errors import ArgumentError, InputError
from evalkit.evolve.protocols import EvidenceRow
from evalkit.evolve.skills.allocation import allocation
from evalkit.evolve.skills.gating import Scored, accepts, parse_gate, wins_and_losses
from evalkit.evolve.skills.loop import SKILLS
from evalkit.evolve.skills.revising import count_line_edits
from evalkit.evolve.skills.search import is_new_best
from evalkit.evolve.skills.selecting import select_across_views
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.state import Validated
from evalkit.evolve.skills.stopping import ending, streak
from evalkit.evolve.skills.views import VIEWS, training_draw, visible
from evalkit.trajectories import dead_band, lower_bound, non_decreasing, sign_test, strict

ITEMS = tuple(Item(id=f"i{k}", input="x") for k in range(20))
SCORES = st.sampled_from([0.0, 0.5, 1.0, None])


def rows_of(scores):
    """Evidence rows with these scores; ``None`` errored."""
    return tuple(
        EvidenceRow(
            item=Item(id=f"i{k}", input="x"),
            execution=Execution(item=f"i{k}", output="y"),
            verdict=Verdict(score=s, status="infra" if s is None else "scored"),
        )
        for k, s in enumerate(scores)
    )


@given(st.lists(SCORES, max_size=12))
def test_the_views_split_what_has_a_score(scores):
    """Fail-only and Success-only are disjoint, Normal is both, and errors are in none."""
    rows = rows_of(scores)
    shown = {view: [row.item.id for row in visible(rows, view=view)] for view in VIEWS}
    assert sorted(shown["Fail-only"] + shown["Success-only"]) == sorted(shown["Normal"])
    assert len(shown["Normal"]) == sum(s is not None for s in scores)
    assert all(row.verdict.score < 1 for row in visible(rows, view="Fail-only"))
    assert all(row.verdict.score == 1 for row in visible(rows, view="Success-only"))


def test_a_training_draw_does_not_depend_on_the_order_of_items():
    """The same sample, whatever the order; distinct items; another round, another sample."""
    one = training_draw(ITEMS, count=8, draw=Draw.of(0).child("a"))
    assert one == training_draw(ITEMS[::-1], count=8, draw=Draw.of(0).child("a"))
    assert len({item.id for item in one}) == 8
    assert one != training_draw(ITEMS, count=8, draw=Draw.of(0).child("b"))
    everything = training_draw(ITEMS[:5], count=40, draw=Draw.of(0))
    assert {item.id for item in everything} == {item.id for item in ITEMS[:5]}


def scored(values):
    """Make what a gate reads."""
    return Scored(score=sum(values) / len(values), items={f"i{k}": v for k, v in enumerate(values)})


BITS = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n)] * 3)
)


@given(BITS)
def test_gates_by_name_decide_like_the_gates_of_trajectories(values):
    """Score gates on means, paired gates on wins and losses over the same items."""
    new, old, best = map(scored, values)
    n = len(values[0])
    wins = sum(a > b for a, b in zip(values[0], values[1], strict=True))
    losses = sum(a < b for a, b in zip(values[0], values[1], strict=True))
    assert wins_and_losses(new, old) == (wins, losses, n)
    by_score = {
        "strict": strict(),
        "non-decreasing": non_decreasing(),
        "dead-band:0.05": dead_band(0.05),
        "dead-band:0.02:best": dead_band(0.02, reference="best"),
    }
    for name, gate in by_score.items():
        expected = gate(new.score, old.score, best.score)
        assert accepts(parse_gate(name), new, old, best) == expected
    by_pair = {"lower-bound": lower_bound(n=n), "sign-test:0.2": sign_test(0.2, n=n)}
    for name, gate in by_pair.items():
        assert accepts(parse_gate(name), new, old, best) == gate.accepts(wins, losses, n)
    net = wins - losses
    exact = net > 0 and net**2 > wins + losses - Fraction(net**2, n)
    assert accepts(parse_gate("k-se:1"), new, old, best) == exact


def test_a_paired_gate_reads_items_that_both_have():
    """Items that errored on one side decide nothing; without a common item nothing is accepted."""
    new = Scored(score=1.0, items={"a": 1.0, "b": 1.0})
    old = Scored(score=0.5, items={"b": 0.0, "c": 1.0})
    assert wins_and_losses(new, old) == (1, 0, 1)
    apart = Scored(score=0.0, items={"z": 0.0})
    assert not accepts(parse_gate("k-se:0"), new, apart, apart)


@pytest.mark.parametrize(
    "name", ["", "best", "dead-band", "dead-band:x", "k-se:-1", "k-se:a", "sign-test:2", "strict:1"]
)
def test_unknown_gates_are_refused(name):
    """The message names what is allowed, or the parameter that is out of range."""
    with pytest.raises(ArgumentError, match="must"):
        parse_gate(name)


def test_a_streak_counts_rejections_and_no_ops():
    """Accepted candidates end it; rounds that failed for the infrastructure are passed over."""
    assert streak([]) == 0
    assert streak(["rejected", "no-op", "infra", "unscored", "rejected"]) == 3
    assert streak(["rejected", "accepted"]) == 0


def test_reasons_to_stop():
    """An empty pool first, then five regressions or no-ops in a row, then the rounds."""
    common = {"rounds": 10, "patience": 5}
    assert ending(3, outcomes=["accepted"], shown=0, **common) == "empty pool"
    assert ending(5, outcomes=["no-op"] * 5, shown=1, **common) == "regressions"
    assert ending(5, outcomes=["no-op"] * 4, shown=1, **common) is None
    assert ending(10, outcomes=["accepted"], shown=1, **common) == "rounds"


@given(
    st.integers(1, 60),
    st.lists(st.floats(0.01, 1), min_size=1, max_size=5).map(lambda s: sorted(s, reverse=True)),
    st.integers(0, 5),
)
def test_the_allocation_is_nested_and_has_fixed_sizes(n, shares, seed):
    """D_k+1 lies in D_k, sizes follow the shares for every seed, order does not matter."""
    items = [Item(id=f"i{k}", input="") for k in range(n)]
    draw = Draw.of(seed)
    attempts = len(shares) + 1
    found = allocation(items, attempts=attempts, shares=shares, draw=draw)
    assert found == allocation(items[::-1], attempts=attempts, shares=shares, draw=draw)
    for k, share in enumerate(shares, start=2):
        assert abs(sum(v >= k for v in found.values()) - share * n) <= 0.5 + 1e-9
    everyone = allocation(items, attempts=attempts, shares=(), draw=draw)
    assert set(everyone.values()) == {attempts}


def test_the_published_allocation_of_searchqa():
    """Table A26: of 1,400 items 25, 460, 229, 138 and 548 get 2 to 6 attempts; 4,924 calls."""
    sizes = (1400, 1375, 915, 686, 548)
    items = [Item(id=str(k), input="") for k in range(1400)]
    shares = [size / 1400 for size in sizes]
    found = Counter(allocation(items, attempts=6, shares=shares, draw=Draw.of(0)).values())
    assert found == {2: 25, 3: 460, 4: 229, 5: 138, 6: 548}
    assert sum((k - 1) * count for k, count in found.items()) == 4924


def skill(prompt, score, *, auxiliary=None, number=1):
    """Make a validated skill."""
    return Validated(
        component=Component(prompt=prompt), round=number, score=score, auxiliary=auxiliary
    )


def test_a_best_needs_a_strict_improvement_and_other_bytes():
    """Equal scores and equal bytes are no new best."""
    old = skill("a", 0.5)
    assert is_new_best(skill("b", 0.6), old)
    assert not is_new_best(skill("b", 0.5), old)
    assert not is_new_best(skill("a", 0.9), old)
    assert not is_new_best(skill("b", None), old)


def test_selection_goes_by_validation_then_auxiliary_then_order():
    """The parent stays unless other bytes are strictly above it."""
    parent = skill("p", 0.5, number=0)
    views = {
        "Normal": skill("a", 0.6, auxiliary=0.7),
        "Fail-only": skill("b", 0.6, auxiliary=0.8),
        "Success-only": skill("p", 0.5),
    }
    assert select_across_views(parent, views).selected == "Fail-only"
    assert select_across_views(parent, {**views, "Success-only": skill("c", 0.7)}).selected == (
        "Success-only"
    )
    tied = {name: skill(name, 0.6) for name in VIEWS}
    assert select_across_views(parent, tied).decided_by == "preference"
    kept = select_across_views(parent, {"Normal": skill("a", 0.5)})
    assert (kept.selected, kept.parent_kept) == ("Parent", True)
    assert select_across_views(skill("p", None), {}) is None


def test_line_edits_are_blocks_of_changed_lines():
    """Two blocks are two edits; a skill beside the document is one; line ends are one."""
    before = Component(prompt="a\nb\nc\n")
    assert count_line_edits(before, before) == 0
    assert count_line_edits(before, Component(prompt="x\nb\nc\nd\n")) == 2
    assert count_line_edits(before, Component(prompt="a\nb\nc")) == 1
    assert count_line_edits(before, Component(prompt="a\nb\nc\n", skills={"s": "t"})) == 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"views": []}, "`views` is empty"),
        ({"views": ["Normal", "Normal"]}, "name each once"),
        ({"views": ["Failing"]}, "skills.views"),
        ({"max_edits": 0}, "`max_edits` is 0"),
        ({"probes": ["R1", "test"]}, "no probe"),
        ({"gate": "lenient"}, "`gate` is 'lenient'"),
        ({"verifiers": ["V0"]}, "two or more"),
        ({"success": 0.0}, "`success` is 0.0"),
        ({"attempts": 3, "shares": [0.5]}, "need 2"),
        ({"attempts": 3, "shares": [0.5, 0.6]}, "not above the one before"),
        ({"rounds": 3}, "not a setting"),
        ({"trajectories": "40"}, "trajectories"),
    ],
)
def test_bad_settings_are_refused(table, message):
    """The error names file, key and remedy."""
    with pytest.raises(InputError, match=message):
        SKILLS.settings(table, path="loop.toml")


def test_the_defaults_are_the_common_protocol():
    """Table A2: three views, 40 trajectories, four edits, no decrease, patience five."""
    found = SkillSettings()
    assert found.views == ("Normal", "Fail-only", "Success-only")
    assert (found.trajectories, found.max_edits, found.patience) == (40, 4, 5)
    assert (found.gate, found.repeats, found.probe_repeats) == ("non-decreasing", 3, 3)
