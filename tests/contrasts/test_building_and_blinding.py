"""Sets are reproducible and account for every response; graders see no family and no side."""

import json
from dataclasses import fields

import pandas as pd
import pytest

from evalkit.contrasts import (
    DEGRADATIONS,
    BlindPair,
    BlindResponse,
    Degradation,
    Edit,
    blind,
    build_contrasts,
    read_key,
    unblind,
    write_contrasts,
)
from evalkit.errors import (
    ArgumentError,
    DuplicateRowError,
    FileMissingError,
    InputError,
    MissingColumnError,
)

ROWS = [
    {
        "item": f"q{i}",
        "task": f"Report on site {i}.",
        "response": f"Sales at site {i + 3} rose 12 % [1]. The market is calm. Costs fell. So.",
    }
    for i in range(12)
]
FAMILIES = ["drop-citation", "alter-number", "pad"]


@pytest.fixture
def contrast_set():
    """Three families on twelve responses."""
    return build_contrasts(ROWS, families=FAMILIES)


def scores_of(blinded, worth):
    """Score each response by a function of its text."""
    return [{"response_id": r.response_id, "score": worth(r.response)} for r in blinded.responses]


def test_a_set_is_the_same_for_the_same_seed(contrast_set):
    """Equal seeds give equal sets, whatever the order of the rows; another seed another one."""
    assert build_contrasts(ROWS, families=FAMILIES) == contrast_set
    assert set(build_contrasts(ROWS[::-1], families=FAMILIES).contrasts) == set(
        contrast_set.contrasts
    )
    other = build_contrasts(ROWS, families=FAMILIES, seed=1)
    assert {c.contrast for c in other.contrasts}.isdisjoint(
        c.contrast for c in contrast_set.contrasts
    )


def test_every_response_is_a_contrast_or_has_a_reason():
    """In each family contrasts and reasons add up to the responses."""
    rows = [*ROWS, {"item": "z", "task": "", "response": "Nothing here"}]
    found = build_contrasts(rows)
    assert found.families == tuple(DEGRADATIONS)
    for row in found.to_dicts():
        assert row["contrasts"] + sum(row["not_applicable"].values()) == len(rows)
    assert found.not_applicable["drop-citation"] == {"no citation": 1}
    assert any(note.startswith("reorder-steps: 0 contrasts") for note in found.notes)


def test_per_family_takes_that_many_and_says_when_it_cannot():
    """A shortfall is a note with both numbers."""
    found = build_contrasts(ROWS, families=["pad", "reorder-steps"], per_family=5)
    assert found.counts == {"pad": 5, "reorder-steps": 0}
    assert found.notes == (
        "reorder-steps: 0 contrasts of 5 wanted; it does not apply to 12 of 12 responses",
    )


def test_columns_are_guessed_declared_or_missing():
    """Usual names are found in frames and lists; one's own are named; cluster defaults to item."""
    frame = pd.DataFrame({"ID": [7.0], "prompt": ["Why?"], "reply": ["It rose 12 % [1]."]})
    with pytest.raises(MissingColumnError, match="response=reply"):
        build_contrasts(frame, families=FAMILIES)
    found = build_contrasts(frame, families=FAMILIES, columns={"response": "reply"}).contrasts[0]
    assert (found.item, found.task, found.cluster) == ("7", "Why?", "7")
    bare = build_contrasts([{"response": "It rose 12 %."}], families=["alter-number"])
    assert bare.contrasts[0].item == "1"
    assert "each row is one" in bare.notes[0]
    with pytest.raises(MissingColumnError, match="'no'"):
        build_contrasts(frame, columns={"response": "no"})
    with pytest.raises(ArgumentError, match="allowed are item"):
        build_contrasts(frame, columns={"reply": "reply"})


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([], InputError, "no responses"),
        ([{"response": 3}], InputError, "not a text"),
        ([{"item": "", "response": "a b"}], InputError, "no item"),
        ([{"item": "a", "response": "x"}] * 2, DuplicateRowError, "row 1 too"),
    ],
)
def test_unusable_rows_are_refused(rows, error, words):
    """The message names the row and what is wrong with it."""
    with pytest.raises(error, match=words):
        build_contrasts(rows)


def test_rows_without_a_response_are_counted():
    """Missing and blank responses are left out, with a note."""
    found = build_contrasts(
        [*ROWS, {"item": "e", "response": None}, {"item": "f", "response": " "}]
    )
    assert "rows left out for want of a response: 2" in found.notes


def test_settings_are_checked():
    """Unknown and repeated families and a number below 1 are refused by name."""
    for families, words in ((["typo"], "drop-citation"), (["pad", "pad"], "once"), ([], "least")):
        with pytest.raises(ArgumentError, match=words):
            build_contrasts(ROWS, families=families)
    with pytest.raises(ArgumentError, match="per_family"):
        build_contrasts(ROWS, per_family=0)


def test_own_degradations_stand_beside_the_named():
    """A family of one's own is checked like the others."""
    own = Degradation(
        name="shout",
        summary="Shout.",
        declares={"words": ("same",), "parts": ("one replaced",)},
        edits=lambda reading, _: [Edit(text=reading.text.replace("So", "SO"), detail="shouted")],
    )
    found = build_contrasts(ROWS, families=["pad", own])
    assert found.counts == {"pad": 12, "shout": 12}


