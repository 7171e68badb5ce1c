"""Text that every renderer can write: no lone surrogates, no control characters."""

from __future__ import annotations

import re

__all__ = ["one_line", "printable"]

# Half surrogate pairs cannot be encoded; control characters are not allowed in HTML or XML.
_UNWRITABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")

_NAMES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def printable(value: str) -> str:
    r"""Replace lone surrogates and control characters by U+FFFD.

    Examples
    --------
    >>> printable("m\ud835") == "m\ufffd"
    True
    """
    return _UNWRITABLE.sub("\ufffd", value)


def one_line(value: str) -> str:
    r"""Return printable text in one line: line breaks and tabs are spelled out.

    Two names that differ only in them stay two names.

    Examples
    --------
    >>> print(one_line("a\r\nb\u2028c\td"))
    a\r\nb\u2028c\td
    """
    return re.sub(r"[\n\r\t\x85\u2028\u2029]", _spelled, printable(value))


def _spelled(match: re.Match[str]) -> str:
    return _NAMES.get(match[0], f"\\u{ord(match[0]):04x}")
