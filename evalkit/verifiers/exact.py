"""Normalised exact match against any of several aliases."""

from __future__ import annotations

from evalkit.verifiers.text import References, check_output, normalise_answer, reference_texts
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["exact_match"]


def exact_match(output: str | None, reference: References) -> Verdict:
    """Compare normalised texts; any alias will do.

    Parameters
    ----------
    output : str or None
        The answer; ``None`` is a missing output.
    reference : str or sequence of str
        The gold answer, or its aliases.

    Returns
    -------
    Verdict
        Passed when the normalised output equals a normalised alias. Abstains on ``None``.

    Raises
    ------
    ArgumentError
        If the output or a reference is not text, or there is no reference.

    Notes
    -----
    Conventions: Unicode NFKC, case folding, punctuation and ASCII symbols deleted, articles
    (a, an, the) deleted, whitespace collapsed. Deleting punctuation makes ``1.5`` and ``15``
    equal, and ``-5`` and ``5``: use a numeric verifier for numbers.
    An empty output is an answer: it fails unless a reference is empty too.

    Examples
    --------
    >>> exact_match("the Beatles.", ["Beatles", "Fab Four"]).passed
    True
    >>> exact_match("", "Paris").passed, exact_match(None, "Paris").abstained
    (False, True)
    """
    aliases = [normalise_answer(text) for text in reference_texts(reference)]
    if check_output(output) is None:
        return abstain("no output")
    found = normalise_answer(str(output))
    passed = found in aliases
    reason = "equals an alias" if passed else "equals no alias"
    return decided(passed, reason, {"normalised": found})
