"""Membership of the canonical text in the set of canonical aliases."""

from __future__ import annotations

from evalkit.verifiers.text import References, canonical_text, check_output, reference_texts
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["canonical_membership"]


def canonical_membership(output: str | None, reference: References) -> Verdict:
    """Look the canonical text of the output up in the set of canonical aliases.

    Parameters
    ----------
    output : str or None
        The answer; ``None`` is a missing output.
    reference : str or sequence of str
        The gold answer, or its aliases.

    Returns
    -------
    Verdict
        Abstains on ``None``.

    Raises
    ------
    ArgumentError
        If the output or a reference is not text, or there is no reference.

    Notes
    -----
    Conventions: Unicode NFKC, case folding, punctuation and ASCII symbols deleted, whitespace
    collapsed. Unlike :func:`~evalkit.verifiers.exact_match` articles count.

    Examples
    --------
    >>> canonical_membership("ITC Limited.", ["itc limited"]).passed
    True
    >>> canonical_membership("the ITC Limited", ["itc limited"]).passed
    False
    """
    aliases = {canonical_text(text) for text in reference_texts(reference)}
    if check_output(output) is None:
        return abstain("no output")
    found = canonical_text(str(output))
    passed = found in aliases
    reason = "is a canonical alias" if passed else "is not a canonical alias"
    return decided(passed, reason, {"canonical": found})
