"""Scores and JSON in the free text of judges."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.records.judge_text import answer_text, json_objects, parse_json, parse_score


@pytest.mark.parametrize(
    ("reply", "scale", "expected"),
    [
        ("On a scale of 0 to 3, I give this a 3.", (0, 3), 3),
        ("Score 0-3: fully on point, so 3", (0, 3), 3),
        ("(0 = poor, 3 = great) My rating: 2", (0, 3), 2),
        ("**Score: 9**\nFive points were listed.", (1, 10), 9),
        ("Rating: [[7.5]]", (1, 10), 7.5),
        ("No rating possible.", (1, 10), None),
        ('```json\n{"score": 4, "reason": "ok"}\n```', (0, 10), 4),
        ('Here you go:\n```\n{"score": 2}\n```\nBye.', (0, 10), 2),
        ('<think>Maybe 9? No.</think>{"score": 3}', (0, 10), 3),
        ('<think>I lean to {"score": 5} but', (0, 10), None),
        ('{"score": null}', (0, 10), None),
        ("8/10", (0, 10), 8),
        ("8/10", (0, 1), 0.8),
        ("80%", (0, 1), 0.8),
        ("80%", (0, 100), 80),
        ("80%", (0, 10), "invalid"),
        ("Score: 8 out of 10", (1, 10), 8),
        ("I'd give it 8 out of 10 overall.", (1, 10), 8),
        ("score: 3 (scale 1-5)", (1, 5), 3),
        ("Score (1-5): 4", (1, 5), 4),
        ("Rating (1 to 10): 7", (1, 10), 7),
        ("Note: 7,5", (0, 10), 7.5),
        ("Score: 7,5", (0, 10), 7.5),
        ("Score\uff1a\uff17\uff0e\uff15", (0, 10), 7.5),
        ("Score: 1,000", (0, 2000), 1000),
        ("Score: 90", (0, 1), "invalid"),
        ("Score: -2", (0, 10), "invalid"),
        ("Score: -2", (-5, 5), -2),
        ("Score: N/A. The response lists 3 items.", (1, 5), None),
        ("Score: four", (1, 5), 4),
        ("My rating is four.", (1, 5), 4),
        ("I would rate this 4", (1, 5), 4),
        ("I rate it a 4/5.", (1, 5), 4),
        ("Score: 3-4", (1, 5), None),
        ("1-5", (1, 5), None),
        ("The response lists 4 reasons.", (1, 5), None),
        ("It named 3 of the 5 facts.", (1, 5), None),
        ("Clarity: 4\nAccuracy: 2\nOverall: 3", (1, 5), 3),
        ("Accuracy score: 4\nStyle score: 2", (1, 5), None),
        ("Score: 4\nWait.\nScore: 5", (1, 5), 5),
        ("Final score: 4. Final score: 5", (1, 5), None),
        ("<score>7</score>", (1, 10), 7),
        ("\\boxed{7}", (1, 10), 7),
        ("Score: 15/10", (1, 10), "invalid"),
        ("Score: [[12]]", (1, 10), "invalid"),
        ("{'score': 4}", (1, 5), None),
        ('{"score": 4,}', (1, 5), None),
        ('{"score": NaN}', (1, 5), None),
        ('{"score": "4"}', (1, 5), 4),
        ('{"score": "4/5"}', (1, 5), 4),
        ('{"score": true}', (0, 1), None),
        ('{"score": 4} then {"score": 5}', (1, 5), 5),
        ('{"score": 4, "score": 5}', (1, 5), None),
        ('{"score": 1', (1, 10), None),
        ("Rating: 5 stars", (1, 5), 5),
        ("4 stars", (1, 5), 4),
        ("I'd give this 4 stars.", (1, 5), 4),
        ("Score: 3.", (1, 5), 3),
        ("**Rating**: 3/5", (1, 5), 3),
        ("Score = 3", (1, 5), 3),
        ("The score is 3.", (1, 5), 3),
        ("The final score is therefore 3.", (1, 5), 3),
        ("1. Correct\n2. Clear\nSo I give it 4.", (1, 5), 4),
        ("Score 1: bad. Score 5: great. I choose 2", (1, 5), 2),
        ("5 = perfect, 1 = bad. 3", (1, 5), 3),
        ("", (1, 5), None),
        (None, (1, 5), None),
        ("It scored in the 90th percentile. 4", (1, 5), 4),
        ("Score: 4\nThe maximum is 5.", (1, 5), 4),
        ("Score: 0.8", (0, 1), 0.8),
        ("Score: .8", (0, 1), 0.8),
        ("Score: 1e3", (0, 10), None),
        ("I give a 15.", (1, 10), "invalid"),
        ("Rating: [[7,5]]", (1, 10), 7.5),
        ("[[8/10]]", (1, 10), 8),
        ("Score: 8 / 10", (1, 10), 8),
        ("Score - 8", (1, 10), 8),
        ("Score: **8**", (1, 10), 8),
        ("[RESULT] 4", (1, 5), 4),
        ("Feedback: good. [RESULT] 4", (1, 5), 4),
        ("Total rating: 3", (1, 4), 3),
        ("Evaluation: good answer with 2 flaws\nTotal rating: 3", (1, 4), 3),
        (
            (
                "<|channel|>analysis<|message|>maybe 9<|end|><|start|>assistant"
                "<|channel|>final<|message|>Score: 4"
            ),
            (1, 10),
            4,
        ),
        ("[THINK]9[/THINK]3", (1, 10), 3),
        ("<thinking>8</thinking>Score: 3", (1, 10), 3),
        ("Score: 3\n<think>unclosed", (1, 10), None),
        ("3</think>", (1, 10), None),
        ("Score: 10", (1, 10), 10),
        ("A score between 1 and 10: 7", (1, 10), 7),
        ("On a 1 (worst) to 5 (best) scale: 2", (1, 5), 2),
        ("I'd rate it 4. It uses 3 sources.", (1, 5), 4),
        ("Answer: 4", (1, 5), 4),
        ("score: 3 (on a scale from 1 to 5)", (1, 5), 3),
        ("Score: 7.5/10", (0, 10), 7.5),
        ("Rating: 3 - 4 errors found", (1, 5), None),
        ('Rating: "4"', (1, 5), 4),
        ("Grade: B", (1, 5), None),
        ("8", (None, None), 8),
        ("8/10", (None, None), "invalid"),
        ("no", (None, None), None),
        ("Rating: between 3 and 4", (1, 5), None),
        ("score:5", (1, 5), 5),
        ("SCORE: 5", (1, 5), 5),
        ("The rating scale is 1-5. I assign a rating of 2.", (1, 5), 2),
        ("2024-05-01: Score: 3", (1, 5), 3),
        ("Score: \uff14\uff0f\uff15", (1, 5), 4),
        ("\u8a55\u5206\uff1a4", (1, 5), 4),
        ("Score:\n\n4", (1, 5), 4),
        ("Score: 4/5\nConfidence: 3/5", (1, 5), 4),
        ("> Score: 1\nScore: 4", (1, 5), 4),
        ("The score cannot be determined", (0, 5), None),
        ("Score: 2 (not 3)", (0, 5), 2),
        ("Score: 1.234.567", (0, 9), None),
    ],
)
def test_scores_are_read_refused_or_invalid(reply, scale, expected):
    """A score, ``None`` for a reply without one, or invalid for one off the scale."""
    found = parse_score(reply, low=scale[0], high=scale[1])
    if expected == "invalid":
        assert (found.value, found.status) == (None, "invalid")
    else:
        assert found.value == expected
        assert found.status == ("judge_error" if expected is None else "scored")


@pytest.mark.parametrize(("low", "high"), [(1, None), (None, 5), (5, 1), (2, 2), (0, float("inf"))])
def test_wrong_scales_are_refused(low, high):
    """Half a scale, an empty one and an endless one are errors."""
    with pytest.raises(ArgumentError, match="low"):
        parse_score("3", low=low, high=high)


@given(st.text(alphabet='0123456789.,/%-Score: ofut[]{}"n\n', max_size=60))
def test_any_text_gives_a_score_on_the_scale_or_none(reply):
    """No reply raises, and nothing outside the scale is returned."""
    found = parse_score(reply, low=1, high=5)
    assert found.value is None or 1 <= found.value <= 5
    assert (found.value is None) == (found.status != "scored")


@given(
    st.integers(1, 10), st.sampled_from(["Score: {}", "{}/10", "[[{}]]", '{{"score": {}}}', "{}"])
)
def test_forms_agree(score, form):
    """One score in every form is one score."""
    assert parse_score(form.format(score), low=1, high=10).value == score


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('~~~\n{"a": 1}\n~~~', {"a": 1}),
        ('Draft:\n```\n{"a": 0}\n```\nFinal:\n```\n{"a": 1}\n```\nBye.', {"a": 1}),
        ('Here {"a": {"b": "}"}} it is', {"a": {"b": "}"}}),
        ('{"a": "{\\"b\\": 2}"}', {"a": '{"b": 2}'}),
        ("[1, 2]", [1, 2]),
        ("```json\n[1]\n```", [1]),
        ("3", 3),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 1}', {"a": 1}),
        ('{"bad": } then {"a": 1}', {"a": 1}),
        ('{"\u00e9": "\\ud83d\\ude00"}', {"\u00e9": "\U0001f600"}),
    ],
)
def test_json_is_found(reply, value):
    """Whole, fenced, amid prose, nested, and after reasoning."""
    assert parse_json(reply).value == value


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "no JSON",
        "null",
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1, "a": 2}',
        '{"a": 1 /* one */}',
        '{"a": 1 // one\n}',
        "{a: 1}",
        '{"a": 1',
        '{"a": {"b": 1}, "c',
        '{"a": 1} {"a": ',
        '<think>{"a": 1}',
        '<think>{"a": 1}</think>',
        '{"a": ' * 5000,
        '{"a": ' + "1" * 5000 + "}",
    ],
)
def test_json_that_is_not_strict_is_refused(reply):
    """Repairs are guesses: what is not strict JSON is a judge error with the reason."""
    found = parse_json(reply)
    assert (found.value, found.status) == (None, "judge_error")
    assert found.reason


def test_json_with_a_key():
    """The last object with the key is taken, wherever others stand."""
    reply = 'First {"verdict": 1}, then {"verdict": 2}, note {"other": 3}'
    assert parse_json(reply, key="verdict").value == {"verdict": 2}
    assert parse_json(reply).value == {"other": 3}
    assert parse_json("[1]", key="verdict").status == "judge_error"


@given(st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=8)))
def test_json_that_was_dumped_is_read_back(document):
    """Any object survives a fence and prose around it."""
    text = json.dumps(document)
    assert parse_json(f"Here:\n```json\n{text}\n```\nBye").value == document
    assert json_objects(text) == [document]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<THINK time='3'>a</ think >b", "b"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<thinking>a <analysis> b</thinking>c", "c"),
        ("<think>a</thinking>b", None),
        ("<reasoning>a</reasoning><answer>B</answer>", "<answer>B</answer>"),
        ("<scratchpad>a</scratchpad>b", "b"),
        ("[THINK]a[/THINK]b", "b"),
        ("[THINK]a", None),
        ("\u25c1think\u25b7a\u25c1/think\u25b7b", "b"),
        ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>b<|end_of_solution|>", "b"),
        ("<|begin_of_thought|>a", None),
        ("<|channel|>analysis<|message|>a<|end|>", None),
        ("<|channel|>analysis", None),
        ("<|channel|>final<|message|>b<|return|>", "b"),
        ("a</think>b</think>c", "c"),
        ("a <think> b", None),
        ("plain", "plain"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ],
)
def test_reasoning_is_removed(reply, answer):
    """Every family of reasoning marks; one that never closes leaves no answer."""
    assert answer_text(reply) == answer
