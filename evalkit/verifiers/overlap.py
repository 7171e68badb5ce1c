"""Token F1: the harmonic mean of precision and recall over words."""

from __future__ import annotations

from collections import Counter

from evalkit.errors import ArgumentError
from evalkit.verifiers.text import References, check_output, normalise_answer, reference_texts
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["check_threshold", "token_f1"]


def check_threshold(name: str, value: float) -> float:
    """Return a threshold that lies between 0 and 1; refuse others."""
    if not 0 <= value <= 1:
        raise ArgumentError(f"`{name}` is {value}; it must lie between 0 and 1")
    return float(value)


def _f1(found: list[str], wanted: list[str]) -> float:
    if not found or not wanted:
        return float(found == wanted)
    shared = sum((Counter(found) & Counter(wanted)).values())
    return 2 * shared / (len(found) + len(wanted))


def token_f1(
    output: str | None, reference: References, *, threshold: float | None = None
) -> Verdict:
    """Grade by the words shared with the best reference.

    Parameters
    ----------
    output : str or None
        The answer; ``None`` is a missing output.
    reference : str or sequence of str
        The gold answer, or its aliases.
    threshold : float, optional
        Smallest F1 that passes; without one the verdict only grades (`passed` is ``None``).

    Returns
    -------
    Verdict
        Its score is the largest F1 over the references. Abstains on ``None``.

    Raises
    ------
    ArgumentError
        If an input is not text, or the threshold is not within 0 and 1.

    Notes
    -----
    ``2 shared / (words of the output + words of the reference)``, words counted with
    multiplicity after the normalisation of :func:`~evalkit.verifiers.exact_match`.
    Without words on one side F1 is 1 when there are none on the other side either, else 0.

    Examples
    --------
    >>> token_f1("the cat sat", "a cat sat down").score
    0.8
    >>> token_f1("", "").score, token_f1("", "cat").score
    (1.0, 0.0)
    """
    wanted = [normalise_answer(text).split() for text in reference_texts(reference)]
    if threshold is not None:
        check_threshold("threshold", threshold)
    if check_output(output) is None:
        return abstain("no output")
    found = normalise_answer(str(output)).split()
    score = max(_f1(found, words) for words in wanted)
    reason = f"token F1 {score:.4f}"
    if threshold is None:
        return Verdict(passed=None, score=score, reason=reason)
    return decided(score >= threshold, reason, {"threshold": threshold}, score=score)
