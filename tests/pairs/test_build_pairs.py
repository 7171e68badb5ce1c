"""Building pairs: brute force, exact margins, rules, accounting, seeds, sides and splits."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.pairs import REASONS, build_pairs, make_candidate, read_candidates

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def rows_of(*specs, **more):
    """Candidates from (id, task, reference, cue)."""
    return [
        make_candidate(id=i, task=t, reference=r, features={"n": n}, **more) for i, t, r, n in specs
    ]


def brute(rows, *, margin, least_gap=0, models="any", second=None):  # noqa: C901
    """Reasons and adversarial pairs by two nested loops over fractions."""
    reasons, pairs, earned = Counter(), set(), []
    by_task = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    for members in by_task.values():
        for x, y in combinations(members, 2):
            if x.reference is None or y.reference is None:
                reasons["no_reference"] += 1
                continue
            if models != "any" and (x.model is None or y.model is None):
                reasons["model_unknown"] += 1
                continue
            if models != "any" and (x.model == y.model) != (models == "same"):
                reasons["models"] += 1
                continue
            better, worse = (x, y) if x.reference > y.reference else (y, x)
            if better.reference - worse.reference < margin:
                reasons["margin"] += 1
                continue
            if second is not None:
                if x.second_reference is None or y.second_reference is None:
                    reasons["no_second_reference"] += 1
                    continue
                gap = better.second_reference - worse.second_reference
                if gap < 0 or (gap == 0 and second == "agrees"):
                    reasons["second_reference"] += 1
                    continue
            values = [None if c.features["n"] is None else Fraction(c.features["n"])
                      for c in (better, worse)]  # fmt: skip
            if None in values:
                reasons["cue_undefined"] += 1
                continue
            gap = values[1] - values[0]
            earned.append(1 if gap < 0 else 0.5 if gap == 0 else 0)
            if gap <= 0:
                reasons["cue_tie" if gap == 0 else "cue_favours_better"] += 1
            elif gap < least_gap:
                reasons["cue_gap"] += 1
            else:
                pairs.add((better.task, better.id, worse.id))
    return reasons, pairs, earned


scores = st.one_of(st.none(), st.sampled_from([0, 0.5, 0.58, 0.42, 0.07, 1, "0.579"]))


@st.composite
def candidates(draw):
    """Candidates of a few tasks, some without a score, model or cue."""
    return [
        make_candidate(
            id=str(number),
            task=draw(st.sampled_from(["t", "ü", "007"])),
            reference=draw(scores),
            second_reference=draw(st.one_of(st.none(), st.integers(0, 2))),
            model=draw(st.sampled_from([None, "m", "k"])),
            features={"n": draw(st.one_of(st.none(), st.integers(-2, 3)))},
        )
        for number in range(draw(st.integers(0, 14)))
    ]


@settings(max_examples=60, deadline=None)
@given(
    candidates(),
    st.sampled_from(["same", "different", "any"]),
    st.sampled_from([None, "agrees", "does-not-contradict"]),
    st.integers(0, 3),
)
def test_selection_equals_brute_force(rows, models, second, least_gap):
    """Every pair falls to the reason that two loops give it, and the counts add up."""
    if all(r.second_reference is None for r in rows):
        second = None
    elif second is None:
        rows = [make_candidate(id=r.id, task=r.task, reference=r.reference, model=r.model,
                               features=r.features) for r in rows]  # fmt: skip
    if all(r.features.get("n") is None for r in rows):
        return
    found = build_pairs(
        rows, cue="column:n", outcome="graded", margin="0.08", models=models, second=second,
        per_task=None, least_gap=least_gap,
    )  # fmt: skip
    reasons, pairs, earned = brute(
        rows, margin=Fraction(8, 100), least_gap=least_gap, models=models, second=second
    )
    report = found.report
    assert {k: v for k, v in report.dropped.items() if v} == dict(reasons)
    assert {(p.task, p.better.id, p.worse.id) for p in found} == pairs
    assert report.considered == report.pairs + sum(report.dropped.values())
    assert report.cue_agreement.n == len(earned)
    if earned:
        assert report.cue_agreement.estimate == pytest.approx(sum(earned) / len(earned))
    assert abs(2 * report.a_better - report.pairs) <= 1
    json.dumps(report.to_dict(), allow_nan=False)


@settings(max_examples=20, deadline=None)
@given(candidates(), st.randoms(use_true_random=False), st.integers(0, 5))
def test_order_of_rows_does_not_matter(rows, rng, seed):
    """Shuffled candidates give the same set, seed by seed."""
    if all(r.features.get("n") is None for r in rows):
        return
    shuffled = list(rows)
    rng.shuffle(shuffled)
    build = [
        build_pairs(each, cue="column:n", outcome="graded", margin=0.08, rng=seed,
                    splits={"train": 0.5, "test": 0.5})
        for each in (rows, shuffled)
    ]  # fmt: skip
    assert build[0].pairs == build[1].pairs
    assert build[0].report == build[1].report


@pytest.mark.parametrize("kind", [str, float])
def test_margin_is_exact_and_inclusive(kind):
    """0.58 less 0.50 is 0.08 and enough; in binary floats it would not be."""
    assert 0.58 - 0.50 < 0.08
    rows = rows_of(("x", "t", kind("0.58"), 1), ("y", "t", kind("0.50"), 2))
    assert len(build_pairs(rows, cue="column:n")) == 1
    rows = rows_of(("x", "t", kind("0.5799"), 1), ("y", "t", kind("0.50"), 2))
    found = build_pairs(rows, cue="column:n").report
    assert (found.pairs, found.dropped["margin"], found.margin) == (0, 1, Fraction(2, 25))


def test_binary_references_are_detected():
    """Scores that are all 0 or 1 make opposite outcomes; a margin is then not used, and said so."""
    rows = rows_of(("x", "t", True, 1), ("y", "t", 0, 2), ("z", "t", "1", 9))
    report = build_pairs(rows, cue="column:n", margin=0.5, per_task=None).report
    assert (report.outcome, report.margin, report.pairs) == ("binary", 1, 1)
    assert any("margin is not used" in note for note in report.notes)
    assert any("opposite outcomes" in note for note in report.notes)
    with pytest.raises(ArgumentError, match=r"reference score is 0\.5"):
        build_pairs(rows_of(("x", "t", 0.5, 1)), cue="column:n", outcome="binary")


def test_scales_other_than_fractions_need_a_margin():
    """0.08 is meant for 0..1: percentages are refused until a margin is declared."""
    rows = rows_of(("x", "t", 87, 1), ("y", "t", 60, 2))
    with pytest.raises(ArgumentError, match="declare `margin`"):
        build_pairs(rows, cue="column:n")
    assert len(build_pairs(rows, cue="column:n", margin=8)) == 1
    with pytest.raises(ArgumentError, match="`margin` is 0"):
        build_pairs(rows, cue="column:n", margin=0)


def test_fractions_without_a_common_denominator():
    """Cues and scores that no machine integer holds are compared exactly all the same."""
    rows = rows_of(*((f"x{k:04d}", f"t{k}", 1, k) for k in range(1, 900)),
                   *((f"y{k:04d}", f"t{k}", 0, k + 1) for k in range(1, 900)))  # fmt: skip
    found = build_pairs(rows, cue="1 / n", near_duplicate=None)
    assert (len(found), found.report.dropped["cue_favours_better"]) == (0, 899)
    assert found.report.cue_agreement.estimate == 1
    turned = build_pairs(rows, cue="-1 / n", least_gap="0.001", least_ratio="0.001")
    kept = {int(p.better.features["n"]) for p in turned}
    assert kept == {
        k for k in range(1, 900)
        if Fraction(1, k) - Fraction(1, k + 1) >= Fraction(1, 1000)
        and Fraction(1, k) - Fraction(1, k + 1) >= Fraction(1, 1000) * Fraction(1, k)
    }  # fmt: skip
    huge = rows_of(("x", "t", "1e300", 10**40), ("y", "t", "1e299", 10**40 + 1))
    assert len(build_pairs(huge, cue="column:n", margin=1)) == 1


def test_second_reference_must_agree():
    """By default strictly; equal scores only where that is asked for."""

    def row(i, r, s, n):
        return make_candidate(id=i, task=i[0], reference=r, second_reference=s, features={"n": n})

    rows = [row("a1", 0.9, 3, 1), row("a2", 0.1, 2, 2), row("b1", 0.9, 2, 1), row("b2", 0.1, 2, 2),
            row("c1", 0.9, 1, 1), row("c2", 0.1, 2, 2), row("d1", 0.9, None, 1),
            row("d2", 0.1, 2, 2)]  # fmt: skip
    strict = build_pairs(rows, cue="column:n")
    assert [p.task for p in strict] == ["a"]
    assert strict.report.settings["second"] == "agrees"
    assert strict.report.dropped["no_second_reference"] == 1
    lenient = build_pairs(rows, cue="column:n", second="does-not-contradict")
    assert {p.task for p in lenient} == {"a", "b"}
    with pytest.raises(ArgumentError, match="no candidate has a second"):
        build_pairs(rows_of(("x", "t", 1, 1)), cue="column:n", second="agrees")


def test_per_task_limit_draws_by_seed():
    """One of three pairs is kept, the others are counted, and seeds differ in which."""
    rows = rows_of(("x", "t", 1, 1), *((f"y{k}", "t", 0, 2 + k) for k in range(3)))
    kept = {build_pairs(rows, cue="column:n", rng=seed).pairs[0].worse.id for seed in range(30)}
    assert kept == {"y0", "y1", "y2"}
    found = build_pairs(rows, cue="column:n", per_task=2)
    assert (len(found), found.report.dropped["beyond_per_task"]) == (2, 1)
    for bad in (0, -1, True):
        with pytest.raises(ArgumentError, match="per_task"):
            build_pairs(rows, cue="column:n", per_task=bad)


def test_relative_gap():
    """A gap of a tenth of the better output's cue is inclusive; from 0 any gap is enough."""
    rows = rows_of(("x", "t", 1, 100), ("y", "t", 0, 110), ("z", "t", 0, 109),
                   ("p", "u", 1, 0), ("q", "u", 0, 1))  # fmt: skip
    found = build_pairs(rows, cue="column:n", least_ratio="0.1", per_task=None)
    assert {p.worse.id for p in found} == {"y", "q"}
    assert found.report.dropped["cue_gap"] == 1


