"""The command line as a user runs it, in this process, with strict JSON out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from evalkit.cli.app import app


def _refuse(token: str) -> Any:
    message = f"{token} is not JSON"
    raise ValueError(message)


def strict(text: str) -> Any:
    """Parse JSON that may hold no NaN and no infinity."""
    return json.loads(text, parse_constant=_refuse)


def command(*arguments: object, code: int = 0) -> str:
    """Run a command, check its exit code, and return what it printed."""
    found = CliRunner().invoke(app, [str(each) for each in arguments])
    assert found.exit_code == code, found.output + found.stderr
    return found.stdout if code == 0 else found.stdout + found.stderr


def document(*arguments: object) -> Any:
    """Run a command with ``--format json`` and return its one object."""
    return strict(command(*arguments, "--format", "json"))


def jsonl(path: Path, rows: list[Any]) -> Path:
    """Write rows as JSON Lines; texts are lines as they are."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path
