"""Models that Inspect reaches: its providers, and OpenAI-compatible servers by base URL."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import re
import weakref
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from evalkit.errors import ArgumentError, MissingPackageError, ModelError
from evalkit.models.attempts import (
    Attempt,
    cause_of,
    error_message,
    failed_attempt,
    is_unreachable,
    read_output,
    timed_out,
)
from evalkit.models.background import run_in_background, start_in_background
from evalkit.models.base import Reply, Request, Usage
from evalkit.models.prices import Prices

__all__ = ["InspectModel"]

_LONGEST_WAIT = 60.0
_NO_KEY = "no-key"
_OWN_RETRIES = ("openai", "openai-api", "anthropic")
"""Providers whose client tries again by itself unless it is told not to."""


class InspectModel:
    """One model, called through `inspect_ai`.

    Parameters
    ----------
    name : str
        With `base_url`, the name that the server knows, sent as it is. Without, a name of Inspect
        such as ``openai/...``, ``anthropic/...`` or ``openai-api/<service>/<model>``.
    base_url : str, optional
        Address of an OpenAI-compatible server, such as ``http://localhost:8000/v1``.
    api_key_env : str, optional
        Environment variable that holds the key. Without it, Inspect's own variable of the provider
        is read, and a server at `base_url` is sent no real key.
    max_connections : int
        Calls of this model at the same time, at most.
    timeout : float
        Seconds for one try.
    time_limit : float
        Seconds for a call with all of its tries and waits, from when a connection is free.
    max_retries : int
        Tries after the first.
    backoff : float
        Seconds to wait before the first retry; doubled each time, up to a minute. A longer
        Retry-After of the server is kept.
    prices : Prices, optional
        What tokens cost; without it, and where Inspect knows no price, the cost is ``None``.

    Raises
    ------
    MissingPackageError
        If `inspect_ai`, or what it needs for the provider, is not installed.
    ModelError
        If the provider is unknown or no key is found.
    ArgumentError
        If a setting is not allowed.

    Notes
    -----
    Tries are counted here: Inspect and the client are told not to try again on their own (clients
    of OpenAI, OpenAI-compatible servers and Anthropic; other clients may retry inside one try).
    ``Usage.calls`` counts them, and tokens and cost add up over all tries that report them.
    Nothing is cached. The wait before a retry is spread by the hash of the request.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key_env: str | None = None,
        max_connections: int = 8,
        timeout: float = 120.0,
        time_limit: float = 600.0,
        max_retries: int = 5,
        backoff: float = 1.0,
        prices: Prices | None = None,
    ) -> None:
        _check_count("max_connections", max_connections, 1)
        _check_count("max_retries", max_retries, 0)
        for setting, seconds in (("timeout", timeout), ("time_limit", time_limit)):
            _check_seconds(setting, seconds)
        if not 0 <= backoff < math.inf:
            raise ArgumentError(f"`backoff` is {backoff}; it must be 0 or more seconds")
        self._name = name
        self._asked = name if base_url is None else f"{name} at {_check_url(base_url)}"
        self._secret = _key(api_key_env)
        self._timeout, self._time_limit = timeout, time_limit
        self._max_retries, self._backoff, self._prices = max_retries, backoff, prices
        self._slots = asyncio.Semaphore(max_connections)
        self._reached = self._answered = False
        self._unusable: ModelError | None = None
        self._calls: set[asyncio.Task[Any]] = set()
        self._model = _connect(name, base_url, self._secret)
        weakref.finalize(self, _let_go, self._model.api).atexit = False

    @property
    def name(self) -> str:
        """Name that records carry."""
        return self._name

    def __call__(self, request: Request, /) -> Reply:
        """Answer one request; safe to call from several threads.

        Returns
        -------
        Reply
            ``timeout`` or ``infra`` where all tries failed.

        Raises
        ------
        ModelError
            If no call can succeed: the key is refused, the model is unknown, the server was never
            reached.
        """
        return run_in_background(self._answer(request))

    def close(self) -> None:
        """Give up the calls in flight and close the connections; calls after this fail."""
        run_in_background(self._close())

    async def _close(self) -> None:
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        await self._model.api.aclose()

    async def _answer(self, request: Request) -> Reply:
        from inspect_ai.log._transcript import Transcript, init_transcript

        # Without a transcript of its own, each call would stay in memory for ever.
        init_transcript(Transcript())
        task = asyncio.current_task()
        if task is not None:
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)
        async with self._slots:
            return await self._until_answered(request)

    async def _until_answered(self, request: Request) -> Reply:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._time_limit
        usage = Usage()
        for tried in count():
            if self._unusable is not None:
                raise ModelError(str(self._unusable))
            attempt = await self._try(request, min(self._timeout, deadline - clock()))
            usage += attempt.usage
            if attempt.text is not None or not attempt.again or tried == self._max_retries:
                return _reply(attempt, usage)
            wait = max(attempt.wait or 0.0, _spread(self._backoff, tried, request.key))
            if clock() + wait >= deadline:
                return _given_up(attempt, usage, self._time_limit, wait)
            await asyncio.sleep(wait)
        raise AssertionError  # pragma: no cover - `count` has no end

    async def _try(self, request: Request, seconds: float) -> Attempt:
        try:
            async with asyncio.timeout(seconds):
                output = await self._model.generate(
                    _messages(request), config=_settings(request), cache=False
                )
        except TimeoutError:
            return timed_out(seconds)
        except Warning:
            raise
        except Exception as error:  # noqa: BLE001 - errors of providers have no common base
            return self._failed(error)
        attempt = read_output(output, self._prices)
        self._reached = True
        self._answered = self._answered or attempt.text is not None
        return attempt

    def _failed(self, error: Exception) -> Attempt:
        """Read what was raised; once no call can succeed, no other call is tried."""
        cause = cause_of(error)
        if not is_unreachable(cause):
            self._reached = True
        try:
            self._check_reached(cause)
            return failed_attempt(
                cause, asked=self._asked, secret=self._secret, answered=self._answered
            )
        except ModelError as unusable:
            self._unusable = unusable
            raise

    def _check_reached(self, cause: BaseException) -> None:
        if not self._reached:
            raise ModelError(
                f"{self._asked} cannot be reached ({error_message(cause, self._secret)}); start "
                "the server, or correct `base_url`"
            )


