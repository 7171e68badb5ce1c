"""Output-locked verifier sensitivity: gains, their difference, flips, ranking, refusals."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import compare
from evalkit.comparisons import compare_pairs
from evalkit.errors import (
    ArgumentError,
    DuplicateRowError,
    InputError,
    MissingColumnError,
    ScaleMismatchError,
)
from evalkit.locked import sensitivity
from evalkit.tally import tally_values

# Verdicts (V0, V1) of parent and evolved outputs: counts of 11, 10, 01, 00. Reconstructed:
# published are the gains, 100 items for each benchmark and 48 disagreements in all.
PUBLISHED = {
    "SearchQA": (((70, 8, 9, 13), (68, 7, 11, 14)), (-3.0, 0.0, 3.0)),
    "SpreadsheetBench": (((40, 1, 1, 58), (72, 1, 1, 26)), (32.0, 32.0, 0.0)),
    "OfficeQA": (((50, 2, 1, 47), (55, 2, 2, 41)), (5.0, 6.0, 1.0)),
    "DocVQA": (((88, 1, 0, 11), (88, 1, 0, 11)), (0.0, 0.0, 0.0)),
    "LiveMath": (((60, 0, 0, 40), (52, 0, 0, 48)), (-8.0, -8.0, 0.0)),
}


def verdict_pairs(counts):
    """Spell out a table of flips as pairs of verdicts."""
    return [
        pair
        for pair, k in zip([(1, 1), (1, 0), (0, 1), (0, 0)], counts, strict=True)
        for _ in range(k)
    ]


def rows_of(tables, *, systems=("parent", "evolved"), seed=0):
    """Rows of V0 and V1 with the given table of flips for each system."""
    rng = np.random.default_rng(seed)
    rows = []
    for system, counts in zip(systems, tables, strict=True):
        pairs = verdict_pairs(counts)
        for item, place in enumerate(rng.permutation(len(pairs))):
            rows += [
                {
                    "system": system,
                    "item": f"q{item}",
                    "verifier": v,
                    "score": s,
                    "output_sha256": f"{system}-{item}",
                }
                for v, s in zip(("V0", "V1"), pairs[place], strict=True)
            ]
    return pd.DataFrame(rows)


def run(frame, **options):
    """Evolved against parent."""
    return sensitivity(frame, **({"base": "parent", "candidate": "evolved"} | options))


def with_scores(scores, **extra):
    """Rows from (system, verifier) -> scores by item; ``None`` abstains."""
    return pd.DataFrame(
        [
            {
                "system": s,
                "verifier": v,
                "item": f"q{i}",
                "score": x,
                "output": f"{s}{i}",
                "status": "judge_error" if x is None else "scored",
            }
            | {k: values[i] for k, values in extra.items()}
            for (s, v), values in scores.items()
            for i, x in enumerate(values)
        ]
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_gains_and_differences(name):
    """Each of the five rows gives the published gains and difference on 100 items."""
    tables, expected = PUBLISHED[name]
    found = run(rows_of(tables))
    contrast = found.contrasts[0]
    points = (contrast.delta_v0, contrast.delta_v1, contrast.difference)
    assert tuple(100 * p for p in points) == pytest.approx(expected)
    assert contrast.n == 100
    assert contrast.interval.low <= contrast.difference <= contrast.interval.high
    assert found.outputs_checked
    assert contrast.ranking_survives is (name != "SearchQA")
    for flips, counts in zip(contrast.flips, tables, strict=True):
        assert (flips.both_pass, flips.only_v0, flips.only_v1, flips.neither) == counts


def test_published_disagreements():
    """Over the five benchmarks the verifiers disagree on 48 of 1,000 verdicts."""
    found = [run(rows_of(tables)).contrasts[0] for tables, _ in PUBLISHED.values()]
    assert sum(c.disagreements for c in found) == 48
    assert sum(c.verdicts for c in found) == 1000


def test_difference_is_the_paired_one():
    """The interval is that of g_i1 - g_i0 on twice the range; gains are those of compare."""
    frame = rows_of(PUBLISHED["SearchQA"][0])
    found = run(frame)
    wide = frame.pivot_table(index="item", columns=["verifier", "system"], values="score")
    gains = {v: wide[v]["evolved"] - wide[v]["parent"] for v in ("V0", "V1")}
    own = compare_pairs(tally_values(gains["V1"] - gains["V0"]), score_range=(0, 2))
    contrast = found.contrasts[0]
    assert (contrast.interval, contrast.p_value) == (own.interval, own.p_value)
    for gain in found.gains:
        only = frame[frame["verifier"] == gain.verifier]
        same = compare(only, systems=("parent", "evolved"))
        assert gain.gain == pytest.approx(same.difference)
        assert gain.interval == same.interval


@settings(max_examples=12)
@given(st.lists(st.tuples(*[st.sampled_from([0, 1])] * 4), min_size=1, max_size=25))
def test_identities(verdicts):
    """Difference = delta_v1 - delta_v0; swapping systems or verifiers turns its sign."""
    keys = [("parent", "V0"), ("parent", "V1"), ("evolved", "V0"), ("evolved", "V1")]
    frame = with_scores({key: [row[k] for row in verdicts] for k, key in enumerate(keys)})
    found = run(frame).contrasts[0]
    assert found.difference == pytest.approx(found.delta_v1 - found.delta_v0)
    turned = run(frame, base="evolved", candidate="parent").contrasts[0]
    swapped = run(frame, verifiers=("V1", "V0")).contrasts[0]
    for other in (turned, swapped):
        assert other.difference == pytest.approx(-found.difference)
        assert other.disagreements == found.disagreements
        assert other.ranking_survives == found.ranking_survives
        assert other.interval.low == pytest.approx(-found.interval.high)
    assert found.disagreements == sum(f.only_v0 + f.only_v1 for f in found.flips)
    shuffled = run(frame.sample(frac=1, random_state=1))
    assert shuffled == run(frame)


def test_same_verifier_twice_differs_nowhere():
    """Equal verdicts: difference 0, no disagreement, an interval with width, p = 1."""
    found = run(with_scores({(s, v): [1, 0, 1, 1] for s in ("parent", "evolved") for v in "AB"}))
    contrast = found.contrasts[0]
    assert (contrast.difference, contrast.disagreements, contrast.p_value) == (0.0, 0, 1.0)
    assert contrast.interval.width > 0
    assert contrast.ranking_survives


def test_different_outputs_are_refused():
    """Outputs that changed between verifiers are no locked outputs; the item is named."""
    frame = rows_of(PUBLISHED["DocVQA"][0])
    frame.loc[(frame["item"] == "q7") & (frame["verifier"] == "V1"), "output_sha256"] = "other"
    with pytest.raises(InputError, match=r"item 'q7'.*differs between verifiers") as caught:
        run(frame)
    assert caught.value.item == "q7"
    texts = frame.rename(columns={"output_sha256": "output"})
    with pytest.raises(InputError, match="column 'output'"):
        run(texts)


def test_unchecked_outputs_are_said():
    """Without a column of outputs, or with gaps in it, a note says that nothing was checked."""
    frame = rows_of(PUBLISHED["DocVQA"][0])
    found = run(frame.drop(columns="output_sha256"))
    assert not found.outputs_checked
    assert any("200 of 200 outputs could not be compared" in note for note in found.notes)
    frame.loc[frame.index[0], "output_sha256"] = None
    found = run(frame)
    assert not found.outputs_checked
    assert any("1 of 200 outputs could not be compared" in note for note in found.notes)


def test_hashes_are_compared_without_case():
    """Hexadecimal in capitals is the same hash."""
    frame = rows_of(PUBLISHED["DocVQA"][0])
    upper = frame["verifier"] == "V1"
    frame.loc[upper, "output_sha256"] = frame.loc[upper, "output_sha256"].str.upper()
    assert run(frame).outputs_checked


def test_abstentions_are_excluded_under_every_verifier():
    """An item that one verifier left open counts under none, and is counted."""
    scores = {
        ("parent", "V0"): [1, 0, 0, 1],
        ("evolved", "V0"): [1, 1, 1, 1],
        ("parent", "V1"): [1, 0, 0, None],
        ("evolved", "V1"): [1, 1, None, 1],
    }
    found = run(with_scores(scores))
    contrast = found.contrasts[0]
    assert (contrast.n, contrast.delta_v0, contrast.delta_v1) == (2, 0.5, 0.5)
    assert found.abstentions == {"V0": 0, "V1": 2}
    assert found.excluded_items == 2
    assert any(note.startswith("V1: no verdict on 2 of 8 outputs") for note in found.notes)


def test_no_common_item_is_undefined():
    """Without an item that all scored nothing is decided, and nothing is 0."""
    scores = {
        (s, v): [None if v == "V1" else 1] for s in ("parent", "evolved") for v in ("V0", "V1")
    }
    found = run(with_scores(scores))
    contrast = found.contrasts[0]
    assert contrast.difference is contrast.interval is contrast.p_value is None
    assert contrast.verdict == "undefined"
    assert contrast.ranking_survives is None
    assert contrast.note
    json.dumps(found.to_dict(), allow_nan=False)


def test_three_verifiers_against_the_first():
    """Each further verifier is compared with the first; p-values are adjusted by Holm."""
    frame = rows_of(PUBLISHED["SearchQA"][0])
    third = frame[frame["verifier"] == "V0"].assign(verifier="V2")
    found = run(pd.concat([frame, third]), verifiers=("V0", "V1", "V2"))
    assert [(c.v0, c.v1) for c in found.contrasts] == [("V0", "V1"), ("V0", "V2")]
    assert found.contrasts[1].disagreements == 0
    assert found.contrasts[0].p_adjusted == pytest.approx(min(1, 2 * found.contrasts[0].p_value))
    assert [g.verifier for g in found.gains] == ["V0", "V1", "V2"]


def test_ranking_of_all_systems():
    """The order of every system in the data is compared, and changed pairs are named."""
    scores = {
        ("parent", "V0"): [1, 0, 0, 0],
        ("parent", "V1"): [1, 1, 1, 0],
        ("evolved", "V0"): [1, 1, 0, 0],
        ("evolved", "V1"): [1, 1, 0, 0],
        ("third", "V0"): [1, 1, 1, 0],
        ("third", "V1"): [1, 1, 1, 0],
    }
    found = run(with_scores(scores))
    assert found.rankings[0].systems == ("third", "evolved", "parent")
    contrast = found.contrasts[0]
    assert contrast.ranking_survives is False
    assert contrast.order_changes == (
        "evolved above parent is reversed",
        "third above parent becomes a tie",
    )


def test_attempts_enter_with_their_mean():
    """Two attempts at an item are one pair, and each of their verdicts can disagree."""
    rows = []
    for system, verdicts in (("parent", [(0, 1), (0, 0)]), ("evolved", [(1, 1), (0, 0)])):
        for attempt, pair in enumerate(verdicts):
            rows += [
                {"system": system, "item": "q", "attempt": attempt, "verifier": v, "score": s}
                for v, s in zip(("V0", "V1"), pair, strict=True)
            ]
    contrast = run(pd.DataFrame(rows)).contrasts[0]
    assert (contrast.n, contrast.verdicts, contrast.disagreements) == (1, 4, 1)
    assert (contrast.delta_v0, contrast.delta_v1) == (0.5, 0.0)


def test_graded_scores_have_no_flips():
    """Scores between the ends give a difference and disagreements, but no table."""
    scores = {
        ("parent", "V0"): [0.5, 0.2],
        ("parent", "V1"): [0.5, 0.4],
        ("evolved", "V0"): [1.0, 0.2],
        ("evolved", "V1"): [0.9, 0.4],
    }
    contrast = run(with_scores(scores)).contrasts[0]
    assert contrast.flips == ()
    assert contrast.disagreements == 3
    assert contrast.difference == pytest.approx(-0.05)
    assert "graded" in contrast.note


def test_declared_range_scales_the_interval():
    """Percent scores with their range give 100 times the fractions' interval."""
    frame = rows_of(PUBLISHED["OfficeQA"][0])
    fraction = run(frame).contrasts[0]
    percent = run(frame.assign(score=100 * frame["score"]), score_range=(0, 100)).contrasts[0]
    assert percent.interval.low == pytest.approx(100 * fraction.interval.low)
    assert percent.p_value == pytest.approx(fraction.p_value)
    assert percent.flips == fraction.flips


