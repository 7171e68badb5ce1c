"""Settings shared by all tests."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "evalkit",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("evalkit")


@pytest.fixture
def jsonl(tmp_path):
    """Write rows (mappings, or raw lines) to a JSON Lines file and return its path."""

    def write(name: str, rows) -> Path:
        path = tmp_path / name
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write
