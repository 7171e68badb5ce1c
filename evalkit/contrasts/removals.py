"""Degradations that take something away: a citation, a requirement, the end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from evalkit.contrasts.degradation import Degradation, Edit, NotApplicable
from evalkit.contrasts.layout import Block, list_runs
from evalkit.contrasts.profile import Part, Reading
from evalkit.contrasts.tokens import Citation, covered, find_words

__all__ = ["DROP_CITATION", "DROP_REQUIREMENT", "TRUNCATE"]

_FEWEST_WORDS = 8
_KEPT = (0.4, 0.7)
_SPACE = " \t"


def _without_citation(text: str, cited: Citation) -> str:
    """Text without a citation and the space before it; of a link the words stay."""
    if cited.opening is not None:
        return text[: cited.opening] + text[cited.opening + 1 : cited.start] + text[cited.end :]
    left = cited.start
    while left and text[left - 1] in _SPACE:
        left -= 1
    return text[:left] + text[cited.end :]


def _citation_edits(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Take out one citation that the sentence does not need."""
    if not reading.citations:
        return NotApplicable("no citation")
    heads = {block.content for block in reading.blocks if block.kind == "paragraph"}
    usable = [
        cited
        for cited in reading.citations
        if cited.kind != "url" and not (cited.kind == "bracket" and cited.start in heads)
    ]
    if not usable:
        return NotApplicable("only addresses within sentences, or a list of references")
    return (
        Edit(text=_without_citation(reading.text, usable[i]), detail=f"dropped {usable[i].text}")
        for i in rng.permutation(len(usable)).tolist()
    )


DROP_CITATION = Degradation(
    name="drop-citation",
    summary="Take out one citation; the words around it stay.",
    declares={"citations": ("one removed",)},
    edits=_citation_edits,
)


def _renumbered(text: str, items: Sequence[Block], gone: int) -> str:
    """Text without one item of a numbered list, the later labels one less."""
    for item in reversed(items[gone + 1 :]):
        if item.label is not None:
            low, high = item.label
            text = text[:low] + str(int(text[low:high]) - 1) + text[high:]
    return text[: items[gone].start] + text[items[gone].end :]


def _relevance(reading: Reading, part: Part, asked: frozenset[str]) -> int:
    """Count the words that a part shares with the task."""
    return len(asked.intersection(reading.words_of(part))) if asked else 0


def _requirement_edits(
    reading: Reading, rng: np.random.Generator
) -> Iterable[Edit] | NotApplicable:
    """Take out a list item, or where there is no list a sentence, nearest to the task first."""
    found: list[tuple[Part, Callable[[], str]]] = []
    by_block = {id(part.block): part for part in reading.parts}
    for kind in ("bullet", "numbered"):
        for run in list_runs(reading.blocks, kind):
            for place, block in enumerate(run) if len(run) > 2 else ():
                part = by_block.get(id(block))
                if part is not None and reading.bare(part):
                    found.append((part, partial(_renumbered, reading.text, run, place)))
        if found:
            break
    if not found:
        droppable = _droppable(reading)
        found = [(part, partial(_without_sentence, reading.text, part)) for part in droppable]
    if not found:
        return NotApplicable("no list of three items, and no three sentences, to take one from")
    order = rng.permutation(len(found)).tolist()
    asked = frozenset(w for w in re.findall(r"\w+", reading.task.casefold()) if len(w) > 3)
    order.sort(key=lambda i: -_relevance(reading, found[i][0], asked))
    return (
        Edit(text=made(), detail=f"dropped {reading.text[part.start : part.end]!r}")
        for part, made in (found[i] for i in order)
    )


def _droppable(reading: Reading) -> list[Part]:
    """Sentences after the first of three and more, not alone in their paragraph."""
    sentences = reading.sentences
    if len(sentences) < 3:
        return []
    sizes = Counter(id(part.block) for part in sentences)
    return [part for part in sentences[1:] if sizes[id(part.block)] > 1 and reading.bare(part)]


def _without_sentence(text: str, part: Part) -> str:
    """Text without a sentence and the white space after it, at the end that before it."""
    start, end = part.start, part.end
    last = not text[part.end : part.block.end].strip()
    while last and text[start - 1].isspace():
        start -= 1
    while not last and text[end].isspace():
        end += 1
    return text[:start] + text[end:]


DROP_REQUIREMENT = Degradation(
    name="drop-requirement",
    summary="Take out one whole list item or sentence that holds no number and no citation.",
    declares={
        "parts": ("one removed",),
        "words": ("run removed",),
        "steps": ("same", "one removed"),
        "format": ("same", "one removed"),
    },
    edits=_requirement_edits,
)


def _cut_edits(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Cut the text between two words of one sentence or item, after 40 to 70 % of its words."""
    text = reading.text
    words = find_words(text, 0, len(text))
    if len(words) < _FEWEST_WORDS:
        return NotApplicable(f"fewer than {_FEWEST_WORDS} words")
    if reading.blocks[0].kind == "json":
        return NotApplicable("a JSON text: cutting it would break its format as well")
    code = [m.span() for m in re.finditer(r"`[^`\n]+`", text)]
    cited = [(c.start, c.end) for c in reading.citations]
    closed = covered(text, [*reading.numbers, *cited, *code])
    starts = [part.start for part in reading.parts]

    def owner(offset: int) -> int | None:
        """Part of prose or of a list that a character is in."""
        place = bisect_right(starts, offset) - 1
        part = reading.parts[place] if place >= 0 else None
        prose = part is not None and part.block.kind in ("paragraph", "bullet", "numbered")
        return place if part is not None and prose and offset < part.end else None

    low, high = (round(share * len(words)) for share in _KEPT)
    places = [
        i
        for i in range(max(low, 1), min(high, len(words) - 1) + 1)
        if owner(words[i][0]) is not None
        and owner(words[i - 1][0]) == owner(words[i][0])
        and not (closed[words[i - 1][0]] or closed[words[i][0]])
    ]
    if not places:
        return NotApplicable("no sentence to cut between two words in the middle of the text")
    return (
        Edit(text=text[: words[i - 1][1]], detail=f"cut after word {i} of {len(words)}")
        for i in rng.permutation(places).tolist()
    )


TRUNCATE = Degradation(
    name="truncate",
    summary="Cut the text off within a sentence, after 40 to 70 % of its words.",
    declares={
        "words": ("cut off",),
        "parts": ("cut off",),
        "numbers": ("same", "cut off"),
        "citations": ("same", "cut off"),
        "steps": ("same", "cut off"),
        "format": ("same", "cut off"),
    },
    edits=_cut_edits,
)
