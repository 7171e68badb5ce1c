"""The blocks of a plain-text response: paragraphs, headings, lists, tables, code, JSON.

A light reading, by line and character offset, that never changes a character of the text.
"""

# ruff: noqa: RUF001 - punctuation of other scripts is what is looked for
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

__all__ = ["Block", "BlockKind", "Span", "list_runs", "read_blocks", "sentence_spans"]

BlockKind = Literal["paragraph", "heading", "bullet", "numbered", "row", "code", "json"]
Span = tuple[int, int]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*$")
_ITEM = re.compile(r"^([ \t]*)(?:([-*+•])[ \t]+|(\d{1,3})(?:[.)](?:[ \t]+)|[、．])[ \t]*)(?=\S)")
_REFERENCE = re.compile(r"^[ \t]*\[\^?\d+\]:?[ \t]+(?=\S)")
_END = re.compile(r"[.!?…؟।]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[”’」』）]*")
_LONGEST = 24  # characters around a full stop that decide whether it ends a sentence
_ABBREVIATIONS = frozenset(
    "e.g i.e etc vs cf al dr mr mrs ms prof st no fig eq sec approx inc ltd jr sr dept".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of a response.

    Attributes
    ----------
    kind : str
        What it is.
    start, end : int
        Offsets of its lines, line ends included.
    content : int
        Offset of its first character after the mark.
    mark : str
        Its mark in a normal form: ``"#"``, ``"-"``, ``"1."``, a fence, ``"|"``; empty for none.
    label : tuple of int or None
        Offsets of the number of a numbered item.
    indent : int
        Columns before the mark.
    """

    kind: BlockKind
    start: int
    end: int
    content: int
    mark: str = ""
    label: Span | None = None
    indent: int = 0


def _is_json(text: str) -> bool:
    """Whether the whole text is a JSON object or array."""
    body = text.strip()
    if not body or body[0] not in "{[" or body[-1] not in "}]":
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and content of each line; the content has no line end."""
    for match in _LINE.finditer(text):
        if match.group():
            yield match.start(), match.end(), match.group().rstrip("\r\n")


def _marked(start: int, end: int, line: str) -> Block | None:
    """Read a line that opens a block by a mark of its own."""
    heading = _HEADING.match(line)
    if heading:
        return Block(kind="heading", start=start, end=end, content=start + heading.end(), mark="#")
    item = _ITEM.match(line)
    if item is None:
        return None
    numbered = item.group(3) is not None
    return Block(
        kind="numbered" if numbered else "bullet",
        start=start,
        end=end,
        content=start + item.end(),
        mark="1." if numbered else "-",
        label=(start + item.start(3), start + item.end(3)) if numbered else None,
        indent=len(item.group(1).expandtabs(4)),
    )


def _extended(block: Block, end: int) -> Block:
    return Block(
        kind=block.kind,
        start=block.start,
        end=end,
        content=block.content,
        mark=block.mark,
        label=block.label,
        indent=block.indent,
    )


def read_blocks(text: str) -> tuple[Block, ...]:
    r"""Read the blocks of a text, in order; blank lines belong to none.

    Examples
    --------
    >>> [b.kind for b in read_blocks("# Plan\n\nTwo lines\nof prose.\n- one\n- two\n")]
    ['heading', 'paragraph', 'bullet', 'bullet']
    >>> read_blocks(""), read_blocks('{"a": 1}')[0].kind
    ((), 'json')
    """
    if _is_json(text):
        return (Block(kind="json", start=0, end=len(text), content=0, mark="json"),)
    blocks: list[Block] = []
    fence: str | None = None
    joins = False
    for start, end, line in _lines(text):
        opened = _FENCE.match(line)
        if opened and (fence is None or opened.group(1).startswith(fence)):
            fence = opened.group(1) if fence is None else None
            mark = start + opened.end()
            blocks.append(Block(kind="code", start=start, end=end, content=mark, mark="```"))
            joins = False
        elif fence is not None:
            blocks.append(Block(kind="code", start=start, end=end, content=start))
        elif not line.strip():
            joins = False
        elif _RULE.match(line):
            blocks.append(Block(kind="row", start=start, end=end, content=end, mark="|"))
            joins = False
        else:
            joins = _take_line(blocks, start, end, line, joins=joins)
    return tuple(blocks)


def _take_line(blocks: list[Block], start: int, end: int, line: str, *, joins: bool) -> bool:
    """Add a line of text to the blocks; return whether the next one may join its block."""
    found = _marked(start, end, line)
    if found is not None:
        blocks.append(found)
        return found.kind != "heading"
    if line.lstrip().startswith("|"):
        blocks.append(Block(kind="row", start=start, end=end, content=start))
        return False
    if _REFERENCE.match(line) or not joins:
        blocks.append(Block(kind="paragraph", start=start, end=end, content=start))
        return not _REFERENCE.match(line)
    blocks[-1] = _extended(blocks[-1], end)
    return True


def list_runs(blocks: Sequence[Block], kind: BlockKind) -> tuple[tuple[Block, ...], ...]:
    r"""Return the lists of one kind: items of one indentation without another block between.

    Items with items beneath them are no run of their own.

    Examples
    --------
    >>> found = list_runs(read_blocks("- a\n- b\n\ntext\n\n- c\n"), "bullet")
    >>> [len(run) for run in found]
    [2, 1]
    """
    runs: list[list[Block]] = []
    previous: Block | None = None
    for block in blocks:
        if block.kind == kind:
            same = previous is not None and (previous.kind, previous.indent) == (kind, block.indent)
            if same and runs:
                runs[-1].append(block)
            else:
                runs.append([block])
        previous = block
    return tuple(tuple(run) for run in runs)


def sentence_spans(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Offsets of the sentences between two offsets, without the white space around them.

    Examples
    --------
    >>> text = "It rose by 2.5, e.g. here. Why? 因为。所以。"
    >>> [text[a:b] for a, b in sentence_spans(text, 0, len(text))]
    ['It rose by 2.5, e.g. here.', 'Why?', '因为。', '所以。']
    """
    cuts = [start]
    for match in _END.finditer(text, start, end):
        at = match.start()
        before = text[max(cuts[-1], at - _LONGEST) : at].rsplit(None, 1)
        word = before[-1].lstrip("(\"'“").casefold() if before else ""
        after = text[match.end() : min(end, match.end() + _LONGEST)].lstrip()
        short = match.group() == "." and (
            word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or after[:1].islower()
        )
        if not short:
            cuts.append(match.end())
    cuts.append(end)
    spans = []
    for low, high in pairwise(cuts):
        body = text[low:high]
        left = low + len(body) - len(body.lstrip())
        right = high - (len(body) - len(body.rstrip()))
        if left < right:
            spans.append((left, right))
    return tuple(spans)
