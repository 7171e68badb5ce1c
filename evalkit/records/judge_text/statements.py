"""Statements in prose that prefer one of two answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalkit.records.judge_text.sides import BOTH_BAD, NOUN, Side, Sides

__all__ = ["Stated", "stated_sides"]

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]?")
_CLAUSE = re.compile(
    r"[,;:]\s|\s[-\u2013\u2014]\s|\b(?:because|since|but|so|while|whereas|although|though|however)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|whether|unless|example)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:would\s+(?:be|have)|could|might|may|either|which|who|should|when|cannot|unable|unclear|"
    r"unsure|hard\s+to|not|hardly|never|less|no\s+longer)\b|n't\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:overall|in\s+conclusion|in\s+summary|to\s+conclude|therefore|thus|hence|final(?:ly)?|"
    r"all\s+in\s+all|on\s+balance|in\s+the\s+end|ultimately)\b",
    re.IGNORECASE,
)
_DEGREE = (
    r"(?:(?:the|a|an|much|far|clearly|slightly|significantly|somewhat|bit|marginally|definitely|"
    r"overall|still|also|therefore|thus)\s+)*"
)
_TIED = re.compile(
    r"\b(?:it\s+is|it's|this\s+is|is|are|call\s+it|end\s+in|result\s+is|declare|as)\s+"
    r"(?:therefore\s+|thus\s+|overall\s+)?(?:a\s+(?:tie|draw)|tied)\b"
    r"|\bequally\s+(?:good|strong|well|correct|helpful|valid|accurate|matched)\b"
    r"|\bneither\s+(?:\w+\s+){0,2}is\s+(?:clearly\s+)?(?:better|superior|preferable|preferred)\b"
    r"|\bno\s+(?:clear\s+)?(?:winner|preference|difference\s+in\s+quality)\b"
    r"|\b(?:of\s+)?(?:equal|the\s+same)\s+quality\b|\bequally\s+bad\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the statements say.

    Attributes
    ----------
    sides : frozenset of str
        Every verdict that is stated; "both bad" among them.
    text : str
        The statements.
    """

    sides: frozenset[str]
    text: str


def stated_sides(answer: str, sides: Sides) -> Stated:
    """Return the verdicts of the statements, of the concluding ones where they differ.

    Examples
    --------
    >>> from evalkit.records.judge_text.sides import named_sides
    >>> text = "Assistant A has better style. Overall, Assistant B is better."
    >>> sorted(stated_sides(text, named_sides(("A", "B"))).sides)
    ['B']
    """
    patterns = _patterns(sides)
    said = [
        (sentence, verdicts)
        for match in _SENTENCE.finditer(answer)
        if (verdicts := _verdicts(sentence := match[0].strip(), sides, patterns))
    ]
    every = frozenset[str]().union(*(verdicts for _, verdicts in said))
    if len(every) > 1:
        last = [pair for pair in said if _CONCLUDES.search(pair[0])][-1:]
        if last and len(last[0][1]) == 1:
            return Stated(sides=last[0][1], text=last[0][0])
    return Stated(sides=every, text=" ... ".join(sentence for sentence, _ in said))


def _patterns(sides: Sides) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Patterns with the group ``side``, and whether that side is the better one."""
    # "A wins", but not "a wins": a lone letter must be the capital of a verdict.
    named = rf"(?P<side>{sides.strong}|\([A-Za-z12]\)|(?-i:\b[A-Z]\b))(?:'s\s+{NOUN})?"
    better = r"(?:better|best|superior|stronger|preferable|preferred|winner)"
    return (
        (
            re.compile(
                rf"{named}(?:\s+(?:is|was|are|seems|appears(?:\s+to\s+be)?)\s+{_DEGREE}{better}\b"
                rf"|\s+(?:provides|gives|gave|offers|offered|has|had|wrote|delivers)\s+{_DEGREE}{better}\b"
                r"|\s+(?:wins|outperforms|beats|surpasses)\b)",
                re.IGNORECASE,
            ),
            True,
        ),
        (
            re.compile(
                rf"\b(?:prefer|choose|pick|select|favou?r|vote\s+(?:is\s+|goes\s+)?(?:for|to)|go\s+with|lean\s+towards?)\s+"
                rf"(?:the\s+)?{named}(?!\s+\w+(?:er|est)\b)",
                re.IGNORECASE,
            ),
            True,
        ),
        (
            re.compile(
                rf"\b(?:better|best|superior|preferred|winning)\s+(?:{NOUN}|one)?\s*"
                rf"(?:is|was|:)\s+(?:the\s+)?{named}",
                re.IGNORECASE,
            ),
            True,
        ),
        (
            re.compile(
                rf"{named}\s+(?:is|was)\s+{_DEGREE}(?:worse|worst|inferior|weaker)\b", re.IGNORECASE
            ),
            False,
        ),
    )


def _asserted(sentence: str, match: re.Match[str]) -> bool:
    """Return whether a statement is neither denied, conditional nor open."""
    starts = [found.end() for found in _CLAUSE.finditer(sentence, 0, match.start())]
    clause = sentence[starts[-1] if starts else 0 : match.end()]
    return not (_CONDITION.search(sentence, 0, match.end()) or _OPEN.search(clause))


def _said(
    sentence: str, sides: Sides, patterns: tuple[tuple[re.Pattern[str], bool], ...]
) -> set[str | None]:
    said: set[str | None] = set()
    if re.fullmatch(sides.strong, sentence.strip(" .!"), re.IGNORECASE):
        said.add(sides.side(sentence))
    for match in sides.comparison.finditer(sentence):
        said.add(sides.compared(match) if _asserted(sentence, match) else None)
    for match in _TIED.finditer(sentence):
        said.add("tie" if _asserted(sentence, match) else None)
    for pattern, wins in patterns:
        for match in pattern.finditer(sentence):
            side = sides.side(match["side"])
            if side is not None and _asserted(sentence, match):
                said.add(side if wins else _other(side))
    return said


def _verdicts(
    sentence: str, sides: Sides, patterns: tuple[tuple[re.Pattern[str], bool], ...]
) -> frozenset[str]:
    if sentence.endswith("?"):
        return frozenset()
    said = _said(sentence, sides, patterns)
    verdicts = frozenset(side for side in said if side is not None)
    if len(verdicts) > 1:
        concludes = [*_CONCLUDES.finditer(sentence)][-1:]
        if concludes and concludes[0].start() > 0:
            return _verdicts(sentence[concludes[0].start() :], sides, patterns)
    if not verdicts and re.search(BOTH_BAD, sentence, re.IGNORECASE):
        return frozenset({"both bad"})
    return verdicts


def _other(side: Side) -> Side:
    return "B" if side == "A" else "A"
