"""Values as JSON text: the same value is always the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

__all__ = ["from_json", "to_json"]


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: getattr(value, entry.name) for entry in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a state or event holds {value!r}, which is not a JSON value")


def to_json(value: Any) -> str:
    """Return dataclasses, mappings, sequences, text, numbers and ``None`` as strict JSON.

    Raises
    ------
    ValueError
        If a number is not finite.
    TypeError
        If something else stands in `value`.

    Examples
    --------
    >>> to_json({"round": 1, "scores": (0.5, None)})
    '{"round": 1, "scores": [0.5, null]}'
    """
    return json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=True)


def from_json(kind: type[Any], value: Any) -> Any:
    """Return JSON values as the dataclass they were written from, checked field by field."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_json(json.dumps(value))
