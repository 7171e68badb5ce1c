"""One event loop in the background, for backends that are asynchronous."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run_in_background", "start_in_background"]

T = TypeVar("T")


class _Background:
    """A loop in a daemon thread; one a process, since Inspect's limits belong to one loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = -1

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop, started where there is none; a forked child starts its own."""
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                thread = threading.Thread(
                    target=self._loop.run_forever, name="evalkit-models", daemon=True
                )
                thread.start()
            return self._loop


_BACKGROUND = _Background()


def run_in_background(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the background loop and wait for it, from any other thread.

    An interrupt while waiting cancels the work.
    """
    future = asyncio.run_coroutine_threadsafe(work, _BACKGROUND.loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def start_in_background(work: Coroutine[Any, Any, Any]) -> None:
    """Start a coroutine in the background loop and do not wait; safe where objects are freed."""
    asyncio.run_coroutine_threadsafe(work, _BACKGROUND.loop())
