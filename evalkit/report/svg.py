"""Inline SVG: no prolog, ids of its own, a text alternative."""

from __future__ import annotations

import re
from html import escape

from evalkit.errors import ArgumentError
from evalkit.tables.plain import printable

__all__ = ["inline_svg"]

_DROPPED = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE[^>]*>|<!--.*?-->|<metadata\b.*?</metadata>", re.DOTALL
)
_ACTIVE = re.compile(r"<script\b|<foreignObject\b|\son\w+\s*=|@import|javascript:", re.IGNORECASE)
_EXTERNAL = re.compile(
    r"""(?<![\w-])(?:xlink:)?href\s*=\s*["'](?!#|data:)|\bsrc\s*=|url\(\s*["']?(?!["']?#)""",
    re.IGNORECASE,
)
_ID = re.compile(r"""(?<![\w:-])id=(["'])([^"']+)\1""")
_REFERENCE = re.compile(r"""(href=["']#|url\(["']?#)""")


def inline_svg(svg: str, *, prefix: str, alt: str) -> str:
    """Prepare SVG text for a page that holds several.

    Parameters
    ----------
    svg : str
        A whole SVG document.
    prefix : str
        Put before every id and every reference to one, so that two drawings do not clash.
    alt : str
        What the drawing shows, read out in its place.

    Returns
    -------
    str
        The ``svg`` element.

    Raises
    ------
    ArgumentError
        If there is no ``svg`` element, or it would run code or load something.

    Examples
    --------
    >>> inline_svg('<svg><g id="a"/><use href="#a"/></svg>', prefix="f1-", alt="One")
    '<svg role="img" aria-label="One"><g id="f1-a"/><use href="#f1-a"/></svg>'
    """
    text = _DROPPED.sub("", printable(svg)).strip()
    if not re.match(r"<svg[\s>]", text):
        raise ArgumentError(f"`svg` starts with {text[:40]!r}; it must be an SVG document")
    for fault in (_ACTIVE.search(text), _EXTERNAL.search(text)):
        if fault:
            raise ArgumentError(
                f"`svg` holds {fault[0].strip()!r}; a page must not run or load anything from a "
                "drawing, so remove it"
            )
    text = _ID.sub(rf"id=\g<1>{prefix}\g<2>\g<1>", text)
    text = _REFERENCE.sub(rf"\g<1>{prefix}", text)
    name = escape(printable(alt), quote=True)
    return text.replace("<svg", f'<svg role="img" aria-label="{name}"', 1)
