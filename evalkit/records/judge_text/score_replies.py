"""The score inside a free reply."""

from __future__ import annotations

import math
import re
from numbers import Real
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.records.judge_text.json_replies import WHOLE_ANSWER, parse_json
from evalkit.records.judge_text.numbers import (
    NUMBER,
    WORDS,
    Written,
    read_number,
    without_scales,
)
from evalkit.records.judge_text.parsed import Parsed, found, invalid, unread
from evalkit.records.judge_text.plain import plain_reply, unquoted
from evalkit.records.judge_text.reasoning import answer_text

__all__ = ["parse_score"]

_KEYS = (
    "final_score",
    "overall_score",
    "total_score",
    "overall",
    "score",
    "final_rating",
    "overall_rating",
    "rating",
    "grade",
    "mark",
)
_NOUN = r"(?:score|rating|grade|mark|overall|total|verdict|evaluation|assessment)"
_NONE = (
    r"(?:n/?a\b|none\b|null\b|nan\b|unknown|undefined|unable|cannot|can't|not\s|no\s|-+\s*$|\?+)"
)
_VALUE = rf"(?P<value>{NUMBER}|(?:{'|'.join(WORDS)})\b(?![-\s]*(?:out|of|/|\d))|{_NONE})"
_LABEL = re.compile(
    rf"(?P<before>[\w'-]+[ \t]+)?\b(?P<noun>(?:final|overall|total)?[ \t_]*{_NOUN})\b"
    r"(?:[ \t]+for[ \t]+(?:this|the)[ \t]+\w+|[ \t]*\([^()\n]*\))*"
    r"(?P<link>[\"']?\s*(?:[:=]+|-+>|=>|-(?=\s)|\u2013|\u2014"
    r"|\b(?:is|was|of|would[ \t]+be|as|at)\b)?\s*)"
    r"(?:\b(?:therefore|thus|a|an|about|only|is|be|given|my|score|rating)\b\s+)*"
    rf"[\"'(\[{{\s]*{_VALUE}",
    re.IGNORECASE,
)
_MARKER = re.compile(
    rf"\[\[\s*(?:\w+[ \t]*[:=][ \t]*)?(?P<a>{NUMBER}(?:\s*/\s*\d+|\s*%)?|{_NONE})\s*\]\]"
    rf"|\\boxed\s*\{{\s*(?P<b>{NUMBER}(?:\s*/\s*\d+|\s*\\?%)?)\s*\}}"
    rf"|<(?P<tag>(?:\w+_)?{_NOUN}(?:_\w+)?|answer|result)>\s*(?P<c>[^<>]*?)\s*</(?P=tag)>",
    re.IGNORECASE,
)
_OVERALL = re.compile(r"final|overall|total", re.IGNORECASE)
_PLAIN_BEFORE = re.compile(
    r"(?:my|the|a|this|its|that|is|so|and|final|overall|total|your|numeric|numerical|assigned|"
    r"answer|response|reply|of|as|assistant|judge|quality)\s+$",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:no\s+(?:rating|score|grade)|(?:cannot|can't|can\s+not|unable\s+to|not\s+possible\s+to|"
    r"won't|will\s+not|refuse\s+to)\s+(?:\w+\s+){0,2}(?:rate|score|grade|judge|assess|evaluate|give|"
    r"assign|provide|determine))|\bn/a\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"\[(?:final\s+)?(?:result|score|rating|grade)\]\s*:?", re.IGNORECASE)
_MINUS = re.compile(r"\bminus\s+(?=\d)", re.IGNORECASE)
_CRITERION = re.compile(rf"(?m)^\W*[A-Za-z][A-Za-z -]{{2,30}}:[ \t]*(?P<value>{NUMBER})")
_LIST_NUMBER = re.compile(r"(?m)^[ \t]*(?:[-#][ \t]*)?\d+[.)](?=\s)")
_COUNTED = re.compile(
    r"\s+(?:of\b|or\b|(?!(?:this|plus|thus|unless|points?|stars?|marks?|always|perhaps|versus|"
    r"does|because)\b)[a-z]{3,}s\b)|(?:st|nd|rd|th)\b|[:)](?!\s*$)|\s*[=x*+]",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\s*(?:points?|stars?|marks?|pts)?\s*[.!]?\s*\Z", re.IGNORECASE)


def parse_score(
    text: str | None, *, low: float | None = None, high: float | None = None
) -> Parsed[float]:
    r"""Read the score that a reply gives.

    Parameters
    ----------
    text : str or None
        The reply; ``None`` is no reply.
    low, high : float, optional
        The declared scale; without both, any number stands as it is written.

    Returns
    -------
    Parsed of float
        ``judge_error`` where the reply gives no score, or several that disagree; ``invalid`` where
        it gives one outside the scale, which is never clamped.

    Raises
    ------
    ArgumentError
        If only one bound is given, or they are not two rising finite numbers.

    Notes
    -----
    Reasoning is removed first, and reasoning that never ends leaves no answer. Then, in this order:

    1. a reply that is nothing but a number ("8", "7,5", "8/10", "80%");
    2. JSON with a key such as ``score``, ``rating`` or ``overall_score``. JSON that cannot be read,
       or whose score is null or a word, is a ``judge_error``, whatever numbers stand in it;
    3. the last marker: ``[[7.5]]``, ``\boxed{7}``, ``<score>7</score>``;
    4. the last labelled value: "Score: 9", "My rating is four". "Final", "overall" and "total"
       come before other labels. Scores of several criteria without one of these are a
       ``judge_error`` when they differ; so are several overall scores that differ. A label
       followed by "N/A" or "none" says that there is no score;
    5. a ratio, "8/10" or "8 out of 10"; several that differ are a ``judge_error``;
    6. the last number on the scale that is not a count ("3 facts"), an ordinal or a list number,
       where the reply does not say that it gives no rating. It needs a declared scale.

    A scale that is repeated ("0-3", "1 (worst) to 5 (best)", "3 = great") is no score, and neither
    is an answer that is a range. Number words count after a label only. "7,5" is 7.5 and "1,000"
    is 1000. A number out of something else than `high` is ``invalid``, except on the scale 0 to 1,
    where "8/10" and "80%" are 0.8; on 0 to 100 a percentage is its number. Without a declared
    scale a ratio or percentage is ``invalid``, since it leaves open which scale the scores are on.

    Examples
    --------
    >>> parse_score("On a scale of 0 to 3, I give this a 3.", low=0, high=3).value
    3.0
    >>> parse_score("**Score: 9**\nFive points were listed.", low=1, high=10).value
    9.0
    >>> parse_score("Score: 90", low=0, high=1).status
    'invalid'
    >>> parse_score("No rating possible.", low=1, high=10).reason
    'no score'
    """
    bounds = _check_bounds(low, high)
    if not isinstance(text, str) or not text.strip():
        return unread("there is no reply")
    raw = answer_text(text)
    if raw is None:
        return unread("the reasoning never ends")
    answer = _TAG.sub("Score: ", _MINUS.sub("-", plain_reply(unquoted(raw))))
    if not answer:
        return unread("the reply holds reasoning only")
    bare = read_number(answer)
    if bare is not None and _UNIT.match(answer, bare.end):
        return _on_scale(bare, bounds, "the whole answer")
    parsed = _from_json(raw, bounds) if "{" in raw else None
    if parsed is not None:
        return parsed
    read = _marked(answer, bounds) or _labelled(answer, bounds) or _ratio(answer, bounds)
    return read or _last_number(answer, bounds)


def _check_bounds(low: float | None, high: float | None) -> tuple[float, float] | None:
    if low is None and high is None:
        return None
    ends: tuple[object, ...] = (low, high)
    are_numbers = all(isinstance(x, Real) and not isinstance(x, bool) for x in ends)
    if low is None or high is None or not are_numbers or not -math.inf < low < high < math.inf:
        raise ArgumentError(
            f"`low` is {low!r} and `high` is {high!r}; give two finite numbers, low first, or none"
        )
    return float(low), float(high)


def _on_scale(number: Written, bounds: tuple[float, float] | None, how: str) -> Parsed[float]:
    value, scale = number.value, number.scale
    if scale is not None:
        full = 100.0 if scale == "percent" else float(scale)
        if bounds is None:
            return invalid("written out of a scale; declare `low` and `high`", number.text)
        if bounds == (0.0, 1.0) and full > 0:
            value /= full
        elif full != bounds[1] or (scale == "percent" and bounds[0] != 0):
            return invalid(
                f"written out of {full:g} on a scale that ends at {bounds[1]:g}", number.text
            )
    if bounds is not None and not bounds[0] <= value <= bounds[1]:
        return invalid(
            f"{value:g} is outside the scale [{bounds[0]:g}, {bounds[1]:g}]", number.text
        )
    return found(value, how, number.text)


def _from_text(text: str, bounds: tuple[float, float] | None, how: str) -> Parsed[float]:
    """Read a value that must be a number from end to end."""
    text = text.strip()
    number = read_number(text)
    if number is None or not _UNIT.match(text, number.end):
        return unread("the score is not a number", text)
    return _on_scale(number, bounds, how)


def _from_json(raw: str, bounds: tuple[float, float] | None) -> Parsed[float] | None:
    """Read the score of a JSON answer; ``None`` where the reply is not JSON with a score."""
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
        return unread("the JSON has no key for a score", parsed.matched) if whole else None
    return _json_value(held[key], key, bounds)


def _json_value(cell: Any, key: str, bounds: tuple[float, float] | None) -> Parsed[float]:
    how = f"the key {key!r} of the JSON"
    if isinstance(cell, str):
        return _from_text(plain_reply(cell), bounds, how)
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        kind = "null" if cell is None else type(cell).__name__
        return unread(f"{how} is {kind}, not a number")
    try:
        value = float(cell)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        return invalid(f"{how} is not a finite number")
    return _on_scale(Written(value=value, scale=None, text=str(cell), end=0), bounds, how)


def _marked(answer: str, bounds: tuple[float, float] | None) -> Parsed[float] | None:
    markers = list(_MARKER.finditer(answer))
    if not markers:
        return None
    last = markers[-1]
    inner = next(last[name] for name in ("a", "b", "c") if last[name] is not None)
    return _from_text(inner.replace("\\%", "%"), bounds, "a marker")


def _labelled(answer: str, bounds: tuple[float, float] | None) -> Parsed[float] | None:
    clear = without_scales(answer)
    labels = [match for match in _LABEL.finditer(clear) if _is_value(match, clear)]
    if not labels:
        return None
    overall = [match for match in labels if _is_overall(match)]
    plain = [m for m in labels if m["before"] is None or _PLAIN_BEFORE.match(m["before"])]
    chosen = overall or plain or labels
    read = [_label_value(match, answer, bounds) for match in chosen]
    values = {(each.value, each.status) for each in read}
    if len(values) > 1 and (overall or not plain):
        return unread("several scores that differ", " ... ".join(match[0] for match in chosen))
    return read[-1]


def _is_overall(match: re.Match[str]) -> bool:
    return _OVERALL.search(match["noun"]) is not None or (
        match["before"] is not None and _OVERALL.match(match["before"]) is not None
    )


def _is_value(match: re.Match[str], text: str) -> bool:
    """Return whether a label is followed by its value, and not by the name of a level."""
    value = match["value"]
    if not value[:1].isdigit() and value[:1] not in "+-.":
        return bool(match["link"].strip(" \t\n\"'"))
    rest = text[match.end() :]
    linked = bool(match["link"].strip(" \t\"'"))
    return linked or not re.match(r"[ \t]*[:)=]", rest)


def _label_value(
    match: re.Match[str], answer: str, bounds: tuple[float, float] | None
) -> Parsed[float]:
    value = match["value"].casefold()
    if value in WORDS:
        number = Written(
            value=float(WORDS.index(value)), scale=None, text=match[0].strip(), end=match.end()
        )
        return _on_scale(number, bounds, "a labelled word")
    written = read_number(answer, match.start("value"))
    if written is None:
        return unread("the reply says that it gives no score", match[0])
    return _on_scale(written, bounds, "a labelled value")


def _ratio(answer: str, bounds: tuple[float, float] | None) -> Parsed[float] | None:
    ratios = [
        number
        for match in re.finditer(NUMBER, answer)
        if (number := read_number(answer, match.start())) is not None
        and isinstance(number.scale, float)
        and " of " not in re.sub(r"out\s+of", "", number.text)
    ]
    if len({(number.value, number.scale) for number in ratios}) > 1:
        return unread("several scores that differ", " ... ".join(n.text for n in ratios))
    return _on_scale(ratios[-1], bounds, "a ratio") if ratios else None


def _last_number(answer: str, bounds: tuple[float, float] | None) -> Parsed[float]:
    if bounds is None or _REFUSES.search(answer):
        return unread("no score")
    clear = _LIST_NUMBER.sub(lambda match: " " * len(match[0]), without_scales(answer))
    criteria = [match["value"] for match in _CRITERION.finditer(clear)]
    if len(set(criteria)) > 1:
        return unread("several scores that differ", " ... ".join(criteria))
    numbers = [
        number
        for match in re.finditer(rf"(?<![\w#])(?<![A-Za-z]-){NUMBER}(?![A-Za-z%])", clear)
        if (number := read_number(clear, match.start())) is not None
        and number.scale is None
        and not _COUNTED.match(clear, number.end)
    ]
    inside = [number for number in numbers if bounds[0] <= number.value <= bounds[1]]
    if inside:
        return _on_scale(inside[-1], bounds, "the last number on the scale")
    return _on_scale(numbers[0], bounds, "") if len(numbers) == 1 else unread("no score")
