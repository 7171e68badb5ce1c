"""Calls that may hang or crash: in another process, or in a thread that is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from evalkit.errors import ArgumentError

__all__ = ["Isolated", "IsolatedFunction", "within"]

T = TypeVar("T")
_START_LIMIT = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolated:
    """What became of an isolated call.

    Attributes
    ----------
    status : {"ok", "error", "timeout", "died"}
        ``error`` is an exception of the function, ``died`` the end of its process.
    value : object
        What the function returned, as JSON holds it.
    error : str or None
        What went wrong.
    """

    status: Literal["ok", "error", "timeout", "died"]
    value: Any = None
    error: str | None = None


class IsolatedFunction:
    """A function by name, called in processes of its own that are killed when they take too long.

    Parameters
    ----------
    target : str
        ``module:function``.
    timeout : float
        Seconds for one call, without the start of the process.
    base : path
        Folder in which the module is looked for first.
    prepare : str
        Function of the same module that a process calls when it starts, such as one that imports
        what takes long; not part of any call's time.

    Raises
    ------
    ArgumentError
        If the function cannot be imported.

    Notes
    -----
    Arguments and value go through JSON. A process serves many calls, one at a time, and there are
    as many processes as calls at the same time. What the function prints is dropped. A call that
    is killed takes its child processes along.
    """

    def __init__(
        self, target: str, *, timeout: float, base: str | os.PathLike[str], prepare: str = ""
    ) -> None:
        if not re.fullmatch(r"[\w.]+:\w+", target):
            raise ArgumentError(f"`{target}` is no function; write it as 'module:function'")
        if not timeout > 0:
            raise ArgumentError(f"`timeout` is {timeout}; it must be a number of seconds above 0")
        self._timeout = timeout
        self._start = (target, str(Path(base).resolve()), prepare)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._finalizer = weakref.finalize(self, _end_all, self._idle)
        self._idle.append(_Worker(self._start))

    def __call__(self, arguments: Mapping[str, Any], /) -> Isolated:
        """Call the function with named arguments; safe from several threads."""
        line = json.dumps(dict(arguments))
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is None or not worker.alive():
            worker = _Worker(self._start)
        outcome = worker.call(line, self._timeout)
        if outcome.status in ("timeout", "died"):
            worker.end()
        else:
            with self._lock:
                self._idle.append(worker)
        return outcome

    def close(self) -> None:
        """End the processes that are idle."""
        with self._lock:
            _end_all(self._idle)


def _end_all(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().end()


class _Worker:
    """One process, and the thread that reads from it."""

    def __init__(self, start: tuple[str, str, str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the function is the user's own
            [sys.executable, "-m", "evalkit.environments.isolation_worker", *start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        started = self._answer(_START_LIMIT)
        if started.status != "ok":
            self.end()
            raise ArgumentError(f"the function {start[0]!r} cannot be used: {started.error}")

    def _read(self) -> None:
        if self._process.stdout is not None:
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put("")

    def alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def call(self, line: str, seconds: float) -> Isolated:
        """Send one call and wait for its outcome."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
        except OSError:
            return self._died()
        return self._answer(seconds)

    def _answer(self, seconds: float) -> Isolated:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return Isolated(status="timeout", error=f"no result within {seconds:g} s")
        if not line:
            return self._died()
        held = json.loads(line)
        if held["error"] is not None:
            return Isolated(status="error", error=held["error"])
        return Isolated(status="ok", value=held["value"])

    def _died(self) -> Isolated:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        return Isolated(
            status="died", error=f"its process ended with code {self._process.returncode}"
        )

    def end(self) -> None:
        """Kill the process and what it started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def within(seconds: float, function: Callable[[], T], /) -> T | None:
    """Call a function; give it up when it takes too long.

    Parameters
    ----------
    seconds : float
        How long it may take.
    function : callable
        It runs in a thread, which is left behind when the time is up.

    Returns
    -------
    object or None
        What it returned; ``None`` when the time is up.

    Raises
    ------
    Exception
        Whatever the function raises.

    Examples
    --------
    >>> import time
    >>> within(5, lambda: "in time"), within(0.01, lambda: time.sleep(0.1))
    ('in time', None)
    """
    held: list[T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            held.append(function())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller
            raised.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    return held[0] if held else None
