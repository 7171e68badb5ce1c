"""A scripted model: tests and examples run without a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping

from evalkit.errors import ModelError, UnseenPromptError
from evalkit.models.base import Reply, Request, Usage

__all__ = ["MockModel", "Script"]

Script = Callable[[Request], str | Reply] | Mapping[str, str | Reply] | Iterable[str | Reply]
"""What to answer: a function of the request, answers by prompt, or answers in turn."""


class MockModel:
    """Answer from a script.

    Parameters
    ----------
    script : callable, mapping or iterable
        A callable gets the request. A mapping is looked up by `Request.key`, then by the content
        of the last message; the answer depends on the request alone. An iterable is used up in
        the order of the calls, so it suits one thread.
    name : str
        Name that records carry.

    Attributes
    ----------
    requests : tuple of Request
        Everything that was asked, in the order of the calls.

    Examples
    --------
    >>> from evalkit.models import Message, Request
    >>> model = MockModel({"2 + 2?": "4"})
    >>> ask = Request(messages=(Message(role="user", content="2 + 2?"),), purpose="solve")
    >>> model(ask).text, model(ask).usage.calls
    ('4', 1)
    """

    def __init__(self, script: Script, *, name: str = "mock") -> None:
        self._name = name
        self._requests: list[Request] = []
        self._lock = threading.Lock()
        turns = None if callable(script) or isinstance(script, Mapping) else iter(script)
        self._script = script
        self._turns: Iterator[str | Reply] | None = turns

    @property
    def name(self) -> str:
        """Name that records carry."""
        return self._name

    @property
    def requests(self) -> tuple[Request, ...]:
        """Everything that was asked."""
        with self._lock:
            return tuple(self._requests)

    def __call__(self, request: Request, /) -> Reply:
        """Answer one request.

        Raises
        ------
        UnseenPromptError
            If the script has no answer to it.
        ModelError
            If an iterable script is used up.
        """
        with self._lock:
            self._requests.append(request)
            answer = self._next(request) if self._turns is not None else None
        if answer is None:
            answer = self._script(request) if callable(self._script) else self._found(request)
        if isinstance(answer, Reply):
            return answer
        return Reply(text=answer, usage=Usage(calls=1))

    def _next(self, request: Request) -> str | Reply:
        try:
            return next(self._turns) if self._turns is not None else ""
        except StopIteration:
            raise ModelError(
                f"the script of the model {self._name!r} is used up: call {len(self._requests)} "
                f"(purpose {request.purpose!r}) finds no answer; give a function or a longer script"
            ) from None

    def _found(self, request: Request) -> str | Reply:
        last = request.messages[-1].content if request.messages else ""
        if isinstance(self._script, Mapping):
            for key in (request.key, last):
                if key in self._script:
                    return self._script[key]
        raise UnseenPromptError(
            f"the script of the model {self._name!r} has no answer for the purpose "
            f"{request.purpose!r} to {last[:60]!r}; add the last message, or the key of the request"
        )
