"""Text that every renderer can write: no lone surrogates, no control characters."""

from __future__ import annotations

import re

__all__ = ["one_line", "printable"]

# Half surrogate pairs cannot be encoded; control characters are not allowed in HTML or XML.
_UNWRITABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


def printable(value: str) -> str:
    r"""Replace lone surrogates and control characters by U+FFFD.

    Examples
    --------
    >>> printable("m\ud835") == "m\ufffd"
    True
    """
    return _UNWRITABLE.sub("\ufffd", value)


def one_line(value: str) -> str:
    r"""Return printable text with every line break and tab as one space.

    Examples
    --------
    >>> one_line("a\r\nb\u2028c")
    'a b c'
    """
    return re.sub(r"\r\n|[\n\r\t\x85\u2028\u2029]", " ", printable(value))
