"""The verdict on two answers inside a free reply."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from evalkit.records.judge_text.json_replies import WHOLE_ANSWER, parse_json
from evalkit.records.judge_text.parsed import Parsed, found, invalid, unread
from evalkit.records.judge_text.plain import plain_reply, unquoted
from evalkit.records.judge_text.reasoning import answer_text
from evalkit.records.judge_text.sides import BOTH_BAD, TIE, Side, Sides, named_sides
from evalkit.records.judge_text.statements import stated_sides

__all__ = ["parse_verdict"]

_KEYS = (
    "final_verdict",
    "verdict",
    "winner",
    "preferred_answer",
    "preferred",
    "preference",
    "better",
    "better_answer",
    "better_response",
    "best",
    "choice",
    "decision",
    "judgment",
    "judgement",
    "answer",
    "label",
)
_MARKER = re.compile(
    r"\[\[\s*(?P<a>[^\[\]]{1,40}?)\s*\]\]"
    r"|\\boxed\s*\{\s*(?P<b>[^{}]{1,40}?)\s*\}"
    r"|<(?P<tag>(?:final_)?(?:verdict|winner|answer|choice|decision|preference|judge?ment|result))>"
    r"\s*(?P<c>[^<>]{1,40}?)\s*</(?P=tag)>",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?P<final>\bfinal\s+|\boverall\s+)?\b(?:verdict|winner|judge?ment|decision|preference|choice|"
    r"better(?:\s+(?:answer|response|output|one|assistant|model))?|preferred(?:\s+(?:answer|response|"
    r"output))?|best(?:\s+(?:answer|response|output))?|answer|ranking|final)"
    r"(?:\s*(?:[:=]|-+>|=>|-(?=\s)|\u2013|\u2014)\s*|\s+(?:is|would\s+be|goes\s+to|remains)\b\s*:?\s*)"
    r"(?P<rest>[^\n]{1,80})",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')]|\Z)|\n")
_CHOICE_WORDS = re.compile(
    r"\b(?:if|when|whether|either|or|neither|nor|example|format|e\.g|for\s+instance)\b|\|",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    r"[\"')\s]*(?:,\s*)?(?:(?:if|when|means|indicates|denotes|stands\s+for)\b"
    r"|for\s+(?:a\s+)?(?:tie|draw)\b)",
    re.IGNORECASE,
)
_TAG = re.compile(r"\[(?:final\s+)?(?:result|verdict|answer|winner|decision)\]\s*:?", re.IGNORECASE)
_ALTERNATIVE = re.compile(rf"(?:{_EXPLAINED.pattern})|[\"')\s,]*(?:or\b|/|\|)", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|isn't|than|over|instead\s+of|rather\s+than|reject|considered|rules?\s+out"
    r"|because|since|although|though|whereas|while|unlike|despite)"
    r"|n't)\s+(?:(?:be|to|give|choose|say|output)\s+)?[\"'(]*\Z",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(r"\s*(?:[-\u2022]|\(?\w[.)]|\[\[)\s*\S")
_REVISED = re.compile(
    r"\b(?:wait|actually|correction|reconsider\w*|on\s+reflection|revis\w+|chang\w+|sorry|mistake\w*|"
    r"instead|wrong|no,)\b",
    re.IGNORECASE,
)
_AFTER = (
    r"(?=\s*(?:[.,;:!)\]\"']|\Z|\n|\(|-+\s)|\s+(?:is|was)\s+(?:(?:the|clearly|slightly|much|"
    r"significantly|a\s+bit)\s+)*(?:better|best|superior|stronger|winner|preferred)\b"
    r"|\s+(?:wins|because|since|as|due|for|by|with)\b)"
)
# On one line and in one sentence; after a full stop or on the next line, the last one stands.
_SIDE_BY_SIDE = re.compile(r"[ \t,;/&|<>=~]*(?:and|or|vs\.?)?[ \t,;/&|]*")
_FINAL = re.compile(r"\b(?:final|overall)\b[^.\n\[]{0,60}\Z", re.IGNORECASE)
_WRAP = "\"'()[]{}.,;:!# \t"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marker:
    start: int
    end: int
    side: Side | str | None  # "both bad", or None for a word that names no side
    final: bool
    text: str


def parse_verdict(text: str | None, *, labels: tuple[str, str] = ("A", "B")) -> Parsed[Side]:
    r"""Read which of two answers a reply prefers.

    Parameters
    ----------
    text : str or None
        The reply; ``None`` is no reply.
    labels : (str, str), default ("A", "B")
        Names of the first and the second answer. 1 and 2, first and second, left and right are
        always the first and the second one.

    Returns
    -------
    Parsed of {"A", "B", "tie"}
        "A" is the first answer whatever its name. ``judge_error`` where there is no verdict, or
        there are several that contradict each other; ``invalid`` for "both bad", of which only the
        reader can say whether it is a tie.

    Raises
    ------
    ArgumentError
        If `labels` are not two different names.

    Notes
    -----
    Reasoning is removed first, and reasoning that never ends leaves no verdict; so are quoted
    lines. Then, in this order:

    1. a reply that is nothing but a verdict: "A", "(b)", "Response 1", "A>>B", "tie";
    2. JSON with a key such as ``verdict``, ``winner`` or ``preference``;
    3. markers: ``[[A]]``, ``[[A>>B]]``, ``\boxed{A}``, ``<verdict>A</verdict>``, "Verdict: A",
       "Winner: model_b", "the better answer is B", a last line that is nothing but a verdict.
       The last one decides. It does not where it names no answer, where it stands in one
       sentence with another one, or where a different verdict was called final before it and no
       word such as "actually" takes that back;
    4. statements that all agree: "Assistant A is better", "I prefer the second response", "B > A",
       "both are equally good". Where they do not, those of the last sentence that concludes
       ("overall", "in conclusion").

    Instructions that the judge repeats are not verdicts: markers with "if", "or" or "for a tie",
    lists that explain every choice, examples, and markers that are denied ("not [[A]]").
    ``[[C]]`` is a tie. A reply without a verdict is never a tie.

    Examples
    --------
    >>> parse_verdict("One earns [[A]] for style, yet my final verdict is [[B]].").value
    'B'
    >>> parse_verdict("Winner: model_b").value, parse_verdict("A=B").value
    ('B', 'tie')
    >>> parse_verdict("I cannot decide.").status
    'judge_error'
    >>> parse_verdict("gpt-4 is better than claude-3.", labels=("claude-3", "gpt-4")).value
    'B'
    """
    sides = named_sides(tuple(labels))
    if not isinstance(text, str) or not text.strip():
        return unread("there is no reply")
    raw = answer_text(text)
    if raw is None:
        return unread("the reasoning never ends")
    answer = _TAG.sub("Verdict: ", plain_reply(unquoted(raw)))
    if not answer:
        return unread("the reply holds reasoning only")
    whole = _word(answer, sides)
    if whole is not None:
        return _package(whole, "the whole answer", answer)
    if "{" in raw:
        parsed = _from_json(raw, sides)
        if parsed is not None:
            return parsed
    return _marked(answer, sides) or _stated(answer, sides)


def _package(side: str, how: str, text: str) -> Parsed[Side]:
    if side == "both bad":
        return invalid("'both bad' does not say whether it is a tie", text)
    return found("tie" if side == "tie" else "A" if side == "A" else "B", how, text)


def _word(text: str, sides: Sides) -> str | None:
    """Return what a text says that is nothing but a verdict."""
    bare = text.strip().rstrip(".!").strip()
    inner = bare.strip(_WRAP)
    if re.fullmatch(BOTH_BAD, bare, re.IGNORECASE) or re.fullmatch(BOTH_BAD, inner, re.IGNORECASE):
        return "both bad"
    compared = sides.comparison.fullmatch(inner)
    if compared is not None:
        return sides.compared(compared)
    if re.fullmatch(sides.name, bare, re.IGNORECASE):
        return sides.side(bare)
    if re.fullmatch(TIE, inner, re.IGNORECASE) and (inner.casefold() != "c" or bare != inner):
        return "tie"
    return sides.side(inner) if re.fullmatch(sides.name, inner, re.IGNORECASE) else None


def _choice(text: str, sides: Sides) -> str | None:
    """Return what a text in the place of a verdict says; there a lone C is the tie."""
    return "tie" if text.strip(_WRAP).casefold() == "c" else _word(text, sides)


def _from_json(raw: str, sides: Sides) -> Parsed[Side] | None:
    """Read the verdict of a JSON answer; ``None`` where the reply is not JSON with one."""
    parsed = parse_json(raw)
    if parsed.value is None:
        named = re.search(rf"\{{[^{{}}]*[\"']?(?:{'|'.join(_KEYS)})[\"']?\s*:", raw, re.IGNORECASE)
        return unread(parsed.reason, parsed.matched) if named else None
    held = parsed.value[-1] if isinstance(parsed.value, list) and parsed.value else parsed.value
    if not isinstance(held, dict):
        return None
    folded = {key.casefold().replace(" ", "_").replace("-", "_"): key for key in held}
    key = next((folded[name] for name in _KEYS if name in folded), None)
    if key is None:
        whole = parsed.reason == WHOLE_ANSWER
        return unread("the JSON has no key for a verdict", parsed.matched) if whole else None
    cell = held[key]
    text = "" if isinstance(cell, bool) or not isinstance(cell, (str, int)) else str(cell)
    side = _choice(plain_reply(text), sides)
    how = f"the key {key!r} of the JSON"
    return unread(f"{how} names no answer", text) if side is None else _package(side, how, text)


def _marked(answer: str, sides: Sides) -> Parsed[Side] | None:
    markers = [*_brackets(answer, sides), *_labels(answer, sides), *_last_line(answer, sides)]
    markers = sorted(_without_echo(answer, markers), key=lambda marker: marker.start)
    if not markers:
        return None
    last = markers[-1]
    if last.side is None:
        return unread("the last marker names no answer", last.text)
    for marker in markers:
        if marker.side in (last.side, None):
            continue
        between = answer[marker.end : last.start]
        side_by_side = _SIDE_BY_SIDE.fullmatch(between) is not None
        contradicts = marker.final and _REVISED.search(between) is None
        if side_by_side or contradicts:
            return unread("verdicts that contradict each other", f"{marker.text} ... {last.text}")
    return _package(last.side, "the last marker", last.text)


def _brackets(answer: str, sides: Sides) -> Iterable[_Marker]:
    for match in _MARKER.finditer(answer):
        inner = next(match[name] for name in ("a", "b", "c") if match[name] is not None)
        yield _Marker(
            start=match.start(),
            end=match.end(),
            side=_choice(inner, sides),
            final=_FINAL.search(answer, 0, match.start()) is not None,
            text=match[0],
        )


def _labels(answer: str, sides: Sides) -> Iterable[_Marker]:
    """Yield what stands after "verdict:" and the like, where it is a verdict."""
    value = re.compile(
        rf"(?:(?:that|clearly|therefore|still|also)\s+)*(?:(?P<tie>(?:{BOTH_BAD}|{TIE}))|"
        rf"(?P<name>{sides.comparison.pattern}|{sides.name})){_AFTER}",
        re.IGNORECASE,
    )
    for match in _LABEL.finditer(answer):
        read = value.match(match["rest"])
        if read is None or _ALTERNATIVE.match(match["rest"], read.end()):
            continue
        text = read["tie"] or read["name"]
        side = _choice(text, sides)
        if side is not None:
            yield _Marker(
                start=match.start(),
                end=match.start("rest") + read.end(),
                side=side,
                final=match["final"] is not None or match[0].casefold().startswith("final"),
                text=match[0][: match.start("rest") - match.start() + read.end()],
            )


def _last_line(answer: str, sides: Sides) -> Iterable[_Marker]:
    start = answer.rstrip().rfind("\n") + 1
    side = _word(answer[start:], sides) if start else None
    if side is not None and not answer[start:].lstrip().startswith("[["):
        line = answer[start:].strip()
        yield _Marker(start=start, end=len(answer), side=side, final=False, text=line)


def _without_echo(answer: str, markers: Iterable[_Marker]) -> list[_Marker]:
    """Leave out markers that repeat the instructions, or that the reply denies."""
    held = [
        marker
        for marker in markers
        if not _EXPLAINED.match(answer, marker.end)
        and not _DENIED.search(answer[max(0, marker.start - 40) : marker.start])
    ]
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(answer)), len(answer) + 1]
    kept: list[_Marker] = []
    for start, stop in pairwise(ends):
        inside = [marker for marker in held if start <= marker.start < stop]
        several = len({marker.side for marker in inside}) > 1
        words = _CHOICE_WORDS.findall(answer[start:stop])
        example = any(word.casefold() in {"example", "format", "e.g"} for word in words)
        if not (example or (several and words)):
            kept += inside
    return _without_lists(answer, kept)


def _without_lists(answer: str, markers: list[_Marker]) -> list[_Marker]:
    """Leave out runs of list lines that hold one marker each, for more than one verdict."""
    lines = [0, *(match.end() for match in re.finditer(r"\n", answer)), len(answer) + 1]
    held: list[_Marker] = []
    run: list[_Marker] = []
    for start, stop in pairwise(lines):
        inside = [marker for marker in markers if start <= marker.start < stop]
        line = answer[start:stop]
        listed = len(inside) == 1 and _LIST_ITEM.match(line) is not None
        if listed and line.strip() != inside[0].text:
            run += inside
            continue
        held += [*(run if len({marker.side for marker in run}) < 2 else ()), *inside]
        run = []
    return held + (run if len({marker.side for marker in run}) < 2 else [])


def _stated(answer: str, sides: Sides) -> Parsed[Side]:
    stated = stated_sides(answer, sides)
    if not stated.sides:
        return unread("no verdict")
    if len(stated.sides) > 1:
        return unread("statements that contradict each other", stated.text)
    return _package(next(iter(stated.sides)), "a statement", stated.text)
