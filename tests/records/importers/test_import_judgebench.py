"""JudgeBench files: pairs, judgments in both orders, replies recorded as ties."""

import pytest
from logs import save

from evalkit.errors import InputError
from evalkit.grading import agreement
from evalkit.records.importers import detect, load

PAIR = {
    "pair_id": "007",
    "original_id": None,
    "source": "mmlu-pro-law",
    "question": "q",
    "response_model": "m",
    "response_A": "x",
    "response_B": "y",
    "label": "A>B",
}


def judged(pair, one, two, name="arena_hard", reply="", **fields):
    """One pair with two judgments."""
    entries = [
        None
        if d == "absent"
        else {"judgment": {"judge_model": "j", "response": reply}, "decision": d}
        for d in (one, two)
    ]
    return {**PAIR, "pair_id": pair, "judge_name": name, "judgments": entries, **fields}


def test_pairs_are_pairs(tmp_path):
    """A file without judgments holds pairs, ids as text and a null id kept as missing."""
    path = save(tmp_path / "pairs.jsonl", [PAIR, {**PAIR, "pair_id": 7}])
    found = load(path)
    assert found.format == "judgebench"
    assert [row["pair_id"] for row in found.tables["pairs"]] == ["007", "7"]
    first = found.tables["pairs"][0]
    assert (first["original_id"], first["category"], first["response_b"]) == (
        None,
        "Knowledge",
        "y",
    )


def test_both_orders_reach_agreement(tmp_path):
    """The second verdict stays as displayed, and `agreement` flips it: right, split, wrong."""
    rows = [
        judged("p1", "A>B", "B>A"),
        judged("p2", "A>B", "A>B"),
        judged("p3", "B>A", "A>B"),
        judged("p4", "A=B", None),
    ]
    found = load(save(tmp_path / "out.jsonl", rows))
    table = found.tables["judgments"]
    assert table[3]["decision_order2"] is None
    assert table[3]["status_order2"] == "judge_error"
    result = agreement(list(table[:3]))[0]
    assert result.agreement == pytest.approx(0.5)


def test_absent_judgment_is_missing_and_not_a_judge_error(tmp_path):
    """A null judgment never reached the judge's reply; a null decision did."""
    found = load(save(tmp_path / "out.jsonl", [judged("p", "absent", None)]))
    row = found.tables["judgments"][0]
    assert (row["status_order1"], row["status_order2"]) == ("missing", "judge_error")
    assert any("absent" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "reply", "decision"),
    [
        ("judge_lm", "7 7\nBoth fine", "A=B"),
        ("judge_lm", "They are equal", None),
        ("panda_lm", "Tie\nreason", "A=B"),
        ("panda_lm", "cut off", None),
        ("arena_hard", "anything", "A=B"),
    ],
)
def test_unreadable_replies_recorded_as_ties_are_judge_errors(tmp_path, name, reply, decision):
    """Two judges record what they cannot read as A=B; only a real tie stays one."""
    found = load(save(tmp_path / "out.jsonl", [judged("p", "A=B", "A>B", name, reply)]))
    assert found.tables["judgments"][0]["decision_order1"] == decision


def test_scores_of_reward_models_are_kept(tmp_path):
    """The pointwise scores stand beside each decision, as displayed."""
    row = judged("p", "A>B", "B>A")
    row["judgments"][0]["judgment"]["scores"] = [2.5, -1]
    found = load(save(tmp_path / "out.jsonl", [row])).tables["judgments"][0]
    assert (found["first_score_order1"], found["second_score_order1"]) == (2.5, -1.0)


def test_unknown_decision_is_refused(tmp_path):
    """A decision outside the three is an error that names pair and line."""
    path = save(tmp_path / "out.jsonl", [judged("p9", "A", "B")])
    with pytest.raises(InputError, match="line 1, item 'p9'"):
        load(path)
    assert detect(save(tmp_path / "x.jsonl", [{"a": 1}])).name == "plain"
