"""Members of a zip archive: stored, deflated or zstd (which zipfile cannot read before 3.14)."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from evalkit.errors import FileMissingError, InputError, TruncatedFileError

__all__ = ["Archive"]

_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_LOCAL = struct.Struct("<4s5H3I2H")
_SIGNATURE = b"PK\x03\x04"
_ENCRYPTED = 1
_CHUNK = 1 << 16
_MEMBER = 1 << 28
_SMALL = 1 << 24
_RATIO = 1000
_TOTAL, _TOTAL_RATIO = 1 << 28, 200
_WINDOW = 1 << 27
_DAMAGE = (
    zipfile.BadZipFile,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    ArithmeticError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
)


class Archive:
    """A zip archive open for reading, bounded in what its members may unpack to.

    Parameters
    ----------
    path : Path
        The archive.
    limit : int
        Most bytes of one member.

    Raises
    ------
    FileMissingError
        There is no such file.
    TruncatedFileError
        It begins as a zip archive and has no directory at its end.
    InputError
        It is no zip archive.
    """

    def __init__(self, path: Path, *, limit: int = _MEMBER) -> None:
        self.path, self.limit = path, limit
        self._rest = 0
        try:
            self._handle: IO[bytes] = path.open("rb")
        except FileNotFoundError:
            raise FileMissingError(f"{path}: there is no such file") from None
        except OSError as cause:
            raise InputError(f"the file cannot be opened ({cause})", path=str(path)) from cause
        try:
            with zipfile.ZipFile(self._handle) as directory:
                self._members = {info.filename: info for info in directory.infolist()}
            self._rest = max(_TOTAL, _TOTAL_RATIO * path.stat().st_size)
        except _DAMAGE as cause:
            self._handle.seek(0)
            begins = self._handle.read(4) == _SIGNATURE
            self._handle.close()
            if begins:
                raise TruncatedFileError(
                    f"the archive has no readable directory ({cause}): it is cut off, or still "
                    "being written; copy it again",
                    path=str(path),
                ) from cause
            raise InputError(f"this is not a zip archive ({cause})", path=str(path)) from cause

    def __enter__(self) -> Self:
        self._handle = self.path.open("rb") if self._handle.closed else self._handle
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._handle.close()

    @property
    def names(self) -> tuple[str, ...]:
        """Members in the order of the directory."""
        return tuple(self._members)

    def read(self, name: str) -> bytes:
        """Return the bytes of a member, checked against its checksum.

        Raises
        ------
        InputError
            It is damaged, encrypted, packed in an unknown way, or unpacks to too much.
        """
        info = self._members[name]
        if info.flag_bits & _ENCRYPTED:
            raise self._fault(name, "the member is encrypted")
        try:
            found = self._unpacked(info, name)
        except InputError:
            raise
        except _DAMAGE as cause:
            raise self._fault(name, f"the member is damaged ({cause})") from cause
        self._rest -= len(found)
        if self._rest < 0:
            raise self._fault(name, "the members together unpack to far more than a log does")
        if zlib.crc32(found) != info.CRC:
            raise self._fault(name, "the member is damaged (its checksum does not match)")
        return found

    def _fault(self, name: str, message: str) -> InputError:
        return InputError(f"{name[:200]!r}: {message}", path=str(self.path))

    def _packed(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield the packed bytes of a member; the directory says where its header is."""
        self._handle.seek(info.header_offset)
        header = self._handle.read(_LOCAL.size)
        if len(header) < _LOCAL.size:
            raise zipfile.BadZipFile("its header is cut off")
        fields = _LOCAL.unpack(header)
        if fields[0] != _SIGNATURE:
            raise zipfile.BadZipFile("its header is not where the directory says")
        self._handle.seek(int(fields[9]) + int(fields[10]), 1)
        rest = info.compress_size
        while rest > 0:
            block = self._handle.read(min(rest, _CHUNK))
            if not block:
                raise zipfile.BadZipFile("its data are cut off")
            rest -= len(block)
            yield block

    def _unpacked(self, info: zipfile.ZipInfo, name: str) -> bytes:
        found = bytearray()
        most = max(_SMALL, min(self.limit, _RATIO * info.compress_size))
        for block in _unpack(info.compress_type, self._packed(info)):
            found += block
            if len(found) > min(most, self.limit):
                raise self._fault(
                    name,
                    f"{info.compress_size:,} packed bytes unpack to more than "
                    f"{min(most, self.limit):,}, as a zip bomb does; not read",
                )
        return bytes(found)


def _unpack(method: int, packed: Iterator[bytes]) -> Iterator[bytes]:
    """Yield unpacked blocks of bounded size."""
    if method == _STORED:
        yield from packed
    elif method == _DEFLATED:
        yield from _inflate(packed)
    elif method == _ZSTD:
        yield from _zstd(packed)
    else:
        raise NotImplementedError(f"compression method {method} is not stored, deflate or zstd")


def _inflate(packed: Iterator[bytes]) -> Iterator[bytes]:
    try:
        engine = zlib.decompressobj(-zlib.MAX_WBITS)
        for block in packed:
            data = block
            while data:
                yield engine.decompress(data, _CHUNK)
                data = engine.unconsumed_tail
        yield engine.flush()
    except zlib.error as cause:
        raise zipfile.BadZipFile(str(cause)) from cause
    if not engine.eof:
        raise zipfile.BadZipFile("its data end too early")


class _Source:
    """A file of the packed blocks, as the zstd reader wants it."""

    def __init__(self, packed: Iterator[bytes]) -> None:
        self._packed, self._rest = packed, b""

    def read(self, size: int) -> bytes:
        if not self._rest:
            self._rest = next(self._packed, b"")
        out, self._rest = self._rest[:size], self._rest[size:]
        return out


def _zstd(packed: Iterator[bytes]) -> Iterator[bytes]:
    import zstandard

    engine = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    source: IO[bytes] = _Source(packed)  # type: ignore[assignment]
    try:
        with engine.stream_reader(source, read_across_frames=True) as reader:
            read: Callable[[], bytes] = lambda: reader.read(_CHUNK)  # noqa: E731
            yield from iter(read, b"")
    except zstandard.ZstdError as cause:
        raise zipfile.BadZipFile(str(cause)) from cause