def test_two_scales_are_refused():
    """Fractions under one verifier and percentages under the other are not subtracted."""
    scores = {
        (s, v): [1, 90 if v == "V1" else 0] for s in ("parent", "evolved") for v in ("V0", "V1")
    }
    with pytest.raises(ScaleMismatchError, match="scale"):
        run(pl.DataFrame(with_scores(scores)).drop("status").lazy())


def test_clusters_enter_the_interval():
    """Items of one cluster move together; one cluster has no interval."""
    pairs = [(1, 0), (1, 0), (0, 0), (0, 0)]
    scores = {("parent", v): [0] * 4 for v in ("V0", "V1")}
    scores |= {("evolved", v): [p[k] for p in pairs] for k, v in enumerate(("V0", "V1"))}
    contrast = run(with_scores(scores, task=["a", "a", "b", "b"]), cluster="task").contrasts[0]
    assert contrast.clusters == 2
    assert "cluster" in contrast.interval.method
    alone = run(with_scores(scores, task=["a"] * 4), cluster="task").contrasts[0]
    assert alone.interval is None
    assert "one cluster" in alone.note


def test_clusters_must_be_whole():
    """An item without cluster, or in two, is an error that names it."""
    scores = {(s, v): [1, 0] for s in ("parent", "evolved") for v in ("V0", "V1")}
    with pytest.raises(InputError, match="no cluster"):
        run(with_scores(scores, task=["a", None]), cluster="task")
    frame = with_scores(scores, task=["a", "b"])
    frame.loc[frame.index[0], "task"] = "z"
    with pytest.raises(InputError, match="item 'q0'"):
        run(frame, cluster="task")
    with pytest.raises(MissingColumnError, match="nope"):
        run(frame, cluster="nope")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"verifiers": ("V0",)}, "two or more"),
        ({"verifiers": ("V0", "V0")}, "two or more"),
        ({"verifiers": ("V0", "V9")}, "'V9'"),
        ({"verifiers": "V0"}, "sequence"),
        ({"base": "nobody"}, "`base` is 'nobody'"),
        ({"candidate": "parent"}, "name two systems"),
        ({"score_range": (1, 0)}, "score_range"),
        ({"level": 1.5}, "level"),
    ],
)
def test_wrong_settings_are_refused(options, message):
    """The message names the setting and what is there."""
    with pytest.raises(ArgumentError, match=message):
        run(rows_of(PUBLISHED["DocVQA"][0]), **options)


