"""Scores and statuses."""

from __future__ import annotations

import json
import math

import pytest

from evalkit.errors import ArgumentError, InputError
from evalkit.records import STATUSES, read
from evalkit.records.values import score_value


def dump(rows):
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def notes(records):
    """Return the notes as one text."""
    return "\n".join(records.notes)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *[(True, 1), (False, 0), (1, 1), (0.25, 0.25), ("0.5", 0.5), ("1e-3", 0.001)],
        *[(" 1 ", 1), ("+.5", 0.5), ("-2", -2), ("TRUE", 1), ("false", 0), ("Pass", 1)],
        *[("failed", 0), ("incorrect", 0), ("yes", 1), ("unresolved", 0)],
        *[(10**400, math.inf), (-(10**400), -math.inf), ("1e999", math.inf), ("-inf", -math.inf)],
    ],
)
def test_score_value(value, expected):
    """Numbers, truth values and verdict words are scores; what is too large is infinite."""
    assert score_value(value) == expected


@pytest.mark.parametrize("value", [None, math.nan, "", " ", "N/A", "NA", "nan", "None", [], "null"])
def test_missing_score(value):
    """Every way to write nothing is missing, never 0."""
    assert math.isnan(score_value(value))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("82.0%", "score_range"),
        ("0,5", "decimal comma"),
        ("1_000", "not a number"),
        ("0x10", "not a number"),
        ("٣", "not a number"),
        ("A", "not a number"),
        ([1], "not a number"),
        ({"a": 1}, "not a number"),
    ],
)
def test_wrong_score(save, value, message):
    """Any other score is refused, naming line, item, value and remedy."""
    rows = [{"id": "a", "score": 1}, {"id": "b", "score": value}]
    with pytest.raises(InputError, match=rf"line 2, item 'b'.*{message}"):
        read(save(json.dumps(rows[0]) + "\n" + json.dumps(rows[1])))


def test_words_are_said(save):
    """Reading verdict words as 1 and 0 leaves one note."""
    records = read(save(dump([{"id": i, "score": s} for i, s in enumerate(("pass", "fail"))])))
    assert records.frame["score"].tolist() == [1, 0]
    assert notes(records).count("'fail', 'pass'") == 1


def test_score_range(save):
    """A score outside the declared range is invalid and named, never clamped."""
    path = save(dump([{"id": f"q{i}", "score": s} for i, s in enumerate((0.8, 90, 0.6))]))
    records = read(path, score_range=(0, 1))
    assert records.frame["score"].dropna().tolist() == [0.8, 0.6]
    assert records.frame["status"].tolist() == ["scored", "invalid", "scored"]
    assert "[0, 1]: invalid, not clamped: item 'q1' (line 2)" in notes(records)
    assert records.score_range == (0, 1)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (0, math.inf), (math.nan, 1), (1,), "ab", 3])
def test_score_range_faults(save, bounds):
    """A range that is no range is refused."""
    with pytest.raises(ArgumentError, match="`score_range`"):
        read(save(dump([{"id": 1, "score": 1}])), score_range=bounds)


def test_second_scale(save):
    """A few scores above 1 among fractions are pointed out, a common larger scale is not."""
    few = read(save(dump([{"id": i, "score": s} for i, s in enumerate((0.8, 82.0, 0.6))])))
    assert "on a second scale: item '1' (line 2)" in notes(few)
    assert few.frame["status"].tolist() == ["scored"] * 3
    for scores in ((80, 90, 1), (0.5, -1, 3), (0, 1, 1)):
        many = read(save(dump([{"id": i, "score": s} for i, s in enumerate(scores)])))
        assert not many.notes


@pytest.mark.parametrize(
    ("error", "status"),
    [
        *[(None, "scored"), ("", "scored"), (False, "scored"), (0, "scored"), ({}, "scored")],
        *[([], "scored"), ("none", "scored"), ("429 rate limit", "infra"), ({"m": 1}, "infra")],
        *[(True, "infra"), ("Timeout after 60 s", "timeout"), ({"m": "timed out"}, "timeout")],
    ],
)
def test_error_column(save, error, status):
    """A row with an error has no score, and an empty error is none."""
    rows = [{"id": "a", "score": 0, "error": error}, {"id": "b", "score": 1}]
    records = read(save(dump(rows)))
    assert records.frame["status"].tolist() == [status, "scored"]
    assert records.frame["score"].isna().tolist() == [status != "scored", False]
    assert ("1 row with an error, not scored" in notes(records)) == (status != "scored")


def test_failed_items(save):
    """Fifty attempts of which five failed stay fifty rows."""
    rows = [{"id": i, "score": int(i < 40)} for i in range(45)]
    rows += [{"id": i, "score": None, "error": "rate limited"} for i in range(45, 50)]
    records = read(save(dump(rows)))
    assert records.frame["status"].value_counts().to_dict() == {"scored": 45, "infra": 5}
    assert records.frame["score"].mean() == 40 / 45
    assert "5 rows with an error" in notes(records)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        *[(status, status) for status in STATUSES],
        *[("OK", "scored"), ("failed", "scored"), ("Time-out", "timeout"), ("error", "infra")],
        *[("rate limit", "infra"), ("parse_error", "judge_error"), ("skip", "skipped")],
        *[(None, "scored"), ("", "scored")],
    ],
)
def test_status_column(save, text, status):
    """A status and its synonyms are read, and decide whether the score counts."""
    records = read(save(dump([{"id": "a", "score": 1, "status": text}])))
    assert records.frame["status"].tolist() == [status]
    assert math.isnan(records.frame["score"].iloc[0]) == (status != "scored")
    assert ("score that is not used" in notes(records)) == (status != "scored")


def test_scored_without_a_score(save):
    """A row that says it is scored but holds no score is missing."""
    records = read(save(dump([{"id": "a", "score": None, "status": "ok"}])))
    assert records.frame["status"].tolist() == ["missing"]


def test_unknown_status(save):
    """An unknown vocabulary is refused when asked for and an ordinary column when guessed."""
    path = save(dump([{"id": "a", "score": 1, "status": "weird"}]))
    with pytest.raises(InputError, match=r"line 1.*'weird' is not known; allowed are scored"):
        read(path, columns={"status": "status"})
    records = read(path)
    assert records.frame["source_status"].tolist() == ["weird"]
    assert records.frame["status"].tolist() == ["scored"]
    assert "was not read as a status" in notes(records)
