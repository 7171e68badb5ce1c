"""What one cell says: an id, a text, a score, a status.

Nothing here knows of files or rows; a cell that cannot be read raises `CellError`,
and whoever knows the place adds it.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping
from datetime import date, time
from types import MappingProxyType
from typing import Any

from evalkit.records.schema import STATUSES

__all__ = [
    "STATUS_WORDS",
    "CellError",
    "NestedCellError",
    "Number",
    "error_status",
    "id_text",
    "is_missing",
    "is_missing_word",
    "json_text",
    "plain_text",
    "score_value",
    "score_word",
    "utf8_text",
]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PERCENT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)\s*%", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_MISSING = frozenset({"", "nan", "n/a", "na", "none", "null", "[]", "<na>"})
_WORDS: Mapping[str, float] = MappingProxyType(
    dict[str, float]()
    | dict.fromkeys(("pass", "passed", "correct", "yes", "resolved", "success"), 1.0)
    | dict.fromkeys(("fail", "failed", "incorrect", "no", "unresolved", "failure"), 0.0)
)
_PLAIN_WORDS: Mapping[str, float] = MappingProxyType({"true": 1.0, "false": 0.0})
_INFINITE: Mapping[str, float] = MappingProxyType(
    {"inf": math.inf, "infinity": math.inf}
    | {"+inf": math.inf, "+infinity": math.inf}
    | {"-inf": -math.inf, "-infinity": -math.inf}
)
_NO_ERROR = _MISSING | {"0", "0.0", "false", "{}", "no", "ok"}
STATUS_WORDS: Mapping[str, str] = MappingProxyType(
    {name: name for name in STATUSES}
    | dict.fromkeys(
        ("ok", "pass", "fail", "passed", "failed", "success", "completed", "done"), "scored"
    )
    | dict.fromkeys(
        ("error", "infra_error", "rate_limit", "ratelimit", "exception", "crashed"), "infra"
    )
    | dict.fromkeys(("cancelled", "canceled", "aborted", "killed", "interrupted", "oom"), "infra")
    | dict.fromkeys(("timed_out", "time_out"), "timeout")
    | dict.fromkeys(("unparsed", "parse_error"), "judge_error")
    | dict.fromkeys(("na", "null", "n/a"), "missing")
    | {"skip": "skipped"}
)
"""Status text, in lower case with ``_`` for blanks and hyphens -> status."""


class Number(str):
    """A JSON number in its written form, so that ids and versions such as 1.10 stay themselves."""

    __slots__ = ()


class CellError(Exception):
    """A cell that cannot be read; the message says what it holds and what is allowed."""


class NestedCellError(CellError):
    """A list or an object where a single value belongs."""


def _short(value: object) -> str:
    nested = isinstance(value, (Mapping, list, tuple))
    return reprlib.repr(_strict(value) if nested or isinstance(value, Number) else value)


def is_missing(value: object) -> bool:
    """Return whether `value` is ``None``, NaN, or the missing mark of a dataframe library."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float) and math.isnan(value)


def is_missing_word(text: str) -> bool:
    """Return whether a text, such as ``N/A``, stands for no value."""
    return text.strip().casefold() in _MISSING


def id_text(value: object) -> str:
    """Return an id as text, exactly as written."""
    if isinstance(value, str):
        return str(value)
    if is_missing(value):
        raise CellError("the item id is missing; every row needs one")
    if isinstance(value, bool):
        raise CellError(f"the item id is {value}; an id is text or a whole number")
    if isinstance(value, float):
        raise CellError(
            f"the item id is the float {value!r}, which does not say how it was written; "
            "cast the column to text first"
        )
    if isinstance(value, (Mapping, list, tuple, set)):
        raise CellError(f"the item id is {_short(value)}; an id is text or a whole number")
    text = plain_text(value)
    if text is None:
        raise CellError("the item id is missing; every row needs one")
    return text


def plain_text(value: object) -> str | None:
    """Return a single value as text, ``None`` where it is missing."""
    if isinstance(value, str):
        return str(value)
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, (Mapping, list, tuple, set)) or getattr(value, "ndim", None):
        raise NestedCellError(
            f"{_short(value)} is a list or an object; a single value belongs here"
        )
    return str(value)


def json_text(value: object) -> str | None:
    """Return a nested value as strict JSON text, a single value as plain text."""
    try:
        return plain_text(value)
    except NestedCellError:
        return json.dumps(_strict(value), ensure_ascii=False)


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # arrays and scalars of numpy
        return _strict(value.tolist())
    if isinstance(value, (list, tuple, set)):
        return [_strict(each) for each in value]
    if isinstance(value, Number):
        number = float(value) if set(value) & set(".eE") or len(value) > 300 else int(value)
        return number if math.isfinite(number) else str(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return plain_text(value)


def score_word(value: object) -> bool:
    """Return whether `value` is a word such as ``passed`` that is read as 1 or 0."""
    return isinstance(value, str) and value.strip().casefold() in _WORDS


def score_value(value: object) -> float:
    """Return a score; NaN where it is missing, infinite where it is not a finite number."""
    if isinstance(value, str):
        return _score_text(value)
    if is_missing(value):
        return math.nan
    if isinstance(value, list) and not value:
        return math.nan
    if isinstance(value, (Mapping, list, tuple, set, bytes, date, time)):
        raise CellError(_not_a_score(value))
    if getattr(value, "ndim", None):
        raise CellError(_not_a_score(value))
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        raise CellError(_not_a_score(value)) from None


def _score_text(text: str) -> float:
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped):
        return float(stripped)
    word = stripped.casefold()
    if is_missing_word(word):
        return math.nan
    for words in (_PLAIN_WORDS, _WORDS, _INFINITE):
        if word in words:
            return words[word]
    if _PERCENT.fullmatch(stripped):
        raise CellError(
            f"the score {_short(text)} is a percentage, which leaves the scale open; "
            "write it without the sign, as a fraction (0 to 1) or as a number with a declared "
            "`score_range` of (0, 100) (--range 0 100)"
        )
    if _COMMA.fullmatch(stripped):
        raise CellError(
            f"the score {_short(text)} has a decimal comma; write it with a decimal point"
        )
    raise CellError(_not_a_score(text))


def _not_a_score(value: object) -> str:
    return (
        f"the score {_short(value)} is not a number; allowed are numbers, true/false, "
        "pass/fail, correct/incorrect, yes/no, resolved/unresolved, or nothing at all; "
        "name another column with `columns` (--column score=NAME) or give the row a status"
    )


def error_status(value: object) -> str | None:
    """Return the status that an error field stands for, ``None`` where it reports no error."""
    if is_missing(value) or value is False:
        return None
    if isinstance(value, (Mapping, list, tuple)):
        if not value:
            return None
        text = str(value).casefold()
    else:
        text = str(value).strip().casefold()
        if text in _NO_ERROR:
            return None
    late = "timeout" in text or "timed out" in text or "timed_out" in text or "time-out" in text
    return "timeout" if late else "infra"


def utf8_text(text: str) -> str:
    """Return `text` with U+FFFD for half surrogate pairs, which UTF-8 cannot hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
