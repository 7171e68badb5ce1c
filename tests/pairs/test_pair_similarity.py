"""Near-duplicate texts: exact Jaccard, groups against brute force, and cost."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import ArgumentError
from evalkit.pairs.similarity import group_texts, jaccard, shingles

WORDS = [f"w{k}" for k in range(400)]


def brute_groups(texts, threshold):
    """Single linkage over all pairs of texts."""
    label = list(range(len(texts)))
    for i in range(len(texts)):
        for j in range(i):
            if jaccard(shingles(texts[i]), shingles(texts[j])) >= threshold:
                old, new = label[i], label[j]
                label = [new if x == old else x for x in label]
    first = {}
    return tuple(first.setdefault(x, len(first)) for x in label)


def test_jaccard_is_of_word_triples():
    """Six words share two of four triples when the last word differs: 3/5 by hand."""
    a, b = shingles("a b c d e f"), shingles("A b c  d e X")
    assert (a.size, b.size) == (4, 4)
    assert jaccard(a, b) == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("a", "b"), [("5", "-5"), ("", "x"), ("😀", "😎"), ("1.5", "15"), ("a", "a a")]
)
def test_short_texts_differ(a, b):
    """A sign, a mark or an emoji makes another text."""
    assert jaccard(shingles(a), shingles(b)) == 0


def test_scripts_without_spaces_have_shingles():
    """One changed character of Chinese text leaves most triples."""
    a, b = shingles("今天天气很好我们去公园散步吧"), shingles("今天天气很好我们去公园散步了")
    assert 0.7 < jaccard(a, b) < 1


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_groups_equal_brute_force(rng, threshold):
    """MinHash finds the groups that comparing all texts finds."""
    texts = []
    for _ in range(6):
        base = [rng.choice(WORDS) for _ in range(40)]
        texts.append(" ".join(base))
        for _ in range(rng.randrange(3)):
            changed = list(base)
            for _ in range(rng.randrange(4)):
                changed[rng.randrange(40)] = rng.choice(WORDS)
            texts.append(" ".join(changed))
    assert group_texts(texts, threshold=threshold).labels == brute_groups(texts, threshold)


def test_empty_and_equal_texts():
    """No texts have no groups; texts equal but for case and space are one."""
    assert group_texts([]).labels == ()
    assert group_texts(["", "A  b", "a B", ""]).labels == (0, 1, 1, 0)


def test_many_similar_texts_stay_cheap():
    """Five hundred near-copies of one template are grouped without comparing all of them."""
    rng = random.Random(1)  # noqa: S311
    base = [rng.choice(WORDS) for _ in range(60)]
    texts = [" ".join([*base[:50], *(rng.choice(WORDS) for _ in range(10))]) for _ in range(500)]
    start = time.perf_counter()
    found = group_texts(texts, threshold=0.8)
    assert time.perf_counter() - start < 10
    assert len(found.labels) == 500
    assert found.crowded > 0


@pytest.mark.parametrize("threshold", [0.0, 1.01, float("nan"), -1])
def test_thresholds_that_cannot_be_searched(threshold):
    """A similarity lies in 0.1..1."""
    with pytest.raises(ArgumentError, match="near_duplicate"):
        group_texts(["a"], threshold=threshold)


def test_shingles_do_not_depend_on_the_process():
    """Hashes are fixed: Python's own are salted."""
    assert shingles("one two three four").tolist() == [12677022054392087507, 13046723617205336378]
