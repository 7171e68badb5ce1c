"""Append rows to a JSON Lines file so that a crash loses at most the line under way."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.records.compression import SUFFIXES
from evalkit.records.values import is_missing
from evalkit.results import json_value

__all__ = ["RecordWriter"]

_ENCODE = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
_BLOCK = 1 << 16
_LIMIT = 1 << 26
_FLAGS = os.O_APPEND | os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0)


def _locker() -> Callable[[int, bool], None]:
    """Return what locks and unlocks a file, nothing where the system has no such lock."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return lambda _descriptor, _lock: None
    return lambda descriptor, lock: fcntl.flock(
        descriptor, fcntl.LOCK_EX if lock else fcntl.LOCK_UN
    )


class RecordWriter:
    r"""Append rows to JSON Lines, from any number of threads and processes.

    Parameters
    ----------
    path : path
        File to append to; it is made where there is none.
    durable : bool, default False
        Wait after each line until it is on the disk, so that not even a power cut loses it.

    Attributes
    ----------
    notes : list of str
        What was repaired.

    Raises
    ------
    ArgumentError
        The suffix is one of a compressed file, which cannot be appended to line by line.
    FileMissingError
        The folder does not exist.
    InputError
        The file cannot be written, or its last line is too long to be one.

    Notes
    -----
    A line is written by one system call to a file that is open for appending, under a lock, so
    lines of several writers do not mix. A process that is killed can leave the line it was writing
    unfinished. `evalkit.read` leaves such a line out and says so; whoever appends next first moves
    it to ``NAME.torn`` and notes it, so that no good line is joined to it. A last line that is
    whole and only lacks its line end gets one. Rows are strict JSON: NaN, infinities and missing
    values are null. Over a network file system the lock and the append are only as good as that
    system's.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> with RecordWriter(path) as writer:
    ...     writer.append({"item": "a", "score": 1.0})
    ...     writer.append({"item": "b", "score": float("nan")})
    >>> path.read_text()
    '{"item": "a", "score": 1.0}\n{"item": "b", "score": null}\n'
    """

    def __init__(self, path: str | os.PathLike[str], *, durable: bool = False) -> None:
        self.path = Path(os.fsdecode(path))
        if self.path.suffix.lower() in SUFFIXES:
            raise ArgumentError(
                f"`path` {str(self.path)!r} is compressed; append to plain JSON Lines and compress "
                "the finished file with `write`"
            )
        if not self.path.parent.is_dir():
            raise FileMissingError(f"{self.path.parent}: there is no such folder; make it first")
        self.durable = durable
        self.notes: list[str] = []
        self._lock = _locker()
        self._mutex = threading.RLock()
        self._descriptor = -1
        self._process = -1
        self._open()
        with self._locked():
            self._mend()

    def append(self, row: Mapping[str, Any]) -> None:
        """Append one row.

        Raises
        ------
        ArgumentError
            The row is no mapping, or the writer is closed.
        InputError
            It cannot be written; nothing of it is left in the file.
        """
        self.extend((row,))

    def extend(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append several rows, each whole; none of another writer stands between them.

        Raises
        ------
        ArgumentError
            A row is no mapping, or the writer is closed; no row is written then.
        InputError
            A row cannot be written; those before it are in the file.
        """
        lines = [_line(row) for row in rows]
        with self._locked():
            self._mend()
            for line in lines:
                self._write(line)

    def close(self) -> None:
        """Close the file; a closed writer can be closed again."""
        with self._mutex:
            if self._descriptor >= 0 and self._process == os.getpid():
                os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            self.close()

    def _open(self) -> None:
        fresh = not self.path.exists()
        try:
            self._descriptor = os.open(self.path, _FLAGS, 0o666)
        except OSError as cause:
            raise InputError(
                f"the file cannot be appended to ({cause})", path=str(self.path)
            ) from cause
        self._process = os.getpid()
        if fresh and self.durable:
            with suppress(OSError):  # not every system can synchronise a folder
                folder = os.open(self.path.parent, os.O_RDONLY)
                os.fsync(folder)
                os.close(folder)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._mutex:
            if self._descriptor < 0:
                raise ArgumentError(f"the writer of {str(self.path)!r} is closed")
            if self._process != os.getpid():  # a fork shares the lock with its parent
                self._open()
            self._lock(self._descriptor, True)
            try:
                yield
            finally:
                self._lock(self._descriptor, False)

    def _write(self, line: bytes) -> None:
        start = os.fstat(self._descriptor).st_size
        done = 0
        try:
            while done < len(line):
                done += os.write(self._descriptor, line[done:])
            if self.durable:
                os.fsync(self._descriptor)
        except OSError as cause:
            if done < len(line):
                with suppress(OSError):
                    os.ftruncate(self._descriptor, start)
            message = f"the row cannot be written ({cause})"
            raise InputError(message, path=str(self.path)) from cause

    def _mend(self) -> None:
        """Finish a last line that is whole, and move one that is torn out of the file."""
        size = os.fstat(self._descriptor).st_size
        if not size or os.pread(self._descriptor, 1, size - 1) == b"\n":
            return
        start, tail = self._tail(size)
        if _is_whole(tail):
            self._write(b"\n")
            self.notes.append(f"{self.path.name}: the last line lacked its line end and got one")
            return
        torn = self.path.with_name(f"{self.path.name}.torn")
        with torn.open("ab") as handle:
            handle.write(tail + b"\n")
        os.ftruncate(self._descriptor, start)
        self.notes.append(
            f"{self.path.name}: the last line was cut off (byte {start} onwards, {len(tail)} "
            f"bytes), as after a crash; it was moved to {torn.name}"
        )

    def _tail(self, size: int) -> tuple[int, bytes]:
        """Return where the last line starts, and its bytes."""
        start, tail = size, b""
        while start > 0 and b"\n" not in tail:
            step = min(_BLOCK, start)
            start -= step
            tail = os.pread(self._descriptor, step, start) + tail
            if len(tail) > _LIMIT:
                message = f"the last line has more than {_LIMIT:,} bytes; is this JSON Lines?"
                raise InputError(message, path=str(self.path))
        before, newline, last = tail.rpartition(b"\n")
        return start + len(before) + len(newline), last


def _is_whole(line: bytes) -> bool:
    """Return whether a line is a JSON object from end to end."""
    try:
        return isinstance(json.loads(line.removeprefix(b"\xef\xbb\xbf")), dict)
    except (ValueError, RecursionError):
        return False


def _line(row: Mapping[str, Any]) -> bytes:
    if not isinstance(row, Mapping):
        raise ArgumentError(
            f"`row` is {type(row).__name__}; it must be a mapping of names to values"
        )
    cells = {str(name): _cell(value) for name, value in row.items()}
    if len(cells) < len(row):
        raise ArgumentError(f"`row` names a column twice: {', '.join(map(repr, row))}")
    return _ENCODE(cells).encode() + b"\n"


def _cell(value: Any) -> Any:
    return None if is_missing(value) else json_value(value)
