"""Typography that does not count: full-width forms, foreign digits, emphasis, invisible marks."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain_reply", "unquoted"]

_SAME = str.maketrans(
    {
        "\u2212": "-",
        "\u2010": "-",
        "\u2011": "-",
        "\ufe63": "-",
        "\u227b": ">",
        "\u226b": ">>",
        "\u226a": "<<",
        "\u227a": "<",
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u3010": "[",
        "\u3011": "]",
        "\u3014": "[",
        "\u3015": "]",
        "\u2192": "->",
        "\u21d2": "=>",
        "\u2248": "~",
        "\u223c": "~",
        "\u3000": " ",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
        "\u3002": ". ",
        "\u2044": "/",
        "\u2215": "/",
        "\u066a": "%",
        "\u066b": ".",
        "\u066c": ",",
    }
)
_EMPHASIS = re.compile(r"\*+|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)|`+(?:json|text)?|~~+|\\[()]|\$")
_TEX = re.compile(r"\\(?:text(?:bf|rm|it)?|mathrm|mathbf)\s*\{([^{}]*)\}")
_QUOTE = re.compile(r"(?m)^\s*>(?=\s|[\[\"'A-Za-z]).*$")


def _character(character: str) -> str:
    if character.isascii():
        return character
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return "" if unicodedata.category(character) == "Cf" else character


def plain_reply(text: str) -> str:
    """Return `text` in ASCII punctuation and digits, without emphasis marks.

    Examples
    --------
    >>> plain_reply("**\uff33core**\uff1a\uff17 \u2212 `B`")
    'Score:7 - B'
    """
    if not text.isascii():
        text = "".join(map(_character, text.translate(_SAME)))
    return _EMPHASIS.sub("", _TEX.sub(r"\1", text)).strip()


def unquoted(text: str) -> str:
    r"""Return `text` without lines quoted from elsewhere, unless nothing else is there.

    Examples
    --------
    >>> unquoted("> Output [[A]] or [[B]].\n[[B]]").strip()
    '[[B]]'
    """
    rest = _QUOTE.sub("", text)
    return rest if rest.strip() else text
