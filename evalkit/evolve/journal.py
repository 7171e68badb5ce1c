"""The journal of a run: one checked line for each committed round."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.evolve.canonical import to_json

__all__ = ["JOURNAL", "Commit", "Extent", "commit_line", "last_commit", "read_journal"]

JOURNAL = "journal.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far a file was written at a commit.

    Attributes
    ----------
    bytes : int
        Its length.
    crc32 : int
        Checksum of that many bytes.
    """

    bytes: int = 0
    crc32: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One committed round.

    Attributes
    ----------
    round : int
        Number of the round.
    files : mapping of str to Extent
        How far each file goes.
    artifacts : tuple of str
        Artifacts that the round added.
    state : mapping
        State after the round, as JSON values.
    end : int
        Length of the journal up to and including this line.
    """

    round: int
    files: Mapping[str, Extent]
    artifacts: tuple[str, ...]
    state: Mapping[str, Any]
    end: int = 0


def commit_line(
    number: int, files: Mapping[str, Extent], artifacts: tuple[str, ...], state: Any
) -> bytes:
    """Return the line of a commit, with the checksum that tells a whole line from a torn one."""
    body = to_json({"round": number, "files": files, "artifacts": artifacts, "state": state})
    return f'{{"sha256": "{_checksum(body)}", "commit": {body}}}\n'.encode()


def read_journal(path: Path) -> list[Commit]:
    """Read the committed rounds, oldest first; a torn last line was never committed.

    Raises
    ------
    InputError
        If a line before the last is damaged.
    """
    lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
    out: list[Commit] = []
    end = 0
    for number, line in enumerate(lines[:-1], start=1):
        end += len(line) + 1
        commit = _parse(line, end)
        if commit is None:
            if number == len(lines) - 1 and not lines[-1]:
                break
            raise InputError(
                "this committed round is damaged; restore the file, or start again in a new folder",
                path=str(path),
                line=number,
            )
        out.append(commit)
    return out


def last_commit(path: Path) -> Commit | None:
    """Return the last committed round; ``None`` before the first."""
    if not path.exists():
        return None
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    while end > 0:
        start = data.rfind(b"\n", 0, end - 1) + 1
        commit = _parse(data[start : end - 1], end)
        if commit is not None:
            return commit
        end = start
    return None


def _parse(line: bytes, end: int) -> Commit | None:
    """Read one line; ``None`` where its checksum does not hold."""
    try:
        found = json.loads(line)
        body = found["commit"]
        if found["sha256"] != _checksum(to_json(body)):
            return None
        files = {name: Extent(**extent) for name, extent in body["files"].items()}
    except (ValueError, TypeError, KeyError):
        return None
    return Commit(
        round=body["round"],
        files=files,
        artifacts=tuple(body["artifacts"]),
        state=body["state"],
        end=end,
    )


def _checksum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()
