"""Cues: what is counted in texts, columns, expressions, and that graders are kept out."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, MissingColumnError
from evalkit.pairs import build_pairs, find_cue, make_candidate, read_candidates
from evalkit.pairs.expressions import parse_expression
from evalkit.pairs.grader_columns import grader_reason
from evalkit.pairs.text_cues import TEXT_CUES


def candidate(output=None, **features):
    """Make a candidate of one task."""
    return make_candidate(id="a", task="t", reference=1, output=output, features=features)


@pytest.mark.parametrize(
    ("cue", "text", "count"),
    [
        ("length", "né😀", 3),
        ("length", "", 0),
        ("words", "one  two\nthree", 3),
        ("citations", "See [1], [2, 3] and [4-6].", 3),
        ("citations", "(Smith et al., 2020) and (Jones 1999a); x[0] = (1 + 2)", 3),
        ("citations", "[docs](https://a.org/x) and https://b.org/y.", 2),
        ("citations", "Nothing (at all) [here].", 0),
        ("citations", "fn[^1] doi:10.1000/xyz 【4†source】", 3),
        ("confidence", "Clearly this is definitely, 100% right. Sureness is not sure.", 4),
        ("confidence", "uncertain", 0),
        ("numbers", "1,234.5 and -7 in v2", 2),
        ("markdown", "# Title\n- a\n2. b\n**bold** and `code`\n> q\n", 6),
        ("markdown", "plain - text * 3", 0),
        ("populated-cells", '{"a": [1, null, ""], "b": {"c": false}}', 2),
        ("populated-cells", "```json\n[[1, 2], [null, 3]]\n```", 3),
        ("populated-cells", "| a | b |\n|---|---|\n| 1 | |\n| 2 | 3 |", 5),
        ("populated-cells", "a\tb\n1\t\n", 3),
        ("populated-cells", '"x, y",b\r\n1,2\r\n', 4),
    ],
)
def test_text_cues_count(cue, text, count):
    """Each cue counts what it says."""
    assert find_cue(cue).value(candidate(text)) == count


@pytest.mark.parametrize("text", ["", "prose, with a comma", "a,b", "{broken", "[" * 5000, "|x|"])
def test_no_table_has_no_cells(text):
    """The number of cells is undefined, not 0, where there is no table."""
    assert TEXT_CUES["populated-cells"][1](text) is None


def test_no_text_has_no_cue():
    """A cue on texts is undefined for a candidate of features."""
    assert find_cue("length").value(candidate(length=3)) is None
    assert find_cue("column:length").value(candidate(length=3)) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4 / 8", Fraction(13, 2)),
        ("-(2 - 5) * - 1", -3),
        ("min(a, 3, b) + max(a)", 13),
        ("`odd name` * .5", 2),
        ("a/b", Fraction(10, 4)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("a - b - 1", 5),
    ],
)
def test_expressions_compute_exactly(text, value):
    """Precedence, signs, functions and quoted names; decimals are exact."""
    row = {"a": Fraction(10), "b": Fraction(4), "odd name": Fraction(4)}
    assert parse_expression(text).value(lambda name: row.get(name.text)) == value


@pytest.mark.parametrize("text", ["a / (b - 4)", "a + none", "min(a, none)", "-none"])
def test_undefined_expressions(text):
    """Division by zero and missing columns leave the value undefined."""
    row = {"a": Fraction(10), "b": Fraction(4)}
    assert parse_expression(text).value(lambda name: row.get(name.text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "a +", "(a", "a)", "a b", "__import__('os')", "a.b", "a ** 2", "f(a)", "a if b else c",
        "lambda: 1", "min()", "min(a", "a;b", "1e5", "`", "(" * 60 + "a" + ")" * 60,
        "a+" * 600 + "a",
        "a[0]", "a := 1",
    ],
)  # fmt: skip
def test_nothing_else_is_an_expression(text):
    """No attribute, call, power or statement is understood."""
    with pytest.raises(ArgumentError):
        parse_expression(text)


@given(st.text(max_size=40))
def test_any_text_is_parsed_or_refused(text):
    """No text breaks the parser."""
    try:
        parse_expression(text)
    except ArgumentError as error:
        assert "expression" in str(error)  # noqa: PT017 - most texts are refused


def test_cue_without_a_name_is_refused():
    """A constant is no cue."""
    with pytest.raises(ArgumentError, match="names nothing"):
        find_cue("1 + 2")


@pytest.mark.parametrize(
    "name",
    ["judge_score", "judgeScore", "Grader", "grader_2", "llm-judge", "verdict", "reward_a",
     "my_judgment", "judgement"],
)  # fmt: skip
def test_names_that_look_like_graders(name):
    """Names with grader, judge, verdict or reward in them count as a grader's score."""
    assert grader_reason(name) == "its name looks like a grader's score"
    assert grader_reason(name, not_graders=[name]) is None


@pytest.mark.parametrize("name", ["upgrade", "prejudged", "reference", "length", "score", "words"])
def test_names_that_do_not(name):
    """Words that only contain such letters do not."""
    assert grader_reason(name) is None
    assert "declared" in grader_reason(name, graders=[name])


def test_a_grader_cannot_be_the_cue():
    """A cue that uses a declared or likely grader is refused with the reason."""
    with pytest.raises(ArgumentError, match="looks like a grader's score"):
        find_cue("column:judge_score")
    with pytest.raises(ArgumentError, match="declared as the score of a grader under evaluation"):
        find_cue("words + q1", graders=["q1"])
    with pytest.raises(ArgumentError, match="both as"):
        find_cue("column:q1", graders=["q1"], not_graders=["q1"])
    assert find_cue("column:judge_words", not_graders=["judge_words"]).columns == ("judge_words",)


def test_a_grader_cannot_be_read():
    """As reference or feature it is refused; otherwise it is left out and named."""
    rows = [{"t": "1", "ref": 1, "judge": 0.3, "g": 4, "n": 5}]
    found = read_candidates(rows, task="t", reference="ref", graders=["g"])
    assert dict(found.candidates[0].features) == {"n": "5"}
    assert len(found.notes) == 2
    with pytest.raises(ArgumentError, match="cannot be the reference"):
        read_candidates(rows, task="t", reference="judge")
    with pytest.raises(ArgumentError, match="cannot be the feature"):
        read_candidates(rows, task="t", reference="ref", features=["judge"])
    with pytest.raises(ArgumentError, match="cannot be the cluster"):
        read_candidates(rows, task="t", reference="ref", cluster="g", graders=["g"])
    declared = read_candidates(rows, task="t", reference="judge", not_graders=["judge"])
    assert declared.candidates[0].reference == Fraction(3, 10)
    row = candidate(g=3, n=4)
    with pytest.raises(ArgumentError, match="leave it out"):
        build_pairs([row], cue="column:n", graders=["g"])


def test_cue_that_no_candidate_has():
    """The message names the features there are, or that texts are missing."""
    with pytest.raises(MissingColumnError, match="'n'"):
        build_pairs([candidate(n=4)], cue="column:m")
    with pytest.raises(ArgumentError, match="no candidate has"):
        build_pairs([candidate(n=4)], cue="length")
