"""What a run was started with: written once, compared on every resume."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.errors import ArgumentError, InputError
from evalkit.evolve.canonical import to_json

__all__ = ["agree_on_spec", "read_spec", "write_atomically"]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)


def read_spec(path: Path) -> dict[str, Any]:
    """Read a specification that `agree_on_spec` wrote.

    Raises
    ------
    InputError
        If it is damaged.
    """
    try:
        found = json.loads(path.read_bytes())
        spec, held = found["settings"], found["sha256"]
    except (ValueError, KeyError, TypeError):
        spec, held = None, None
    if not isinstance(spec, dict) or held != _digest(spec):
        raise InputError(
            "this is not a run's specification, or it was edited; restore it, or start again in a "
            "new folder",
            path=str(path),
        )
    return dict(spec)


def agree_on_spec(path: Path, spec: Mapping[str, Any]) -> None:
    """Write the specification of a new run, or check that of an old one against it.

    Raises
    ------
    ArgumentError
        If a setting differs, naming it.
    """
    wanted = json.loads(to_json(spec))
    if not path.exists():
        body = json.dumps({"settings": wanted, "sha256": _digest(wanted)}, indent=2)
        write_atomically(path, f"{body}\n".encode())
        _sync_folder(path.parent)
        return
    before, after = _flat(read_spec(path)), _flat(wanted)
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, "not set"), after.get(key, "not set")
        if old != new:
            raise ArgumentError(
                f"{path}: `{key}` was {old!r} when the run started and is {new!r} now; a run "
                "continues with its own settings, so restore it or write to another folder"
            )


def _digest(spec: Any) -> str:
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings as dotted names."""
    if not isinstance(value, (dict, list)) or not value:
        return {prefix: value}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    out: dict[str, Any] = {}
    for key, entry in pairs:
        out |= _flat(entry, f"{prefix}.{key}" if prefix else str(key))
    return out


def _sync_folder(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # pragma: no cover - systems that do not open folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
