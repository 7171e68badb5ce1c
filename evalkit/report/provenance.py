"""Where the numbers of a page come from: input hashes, versions, seed, command."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["file_hash", "provenance_of"]

_PACKAGES = ("numpy", "scipy", "pandas")
_BLOCK = 1 << 20


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of its files and their names."""
    digest = hashlib.sha256()
    for each in [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file()):
        if each != path:
            digest.update(f"{each.relative_to(path).as_posix()}\0".encode("utf-8", "surrogatepass"))
        with each.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def provenance_of(
    inputs: Iterable[Path], *, command: str | None, seed: int | None
) -> dict[str, str]:
    """Return the provenance block of a page.

    Parameters
    ----------
    inputs : iterable of Path
        Files or folders that were read; only their names are printed, not where they stand.
    command : str or None
        What was typed.
    seed : int or None
        Seed of whatever was sampled; ``None`` where nothing is random.
    """
    from evalkit import __version__

    out = {} if command is None else {"Command": command}
    for path in inputs:
        out[f"Input {path.name}"] = f"sha256 {file_hash(path)}"
    out["evalkit"] = __version__
    out["Python"] = platform.python_version()
    for name in _PACKAGES:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            continue
    out["Seed"] = "none, nothing is random" if seed is None else str(seed)
    return out
