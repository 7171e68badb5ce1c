"""Bytes of a file, decompressed by what they are and not by what the file is called."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Protocol

from evalkit.errors import FileMissingError, InputError, TruncatedFileError
from evalkit.records.watching import watched

__all__ = [
    "SUFFIXES",
    "blocks",
    "compressed",
    "split_lines",
    "utf8_blocks",
]

SUFFIXES = (".gz", ".zst")
_MAGIC = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}
_BLOCK = 1 << 15
_WINDOW = 1 << 31  # the largest window that `zstd --long` writes
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Decompressor(Protocol):
    """One gzip member or zstd frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def blocks(path: Path) -> Iterator[bytes]:
    """Yield the decompressed bytes of `path`, piece by piece.

    Parameters
    ----------
    path : Path
        A plain, gzip or zstd file; its first bytes decide which.

    Raises
    ------
    FileMissingError
        There is no such file.
    TruncatedFileError
        The compressed stream ends before its end mark; all bytes before it were yielded.
    InputError
        `path` is a folder, cannot be opened, or its compressed bytes are damaged.
    """
    with _opened(path) as handle:
        head = handle.read(_BLOCK)
        raw = watched(chain((head,), iter(lambda: handle.read(_BLOCK), b"")), path)
        suffix = _compression(path, head)
        if suffix is None:
            yield from raw
        else:
            yield from _members(raw, path, suffix)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        handle = path.open("rb")
    except FileNotFoundError:
        raise FileMissingError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        message = "this is a folder; name a file in it"
        raise InputError(message, path=str(path)) from None
    except (OSError, ValueError) as cause:
        raise InputError(f"the file cannot be opened ({cause})", path=str(path)) from cause
    with handle:
        yield handle


def _compression(path: Path, head: bytes) -> str | None:
    for suffix, magic in _MAGIC.items():
        if head.startswith(magic):
            return suffix
    suffix = path.suffix.lower()
    if suffix in _MAGIC and len(head) < len(_MAGIC[suffix]) and _MAGIC[suffix].startswith(head):
        return suffix
    return None


def _engine(suffix: str) -> Callable[[], _Decompressor]:
    if suffix == ".gz":
        return lambda: zlib.decompressobj(zlib.MAX_WBITS | 16)
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj


def _damage(suffix: str) -> tuple[type[Exception], ...]:
    if suffix == ".gz":
        return (zlib.error,)
    import zstandard

    return (zstandard.ZstdError, MemoryError)


def _members(raw: Iterable[bytes], path: Path, suffix: str) -> Iterator[bytes]:
    """Decompress one gzip member or zstd frame after the other."""
    start, damage = _engine(suffix), _damage(suffix)
    engine, inside, complete = start(), False, False
    for block in raw:
        data = block
        while data:
            if complete and not inside and suffix == ".gz":
                data = data.lstrip(b"\0")  # tape blocks are padded with NULs
                if not data:
                    break
            inside = True
            try:
                out = engine.decompress(data)
            except damage as cause:
                message = f"the compressed data are damaged ({cause}); copy or write it again"
                raise InputError(message, path=str(path)) from cause
            if out:
                yield out
            data = engine.unused_data if engine.eof else b""
            if engine.eof:
                engine, inside, complete = start(), False, True
    if inside or not complete:
        message = (
            "the compressed file is cut off before its end mark; copy or write it again, "
            "or read the whole rows up to the cut with `partial` (--partial)"
        )
        raise TruncatedFileError(message, path=str(path))


def utf8_blocks(source: Iterator[bytes]) -> Iterator[bytes]:
    """Take a byte-order mark off, and turn UTF-16 and UTF-32 that carry one into UTF-8."""
    head = b""
    for block in source:
        head += block
        if len(head) >= len(codecs.BOM_UTF32_LE):
            break
    found = ((mark, name) for mark, name in _BOMS if head.startswith(mark))
    mark, encoding = next(found, (b"", "utf-8"))
    if encoding == "utf-8":
        yield head[len(mark) :]
        yield from source
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    for block in chain((head,), source):
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()


def split_lines(source: Iterator[bytes]) -> Iterator[bytes]:
    r"""Yield the lines of `source` without their ``\n``.

    A stream that raises loses only the line that was under way.
    """
    rest: list[bytes] = []
    for block in source:
        first, newline, after = block.partition(b"\n")
        rest.append(first)
        if not newline:
            continue
        yield b"".join(rest)
        lines = after.split(b"\n")
        rest = [lines.pop()]
        yield from lines
    last = b"".join(rest)
    if last:
        yield last


@contextmanager
def compressed(handle: IO[bytes], suffix: str | None) -> Iterator[IO[bytes]]:
    """Yield a writer that compresses into `handle`; equal content gives equal bytes."""
    if suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as out:
            yield out  # type: ignore[misc]
    elif suffix == ".zst":
        import zstandard

        compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
        with compressor.stream_writer(handle, closefd=False) as out:
            yield out
    else:
        yield handle
