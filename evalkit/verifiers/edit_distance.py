"""Average normalised Levenshtein similarity, with its two thresholds."""

from __future__ import annotations

from evalkit.verifiers.overlap import check_threshold
from evalkit.verifiers.text import References, check_output, reference_texts
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["anls", "levenshtein"]


def levenshtein(a: str, b: str) -> int:
    """Count the insertions, deletions and substitutions that turn one text into the other.

    Notes
    -----
    Bit-parallel over the characters of the shorter text (Myers 1999, Hyyro 2003).

    Examples
    --------
    >>> levenshtein("kitten", "sitting"), levenshtein("", "abc")
    (3, 3)
    """
    if len(a) > len(b):
        a, b = b, a
    if not a:
        return len(b)
    places: dict[str, int] = {}
    for index, character in enumerate(a):
        places[character] = places.get(character, 0) | 1 << index
    everything, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, distance = everything, 0, len(a)
    for character in b:
        equal = places.get(character, 0)
        vertical = equal | down
        diagonal = (((equal & up) + up) ^ up) | equal
        plus = down | (~(diagonal | up) & everything)
        minus = up & diagonal
        distance += bool(plus & last) - bool(minus & last)
        plus = (plus << 1 | 1) & everything
        minus = minus << 1 & everything
        up = minus | (~(vertical | plus) & everything)
        down = plus & vertical
    return distance


def _similarity(a: str, b: str) -> float:
    longest = max(len(a), len(b))
    return 1.0 if longest == 0 else 1 - levenshtein(a, b) / longest


def anls(
    output: str | None, reference: References, *, threshold: float = 0.5, success: float = 0.999
) -> Verdict:
    """Grade by edit distance to the closest reference.

    Parameters
    ----------
    output : str or None
        The answer; ``None`` is a missing output.
    reference : str or sequence of str
        The gold answer, or its aliases.
    threshold : float
        Normalised distances of this size and above get no credit.
    success : float
        Smallest similarity that passes.

    Returns
    -------
    Verdict
        Its score is the largest similarity over the references. Abstains on ``None``.

    Raises
    ------
    ArgumentError
        If an input is not text, or a threshold is not within 0 and 1.

    Notes
    -----
    The distance is divided by the length of the longer text; the similarity is one minus that
    when it is below `threshold`, else 0. So a similarity of exactly 0.5 scores 0 by default.
    Texts are compared in lower case with whitespace collapsed; punctuation counts. Two empty
    texts have similarity 1.

    Examples
    --------
    >>> anls("Hello World", "hello  world").passed
    True
    >>> verdict = anls("hallo world", "hello world")
    >>> round(verdict.score, 4), verdict.passed, anls("xyz", "abc").score
    (0.9091, False, 0.0)
    """
    wanted = [" ".join(text.lower().split()) for text in reference_texts(reference)]
    check_threshold("threshold", threshold)
    check_threshold("success", success)
    if check_output(output) is None:
        return abstain("no output")
    found = " ".join(str(output).lower().split())
    best = max(_similarity(found, text) for text in wanted)
    # Compared as a distance: 1 - 0.5 is exact, 1 - 0.3 is not.
    score = best if 1 - best < threshold or best == 1 else 0.0
    detail = {"similarity": best, "threshold": threshold, "success": success}
    return decided(score >= success, f"similarity {best:.4f}", detail, score=score)
