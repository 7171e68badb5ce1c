"""Siblings of the reading cases: cut CSV, scores too large to average, labels in two places."""

import gzip
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from commands import command, document, jsonl

from evalkit import agreement, compare, power, raters, read, tally_values
from evalkit.errors import ArgumentError, InputError
from evalkit.records.timestamps import order_by_time
from evalkit.testtime import pass_at_k, pass_hat_k


@pytest.mark.parametrize("end", ["c", '"c', '"c,1', "c\r"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_cut_last_line_of_csv(tmp_path, end, newline):
    """A last line without all its cells and without a line feed is left out and named."""
    path = tmp_path / "a.csv"
    path.write_bytes(newline.join(["id,score", "a,1", "b,0", end]).encode())
    found = read(path)
    assert found.frame["item"].tolist() == ["a", "b"]
    assert found.partial
    assert any("line 4 is cut off" in note for note in found.notes)


@pytest.mark.parametrize("text", ["a,1\nb\n", "a\nb,1", "a,1\nb,1,1", 'a,1\n"b\nc'])
def test_other_faults_of_csv_are_errors(tmp_path, text):
    """A whole line that lacks cells, one with too many, and a quote over lines are no cuts."""
    path = tmp_path / "a.csv"
    path.write_text("id,score\n" + text)
    with pytest.raises(InputError, match="line"):
        read(path)


def test_cut_compressed_csv(tmp_path):
    """The whole rows before a cut inside a quoted cell are kept."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b'id,score,x\na,1,p\nb,0,"q'))
    assert read(path).frame["item"].tolist() == ["a"]


@pytest.mark.parametrize("value", [1e308, -1e308, 1e101])
def test_scores_too_large_to_average_are_invalid(tmp_path, value):
    """They are counted and named, never an overflow."""
    rows = [{"id": "a", "score": value}, {"id": "b", "score": 1}]
    found = document("estimate", jsonl(tmp_path / "a.jsonl", rows))
    assert found["results"][0]["errors"] == {"invalid": 1}
    assert any("'a'" in note for note in found["notes"])
    with pytest.raises(ArgumentError, match="1e"):
        tally_values([value, 1.0])


def test_labels_that_are_given_win(tmp_path):
    """`--labels` takes the place of a label column of the verdicts, whatever its name."""
    rows = [{"pair_id": 1, "label": "A", "verdict": "A"}]
    path = jsonl(tmp_path / "j.jsonl", rows)
    for heading in ("label", "gold"):
        labels = tmp_path / "l.csv"
        labels.write_text(f"pair_id,{heading}\n1,B\n")
        found = document("agreement", path, "--labels", labels)
        assert found["results"][0]["agreement"] == 0
        assert any("take the place" in note for note in found["notes"])


def test_labels_without_labels_keep_those_of_the_rows():
    """A file by pair that holds no labels adds its columns only."""
    rows = [{"pair_id": 1, "label": "A", "verdict": "A"}]
    extra = [{"pair_id": 1, "topic": "x"}]
    assert agreement(rows, reference=extra, by=["topic"])[0].agreement == 1


def test_rater_is_not_compared_with_itself():
    """One rater named twice is refused."""
    with pytest.raises(ArgumentError, match="'r1' twice"):
        raters([{"item": 1, "r1": "A", "r2": "B"}], raters=["r1", "r1"])


@pytest.mark.parametrize("draw", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize("odd", [(5.0, 2, 1), ("5", 2, 1), (5, None, 1), (5, 2, True), (-1, 0, 1)])
def test_counts_are_whole_numbers(draw, odd):
    """Floats, texts, truth values, nothing and negative counts are named, not a TypeError."""
    with pytest.raises(ArgumentError, match=r"`[nck]` is"):
        draw(*odd)


def test_message_of_a_missing_column_names_the_file(tmp_path):
    """A rater that is not there is told with the file."""
    path = tmp_path / "r.csv"
    path.write_text("item,r1,r2\n1,A,B\n")
    assert "r.csv: " in command("raters", path, "--raters", "r1,zz", code=2)


@pytest.mark.parametrize(
    ("values", "n", "total"),
    [
        (["N/A", 1, "0.5", None], 2, 1.5),
        (np.ma.array([1, 2], mask=[False, True]), 1, 1.0),
        ((x for x in (1, 0)), 2, 1.0),
        ([Fraction(1, 2), True], 2, 1.5),
    ],
)
def test_outcomes_that_are_missing_or_of_another_kind(values, n, total):
    """Masked and "N/A" are missing, as in files, and fractions and truth values are numbers."""
    found = tally_values(values)
    assert (found.n, found.total) == (n, total)


@pytest.mark.parametrize("values", [["a"], "abc", {1: 2}, [[1, 2], [3]], [1j], [10**400], ["83%"]])
def test_outcomes_that_are_no_numbers(values):
    """They are refused by name."""
    with pytest.raises(ArgumentError, match="`values"):
        tally_values(values)


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_scored_outcome_without_a_cluster(gap):
    """Missing clusters are not one more cluster; without an outcome none is needed."""
    with pytest.raises(ArgumentError, match="`clusters` is missing for 2"):
        tally_values([1, 0, 1], clusters=[gap, gap, "a"])
    assert tally_values([None, 0, 1], clusters=[gap, "b", "a"]).clusters.number == 2


@pytest.mark.parametrize("seed", [True, -1, 1.5, "0"])
@pytest.mark.parametrize("scores", [[1, 0, 1], [0.1, 0.5, 0.2]])
def test_seed_is_checked_whether_it_is_used_or_not(seed, scores):
    """A comparison whose tests are exact refuses the same seeds."""
    rows = pd.DataFrame({"id": list("abc"), "score": scores})
    with pytest.raises(ArgumentError, match="`rng`"):
        compare(rows.assign(system="A"), rows.assign(system="B", score=[0, 1, 1]), rng=seed)


@pytest.mark.parametrize(
    "settings",
    [
        {"n": 1.5},
        {"n": "5"},
        {"n": True},
        {"effect": float("nan")},
        {"effect": "x"},
        {"n": 9, "icc": 0.5, "cluster_size": 3},
        {"n": 9, "base_rate": 0.5},
        {"n": 9, "sd": 1.0},
    ],
)
def test_settings_of_power_are_used_or_refused(settings):
    """A setting that another design has is not left out without a word."""
    with pytest.raises(ArgumentError, match=r"`(n|effect|icc|base_rate|sd)`"):
        power(discordance=0.3, **settings)


@pytest.mark.parametrize("word", ["cancelled", "Aborted", "killed", "interrupted"])
def test_runs_that_were_stopped_are_infrastructure(tmp_path, word):
    """A stopped run is no failure, whatever score its row holds."""
    rows = [{"id": 1, "score": 1, "status": "ok"}, {"id": 2, "score": 0, "status": word}]
    found = document("estimate", jsonl(tmp_path / "a.jsonl", rows))["results"][0]
    assert (found["estimate"], found["errors"]) == (1, {"infra": 1})


def test_unknown_status_beside_a_timeout_is_an_error(tmp_path):
    """The column is a status, so its timeouts are not scored for one unknown word."""
    rows = [{"id": 1, "score": 0, "status": "timeout"}, {"id": 2, "score": 1, "status": "weird"}]
    out = command("estimate", jsonl(tmp_path / "a.jsonl", rows), code=2)
    assert "line 2" in out
    assert "'weird'" in out


def test_fractions_within_a_declared_percentage_range_are_told(tmp_path):
    """A range that both fit does not hide that one of them is in fractions."""
    paths = [
        jsonl(tmp_path / f"{k}.jsonl", [{"id": i, "score": s} for i, s in enumerate(scores)])
        for k, scores in (("a", [0.9, 0.7]), ("b", [90, 70]), ("c", [80, 70]))
    ]
    for pair, told in ((paths[:2], True), (paths[1:], False)):
        notes = document("compare", *pair, "--range", "0", "100")["notes"]
        assert any("fractions" in note for note in notes) is told


@pytest.mark.parametrize("stamp", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_times_beyond_the_calendar(stamp):
    """A time that UTC cannot hold is refused; a small z is a Z."""
    with pytest.raises(ArgumentError, match="stamps"):
        order_by_time({"a": stamp})
    assert order_by_time({"a": "2031-03-01t10:00:00z"}).notes == ()