def test_cue_agreement_is_clustered_by_task_or_cluster():
    """Two clusters of many tasks are two units; within the set the cue agrees never."""
    rows = [
        make_candidate(id=s, task=f"t{k}", reference=s == "x", cluster=f"c{k % 2}",
                       features={"n": (k % 3) - (s == "x")})
        for k in range(12) for s in "xy"
    ]  # fmt: skip
    report = build_pairs(rows, cue="column:n").report
    assert (report.cue_agreement.clusters, report.cue_agreement.n) == (2, 12)
    assert report.cue_agreement.estimate == 0
    assert report.cue_agreement.interval.high > 0
    assert report.cue_agreement_within == 0
    assert report.clusters == 2
    assert report.power.at_gain is not None


def test_one_cluster_has_no_interval():
    """An interval from a single cluster is undefined, and the note says why."""
    report = build_pairs(
        rows_of(("x", "t", 1, 1), ("y", "t", 0, 2), cluster="c"), cue="column:n"
    ).report
    assert report.cue_agreement.interval is None
    assert report.cue_agreement.note


@pytest.mark.parametrize("rows", [[], rows_of(("x", "t", 1, 1)), rows_of(("x", "t", None, 1))])
def test_too_few_candidates(rows):
    """Nothing to pair gives an empty set whose figures are undefined, not 0."""
    report = build_pairs(rows, cue="column:n", splits={"train": 0.5, "test": 0.5}).report
    assert (report.pairs, report.considered, report.cue_agreement.estimate) == (0, 0, None)
    assert report.cue_gap is None
    assert report.power.at_gain is None
    assert report.cue_agreement_within is None
    json.dumps(report.to_dict(), allow_nan=False)


