"""The folder of one run: append-only files and a journal that says how far they count."""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from evalkit.errors import InputError
from evalkit.evolve.canonical import from_json, to_json
from evalkit.evolve.journal import JOURNAL, Commit, Extent, commit_line, read_journal
from evalkit.evolve.locking import FolderLock
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.run_spec import agree_on_spec, write_atomically

__all__ = ["ARTIFACTS", "EVENTS", "HISTORY", "RECORDS", "SPEC", "TIMING", "RunStore"]

S = TypeVar("S")
SPEC = "run.json"
RECORDS, HISTORY, EVENTS = "records.jsonl", "history.jsonl", "events.jsonl"
TIMING = "timing.jsonl"
"""Seconds a round took; the one file that two equal runs do not share."""
ARTIFACTS = "artifacts"
_DATA = (RECORDS, HISTORY, EVENTS)


class RunStore(Generic[S]):
    """An open run folder.

    Parameters
    ----------
    folder : Path
        Made where it does not exist; continued where it does.
    kind : type
        The state's dataclass.
    spec : mapping
        What the run is made with, as JSON values.

    Attributes
    ----------
    state : S or None
        State of the last committed round; ``None`` before the first.

    Raises
    ------
    ArgumentError
        If another process writes the folder, or it was made with other settings.
    InputError
        If a committed round is damaged.

    Notes
    -----
    `commit` writes new artifacts, appends to ``records.jsonl``, ``history.jsonl`` and
    ``events.jsonl``, and then appends one line to ``journal.jsonl`` and syncs it: the round counts
    from that moment. The line holds the length and the checksum of each file. On opening,
    everything beyond the last committed round is cut off, so a run killed at any byte continues as
    if the round in flight had never begun. If a power failure has lost bytes that the journal
    counts, the run goes back to the last round whose files are whole; an older artifact that is
    gone is an error.
    """

    def __init__(self, folder: Path, kind: type[S], *, spec: Mapping[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = FolderLock(folder)
        self._began = time.perf_counter()
        try:
            agree_on_spec(folder / SPEC, spec)
            commit = _last_whole(folder)
            self.state: S | None = None if commit is None else _state(kind, commit, folder)
            self._extents = dict(commit.files) if commit else {name: Extent() for name in _DATA}
            _cut(folder, self._extents, 0 if commit is None else commit.end)
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> RunStore[S]:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the folder."""
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.close()

    def commit(self, state: S, log: RoundLog) -> None:
        """Add a round: all of it, or nothing."""
        rows = {RECORDS: log.records, HISTORY: log.history, EVENTS: log.events}
        blocks = {
            name: "".join(f"{to_json(row)}\n" for row in entries).encode()
            for name, entries in rows.items()
        }
        extents = {name: _after(self._extents[name], block) for name, block in blocks.items()}
        line = commit_line(log.round, extents, tuple(sorted(log.artifacts)), state)
        self._write_artifacts(log.artifacts)
        for name, block in blocks.items():
            _append(self.folder / name, block)
        _append(self.folder / JOURNAL, line, sync=True)
        self._extents, self.state = extents, state
        now = time.perf_counter()
        took = {"round": log.round, "seconds": round(now - self._began, 6)}
        _append(self.folder / TIMING, f"{to_json(took)}\n".encode())
        self._began = now

    def _write_artifacts(self, artifacts: Mapping[str, str]) -> None:
        if artifacts:
            (self.folder / ARTIFACTS).mkdir(exist_ok=True)
        for digest, text in artifacts.items():
            if not _kept(self.folder, digest):
                write_atomically(_artifact(self.folder, digest), text.encode())


def _append(path: Path, data: bytes, *, sync: bool = False) -> None:
    with path.open("ab") as stream:
        stream.write(data)
        stream.flush()
        if sync:
            os.fsync(stream.fileno())


def _after(extent: Extent, block: bytes) -> Extent:
    return Extent(bytes=extent.bytes + len(block), crc32=zlib.crc32(block, extent.crc32))


def _state(kind: type[S], commit: Commit, folder: Path) -> S:
    from pydantic import ValidationError

    try:
        found: S = from_json(kind, commit.state)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        raise InputError(
            f"the state of round {commit.round} does not fit this version of evalkit: {place}: "
            f"{fault['msg']}; finish the run with the version that began it",
            path=str(folder / JOURNAL),
        ) from None
    return found


def _last_whole(folder: Path) -> Commit | None:
    """Return the last commit whose files are whole."""
    commits = read_journal(folder / JOURNAL)
    data = {name: _read(folder / name) for name in _DATA} if commits else {}
    found = next((i for i in reversed(range(len(commits))) if _whole(folder, commits[i], data)), -1)
    for commit in commits[: max(found, 0)]:
        lost = [digest for digest in commit.artifacts if not _kept(folder, digest)]
        if lost:
            raise InputError(
                f"this artifact of round {commit.round} is missing or damaged; restore it, or "
                "start again in a new folder",
                path=str(_artifact(folder, lost[0])),
            )
    return commits[found] if found >= 0 else None


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _whole(folder: Path, commit: Commit, data: Mapping[str, bytes]) -> bool:
    """Whether the files hold every byte that a commit counts."""
    held = all(
        len(data[name]) >= extent.bytes
        and zlib.crc32(memoryview(data[name])[: extent.bytes]) == extent.crc32
        for name, extent in commit.files.items()
    )
    return held and all(_kept(folder, digest) for digest in commit.artifacts)


def _artifact(folder: Path, digest: str) -> Path:
    return folder / ARTIFACTS / f"{digest}.txt"


def _kept(folder: Path, digest: str) -> bool:
    """Whether an artifact is there and whole."""
    path = _artifact(folder, digest)
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def _cut(folder: Path, extents: Mapping[str, Extent], journal_end: int) -> None:
    """Cut every file back to what is committed; drop what a killed write left."""
    ends = {name: extent.bytes for name, extent in extents.items()} | {JOURNAL: journal_end}
    for name, end in ends.items():
        path = folder / name
        if path.exists() and path.stat().st_size > end:
            with path.open("r+b") as stream:
                stream.truncate(end)
    leftovers = [*folder.glob(".*.tmp"), *(folder / ARTIFACTS).glob(".*.tmp")]
    for path in leftovers:
        path.unlink(missing_ok=True)
