"""Citations, numbers and words of a text, with their offsets."""

# ruff: noqa: RUF001 - punctuation of other scripts is what is looked for
from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal

from evalkit.contrasts.layout import Span

__all__ = ["Citation", "covered", "find_citations", "find_numbers", "find_words"]

CitationKind = Literal["bracket", "author-year", "link", "url"]

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_URL = r"https?://[^\s<>()\[\]{}\"'“”，。、；]+"
_CITATION = re.compile(
    rf"(?P<link>(?<!!)\[(?P<label>[^\[\]\n]+)\]\({_URL}[^)\n]{{0,300}}\))"
    rf"|(?P<url>{_URL})"
    r"|(?P<bracket>\[\^?\d+(?:\s*[,;–-]\s*\^?\d+)*\](?!\()|【\d[^】\n]*】)"
    r"|(?P<author>[(（](?=[^()（）\n]*[^\W\d_])[^()（）\n]{1,160}?[,，]?\s*"
    r"(?:1[6-9]|20)\d{2}[a-z]?(?:[,:]\s*(?:pp?\.\s*)?\d+(?:[-–]\d+)?)?[)）])"
)
_MONTH = re.compile(rf"\b(?:{_MONTHS})\b", re.IGNORECASE)
_AUTHOR = re.compile(r"^[(（](?:see|cf\.|e\.g\.,?|also|\s)*[^\W\d_]", re.IGNORECASE)
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff]"  # a number may touch Han and kana
_NUMBER = re.compile(
    rf"(?<!{_LETTER})(?<![.,:/#@^第-])(?<![^\W\d_][-–])"
    r"(?:\d{1,3}(?:[,'’\u202f\u00a0]\d{3})+|\d+)(?:[.٫]\d+)?(?:\s?[%％٪])?"
    rf"(?!{_LETTER})(?![/#@^\ufe0f\u20e3])(?![.,:٫-]\d)(?!-\w)"
)
_JOINERS = "'’\u200c\u200d"
_DATED_BEFORE = re.compile(rf"\b(?:{_MONTHS})\.?\s*(?:\d{{1,2}},?\s*)?$", re.IGNORECASE)
_DATED_AFTER = re.compile(rf"^(?:st|nd|rd|th)?\s*(?:of\s+)?(?:{_MONTHS})\b", re.IGNORECASE)
_CJK_DATE = re.compile(r"^\s?[年月日号時时分]")
_YEARS = range(1600, 2100)
_SINGLE = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han and kana: each is a word
_MARK_RANGES = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One citation.

    Attributes
    ----------
    kind : {"bracket", "author-year", "link", "url"}
        ``[1]``; ``(Smith, 2020)``; ``[text](address)``; a bare address.
    start, end : int
        Offsets of what names the source; the words of a link are not part of it.
    text : str
        The source as it is named.
    opening : int or None
        Offset of the bracket before the words of a link.
    """

    kind: CitationKind
    start: int
    end: int
    text: str
    opening: int | None = None


def covered(text: str, spans: Sequence[Span]) -> bytearray:
    """Mark the characters that lie in one of the spans.

    Examples
    --------
    >>> list(covered("abcd", [(1, 3)]))
    [0, 1, 1, 0]
    """
    marks = bytearray(len(text))
    for start, end in spans:
        marks[start:end] = b"\x01" * (end - start)
    return marks


def find_citations(text: str, *, protected: Sequence[Span] = ()) -> tuple[Citation, ...]:
    """Find the citations of a text.

    Parameters
    ----------
    text : str
        The text.
    protected : sequence of (int, int)
        Spans to leave alone, such as code.

    Returns
    -------
    tuple of Citation
        In order.

    Examples
    --------
    >>> found = find_citations("Ice melts [1, 2] (Smith et al., 2020); see https://example.org/a.")
    >>> [c.text for c in found]
    ['[1, 2]', '(Smith et al., 2020)', 'https://example.org/a']
    >>> find_citations("It opened (on May 5, 2020).")
    ()
    """
    found = []
    closed = covered(text, protected)
    for match in _CITATION.finditer(text):
        start, end = match.span()
        if closed[start]:
            continue
        kind: CitationKind = "bracket"
        if match.group("link"):
            opening, place = match.start(), match.end("label")
            named = text[place + 2 : end - 1]
            found.append(Citation(kind="link", start=place, end=end, text=named, opening=opening))
            continue
        if match.group("url"):
            kind, end = "url", start + len(match.group().rstrip(".,;:!?"))
        elif match.group("author"):
            if _MONTH.search(match.group()) or not _AUTHOR.match(match.group()):
                continue
            kind = "author-year"
        found.append(Citation(kind=kind, start=start, end=end, text=text[start:end]))
    return tuple(found)


def _is_date(text: str, start: int, end: int) -> bool:
    """Whether a number is a year, or stands beside the name of a month."""
    token = text[start:end]
    if len(token) == 4 and token.isdecimal() and int(token) in _YEARS:
        return True
    return bool(
        _DATED_BEFORE.search(text[max(0, start - 24) : start])
        or _DATED_AFTER.match(text[end : end + 24])
        or _CJK_DATE.match(text[end : end + 2])
    )


def find_numbers(text: str, *, protected: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Offsets of the quantities of a text.

    Parameters
    ----------
    text : str
        The text; digits of any script count.
    protected : sequence of (int, int)
        Spans without quantities: citations, code, labels of items.

    Returns
    -------
    tuple of (int, int)
        Percent signs included. Dates, years, times, versions, identifiers, ranges and numbers
        with a leading zero are not quantities.

    Examples
    --------
    >>> text = "On 2021-03-04 v1.2.3 of GPT-4 rose 1,250.5 to 30 % by May 7, at 12:30, 007."
    >>> [text[a:b] for a, b in find_numbers(text)]
    ['1,250.5', '30 %']
    """
    found = []
    closed = covered(text, protected)
    for match in _NUMBER.finditer(text):
        token = match.group()
        leading = len(token) > 1 and token[0].isdecimal() and int(token[0]) == 0
        label = leading and token[1].isdecimal()
        if closed[match.start()] or label or _is_date(text, *match.span()):
            continue
        found.append(match.span())
    return tuple(found)


@cache
def _word_pattern() -> re.Pattern[str]:
    """Compile what a word is; `re` has no class for combining marks, so they are listed."""
    points = [p for r in _MARK_RANGES for p in r if unicodedata.category(chr(p))[0] == "M"]
    # Runs of neighbours have one difference to their rank.
    runs = (list(run) for _, run in groupby(enumerate(points), key=lambda pair: pair[1] - pair[0]))
    marks = "".join(f"\\U{run[0][1]:08x}-\\U{run[-1][1]:08x}" for run in runs)
    char = rf"(?:[^\W_]|[{marks}])"
    joined = rf"(?:{char}|[{_JOINERS}](?=[^\W\d_]))"
    return re.compile(rf"(?={char})[{_SINGLE}]|(?![{_SINGLE}]){char}(?:(?![{_SINGLE}]){joined})*")


def find_words(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Offsets of the words between two offsets: letters, digits and their combining marks.

    Examples
    --------
    >>> text = "It's naïve 中文 x2"
    >>> [text[a:b] for a, b in find_words(text, 0, len(text))]
    ["It's", 'naïve', '中', '文', 'x2']
    """
    return tuple(match.span() for match in _word_pattern().finditer(text, start, end))
