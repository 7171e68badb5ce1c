"""JSON in fences and after reasoning; reasoning that never ends is no answer."""

import pytest

from evalkit.records.judge_text import parse_json, parse_score

FENCE = "`" * 3


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (f'{FENCE}json\n{{"score": 4, "reason": "ok"}}\n{FENCE}', 4),
        (f'Here you go:\n{FENCE}\n{{"score": 2}}\n{FENCE}\nBye.', 2),
        ('<think>Maybe 9? No.</think>{"score": 3}', 3),
        ('<think>I lean to {"score": 5} but', None),
        ('{"score": 1}', 1),
        ('{"score": null}', None),
        ('<Thinking>{"score": 9}</Thinking>\n\n{"score": 3}', 3),
        (f'{FENCE}JSON\n{{"score": 4}}', 4),
        (f'Draft {{"score": 2}}, then\n{FENCE}json\n{{"score": 5}}\n{FENCE}', 5),
        ('{"score": "4"}', 4),
        ('{"score": 4, "score": 5}', None),
        ('{"score": NaN}', None),
        ('{"score": 4', None),
        ('{"reason": "3 of 5"}', None),
    ],
)
def test_replies(reply, score):
    """The score, or ``None`` with a judge error; never 0."""
    found = parse_score(reply, low=1, high=5)
    assert found.value == score
    assert found.status == ("judge_error" if score is None else "scored")


def test_reasons_name_the_fault():
    """What was wrong is said."""
    assert "never ends" in parse_json("<think>{}").reason
    assert "two values" in parse_json('{"a": 1, "a": 2}').reason
