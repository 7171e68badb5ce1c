"""Several calls at once, results in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["concurrent_map"]

A = TypeVar("A")
B = TypeVar("B")


def concurrent_map(function: Callable[[A], B], items: Sequence[A], *, workers: int) -> list[B]:
    """Call a function on each item; the results stand in the order of the items.

    Parameters
    ----------
    function : callable
        Safe to call from several threads.
    items : sequence
        Its arguments.
    workers : int
        Calls at the same time; 1 makes no thread.

    Returns
    -------
    list

    Raises
    ------
    Exception
        Whatever the first failing item raises; calls that have not begun are not made.

    Examples
    --------
    >>> concurrent_map(len, ["a", "bc"], workers=2)
    [1, 2]
    """
    if workers <= 1 or len(items) <= 1:
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(max_workers=min(workers, len(items)))
    try:
        futures = [pool.submit(function, item) for item in items]
        return [future.result() for future in futures]
    finally:
        # Waits for the calls in flight, so that no thread works for a round that is gone.
        pool.shutdown(wait=True, cancel_futures=True)
