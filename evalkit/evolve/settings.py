"""Settings of a configuration file, checked key by key into a frozen dataclass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from evalkit.errors import InputError

__all__ = ["FORBID_EXTRA", "read_settings"]

S = TypeVar("S")
FORBID_EXTRA: Mapping[str, Any] = {"extra": "forbid"}
"""Put into a dataclass as ``__pydantic_config__``, so that a misspelt key is an error."""


def read_settings(kind: type[S], table: Mapping[str, Any], *, place: str, path: str) -> S:
    """Check a table of a configuration file.

    Parameters
    ----------
    kind : type
        A frozen dataclass with the settings; its ``__post_init__`` checks ranges.
    table : mapping
        Keys and values as the file holds them. Nothing is coerced: ``"8"`` is not 8.
    place : str
        Name of the table, for messages.
    path : str
        The file, for messages.

    Returns
    -------
    settings
        An instance of `kind`.

    Raises
    ------
    InputError
        If a key is unknown or missing or a value not allowed, naming it.
    """
    from pydantic import TypeAdapter, ValidationError

    # JSON has arrays where a dataclass has tuples, so the strict check goes through it.
    text = json.dumps(dict(table), default=str)
    try:
        return TypeAdapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        known = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
        message = _told(error.errors(include_url=False)[0], place, known)
        raise InputError(message, path=path) from None


def _told(fault: Any, place: str, known: list[str]) -> str:
    """Say what is wrong with one key."""
    where = ".".join((place, *map(str, fault["loc"])))
    cause = fault.get("ctx", {}).get("error")
    if cause is not None:
        return f"in `{place}`, {cause}"
    if fault["type"] == "unexpected_keyword_argument":
        return f"`{where}` is not a setting; the settings are {', '.join(known)}"
    if fault["type"] in {"missing", "missing_argument", "missing_keyword_only_argument"}:
        return f"`{where}` is missing; it is required"
    message = fault["msg"][0].lower() + fault["msg"][1:]
    return f"`{where}` is {fault['input']!r}; {message}"