def texts(*specs):
    """Candidates with texts from (id, task, reference, output)."""
    return [make_candidate(id=i, task=t, reference=r, output=o) for i, t, r, o in specs]


LONG = " ".join(f"word{k}" for k in range(60))


def test_near_identical_outputs_are_dropped():
    """One more word on sixty is the same output; without removal the pair stays."""
    rows = texts(("x", "t", 1, LONG), ("y", "t", 0, LONG + " more"))
    found = build_pairs(rows, cue="words")
    assert (len(found), found.report.dropped["near_identical"]) == (0, 1)
    kept = build_pairs(rows, cue="words", near_duplicate=None)
    assert len(kept) == 1
    assert "near-duplicates were not looked for" in kept.report.notes


def test_near_duplicate_pairs_across_tasks_are_dropped():
    """The same two outputs under another task count once; sharing one output is no repetition."""
    other = " ".join(f"other{k}" for k in range(70))
    third = " ".join(f"third{k}" for k in range(80))
    rows = texts(("x", "t", 1, LONG), ("y", "t", 0, other), ("x", "u", 1, LONG.upper()),
                 ("y", "u", 0, other + " end"), ("x", "v", 1, LONG),
                 ("y", "v", 0, third))  # fmt: skip
    found = build_pairs(rows, cue="words")
    assert {p.task for p in found} == {"t", "v"}
    assert found.report.dropped["near_duplicate_pair"] == 1
    assert found.report.considered == 3