def _let_go(api: Any) -> None:
    """Close the connections of a model that nobody holds any more."""
    start_in_background(api.aclose())


def _reply(attempt: Attempt, usage: Usage) -> Reply:
    if attempt.text is not None:
        return Reply(text=attempt.text, usage=usage, truncated=attempt.truncated)
    tries = "" if usage.calls == 1 else f" ({usage.calls} tries)"
    return Reply(
        text=None, status=attempt.status, error=f"{attempt.error}{tries}"[:500], usage=usage
    )


def _given_up(attempt: Attempt, usage: Usage, limit: float, wait: float) -> Reply:
    error = f"{attempt.error}; a wait of {wait:.3g} s would pass the limit of {limit:g} s"
    return Reply(
        text=None,
        status=attempt.status,
        error=f"{error} ({usage.calls} tries)"[:500],
        usage=usage,
    )


def _spread(backoff: float, tried: int, key: str) -> float:
    """Return the wait before the next try, between half of the step and the step."""
    step = min(_LONGEST_WAIT, backoff * 2.0 ** min(tried, 30))
    return step * (0.5 + 0.5 * int(key[tried % 32 : tried % 32 + 8], 16) / 0xFFFFFFFF)


def _messages(request: Request) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[message.role](content=message.content) for message in request.messages]


def _settings(request: Request) -> Any:
    from inspect_ai.model import GenerateConfig

    return GenerateConfig(
        temperature=request.temperature, max_tokens=request.max_tokens, seed=request.seed
    )


def _connect(name: str, base_url: str | None, key: str | None) -> Any:
    """Return Inspect's model; one try a call, and no limit on connections but ours."""
    try:
        from inspect_ai._util.error import PrerequisiteError
        from inspect_ai.model import GenerateConfig, get_model
        from tenacity import wait_none
    except ImportError as cause:
        raise MissingPackageError(
            "models need the package inspect-ai; install it with "
            "`pip install 'evalkit-stats[models]'`"
        ) from cause
    own = base_url is not None and not name.startswith("openai-api/")
    full = f"openai-api/server/{name}" if own else name
    # A server that wants no key is still sent one, since the client insists; never a real one.
    sent = _NO_KEY if base_url is not None and key is None else key
    provider = full.split("/", 1)[0]
    arguments: dict[str, Any] = {"max_retries": 0} if provider in _OWN_RETRIES else {}
    try:
        model = get_model(
            full,
            config=GenerateConfig(max_retries=0, max_connections=10_000),
            base_url=base_url,
            api_key=sent,
            memoize=False,
            **arguments,
        )
    except PrerequisiteError as cause:
        told = re.sub(r"\[/?[a-z ]+\]", "", str(cause.message)).strip().removeprefix("ERROR:")
        kind = MissingPackageError if "pip install" in told else ModelError
        raise kind(f"the model {name!r} cannot be used: {' '.join(told.split())}") from cause
    except ValueError as cause:
        raise ModelError(
            f"the model {name!r} cannot be used: {cause} Give a name such as 'openai/MODEL', or "
            "`base_url` for an OpenAI-compatible server"
        ) from cause
    # Waits are ours; Inspect's default would also be built, which warns with recent tenacity.
    setattr(model.api, "retry_wait", wait_none)  # noqa: B010 - a method of the class
    return model


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        # The value may be the key itself: it is not repeated.
        raise ArgumentError(
            "`api_key_env` is not the name of an environment variable; give the name, such as "
            "'MY_SERVER_API_KEY', never the key itself"
        )
    key = os.environ.get(variable)
    if not key:
        raise ModelError(f"the environment variable {variable} is not set; export the key in it")
    return key


def _check_url(url: str) -> str:
    parts = None
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ArgumentError(
            "`base_url` is not a web address; give one such as 'http://localhost:8000/v1'"
        )
    if parts.username or parts.password or parts.query:
        raise ArgumentError(
            "`base_url` holds a user, password or query; it is written to run folders, so keys "
            "belong in an environment variable that `api_key_env` names"
        )
    return url


def _check_count(name: str, value: int, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ArgumentError(f"`{name}` is {value!r}; it must be a whole number, {least} or more")


def _check_seconds(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise ArgumentError(f"`{name}` is {value!r}; it must be a finite number of seconds above 0")
