"""Option labels and option texts from free text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.verifiers import option_label, option_text, parse_option

OPTIONS = {"A": "x + 1", "B": "x - 1", "C": "None of these", "D": "all of these"}


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("C", "C"),
        ("c", "C"),
        (" (C). ", "C"),
        ("**C**", "C"),
        ("Option C", "C"),
        ("Answer: C", "C"),
        ("answer: c", "C"),
        ("**Answer:** C", "C"),
        ("**Answer: C**", "C"),
        ("The answer is (b).", "B"),
        ("The final answer is option D", "D"),
        (r"So \boxed{C}.", "C"),
        (r"\boxed{\text{C}}", "C"),
        (r"the answer is $\boxed{B}$", "B"),
        ("[[A]]", "A"),
        ("<answer>D</answer>", "D"),
        ("Answer: A. Wait, no. Answer: B", "B"),
        (r"Answer: A, then \boxed{C}", "C"),
        ("The answer is A because x > 0.", "A"),
        ("Option A tempts, but the answer is C", "C"),
        ("Long text about A and B.\n\nC", "C"),
        ("C) None of these", "C"),
        ("<think>Answer: A</think>Answer: B", "B"),
        ("Answer: A hm</think>\nB", "B"),
        ("Answer: C or C", "C"),
        ("The answer is C, and D is wrong.", "C"),
        ("The correct option is B", "B"),
        ('{"answer": "C"}', "C"),
    ],
)
def test_labels_that_are_read(reply, label):
    """The last explicit marker wins, then a bare label, then a leading one."""
    assert parse_option(reply)[0] == label


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no option label"),
        ("I cannot tell.", "no option label"),
        ("The answer is a matter of taste", "no option label"),
        ("The answer is not C", "no option label"),
        ("Answer: I think so", "no option label"),
        ("The answer is Because", "no option label"),
        ("Answer: A or B", "names A and B"),
        ("The answer is (A) and (B).", "names A and B"),
        ("A) one\nB) two", "names A and B"),
        ("<think>Answer: C", "the reasoning never ends"),
    ],
)
def test_replies_that_choose_nothing_abstain(reply, reason):
    """An ambiguous or missing choice is no verdict, and says why."""
    assert parse_option(reply) == (None, reason)
    found = option_label(reply, "C")
    assert found.abstained
    assert found.reason == reason
    assert option_label(reply, "C", unparsed="fail").passed is False


@given(st.sampled_from("ABCD"), st.sampled_from("ABCD"))
def test_label_verdict_is_equality_of_labels(chosen, gold):
    """Whatever the form, the verdict is whether the labels are equal."""
    forms = ("{}", "({})", "Answer: {}", r"\boxed{{{}}}", "I rule out A. The answer is {}.")
    for form in forms:
        assert option_label(form.format(chosen), gold).passed is (chosen == gold)


def test_labels_can_be_declared():
    """Numbers serve as labels when declared; the gold label must be one of them."""
    assert option_label("Answer: 2", "2", labels="1234").passed
    assert option_label("Answer: 10", "10", labels=["1", "10"]).passed
    with pytest.raises(ArgumentError, match="reference"):
        option_label("Answer: A", "Z", labels="ABCD")
    with pytest.raises(ArgumentError, match="labels"):
        option_label("Answer: A", "A", labels="AA")
    with pytest.raises(ArgumentError, match="unparsed"):
        option_label("Answer: A", "A", unparsed="zero")


@pytest.mark.parametrize(
    ("reply", "gold", "passed"),
    [
        ("B", "B", True),
        ("x - 1", "B", True),
        ("Answer: x - 1.", "B", True),
        ("none  OF these", "C", True),
        ("C) None of these", "C", True),
        ("The answer is all of these", "D", True),
        ("x + 1", "B", False),
        ("Answer: A", "B", False),
    ],
)
def test_option_text_or_label(reply, gold, passed):
    """A label or the text of one option chooses it."""
    assert option_text(reply, gold, options=OPTIONS).passed is passed


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("x1", "no option label"),
        ("C) x + 1", "label C beside the text of A"),
        ("Answer: A or B", "names A and B"),
        (None, "no output"),
        ("<think>x + 1", "the reasoning never ends"),
    ],
)
def test_option_text_abstains(reply, reason):
    """Neither text nor label, two labels, or a label beside another text: no verdict."""
    found = option_text(reply, "A", options=OPTIONS)
    assert found.abstained
    assert found.reason == reason


def test_shared_option_text_chooses_neither():
    """A text that two options share is ambiguous, a label is not."""
    options = {"A": "Yes", "B": "yes.", "C": "no"}
    assert option_text("YES", "A", options=options).reason == "the text of options A, B"
    assert option_text("A) yes", "A", options=options).passed
    assert option_text("no", "C", options=options).passed
