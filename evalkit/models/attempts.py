"""One try of a call through Inspect: what came back, or what went wrong and whether to go on."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from evalkit.errors import ModelError
from evalkit.models.base import CallStatus, Usage
from evalkit.models.prices import Prices

__all__ = [
    "Attempt",
    "cause_of",
    "error_message",
    "failed_attempt",
    "is_unreachable",
    "read_output",
    "timed_out",
]

_UNUSABLE_STATUS = {401: "the key is refused", 402: "the account has no credit", 404: "not found"}
_UNUSABLE_CODES = ("model_not_found", "insufficient_quota", "invalid_api_key")
_FILTER = re.compile(r"moderat|flagged|polic|safety|filter", re.IGNORECASE)
_NO_ANSWER = {
    "content_filter": "the provider's filter withheld the answer (content_filter)",
    "model_length": "the request is longer than the context of the model (model_length)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try.

    Attributes
    ----------
    text : str or None
        The answer; ``None`` exactly where the status is not ``ok``.
    status : {"ok", "infra", "timeout"}
        Whether there is an answer.
    error : str or None
        What went wrong.
    again : bool
        Another try may help.
    wait : float or None
        Seconds that the server asks to wait.
    truncated : bool
        The model ran out of tokens.
    usage : Usage
        What it cost.
    """

    text: str | None = None
    status: CallStatus = "infra"
    error: str | None = None
    again: bool = False
    wait: float | None = None
    truncated: bool = False
    usage: Usage = field(default_factory=lambda: Usage(calls=1))


def timed_out(seconds: float) -> Attempt:
    """Return a try that did not end in time."""
    return Attempt(status="timeout", error=f"no answer within {seconds:g} s", again=True)


def read_output(output: Any, prices: Prices | None) -> Attempt:
    """Read an answer of Inspect.

    Notes
    -----
    No choices and an empty text are no answer, and are asked again. A text that ends because the
    tokens ran out is an answer, empty or not. Inspect puts the message of some refused requests
    where the text belongs (``content_filter``, ``model_length``): these are no answers either.
    """
    usage = _usage(output.usage, prices)
    if not output.choices:
        return Attempt(error="the answer holds no choices", again=True, usage=usage)
    stop = output.choices[0].stop_reason
    if stop in _NO_ANSWER:
        return Attempt(error=_NO_ANSWER[stop], usage=usage)
    text, truncated = output.choices[0].message.text, stop == "max_tokens"
    if not text.strip() and not truncated:
        return Attempt(error=f"the answer is empty (stop: {stop})", again=True, usage=usage)
    return Attempt(text=text, status="ok", truncated=truncated, usage=usage)


def _usage(held: Any, prices: Prices | None) -> Usage:
    if held is None:
        return Usage(calls=1)
    cached = held.input_tokens_cache_read or 0
    tokens = held.input_tokens + cached + (held.input_tokens_cache_write or 0)
    cost = held.total_cost
    if prices is not None:
        cost = prices.cost(tokens, held.output_tokens, cached=cached)
    return Usage(calls=1, input_tokens=tokens, output_tokens=held.output_tokens, cost=cost)


def failed_attempt(
    cause: BaseException, *, asked: str, secret: str | None, answered: bool
) -> Attempt:
    """Read what was raised in place of an answer.

    Parameters
    ----------
    cause : Exception
        As the provider's client raised it.
    asked : str
        Model and server, for messages.
    secret : str or None
        The key, which no message may repeat.
    answered : bool
        Whether the model has answered before. A 403 before that is taken as one for all calls,
        unless it speaks of a filter: some providers answer so to a single prompt.

    Returns
    -------
    Attempt
        Tried again after 408, 409, 429, 5xx, a lost connection and a body that cannot be read;
        not after any other refusal of the request.

    Raises
    ------
    ModelError
        If no call can succeed: the key is refused, the account is empty, the model or address is
        unknown.
    """
    status = _status(cause)
    message = error_message(cause, secret)
    code = getattr(cause, "code", None)
    barred = status == 403 and not answered and not _FILTER.search(message)
    if barred or status in _UNUSABLE_STATUS or code in _UNUSABLE_CODES:
        why = "access is denied" if barred else _UNUSABLE_STATUS.get(status or 0, str(code))
        raise ModelError(
            f"{asked} cannot be used: {why} ({message}); check the model's name, `base_url`, and "
            "the environment variable that holds the key"
        )
    if "Timeout" in type(cause).__name__:
        return Attempt(status="timeout", error=message, again=True)
    again = status is None or status in (408, 409, 429) or status >= 500
    return Attempt(error=message, again=again, wait=_retry_after(cause))


def cause_of(error: BaseException) -> BaseException:
    """Return what the client raised, inside of what Inspect wraps around it."""
    attempt = getattr(error, "last_attempt", None)
    if attempt is not None and attempt.exception() is not None:
        return cause_of(attempt.exception())
    if type(error).__name__ == "ModelGenerateError" and error.__cause__ is not None:
        return cause_of(error.__cause__)
    return error


def is_unreachable(cause: BaseException) -> bool:
    """Return whether nothing listens at the address."""
    link: BaseException | None = cause
    while link is not None:
        if type(link).__name__ == "ConnectError":
            return True
        link = link.__cause__
    return False


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
            return value
    return None


def error_message(error: BaseException, secret: str | None) -> str:
    """Return what went wrong in one line, without the key."""
    told = " ".join(str(error).split())
    if isinstance(error, json.JSONDecodeError):
        told = f"the body is not JSON ({told})"
    beneath = error.__cause__
    if beneath is not None and str(beneath) and str(beneath) not in told:
        told = f"{told} {type(beneath).__name__}: {' '.join(str(beneath).split())}"
    if secret:
        told = told.replace(secret, "***")
    return f"{type(error).__name__}: {told}"[:400]


def _retry_after(error: BaseException) -> float | None:
    """Return the seconds of a Retry-After header, which holds seconds or a date."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    text = headers.get("retry-after") if headers is not None else None
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