def unlike(rng, words):
    """Make a text like no other."""
    return " ".join("".join(rng.choices(LETTERS, k=5)) for _ in range(words))


def test_splits_keep_tasks_and_near_duplicates_together():
    """Shares are met within a group, tasks stay whole, and equal texts never part."""
    rng = random.Random(2)  # noqa: S311
    shared = unlike(rng, 30)
    rows = []
    for k in range(60):
        good = shared if k in (3, 33, 55) else unlike(rng, 20)
        rows += texts(("x", f"t{k}", 1, good), ("y", f"t{k}", 0, unlike(rng, 40)),
                      ("z", f"t{k}", 0, unlike(rng, 45)))  # fmt: skip
    shares = {"train": 0.6, "validation": 0.2, "test": 0.2}
    found = build_pairs(rows, cue="words", per_task=None, splits=shares)
    assert found.report.by_split == {"train": 72, "validation": 24, "test": 24}
    split_of = {}
    for pair in found:
        assert split_of.setdefault(pair.task, pair.split) == pair.split
    assert len({split_of[f"t{k}"] for k in (3, 33, 55)}) == 1
    assert any("2 clusters joined others" in note for note in found.report.notes)
    for name in shares:
        sides = [p.label for p in found if p.split == name]
        assert abs(2 * sides.count("A>B") - len(sides)) <= 1
    again = build_pairs(rows, cue="words", per_task=None, splits=shares, rng=1)
    assert {p.id: p.split for p in again} != {p.id: p.split for p in found}


@pytest.mark.parametrize(
    "splits", [{"a": 0.5}, {"a": 1.5, "b": -0.5}, {"a/b": 1.0}, {"": 1.0}, {"a": float("nan")}]
)
def test_bad_splits_are_refused(splits):
    """Shares add up to 1 and names can name a file."""
    with pytest.raises(ArgumentError, match="split"):
        build_pairs([], cue="length", splits=splits)


def test_sides_are_not_those_of_the_ids():
    """Pair ids do not tell the label: both labels occur among any run of ids."""
    rows = [make_candidate(id=s, task=str(k), reference=s == "x", features={"n": s == "y"})
            for k in range(400) for s in "xy"]  # fmt: skip
    found = build_pairs(rows, cue="column:n")
    assert found.report.a_better == 200
    first = sum(p.label == "A>B" for p in found.pairs[:200])
    assert 75 < first < 125


def test_ids_prompts_and_clusters_are_checked():
    """An id twice, two prompts or two clusters of a task, and other objects are refused."""
    with pytest.raises(DuplicateRowError, match="t/x"):
        build_pairs(rows_of(("x", "t", 1, 1), ("x", "t", 0, 2)), cue="column:n")
    for name in ("prompt", "cluster"):
        rows = [make_candidate(id=i, task="t", reference=1, features={"n": 1}, **{name: i})
                for i in "xy"]  # fmt: skip
        with pytest.raises(InputError, match=name):
            build_pairs(rows, cue="column:n")
    with pytest.raises(ArgumentError, match="holds a dict"):
        build_pairs([{"id": "x"}], cue="column:n")
    with pytest.raises(InputError, match="t/x"):
        make_candidate(id="x", task="t", reference="good")


