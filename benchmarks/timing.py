"""Timing of several methods in one process, interleaved, over rotating distinct arrays."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

__all__ = ["Kind", "Method", "OtherWork", "Side", "Timing", "interleave", "ready"]

Kind = Literal["exact", "resampling", "closed form", "floor"]
Side = Literal["evalkit", "rival"]
_LEAST_SECONDS = 0.02
_LARGEST_INNER = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to do a piece of work.

    Attributes
    ----------
    name : str
        As printed.
    side : {"evalkit", "rival"}
        Whose code it is.
    kind : {"exact", "resampling", "closed form", "floor"}
        Whether the law is computed or sampled; a floor does part of the work only.
    call : callable or None
        Takes the number of the array to work on. ``None`` when `missing` says why not.
    scale : float
        Factor from the work that is timed to the work that is meant; above 1 is extrapolated.
    repeats : int
        Timings; each covers as many calls as a clock needs.
    missing : str or None
        What is not installed.
    """

    name: str
    side: Side
    kind: Kind
    call: Callable[[int], Any] | None
    scale: float = 1.0
    repeats: int = 7
    missing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds for one piece of work: median and extremes over the repeats."""

    median: float
    low: float
    high: float
    repeats: int
    extrapolated: bool


def ready(method: Method) -> Method:
    """Call a method once, to compile and warm it; what cannot be imported becomes missing."""
    if method.call is None:
        return method
    try:
        method.call(0)
    except ImportError as error:
        return replace(method, call=None, missing=f"not installed: {error.name or error}")
    return method


def _inner_calls(method: Method) -> int:
    """Return the calls of one timing: enough for the clock, and one of what is slow."""
    if method.call is None:
        return 0
    start = time.perf_counter()
    method.call(1)
    once = time.perf_counter() - start
    return min(_LARGEST_INNER, max(1, math.ceil(_LEAST_SECONDS / max(once, 1e-9))))


def interleave(methods: Sequence[Method]) -> dict[str, Timing]:
    """Time each method in turn, again and again, so that all see the same machine.

    Parameters
    ----------
    methods : sequence of Method
        Already called once. Those that are missing are left out.

    Returns
    -------
    dict of str to Timing
        By name.
    """
    seconds: dict[str, list[float]] = {m.name: [] for m in methods if m.call is not None}
    inner = {m.name: _inner_calls(m) for m in methods}
    array = 2
    gc.collect()
    gc.disable()
    try:
        for turn in range(max((m.repeats for m in methods), default=0)):
            for method in methods:
                if method.call is None or turn >= method.repeats:
                    continue
                calls = inner[method.name]
                call = method.call
                start = time.perf_counter()
                for k in range(array, array + calls):
                    call(k)
                seconds[method.name].append((time.perf_counter() - start) / calls)
                array += calls
    finally:
        gc.enable()
    scale = {m.name: m.scale for m in methods}
    return {name: _summary(taken, scale[name]) for name, taken in seconds.items()}


def _summary(seconds: Sequence[float], scale: float) -> Timing:
    return Timing(
        median=scale * statistics.median(seconds),
        low=scale * min(seconds),
        high=scale * max(seconds),
        repeats=len(seconds),
        extrapolated=scale > 1,
    )


class OtherWork:
    """Share of the processors that other processes used meanwhile; `None` where not known."""

    def __init__(self) -> None:
        self._start = self._read()

    @staticmethod
    def _read() -> tuple[float, float, float] | None:
        stat = Path("/proc/stat")
        if not stat.exists():
            return None
        ticks = [int(x) for x in stat.read_text(encoding="ascii").split("\n")[0].split()[1:9]]
        idle = ticks[3] + ticks[4]
        used = time.process_time()
        return float(sum(ticks)) / 100, float(sum(ticks) - idle) / 100, used

    def share(self) -> float | None:
        """Return the share since this object was made, between 0 and 1."""
        now = self._read()
        if now is None or self._start is None:
            return None
        total, busy, own = (b - a for a, b in zip(self._start, now, strict=True))
        return min(1.0, max(0.0, busy - own) / total) if total else 0.0
