"""Somebody may watch how far a file has been read, such as a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

__all__ = ["Watch", "watched", "watching"]

Watch = Callable[[Path, int, int], None]
"""Called with a path, the bytes read so far and the size of the file."""
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Have every file that is read meanwhile reported.

    Examples
    --------
    >>> with watching(lambda path, done, size: None):
    ...     pass
    """
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def watched(raw: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, reporting how far they are."""
    watch = _watch.get()
    if watch is None:
        yield from raw
        return
    size, done = path.stat().st_size, 0
    for block in raw:
        done += len(block)
        watch(path, done, size)
        yield block
