"""Provenance of a report: inputs, outputs, versions and seeds, without times or machine paths."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["MANIFEST", "input_hashes", "made_with", "manifest_bytes", "sha256"]

MANIFEST = "manifest.json"
_PACKAGES = ("numpy", "scipy", "matplotlib")
_IGNORED = {"__pycache__"}
_PROSE = {".md"}


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def input_hashes(root: Path, slug: str) -> dict[str, str]:
    """Return the hash of every file that a study reads, by its path below `root`.

    Parameters
    ----------
    root : Path
        Root of the repository.
    slug : str
        Name of the study.

    Returns
    -------
    dict of str to str
        Files of ``fixtures/<slug>`` and ``analysis/<slug>`` other than Markdown, which no study
        reads; sorted by path.
    """
    files = [
        path
        for top in ("analysis", "fixtures")
        for path in (root / top / slug).rglob("*")
        if path.is_file() and path.suffix not in _PROSE and not _IGNORED & set(path.parts)
    ]
    hashes = {path.relative_to(root).as_posix(): sha256(path.read_bytes()) for path in files}
    return dict(sorted(hashes.items()))


def made_with() -> dict[str, str]:
    """Return the versions that can change an output."""
    import evalkit

    versions = {name: version(name) for name in _PACKAGES}
    return {"evalkit": evalkit.__version__, "python": platform.python_version(), **versions}


def manifest_bytes(
    slug: str,
    *,
    root: Path,
    outputs: Mapping[str, bytes],
    seeds: Mapping[str, int],
    committed: bytes | None,
) -> bytes:
    """Return ``manifest.json``.

    Parameters
    ----------
    slug : str
        Name of the study.
    root : Path
        Root of the repository.
    outputs : mapping of str to bytes
        Every other file of the report.
    seeds : mapping of str to int
        Seeds by purpose.
    committed : bytes or None
        The manifest that stands there now.

    Returns
    -------
    bytes
        JSON, keys in a fixed order. If no output differs from those of `committed`, its
        ``made_with`` block is kept: the same report from newer libraries changes no byte.
    """
    hashes = {name: sha256(data) for name, data in sorted(outputs.items())}
    before = _read(committed)
    same = before.get("outputs") == hashes and isinstance(before.get("made_with"), dict)
    manifest = {
        "slug": slug,
        "command": f"evalkit reproduce {slug}",
        "made_with": before["made_with"] if same else made_with(),
        "seeds": dict(seeds),
        "inputs": input_hashes(root, slug),
        "outputs": hashes,
    }
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()


def _read(committed: bytes | None) -> dict[str, Any]:
    if committed is None:
        return {}
    try:
        read = json.loads(committed)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
