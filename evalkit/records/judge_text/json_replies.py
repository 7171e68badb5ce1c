"""JSON inside a reply: whole, fenced or amid prose, and strict."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from evalkit.records.judge_text.parsed import Parsed, found, unread
from evalkit.records.judge_text.reasoning import answer_text

__all__ = ["WHOLE_ANSWER", "json_objects", "parse_json"]

WHOLE_ANSWER = "the whole answer"
"""Reason of JSON that the answer, or its one fenced block, is from end to end."""

_FENCE = re.compile(r"(?ms)^[ \t]*(?P<mark>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^[ \t]*(?P=mark)\s*?$")
_OBJECT_LIKE = re.compile(r"[{\[]\s*(?:[\"'}\]\w]|//|/\*)")


class _RepeatedKeyError(ValueError):
    """One key stands twice in an object, with two values."""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for key, value in pairs:
        if key in held and held[key] != value:
            raise _RepeatedKeyError(f"the key {key!r} has two values")
        held[key] = value
    return held


def _refuse(token: str) -> Any:
    raise _RepeatedKeyError(f"{token} is not JSON")


def _finite(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise _RepeatedKeyError(f"{token} is too large for a number")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_constant=_refuse, parse_float=_finite
)


def _balanced_end(text: str, start: int) -> int:
    """Where the braces opened at `start` are closed; the end of the text if they never are."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place + 1
    return len(text)


def json_objects(text: str) -> list[dict[str, Any]]:
    r"""Return the outermost JSON objects of a text, fenced or not, in order.

    Notes
    -----
    Strict JSON: an object with NaN, an infinity, or one key with two values is not one.
    What stands inside an object that cannot be read is not read either.

    Examples
    --------
    >>> fence = "`" * 3
    >>> json_objects(f'Here: {fence}json\n{{"verdict": "correct"}}\n{fence} Bye.')
    [{'verdict': 'correct'}]
    """
    held: list[dict[str, Any]] = []
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
            held.append(value)
        except (ValueError, RecursionError):
            end = _balanced_end(text, place)
        place = text.find("{", end)
    return held


def _whole(text: str) -> tuple[Any, str | None]:
    """Return the value of a text that is JSON from end to end, else why it is not."""
    try:
        return _DECODER.decode(text), None
    except RecursionError:
        return None, "the JSON is nested too deeply"
    except _RepeatedKeyError as cause:
        return None, str(cause)
    except json.JSONDecodeError as cause:
        return None, f"{cause.msg.lower()} at line {cause.lineno} column {cause.colno}"
    except ValueError:  # more digits than an integer may have
        return None, "a number has too many digits"


def parse_json(text: str | None, *, key: str | None = None) -> Parsed[Any]:
    r"""Read the JSON that a reply gives as its answer.

    Parameters
    ----------
    text : str or None
        The reply; ``None`` is no reply.
    key : str, optional
        Take the last object that has this key, in place of the last object.

    Returns
    -------
    Parsed
        The object; or a list or a single value, where the answer is nothing else.
        ``judge_error`` where there is none.

    Notes
    -----
    Reasoning is removed first, and reasoning that never ends leaves no answer. An answer, or its
    one fenced block, that is JSON from end to end is taken whole; otherwise the last outermost
    object, in a fence or in prose, is. JSON is strict: a comma before a closing bracket, single
    quotes, comments, ``NaN``, ``Infinity``, a key with two values and an object that is cut off
    are refused, not repaired, as is an earlier object followed by one that cannot be read. JSON
    inside a string stays a string. A bare ``null`` is no answer.

    Examples
    --------
    >>> fence = "`" * 3
    >>> parse_json(f'Here you go:\n{fence}json\n{{"score": 4}}\n{fence}\nBye.').value
    {'score': 4}
    >>> parse_json('{"score": 4,}').status, parse_json("<think>{}").reason
    ('judge_error', 'the reasoning never ends')
    """
    if not isinstance(text, str) or not text.strip():
        return unread("there is no reply")
    answer = answer_text(text)
    if answer is None:
        return unread("the reasoning never ends")
    fences = [match["body"].strip() for match in _FENCE.finditer(answer)]
    why = None
    for candidate in (answer, *(fences if len(fences) == 1 else ())):
        value, fault = _whole(candidate)
        if fault is None:
            return _checked(value, candidate, key)
        if why is None and candidate[:1] in ("{", "["):
            why = fault
    objects, broken = _outermost(answer)
    if broken is not None:
        return unread(f"the JSON is not strict: {why or broken}", answer)
    chosen = [each for each in objects if key is None or key in each]
    if chosen:
        return found(chosen[-1], "the last object", json.dumps(chosen[-1], ensure_ascii=False))
    if why is not None:
        return unread(f"the JSON is not strict: {why}", answer)
    return unread("no JSON object" if key is None else f"no JSON object with the key {key!r}")


def _checked(value: Any, text: str, key: str | None) -> Parsed[Any]:
    if value is None:
        return unread("the JSON is null", text)
    if key is not None and not (isinstance(value, dict) and key in value):
        return unread(f"no JSON object with the key {key!r}", text)
    return found(value, WHOLE_ANSWER, text)


def _outermost(text: str) -> tuple[list[dict[str, Any]], str | None]:
    """Return the objects, and why the last thing that looks like one is none."""
    held: list[dict[str, Any]] = []
    broken: str | None = None
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
            held.append(value)
            broken = None
        except (ValueError, RecursionError) as cause:
            end = _balanced_end(text, place)
            if _OBJECT_LIKE.match(text, place) and ":" in text[place:end]:
                broken = str(cause)
        place = text.find("{", end)
    return held, broken
