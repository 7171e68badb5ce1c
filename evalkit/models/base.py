"""One call to a model: what is asked, what comes back, and what it cost."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

from evalkit.errors import ArgumentError

__all__ = ["CallStatus", "Message", "Model", "Reply", "Request", "Usage"]

CallStatus = Literal["ok", "infra", "timeout"]
"""``infra`` and ``timeout`` say that there is no answer; neither is an answer that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a model.

    Attributes
    ----------
    messages : tuple of Message
        The conversation.
    purpose : str
        What the call is for, as the ledger counts it: ``solve``, ``judge``, ``propose``, ...
    sample : int
        Number of the draw, so that repeated requests with the same messages stay apart.
    temperature, max_tokens, seed : optional
        Generation settings; the provider's default where ``None``.
    """

    messages: tuple[Message, ...]
    purpose: str
    sample: int = 0
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None

    @property
    def key(self) -> str:
        """SHA-256 of the request in canonical JSON; equal requests have equal keys."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a call cost.

    Attributes
    ----------
    calls : int
        Requests that reached a model, retries included.
    input_tokens, output_tokens : int
        As the provider counts them.
    cost : float or None
        In US dollars; ``None`` where no price is known.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Add up; the cost is unknown only where neither is known."""
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=sum(known) if known else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back.

    Attributes
    ----------
    text : str or None
        The answer; ``None`` exactly where the status is not ``ok``.
    status : {"ok", "infra", "timeout"}
        Whether there is an answer.
    error : str or None
        What went wrong.
    usage : Usage
        What it cost, failed tries included.
    truncated : bool
        The model ran out of tokens: the text is an answer, and may be cut off.
    """

    text: str | None
    status: CallStatus = "ok"
    error: str | None = None
    usage: Usage = Usage()
    truncated: bool = False

    def __post_init__(self) -> None:
        if (self.text is None) == (self.status == "ok"):
            raise ArgumentError(
                f"`text` is {self.text!r} with the status {self.status!r}; a text is given exactly "
                "where the status is 'ok'"
            )


class Model(Protocol):
    """A backend: one call, safe to make from several threads; it returns errors and keeps order."""

    @property
    def name(self) -> str:
        """Name that records and ledgers carry."""
        ...

    def __call__(self, request: Request, /) -> Reply:
        """Answer one request."""
        ...