def test_blinded_rows_have_no_place_for_what_is_hidden(contrast_set):
    """Row types hold an id, a task and texts; ids and order say nothing about family or side."""
    assert [f.name for f in fields(BlindPair)] == [
        "presentation_id", "task", "response_a", "response_b",
    ]  # fmt: skip
    assert [f.name for f in fields(BlindResponse)] == ["response_id", "task", "response"]
    blinded = blind(contrast_set)
    shown = json.dumps([p.to_dict() for p in blinded.pairs])
    shown += json.dumps([r.to_dict() for r in blinded.responses])
    for c in contrast_set.contrasts:
        assert c.contrast not in shown
    assert not any(family in shown for family in (*FAMILIES, "base", "degraded"))
    ids = [p.presentation_id for p in blinded.pairs]
    assert ids == sorted(ids)
    order = {row.presentation_id: row.contrast.family for row in blinded.key.rows}
    assert [order[i] for i in ids] != sorted(order[i] for i in ids)


def test_sides_are_balanced_in_each_family(contrast_set):
    """The base is A in six of twelve pairs of each family."""
    for seed in range(5):
        sides = [
            (row.contrast.family, row.base_side) for row in blind(contrast_set, seed=seed).key.rows
        ]
        assert all(sides.count((family, "A")) == 6 for family in FAMILIES)


def test_equal_responses_are_scored_once(contrast_set):
    """A base in three families is one response to score: 12 bases and 36 copies."""
    assert len(blind(contrast_set).responses) == 48


def test_scores_come_back_to_their_contrasts(contrast_set):
    """Pointwise scores, verdicts and pair scores say the same of one grader."""
    blinded = blind(contrast_set)
    alone = scores_of(blinded, lambda text: text.count("["))
    pairs = [
        {
            "presentation_id": p.presentation_id,
            "score_a": p.response_a.count("["),
            "score_b": p.response_b.count("["),
        }
        for p in blinded.pairs
    ]
    verdicts = [
        {
            "presentation_id": p["presentation_id"],
            "verdict": ("B", "tie", "A")[1 + (p["score_a"] > p["score_b"])
                                        - (p["score_a"] < p["score_b"])],
        }
        for p in pairs
    ]  # fmt: skip
    signs = []
    for rows in (alone, pairs, verdicts):
        joined = unblind(rows, blinded.key)
        assert len(joined.rows) == 36
        signs.append([(r.family, r.score_base > r.score_degraded) for r in joined.rows])
        assert all(won == (family == "drop-citation") for family, won in signs[-1])
    assert signs[0] == signs[1] == signs[2]
    assert joined.rows[0].cluster == joined.rows[0].cluster.strip()


def test_missing_scores_have_reasons(contrast_set):
    """Rows that are not there, unparsed verdicts and infrastructure are nulls with a reason."""
    blinded = blind(contrast_set)
    rows = [{"presentation_id": p.presentation_id, "verdict": "A"} for p in blinded.pairs[3:]]
    rows[0]["verdict"] = "unparsed"
    rows[1]["status"] = "infra"
    found = unblind(rows, blinded.key)
    reasons = sorted(r.reason for r in found.rows if r.reason)
    assert reasons == ["infra", "missing", "missing", "missing", "no score"]
    assert all((r.score_base is None) == (r.reason is not None) for r in found.rows)


def test_foreign_repeated_and_mixed_scores_are_refused(contrast_set):
    """An id of another set, an id twice, and a contrast scored both ways are errors."""
    blinded = blind(contrast_set)
    pair = {"presentation_id": blinded.pairs[0].presentation_id, "verdict": "A"}
    with pytest.raises(InputError, match="not in the key"):
        unblind([{"presentation_id": "feed", "verdict": "A"}], blinded.key)
    with pytest.raises(DuplicateRowError, match="twice"):
        unblind([pair, pair], blinded.key)
    with pytest.raises(InputError, match="one by one"):
        unblind([*scores_of(blinded, len), pair], blinded.key)
    with pytest.raises(MissingColumnError, match="presentation_id and verdict"):
        unblind([{"id": "x", "score": 1}], blinded.key)
    with pytest.raises(InputError, match="no scores"):
        unblind([], blinded.key)


def test_files_hold_the_set(tmp_path, contrast_set):
    """Written files read back as the same key, byte for byte alike, and hide families."""
    blinded = blind(contrast_set)
    paths = write_contrasts(contrast_set, blinded, tmp_path / "new" / "set")
    assert [p.name for p in paths] == [
        "contrasts.jsonl", "blinded.jsonl", "blinded_responses.jsonl", "families.json",
    ]  # fmt: skip
    first = [p.read_bytes() for p in paths]
    write_contrasts(contrast_set, blinded, tmp_path / "new" / "set")
    assert [p.read_bytes() for p in paths] == first
    assert read_key(paths[0]) == read_key(tmp_path / "new" / "set") == blinded.key
    assert not any(f.encode() in first[1] + first[2] for f in FAMILIES)
    assert not list((tmp_path / "new" / "set").glob("*.part"))


def test_texts_survive_the_files(tmp_path):
    """Surrogates, line separators, CRLF and right-to-left text come back as they were."""
    text = "It rose 12 %.\r\nSo \u2028 \u0645\u0631 \U0001f389 it \x0b is. We wait."
    found = build_contrasts([{"item": "\u2028", "response": text}], families=["alter-number"])
    blinded = blind(found)
    write_contrasts(found, blinded, tmp_path)
    assert read_key(tmp_path) == blinded.key


def test_broken_keys_are_refused(tmp_path):
    """A missing key, rows of another kind and a broken summary are named with their path."""
    with pytest.raises(FileMissingError, match="no such key"):
        read_key(tmp_path / "contrasts.jsonl")
    (tmp_path / "contrasts.jsonl").write_text('{"contrast": "a"}\n')
    with pytest.raises(InputError, match=r"line 1: the row is no row of a key: family"):
        read_key(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileMissingError, match="name a folder"):
        write_contrasts(build_contrasts(ROWS), blind(build_contrasts(ROWS)), tmp_path / "file")
