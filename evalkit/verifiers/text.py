"""Normalised text: what two answers must share to be the same answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from evalkit.errors import ArgumentError

__all__ = [
    "References",
    "canonical_text",
    "check_output",
    "fold",
    "normalise_answer",
    "reference_texts",
]

References = str | Sequence[str]
"""One reference, or several aliases of which any will do."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ASCII_SYMBOLS = frozenset("$+<=>^`|~")


def check_output(output: object) -> str | None:
    """Return the output as it is; refuse what is neither text nor missing."""
    if output is None or isinstance(output, str):
        return output
    raise ArgumentError(
        f"`output` is {type(output).__name__}; give the output as text, or None where there is none"
    )


def reference_texts(reference: object) -> tuple[str, ...]:
    """Return the references as texts, one or several.

    Examples
    --------
    >>> reference_texts("Paris"), reference_texts(["NYC", "New York"])
    (('Paris',), ('NYC', 'New York'))
    """
    if isinstance(reference, str):
        return (reference,)
    if not isinstance(reference, Sequence) or isinstance(reference, (bytes, bytearray)):
        raise ArgumentError(
            f"`reference` is {type(reference).__name__}; give one text or a sequence of texts"
        )
    if not reference:
        raise ArgumentError("`reference` is empty; give at least one text")
    for text in reference:
        if not isinstance(text, str):
            raise ArgumentError(f"`reference` holds {text!r}; every reference must be text")
    return tuple(reference)


def fold(text: str) -> str:
    r"""Fold compatibility forms, case and whitespace; drop invisible format characters.

    Examples
    --------
    >>> fold("  ＮＡＳＡ \u200b Straße ")
    'nasa strasse'
    """
    before = None
    # Dropping a character can bring two others together that then compose: once more.
    while text != before:
        before = text
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.split())


def _without_punctuation(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c)[0] != "P" and c not in _ASCII_SYMBOLS)


def canonical_text(text: str) -> str:
    """Fold, then delete punctuation.

    Notes
    -----
    Punctuation is every character of a Unicode P category and the ASCII symbols; it is
    deleted, not replaced by a blank. Where nothing is left, the folded text stands.

    Examples
    --------
    >>> canonical_text("U.S. Treasury, (1940)"), canonical_text("?!")
    ('us treasury 1940', '?!')
    """
    folded = fold(text)
    return fold(_without_punctuation(folded)) or folded


def normalise_answer(text: str) -> str:
    """Fold, delete punctuation, then delete the articles a, an and the.

    Notes
    -----
    The order is the usual one of extractive question answering. Where nothing is left (the
    answer is an article or a mark), the folded text stands, so that two such answers are
    not taken as equal.

    Examples
    --------
    >>> normalise_answer("The  Eiffel-Tower!"), normalise_answer("A"), normalise_answer("%")
    ('eiffeltower', 'a', '%')
    """
    folded = fold(text)
    bare = _ARTICLES.sub(" ", fold(_without_punctuation(folded)))
    return " ".join(bare.split()) or folded