def test_missing_verifier_column_is_named():
    """Rows of one verifier cannot be contrasted, whether or not they say whose they are."""
    frame = rows_of(PUBLISHED["DocVQA"][0])
    one = frame[frame["verifier"] == "V0"]
    with pytest.raises(ArgumentError, match="two or more"):
        run(one)
    with pytest.raises(MissingColumnError, match="verifier"):
        run(pl.DataFrame(one.drop(columns="verifier")).lazy())


def test_engines_agree():
    """pandas, Polars and a lazy frame give one result."""
    frame = rows_of(PUBLISHED["OfficeQA"][0])
    expected = run(frame)
    assert run(pl.DataFrame(frame)) == expected
    assert run(pl.DataFrame(frame).lazy()) == expected


def test_repeated_verdicts_of_a_lazy_frame_are_refused():
    """One verifier judging one output twice is an error that names the item."""
    frame = pl.DataFrame(rows_of(PUBLISHED["DocVQA"][0]))
    with pytest.raises(DuplicateRowError, match="twice"):
        run(pl.concat([frame, frame.head(1)]).lazy())


@pytest.mark.slow
@pytest.mark.parametrize(("n", "flip"), [(34, 0.02), (100, 0.05), (100, 0.3)])
def test_interval_covers_the_difference_of_gains(n, flip):
    """At least 93 % of nominal 95 % intervals hold the true difference, flips rare or common."""
    rng = np.random.default_rng(4)
    # The second verifier passes failures of the candidate with probability `flip`, and of the
    # base with half of it; both fail half of the outputs under the first one.
    truth = 0.5 * (flip - flip / 2)
    hits = 0
    for _ in range(2000):
        fails = rng.random((2, n)) < 0.5
        gained = fails & (rng.random((2, n)) < np.array([[flip / 2], [flip]]))
        change = gained[1].astype(int) - gained[0].astype(int)
        hits += truth in compare_pairs(tally_values(change), score_range=(0, 2)).interval
    assert hits >= 0.93 * 2000
