"""Tables of a configuration file, checked key by key into a frozen dataclass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from evalkit.errors import ArgumentError

__all__ = ["FORBID_EXTRA", "check_table"]

S = TypeVar("S")
FORBID_EXTRA: Mapping[str, Any] = {"extra": "forbid"}
"""Put into a dataclass as ``__pydantic_config__``, so that a misspelt key is an error."""


def check_table(kind: type[S], table: Mapping[str, Any], /, *, place: str) -> S:
    """Check a table; nothing is coerced, so ``"8"`` is not 8.

    Parameters
    ----------
    kind : type
        A frozen dataclass with the settings; its ``__post_init__`` checks ranges.
    table : mapping
        Keys and values as the file holds them.
    place : str
        Name of the table, for messages.

    Returns
    -------
    settings
        An instance of `kind`.

    Raises
    ------
    ArgumentError
        If a key is unknown or missing, or a value not allowed. Values are not repeated, since a
        misplaced key may be among them.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        # JSON has arrays where a dataclass has tuples, so the strict check goes through it.
        text = json.dumps(dict(table), default=str)
        return TypeAdapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join((place, *map(str, fault["loc"])))
        told = fault.get("ctx", {}).get("error") or fault["msg"]
        if fault["type"] == "unexpected_keyword_argument":
            known = ", ".join(sorted(entry.name for entry in fields(kind)))  # type: ignore[arg-type]
            told = f"not a setting; the settings of {place} are {known}"
        elif fault["type"].startswith("missing"):
            told = "it is missing, and required"
        raise ArgumentError(f"`{where}`: {told}") from None
