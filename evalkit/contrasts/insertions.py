"""Degradations that add something: a contradiction, an unsupported claim, repetition."""

# ruff: noqa: RUF001 - punctuation of other scripts is what is looked for
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from evalkit.contrasts.degradation import Degradation, Edit, NotApplicable
from evalkit.contrasts.profile import Part, Reading

__all__ = ["CONTRADICT", "PAD", "UNSUPPORTED_CLAIM", "language_of"]

Language = Literal["en", "zh"]
_ENGLISH = frozenset(
    re.findall(
        r"\w+",
        "the a an of to and in is are was were that this it for with on as be by not or from at "
        "can will has have you your we they which should when if but its",
    )
)
_HAN = (0x4E00, 0x9FFF)
_KANA = (0x3040, 0x30FF)
_FALSE = {
    "en": 'That said, the statement "{quoted}" is false.',
    "zh": "但是，“{quoted}”这一说法是错误的。",
}
_CLAIMS = {
    "en": (
        "Independent studies have confirmed every point above without exception.",
        "Every expert in the field agrees with all of the points above.",
        "It has been proved beyond doubt that nothing matters more here than {topic}.",
        "Large controlled trials have shown that {topic} always has this effect.",
    ),
    "zh": ("独立研究已证实以上每一点，无一例外。", "该领域的所有专家都完全同意以上各点。"),
}
_ENDS = ".!?…。！？؟।\"'”’)）"
_QUOTES = '"“”«»„「」`'
_NO_LANGUAGE = "no wording for the language of the text (English and Chinese have one)"


def language_of(words: Sequence[str]) -> Language | None:
    """Tell English and Chinese text from all other, by function words and script.

    Examples
    --------
    >>> language_of(["the", "cat"]), language_of(list("猫在这里")), language_of(["die", "Katze"])
    ('en', 'zh', None)
    """
    if not words:
        return None
    points = [ord(word[0]) for word in words]
    if any(_KANA[0] <= p <= _KANA[1] for p in points):
        return None
    if 2 * sum(_HAN[0] <= p <= _HAN[1] for p in points) > len(points):
        return "zh"
    common = sum(word in _ENGLISH for word in words)
    return "en" if common and 10 * common >= len(words) else None


def _ends_whole(reading: Reading, part: Part) -> bool:
    """Whether a sentence ends as one, and is no entry of a list of references."""
    text = reading.text
    return text[part.end - 1] in _ENDS and text[part.block.content] != "["


def _inserted(reading: Reading, sentence: str, language: Language) -> str:
    """Text with a sentence after its last whole sentence of prose, else as a last paragraph."""
    text = reading.text
    whole = [part for part in reading.sentences if _ends_whole(reading, part)]
    if whole:
        end = whole[-1].end
        return text[:end] + (" " if language == "en" else "") + sentence + text[end:]
    return _with_paragraph(text, sentence)


def _with_paragraph(text: str, paragraph: str) -> str:
    """Text with a last paragraph, by its own kind of line end."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    return f"{text.rstrip()}{line_end}{line_end}{paragraph}"


def _contradicting(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Call one statement of the text false."""
    language = language_of(reading.profile.words)
    if reading.blocks[0].kind == "json":
        return NotApplicable("a JSON text has no place for a sentence")
    if language is None:
        return NotApplicable(_NO_LANGUAGE)
    statements = [
        (
            part.block.kind != "paragraph",
            " ".join(reading.text[part.start : part.end].split()).rstrip(_ENDS + ":：;；"),
        )
        for part in reading.parts
        if part.block.kind in ("paragraph", "bullet", "numbered")
        and reading.bare(part)
        and reading.text[part.end - 1] not in "?？؟"
        and 3 <= len(reading.words_of(part)) <= 60
    ]
    usable = [pair for pair in statements if not any(mark in pair[1] for mark in _QUOTES)]
    if not usable:
        return NotApplicable("no statement without numbers, citations and quotation marks")
    drawn = [usable[i] for i in rng.permutation(len(usable)).tolist()]
    # Prose states; items are often instructions, which cannot be false.
    drawn.sort(key=lambda pair: pair[0])
    return (
        Edit(
            text=_inserted(reading, _FALSE[language].format(quoted=quoted), language),
            detail=f"denied {quoted!r}",
        )
        for _, quoted in drawn
    )


CONTRADICT = Degradation(
    name="contradict",
    summary="Add a sentence that calls a statement of the text false.",
    declares={"parts": ("one added",), "words": ("run added",)},
    edits=_contradicting,
)


def _topic(reading: Reading) -> str | None:
    """Return the commonest longer word of the text, the earliest of equals."""
    counts = Counter(
        word
        for part in reading.parts
        if part.block.kind in ("paragraph", "bullet", "numbered", "heading")
        for word in reading.words_of(part)
        if len(word) > 5 and word.isalpha() and word.isascii() and word not in _ENGLISH
    )
    return counts.most_common(1)[0][0] if counts else None


def _claiming(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Claim evidence that the text does not give."""
    language = language_of(reading.profile.words)
    if reading.blocks[0].kind == "json":
        return NotApplicable("a JSON text has no place for a sentence")
    if language is None:
        return NotApplicable(_NO_LANGUAGE)
    topic = _topic(reading)
    claims = [c for c in _CLAIMS[language] if topic is not None or "{topic}" not in c]
    made = [claims[i].format(topic=topic) for i in rng.permutation(len(claims)).tolist()]
    return [
        Edit(text=_inserted(reading, claim, language), detail=f"added {claim!r}") for claim in made
    ]


UNSUPPORTED_CLAIM = Degradation(
    name="unsupported-claim",
    summary="Add a sentence that claims evidence which the text does not give.",
    declares={"parts": ("one added",), "words": ("run added",)},
    edits=_claiming,
)


def _padding(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Repeat up to three sentences of the text in a last paragraph."""
    usable = [p for p in reading.sentences if reading.bare(p) and _ends_whole(reading, p)]
    if not usable:
        return NotApplicable("no whole sentence without numbers and citations to repeat")
    most = min(3, len(usable))
    edits = []
    for number in range(most, 0, -1):
        places = sorted(rng.permutation(len(usable))[:number].tolist())
        texts = [" ".join(reading.text[usable[i].start : usable[i].end].split()) for i in places]
        glue = "" if all(t[-1] in "。！？" for t in texts) else " "
        edits.append(
            Edit(
                text=_with_paragraph(reading.text, glue.join(texts)),
                detail=f"repeated {number} sentence{'s' if number > 1 else ''}",
            )
        )
    return edits


PAD = Degradation(
    name="pad",
    summary="Repeat up to three of its own sentences at the end.",
    declares={"parts": ("repeats added",), "words": ("run added",)},
    edits=_padding,
)