@pytest.mark.parametrize(
    "setting", [{"models": "both"}, {"outcome": "ordinal"}, {"second": "x"}, {"level": 1},
                {"near_duplicate": 0.01}, {"least_gap": -1}, {"gain": 0.5}, {"rng": -1}],
)  # fmt: skip
def test_settings_are_checked(setting):
    """Every setting names itself when it is refused."""
    rows = rows_of(("x", "t", 1, 1), ("y", "t", 0, 2))
    with pytest.raises(ArgumentError, match=next(iter(setting))):
        build_pairs(rows, cue="column:n", **setting)


def test_reasons_are_those_of_the_report():
    """The report counts every reason there is, in the order in which they apply."""
    report = build_pairs(rows_of(("x", "t", 1, 1), ("y", "t", 0, 2)), cue="column:n").report
    assert list(report.dropped) == list(REASONS)


def test_source_hash_is_of_the_content():
    """The hash ignores the order and changes with any cell."""
    rows = rows_of(("x", "t", 1, 1), ("y", "t", 0, 2))
    base = build_pairs(rows, cue="column:n").report.source_sha256
    assert build_pairs(rows[::-1], cue="column:n").report.source_sha256 == base
    other = rows_of(("x", "t", 1, 1), ("y", "t", 0, 3))
    assert build_pairs(other, cue="column:n").report.source_sha256 != base


def test_rows_become_candidates():
    """Models name candidates, digests do where models cannot; repeated rows are refused."""
    rows = [{"q": 1, "s": "0.5", "m": "a", "o": "one"}, {"q": 1, "s": 0.7, "m": "b", "o": "two"},
            {"q": "1", "s": 0.7, "m": "b", "o": "three"},
            {"q": 2, "s": None, "m": None, "o": ""}]  # fmt: skip
    found = read_candidates(rows, task="q", reference="s", model="m", output="o").candidates
    assert found[0].id == "a"
    assert found[1].id.startswith("b-")
    assert found[1].id != found[2].id
    assert (found[3].task, found[3].model, found[3].output) == ("2", None, "")
    back = read_candidates(rows[::-1], task="q", reference="s", model="m", output="o").candidates
    assert {c.id for c in back} == {c.id for c in found}
    with pytest.raises(DuplicateRowError, match="name a column of ids"):
        read_candidates([rows[0], rows[0]], task="q", reference="s", model="m", output="o")
    with pytest.raises(MissingColumnError, match="'model'"):
        read_candidates(rows, task="q", reference="s", model="model")
    with pytest.raises(InputError, match="row 1"):
        read_candidates([{"q": None, "s": 1}], task="q", reference="s")
    with pytest.raises(InputError, match="a list or an object"):
        read_candidates([{"q": ["1"], "s": 1}], task="q", reference="s")
    with pytest.raises(MissingColumnError, match="grader under evaluation"):
        read_candidates(rows, task="q", reference="s", graders=["jugde"])
    assert read_candidates([], task="q", reference="s").candidates == ()


def test_dataframes_give_the_same_candidates():
    """A pandas frame and rows are read alike."""
    import pandas as pd

    rows = [{"q": "1", "s": 0.58, "n": 3}, {"q": "1", "s": 0.5, "n": 4}]
    a = read_candidates(rows, task="q", reference="s").candidates
    b = read_candidates(pd.DataFrame(rows), task="q", reference="s").candidates
    assert a == b


@pytest.mark.slow
def test_a_hundred_thousand_candidates():
    """A hundred thousand candidates with texts are paired within five minutes."""
    import time

    rng = random.Random(0)  # noqa: S311
    words = [f"w{k}" for k in range(5000)]
    rows = [
        make_candidate(id=str(s), task=str(k), reference=rng.random(),
                       output=" ".join(rng.choices(words, k=rng.randrange(50, 150))))
        for k in range(20_000) for s in range(5)
    ]  # fmt: skip
    start = time.perf_counter()
    found = build_pairs(rows, cue="words", splits={"train": 0.8, "test": 0.2})
    assert time.perf_counter() - start < 300
    assert found.report.considered == 200_000
    assert found.report.considered == found.report.pairs + sum(found.report.dropped.values())
