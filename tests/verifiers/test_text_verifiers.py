"""Exact match, token F1, ANLS and canonical membership."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.verifiers import (
    VERIFIERS,
    Verdict,
    anls,
    canonical_membership,
    canonical_text,
    exact_match,
    normalise_answer,
    token_f1,
)
from evalkit.verifiers.edit_distance import levenshtein

WORDS = st.lists(
    st.sampled_from(["cat", "sat", "mat", "hat", "Über", "x1"]), min_size=1, max_size=6
)
TEXT_VERIFIERS = [anls, canonical_membership, exact_match, token_f1]


@pytest.mark.parametrize(
    ("output", "reference", "passed"),
    [
        ("The Beatles.", "beatles", True),
        ("beatles", ["Fab Four", "The Beatles"], True),
        ("\uff2e\uff21\uff33\uff21", "nasa", True),
        ("STRASSE", "Straße", True),
        ("soft\u00adhyphen", "softhyphen", True),
        ("a", "the", False),
        ("%", "$", False),
        ("", "Paris", False),
        ("", "", True),
        ("Paris, France", "Paris", False),
        ("theatre", "atre", False),
    ],
)
def test_exact_match_by_hand(output, reference, passed):
    """Case, width, punctuation, articles and aliases do not matter; whole words do."""
    assert exact_match(output, reference).passed is passed


@given(WORDS, st.sampled_from(["{}", " {} ", "The {}", "{}!", '"{}"', "a {}", "{}\n"]))
def test_exact_match_is_invariant_under_its_normalisation(words, frame):
    """Case, an article in front, outer punctuation and blanks never change the verdict."""
    text = " ".join(words)
    for output in (frame.format(text), frame.format(text.upper()), text.replace(" ", "  ")):
        assert exact_match(output, text).passed
        assert exact_match(text, output).passed


@given(st.one_of(st.text(max_size=30), st.text("e\u0301\u200d.!A \u0345", max_size=12)))
def test_normalisation_is_idempotent(text):
    """Normalising twice changes nothing more, for any Unicode text."""
    assert canonical_text(canonical_text(text)) == canonical_text(text)
    assert exact_match(text, text).passed


def test_articles_separate_the_two_text_verifiers():
    """Exact match drops articles, canonical membership keeps them."""
    assert exact_match("the ITC Limited", "ITC Limited.").passed
    assert canonical_membership("the ITC Limited", "ITC Limited.").passed is False
    assert canonical_membership("I.T.C. limited", ["x", "ITC Limited"]).passed
    assert normalise_answer("the U.S.") == "us"


def test_token_f1_by_hand():
    """3 shared of 3 and 4 words: 6/7; repeated words count once for each occurrence."""
    assert token_f1("cat sat mat", "a cat sat mat down").score == pytest.approx(6 / 7)
    assert token_f1("cat cat", "cat").score == pytest.approx(2 / 3)
    assert token_f1("cat", ["dog", "cat hat"]).score == pytest.approx(2 / 3)
    assert token_f1("dog", "cat").score == 0.0


def test_token_f1_passes_only_with_a_threshold():
    """Without a threshold it grades; with one the bound is included."""
    assert token_f1("cat", "cat").passed is None
    assert token_f1("cat cat", "cat", threshold=2 / 3).passed
    assert token_f1("cat cat", "cat", threshold=0.7).passed is False


@given(WORDS, WORDS)
def test_token_f1_is_symmetric_and_bounded(first, second):
    """Swapping output and reference keeps F1, which is 1 for the same bag of words only."""
    a, b = " ".join(first), " ".join(second)
    score = token_f1(a, b).score
    assert score == token_f1(b, a).score
    assert 0 <= score <= 1
    assert (score == 1) == (sorted(a.casefold().split()) == sorted(b.casefold().split()))


def distance(a, b):
    """Edit distance by the plain table."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        old, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            old, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, old + (x != y))
    return row[-1]


@given(st.text("abcd", max_size=40), st.text("abcd", max_size=40))
def test_levenshtein_equals_the_plain_table(a, b):
    """The bit-parallel distance is the distance of the textbook recurrence."""
    assert levenshtein(a, b) == distance(a, b)


def test_levenshtein_of_long_texts():
    """More than a machine word of characters needs no special case."""
    assert levenshtein("x" * 500, "x" * 499 + "y") == 1
    assert levenshtein("ab" * 300, "ba" * 300) == 2


def test_anls_by_hand():
    """One edit in 11 characters scores 10/11; half the characters wrong score 0."""
    assert anls("hallo world", "hello world").score == pytest.approx(10 / 11)
    assert anls("ab", "cb").score == 0.0
    assert anls("abc", "xbc").score == pytest.approx(2 / 3)
    assert anls("ab", "cb", threshold=0.6).score == 0.5
    assert anls("abcdef", ["zzz", "abcdeg"]).score == pytest.approx(5 / 6)


def test_anls_success_needs_almost_equality():
    """At .999 a single edit in 999 characters fails and one in 1,000 passes."""
    assert anls(" ITC  Limited", "itc limited").passed
    assert anls("ITC Limited.", "itc limited").passed is False
    assert anls("x" * 999 + "y", "x" * 1000).passed
    assert anls("x" * 998 + "y", "x" * 999).passed is False


def test_anls_of_empty_texts():
    """Two empty texts are equal, one empty text shares nothing."""
    assert anls("", "").score == 1.0
    assert anls("", "abc").score == 0.0


@pytest.mark.parametrize("verify", TEXT_VERIFIERS)
def test_missing_output_abstains(verify):
    """No output is no verdict, with the reason, never a failure."""
    found = verify(None, "x")
    assert (found.abstained, found.passed, found.score) == (True, None, None)
    assert found.reason == "no output"


@pytest.mark.parametrize("verify", TEXT_VERIFIERS)
@pytest.mark.parametrize("reference", [[], None, 3, ["x", 3], b"x"])
def test_wrong_reference_is_refused(verify, reference):
    """A reference that is not text, or no reference, is an error even without output."""
    with pytest.raises(ArgumentError, match="reference"):
        verify("x", reference)


@pytest.mark.parametrize("verify", TEXT_VERIFIERS)
def test_wrong_output_is_refused(verify):
    """A number is not text: the caller says how it is written."""
    with pytest.raises(ArgumentError, match="output"):
        verify(3, "3")


@pytest.mark.parametrize("settings", [{"threshold": 1.5}, {"success": -0.1}])
def test_thresholds_lie_between_0_and_1(settings):
    """The message names the setting."""
    with pytest.raises(ArgumentError, match=next(iter(settings))):
        anls("x", "x", **settings)


def test_verdicts_cannot_contradict_themselves():
    """Abstaining excludes a score, and a decision needs a finite one."""
    with pytest.raises(ArgumentError, match="abstains"):
        Verdict(passed=False, score=0.0, reason="", abstained=True)
    with pytest.raises(ArgumentError, match="score"):
        Verdict(passed=True, score=None, reason="")
    with pytest.raises(ArgumentError, match="score"):
        Verdict(passed=True, score=float("nan"), reason="")


def test_every_registered_verifier_states_its_conventions():
    """Each has notes or says where they are, and its own name."""
    assert list(VERIFIERS) == sorted(VERIFIERS)
    for name, verify in VERIFIERS.items():
        assert verify.__name__ == name
        assert "Returns" in verify.__doc__
