"""Verdicts in the free text of judges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.records.judge_text import Parsed, parse_verdict

MT_BENCH = (
    'Output your final verdict by strictly following this format: "[[A]]" if assistant A is '
    'better, "[[B]]" if assistant B is better, and "[[C]]" for a tie.'
)
ARENA = """1. Assistant A is significantly better: [[A>>B]]
2. Assistant A is slightly better: [[A>B]]
3. Tie, relatively the same: [[A=B]]
4. Assistant B is slightly better: [[B>A]]
5. Assistant B is significantly better: [[B>>A]]"""
FIRST = [
    "[[A]]",
    MT_BENCH + "\n\nAssistant A is thorough.\n[[A]]",
    'Example output: "My final verdict is tie: [[A=B]]".\nMy final verdict is: [[A>>B]]',
    "[[A>B]]",
    "A>B",
    "A",
    "(a)",
    "Output (a)",
    "Response 1",
    "Assistant A is better",
    "\\boxed{A}",
    "[[\uff21]]",
    '{"winner": "A"}',
    '{"winner": "model_a"}',
    "Verdict: A",
    "I prefer Response 1.",
    "Response A is better than Response B.",
    "The better response is the first one.",
    "A wins.",
    "Model A outperforms Model B",
    "Preference: 1",
    "1",
    "A.",
    "**A**",
    '"A"',
    "A\n",
    "Choice: Output (a)",
    "My choice is A - it is better",
    "1. Accuracy: [[A]]\n2. Style: [[B]]\n\nFinal: [[A]]",
    "[A]",
    "Therefore, [[A]] is my verdict.",
    "[[ A ]]",
    "[[a]]",
    "[[Assistant A]]",
    "[[1]]",
    "Verdict: A>B",
    "There is a tie between them on style, but overall Assistant A is better.",
    "The two have the same length. [[A]]",
    "Option A",
    "Winner: Assistant A\nLoser: Assistant B",
    "Better: A",
    "[[A]]\n\n(Not [[B]].)",
    "My final verdict is [[A]]. (I considered [[B]] too.)",
    "Final verdict: [[A]]\n\nFinal verdict: [[A]]",
    "Response A is better because it does not invent facts.",
    "Assistant A is better, which settles it.",
    "Both answers are bad, but Assistant A is better.",
    "Response 1 is correct while Response 2 is wrong, so I prefer Response 1.",
    "Verdict: A\n\nVerdict: A",
    "<b>[[A]]</b>",
    "a",
    "[[A]][[A]][[A]]",
    "Assistant A's response is better",
    "The verdict is: A",
    "verdict=A",
    "1. Assistant A is better",
    "A > B > C",
]
SECOND = [
    "Answer one earns [[A]] for style, yet on facts my final verdict is [[B]].",
    MT_BENCH + " My verdict: [[B]]",
    ARENA + "\n\nMy final verdict is: [[B>A]]",
    "[[B>>A]]",
    "[[A<B]]",
    "B > A",
    "b",
    "Output (b).",
    "Response 2 is better.",
    "$\\boxed{\\text{B}}$",
    "Winner: model_b",
    "\u3010\u3010B\u3011\u3011",
    "Final verdict: [[A]]. Wait, actually I was wrong. Final verdict: [[B]]",
    "<think>[[A]]</think>[[B]]",
    "<reasoning>A is better</reasoning><answer>B</answer>",
    '```json\n{"verdict": "B", "reason": "A is verbose"}\n```',
    '{"preference": 2}',
    '{"better": "Response 2"}',
    "**Verdict:** B",
    "## Verdict\nB",
    "Assistant A is worse.",
    "I prefer the second response.",
    "Assistant A is better in style. Overall, Assistant B is better.",
    "The better answer is B.",
    "Assistant B wins",
    "Explanation: A is long.\n\nOutput (b)",
    "2",
    "The winner is Assistant B because it is correct",
    "Not [[A]], rather [[B]].",
    "> [[A]] if A\n[[B]]",
    "<|channel|>analysis<|message|>[[A]]<|end|><|start|>assistant<|channel|>final<|message|>[[B]]<|return|>",
    "[THINK][[A]][/THINK][[B]]",
    "[[model_b]]",
    "Verdict: B is better",
    "Verdict: A is worse",
    "Which is better? Assistant B.",
    "I choose B",
    "I would choose assistant B.",
    "Ranking: B > A",
    "It is not that Assistant A is better, but Assistant B is better.",
    "Assistant B's answer is clearly the best.",
    "**Winner: Assistant B**",
    "Winner - B",
    "Final answer: (b)",
    "final answer is \\boxed{B}",
    "Final choice: Response B",
    "### Final Verdict\n\n**[[B]]**",
]
TIED = [
    "Final verdict: [[C]]",
    "Both are fine, so neither [[A]] nor [[B]]. Verdict: [[C]]",
    "My final verdict is tie: [[A=B]]",
    "A = B",
    "A=B",
    "tie",
    "Tie.",
    "[[Tie]]",
    "[[tie]]",
    "<thinking>[[A]]</thinking>\n[[C]]",
    "<verdict>tie</verdict>",
    "<answer>C</answer>",
    '{"winner": "tie"}',
    "The verdict is a tie.",
    "It's a tie.",
    "Both responses are equally good.",
    "Neither is better.",
    "Verdict: C",
    "Final Verdict: Tie",
    "Overall, they are equally good, so it's a tie.",
    "draw",
    "Same",
    "Answer: C",
    "Verdict: no preference",
]
NOTHING = [
    "I cannot decide between them.",
    "",
    None,
    MT_BENCH,
    ARENA,
    'Example output: "My final verdict is tie: [[A=B]]".',
    "winner: tie (bothbad)",
    "tie (bothbad)",
    "[[D]]",
    "[[A]] no wait [[D]]",
    "[[A]][[B]]",
    "[[A]] / [[B]]",
    "Final verdict: [[A]]. Final verdict: [[B]]",
    "<think>[[A]]",
    '{"winner": null}',
    '{"winner": "neither"}',
    '{"winner": "A"',
    "{'winner': 'A'}",
    "Verdict: A or B",
    "Verdict: A/B/tie",
    "Neither is good.",
    "Assistant A is not better.",
    "Response A is better. Response B is better.",
    "If Assistant A is better, output A.",
    "Model A is outperformed by Model B",
    "0",
    "C",
    "1. Accuracy: [[A]]\n2. Style: [[B]]",
    "Not [[A]].",
    "I'd say A is a good answer.",
    "A good response was given.",
    "Both answers were given a B grade.",
    "no verdict",
    "error",
    "[[A]] or [[B]]?",
    "The answer could be [[A]] or [[B]], I can't decide.",
    "A > B on style, B > A on facts.",
    "Response A ties its argument together.",
    "I could not tell which is better: A or B.",
    "Assistant A would be better if it were shorter.",
    "None",
    "N/A",
    "both_bad",
    "If A is better, B is worse.",
    "Both answers are bad.",
    "I don't think Assistant A is better.",
    "[[A]] or [[B]]",
    "I am choosing between [[A]] and [[B]].\nVerdict: neither",
    "The assistant's answer A is fine",
    "[[C]] if tie",
    "I think Assistant A did better.",
    "[[A]]\n<think>hmm",
    "Verdict: None",
    "Verdict: unclear",
    "Assistant A: 8\nAssistant B: 6",
    "8 6",
]


@pytest.mark.parametrize("reply", FIRST)
def test_first_answer_is_preferred(reply):
    """Every way of writing that the first answer is better is read."""
    assert parse_verdict(reply).value == "A"


@pytest.mark.parametrize("reply", SECOND)
def test_second_answer_is_preferred(reply):
    """Every way of writing that the second answer is better is read."""
    assert parse_verdict(reply).value == "B"


@pytest.mark.parametrize("reply", TIED)
def test_ties_are_said(reply):
    """A tie is a tie only where the reply says so."""
    assert parse_verdict(reply).value == "tie"


@pytest.mark.parametrize("reply", NOTHING)
def test_other_replies_are_no_verdict(reply):
    """Echoed instructions, contradictions, denials and silence are never a tie or a side."""
    found = parse_verdict(reply)
    assert found.value is None
    assert found.status in {"judge_error", "invalid"}
    assert found.reason


@pytest.mark.parametrize("reply", ["tie (bothbad)", "Both answers are bad.", "[[both bad]]"])
def test_both_bad_is_for_the_reader_to_decide(reply):
    """Two bad answers are neither a tie nor unreadable: the reply is marked invalid."""
    assert parse_verdict(reply).status == "invalid"


@pytest.mark.parametrize(
    ("reply", "labels", "side"),
    [
        ("gpt-4 is better", ("gpt-4", "claude-3"), "A"),
        ("Winner: claude-3", ("gpt-4", "claude-3"), "B"),
        ("[[B]]", ("B", "A"), "A"),
        ("[[x]]", ("x", "y"), "A"),
        ("[[A]]", ("x", "y"), None),
        ("gpt-4 = claude-3", ("gpt-4", "claude-3"), "tie"),
        ("Winner: m", ("m", "M2"), "A"),
        ("The second response is better.", ("x", "y"), "B"),
    ],
)
def test_declared_names(reply, labels, side):
    """Declared names replace A and B; places in the pair always count."""
    assert parse_verdict(reply, labels=labels).value == side


@pytest.mark.parametrize("labels", [("A", "a"), ("", "B"), ("A",), ("A", "B", "C")])
def test_names_must_differ(labels):
    """One name for both answers, or not two names, is an error."""
    with pytest.raises(ArgumentError, match="labels"):
        parse_verdict("A", labels=labels)


@given(st.text(alphabet='ABC[]<>=/ .\n"{}ifotenk:12', max_size=60))
def test_any_text_is_read_or_refused(reply):
    """No reply raises, and a value is there exactly where the status is scored."""
    found = parse_verdict(reply)
    assert (found.value is None) == (found.status != "scored")
    assert found.value in {"A", "B", "tie", None}


@given(
    st.sampled_from(["[[A]]", "[[B]]", "[[C]]"]),
    st.sampled_from(["", "Long prose about both.\n", "<think>[[B]] or [[C]]</think>"]),
)
def test_reasoning_and_prose_before_a_marker_do_not_count(marker, before):
    """What stands before the last marker leaves it as it is."""
    expected = {"[[A]]": "A", "[[B]]": "B", "[[C]]": "tie"}[marker]
    assert parse_verdict(before + marker).value == expected


def test_a_value_needs_the_status_scored():
    """A parsed value with an error status, or none with `scored`, cannot be made."""
    with pytest.raises(ArgumentError, match="value"):
        Parsed(value="A", status="judge_error", reason="")
    with pytest.raises(ArgumentError, match="value"):
        Parsed(value=None, status="scored", reason="")


def test_result_is_strict_json():
    """The result names how it was read and what decided."""
    assert parse_verdict("Fine. [[A]]").to_dict() == {
        "value": "A",
        "status": "scored",
        "reason": "the last marker",
        "matched": "[[A]]",
    }
