"""Files to read records from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Save = Callable[..., Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write text or bytes to a named file and return its path."""

    def _save(content: str | bytes, name: str = "run.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _save
