"""What was read from a reply, or why nothing was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from evalkit.errors import ArgumentError
from evalkit.results import json_value

__all__ = ["Parsed", "ReplyStatus", "found", "invalid", "unread"]

T = TypeVar("T")
ReplyStatus = Literal["scored", "judge_error", "invalid"]
_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(Generic[T]):
    """A value read from free text.

    Attributes
    ----------
    value : object or None
        What the reply says; ``None`` exactly where the status is not ``scored``.
    status : {"scored", "judge_error", "invalid"}
        What to record: ``judge_error`` where nothing could be read, ``invalid`` where what was
        read is not allowed (a score outside its range).
    reason : str
        How it was read, or why it was not.
    matched : str or None
        The part of the reply that decided.

    Examples
    --------
    >>> Parsed(value="A", status="scored", reason="a marker").to_dict()["value"]
    'A'
    """

    value: T | None
    status: ReplyStatus
    reason: str
    matched: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.status == "scored"):
            raise ArgumentError(
                f"`value` is {self.value!r} with the status {self.status!r}; a value is given "
                "exactly where the status is 'scored'"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "value": json_value(self.value),
            "status": self.status,
            "reason": self.reason,
            "matched": self.matched,
        }


def _shown(text: str | None) -> str | None:
    if text is None:
        return None
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "\u2026"


def found(value: T, reason: str, matched: str | None = None) -> Parsed[T]:
    """Return a value that was read."""
    return Parsed(value=value, status="scored", reason=reason, matched=_shown(matched))


def unread(reason: str, matched: str | None = None) -> Parsed[Any]:
    """Return a reply that says nothing readable."""
    return Parsed(value=None, status="judge_error", reason=reason, matched=_shown(matched))


def invalid(reason: str, matched: str | None = None) -> Parsed[Any]:
    """Return a reply whose value is not allowed."""
    return Parsed(value=None, status="invalid", reason=reason, matched=_shown(matched))
