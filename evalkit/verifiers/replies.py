"""The answer inside a model's reply: reasoning blocks removed, JSON objects found."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["answer_text", "json_objects"]

_BLOCK = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_CLOSE = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)


def answer_text(reply: str) -> str | None:
    """Return the reply without its reasoning; ``None`` where the reasoning never ends.

    Notes
    -----
    Closed reasoning blocks are removed. A close without an open ends a block that the
    template opened, so all before it is removed. An open without a close is a reply that
    was cut off while reasoning: there is no answer.

    Examples
    --------
    >>> answer_text("<think>B? No.</think> C"), answer_text("hm</think>C")
    ('C', 'C')
    >>> answer_text("<think>I lean to C") is None
    True
    """
    text = _BLOCK.sub("", reply)
    closes = list(_CLOSE.finditer(text))
    if closes:
        text = text[closes[-1].end() :]
    return None if _OPEN.search(text) else text.strip()


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ValueError(key)
        found[key] = value
    return found


def _refuse(token: str) -> Any:
    raise ValueError(token)


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
    decoder = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse)
    found: list[dict[str, Any]] = []
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
            found.append(value)
        except (ValueError, RecursionError):
            end = _balanced_end(text, place)
        place = text.find("{", end)
    return found
