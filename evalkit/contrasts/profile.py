"""The profile of a response: the properties that a degradation may change, one by one."""

# ruff: noqa: RUF001 - punctuation of other scripts is what is looked for
from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.contrasts.layout import Block, Span, list_runs, read_blocks, sentence_spans
from evalkit.contrasts.tokens import Citation, covered, find_citations, find_numbers, find_words

__all__ = ["Part", "Profile", "Property", "Reading", "read_response"]

Property = Literal["words", "parts", "numbers", "citations", "steps", "format"]
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_NUMBER_MARK = "\N{NUMBER SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A sentence of prose, a list item, a heading, a table row, a line of code or a JSON text.

    Attributes
    ----------
    block : Block
        Where it stands.
    start, end : int
        Offsets of its content, without its mark.
    skeleton : str
        Its text with numbers as ``#``, citations left out and white space evened.
    """

    block: Block
    start: int
    end: int
    skeleton: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a text consists of, each property by itself and in order.

    Attributes
    ----------
    words : tuple of str
        Words without numbers, citations, and labels of items.
    parts : tuple of str
        Skeletons of the parts.
    numbers : tuple of str
        Quantities outside citations and code.
    citations : tuple of str
        Citations outside code.
    steps : tuple of str
        Skeletons of numbered items.
    format : tuple of str
        Marks: headings, items, fences, table rules, ``json``.
    """

    words: tuple[str, ...]
    parts: tuple[str, ...]
    numbers: tuple[str, ...]
    citations: tuple[str, ...]
    steps: tuple[str, ...]
    format: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A response with the offsets of what it consists of.

    Attributes
    ----------
    text : str
        The response.
    task : str
        What it answers; empty where unknown.
    blocks : tuple of Block
        Its blocks.
    parts : tuple of Part
        Its parts.
    citations : tuple of Citation
        Its citations.
    numbers : tuple of (int, int)
        Its quantities.
    places : tuple of int
        Where its citations and quantities start, in order.
    profile : Profile
        The same without offsets.
    """

    text: str
    task: str
    blocks: tuple[Block, ...]
    parts: tuple[Part, ...]
    citations: tuple[Citation, ...]
    numbers: tuple[Span, ...]
    places: tuple[int, ...]
    profile: Profile

    @property
    def sentences(self) -> tuple[Part, ...]:
        """Sentences of the prose."""
        return tuple(part for part in self.parts if part.block.kind == "paragraph")

    def bare(self, part: Part) -> bool:
        """Whether a part holds neither a number nor a citation."""
        place = bisect_left(self.places, part.start)
        return place == len(self.places) or self.places[place] >= part.end

    def words_of(self, part: Part) -> tuple[str, ...]:
        """Words of a part, folded in case."""
        spans = find_words(self.text, part.start, part.end)
        return tuple(self.text[a:b].casefold() for a, b in spans)


def _protected(text: str, blocks: Sequence[Block]) -> tuple[Span, ...]:
    """Code and the labels of items."""
    spans = [(b.start, b.end) for b in blocks if b.kind == "code"]
    spans += [b.label for b in blocks if b.label is not None]
    return (*spans, *(m.span() for m in _INLINE_CODE.finditer(text)))


def _skeleton(text: str, start: int, end: int, cuts: Sequence[tuple[int, int, str]]) -> str:
    """Text of a part with each cut (start, end, stand-in), in order, made in it."""
    pieces, at = [], start
    for low, high, instead in cuts[bisect_left(cuts, (start,)) :]:
        if high > end:
            break
        pieces += [text[at:low], instead]
        at = high
    pieces.append(text[at:end])
    evened = " ".join("".join(pieces).split())
    return re.sub(r"\s+(?=[.,;:!?)。，、；：！？）])", "", evened)


def _part_spans(text: str, block: Block) -> tuple[Span, ...]:
    if block.kind == "paragraph":
        return sentence_spans(text, block.content, block.end)
    body = text[block.content : block.end]
    left = block.content + len(body) - len(body.lstrip())
    right = block.content + len(body.rstrip())
    return ((left, right),) if left < right else ()


def read_response(text: str, *, task: str = "") -> Reading:
    """Read the structure of a response.

    Parameters
    ----------
    text : str
        The response.
    task : str
        What it answers.

    Returns
    -------
    Reading

    Examples
    --------
    >>> found = read_response("Sales rose 12 % [1]. Costs fell.").profile
    >>> found.numbers, found.citations, found.parts
    (('12 %',), ('[1]',), ('Sales rose #.', 'Costs fell.'))
    """
    blocks = read_blocks(text)
    protected = _protected(text, blocks)
    citations = find_citations(text, protected=protected)
    cited = tuple((c.start, c.end) for c in citations)
    numbers = find_numbers(text, protected=(*protected, *cited))
    openings = [(c.opening, c.opening + 1) for c in citations if c.opening is not None]
    cuts = sorted(
        [(a, b, _NUMBER_MARK) for a, b in numbers] + [(a, b, "") for a, b in (*cited, *openings)]
    )
    parts = tuple(
        Part(block=block, start=start, end=end, skeleton=_skeleton(text, start, end, cuts))
        for block in blocks
        for start, end in _part_spans(text, block)
    )
    labels = [b.label for b in blocks if b.label is not None]
    left_out = covered(text, (*labels, *cited, *numbers))
    words = tuple(
        text[a:b].casefold() for a, b in find_words(text, 0, len(text)) if not left_out[a]
    )
    return Reading(
        text=text,
        task=task,
        blocks=blocks,
        parts=parts,
        citations=citations,
        numbers=numbers,
        places=tuple(sorted(start for start, _ in (*numbers, *cited))),
        profile=Profile(
            words=words,
            parts=tuple(part.skeleton for part in parts),
            numbers=tuple(text[a:b] for a, b in numbers),
            citations=tuple(c.text for c in citations),
            steps=_steps(blocks, parts),
            format=tuple(block.mark for block in blocks if block.mark),
        ),
    )


def _steps(blocks: Sequence[Block], parts: Sequence[Part]) -> tuple[str, ...]:
    """Skeletons of the items of numbered lists of two and more."""
    lists = {id(item) for run in list_runs(blocks, "numbered") if len(run) > 1 for item in run}
    return tuple(part.skeleton for part in parts if id(part.block) in lists)
