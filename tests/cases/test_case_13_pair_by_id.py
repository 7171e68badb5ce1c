"""Two runs that finished in other orders are paired by id."""

import pytest
from commands import document, jsonl

BASE = [("q1", 1), ("q2", 1), ("q3", 0), ("q4", 0), ("q5", 1), ("q6", 0), ("q7", 1), ("q8", 0)]
NEW = [("q8", 0), ("q3", 1), ("q1", 1), ("q6", 1), ("q2", 1), ("q7", 1), ("q4", 1), ("q5", 1)]


def run(path, pairs, kind=str):
    """One run as a file."""
    return jsonl(path, [{"id": kind(i), "score": s} for i, s in pairs])


def test_order_does_not_matter(tmp_path):
    """B alone right 3, A alone right 0, difference +.375, exact McNemar p = .25."""
    base, new = run(tmp_path / "a.jsonl", BASE), run(tmp_path / "b.jsonl", NEW)
    found = document("compare", base, new)["results"][0]
    assert (found["candidate_wins"], found["base_wins"], found["n_pairs"]) == (3, 0, 8)
    assert found["difference"] == 0.375
    assert any(t["p_value"] == pytest.approx(0.25) for t in found["also"])


def test_ids_as_numbers_and_as_text_are_the_same_across_files(tmp_path):
    """7 of one file is "7" of the other, and "007" is neither."""
    base = jsonl(tmp_path / "a.jsonl", [{"id": i, "score": 0} for i in (7, 8)])
    new = jsonl(tmp_path / "b.jsonl", [{"id": i, "score": 1} for i in ("8", "7", "007")])
    found = document("compare", base, new)["results"][0]
    assert (found["n_pairs"], found["only_candidate"]) == (2, 1)


def test_items_of_one_run_only_are_counted(tmp_path):
    """What has no partner is left out and said."""
    base, new = run(tmp_path / "a.jsonl", BASE), run(tmp_path / "b.jsonl", NEW[:5])
    found = document("compare", base, new)["results"][0]
    assert (found["n_pairs"], found["only_base"], found["only_candidate"]) == (5, 3, 0)


def test_no_common_item_is_an_error_or_undefined(tmp_path):
    """Runs without a common id give no number."""
    base = run(tmp_path / "a.jsonl", BASE)
    new = run(tmp_path / "b.jsonl", [("x", 1), ("y", 0)])
    from typer.testing import CliRunner

    from evalkit.cli.app import app

    found = CliRunner().invoke(app, ["compare", str(base), str(new)])
    assert found.exit_code != 0 or "undefined" in found.stdout
