"""Degradations that alter what is there: a number, the format, the order of steps."""

# ruff: noqa: RUF001 - punctuation of other scripts is what is looked for
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from evalkit.contrasts.degradation import Degradation, Edit, NotApplicable
from evalkit.contrasts.layout import Block, Span, list_runs
from evalkit.contrasts.profile import Reading

__all__ = ["ALTER_NUMBER", "BREAK_FORMAT", "REORDER_STEPS"]

_TRIES = 24


def _altered(token: str, rng: np.random.Generator) -> str:
    """Return the number with its first digit that is not 0 replaced by one at least 2 away."""
    places = [i for i, char in enumerate(token) if char.isdecimal()]
    place = next((i for i in places if int(token[i])), places[-1])
    old = int(token[place])
    zero = ord(token[place]) - old
    percent = token[-1] in "%％٪"
    whole = [int(token[i]) for i in places]
    if percent and len(whole) == 3 and whole == [1, 0, 0]:
        # No other leading digit of 100 % is a possible share.
        tens = chr(zero + int(rng.integers(2, 9)))
        return tens + token[place + 1 : places[1]] + token[places[2] :]
    choices = [digit for digit in range(1, 10) if abs(digit - old) >= 2]
    return token[:place] + chr(zero + int(rng.choice(choices))) + token[place + 1 :]


def _number_edits(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Replace one quantity by another of the same form."""
    if not reading.numbers:
        return NotApplicable("no quantity")
    return (
        _with_number(reading.text, reading.numbers[i], rng)
        for i in rng.permutation(len(reading.numbers)).tolist()
    )


def _with_number(text: str, span: Span, rng: np.random.Generator) -> Edit:
    start, end = span
    new = _altered(text[start:end], rng)
    return Edit(text=text[:start] + new + text[end:], detail=f"{text[start:end]} -> {new}")


ALTER_NUMBER = Degradation(
    name="alter-number",
    summary="Replace one quantity by another of the same form; dates and citations stay.",
    declares={"numbers": ("one replaced",)},
    edits=_number_edits,
)


def _unmarked_list(text: str, run: Sequence[Block]) -> str:
    """Text with the items of one list as paragraphs of their own."""
    pieces, at = [], 0
    for block in run:
        pieces += [text[at : block.start], "" if block is run[0] else "\n"]
        pieces.append(text[block.content : block.end])
        at = block.end
    return "".join(pieces) + text[at:]


def _format_edits(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Break JSON, the last code fence, or else a table, the headings or a list."""
    text, blocks = reading.text, reading.blocks
    if not reading.profile.format:
        return NotApplicable("no format to break")
    if blocks[0].kind == "json":
        body = text.rstrip()
        return [Edit(text=body[:-1] + text[len(body) :], detail="dropped the last bracket")]
    edits = list(_structure_edits(text, blocks))
    fences = [b for b in blocks if b.mark == "```"]
    first = []
    if fences and len(fences) % 2 == 0:
        closing = fences[-1]
        first = [Edit(text=text[: closing.start] + text[closing.end :], detail="fence left open")]
    if not first and not edits:
        return NotApplicable("no format but a numbered list, whose marks are its steps")
    return first + [edits[i] for i in rng.permutation(len(edits)).tolist()]


def _structure_edits(text: str, blocks: Sequence[Block]) -> Iterator[Edit]:
    for block in blocks:
        if block.mark == "|":
            yield Edit(text=text[: block.start] + text[block.end :], detail="table rule dropped")
    headings = [b for b in blocks if b.kind == "heading"]
    if headings:
        ends = [0, *(block.content for block in headings)]
        starts = [*(block.start for block in headings), len(text)]
        pieces = [text[a:b] for a, b in zip(ends, starts, strict=True)]
        yield Edit(text="".join(pieces), detail="marks of headings dropped")
    for run in list_runs(blocks, "bullet"):
        yield Edit(text=_unmarked_list(text, run), detail="marks of list items dropped")


BREAK_FORMAT = Degradation(
    name="break-format",
    summary="Break JSON, a code fence, a table, headings or a list; every word stays.",
    declares={"format": ("some removed",), "parts": ("same", "regrouped")},
    edits=_format_edits,
)


def _permuted(text: str, run: Sequence[Block], order: Sequence[int]) -> str:
    """Text with the contents of the items in another order, their labels in place."""
    bodies = [text[block.content : block.end] for block in run]
    tails = [body[len(body.rstrip()) :] for body in bodies]
    pieces, at = [], 0
    for place, block in enumerate(run):
        pieces += [text[at : block.content], bodies[order[place]].rstrip(), tails[place]]
        at = block.end
    return "".join(pieces) + text[at:]


def _step_edits(reading: Reading, rng: np.random.Generator) -> Iterable[Edit] | NotApplicable:
    """Put the steps of one numbered list in another order."""
    runs = [run for run in list_runs(reading.blocks, "numbered") if len(run) > 1]
    if not runs:
        return NotApplicable("no numbered list of two steps")
    return _orders(reading.text, runs, rng)


def _orders(text: str, runs: Sequence[Sequence[Block]], rng: np.random.Generator) -> Iterator[Edit]:
    for _ in range(_TRIES):
        run = runs[int(rng.integers(len(runs)))]
        order = rng.permutation(len(run)).tolist()
        if order != sorted(order):
            shown = ", ".join(str(i + 1) for i in order)
            yield Edit(text=_permuted(text, run, order), detail=f"steps in order {shown}")


REORDER_STEPS = Degradation(
    name="reorder-steps",
    summary="Put the steps of a numbered list in another order; their labels stay in place.",
    declares={
        "steps": ("reordered",),
        "parts": ("reordered",),
        "words": ("reordered",),
        "numbers": ("same", "reordered"),
        "citations": ("same", "reordered"),
    },
    edits=_step_edits,
)
