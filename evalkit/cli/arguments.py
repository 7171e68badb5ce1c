"""What a command was given: files that can be read, and an output that is none of them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from evalkit.cli.sources import split_label
from evalkit.errors import ArgumentError, InputError

__all__ = ["check_arguments", "only_input"]


def check_arguments(arguments: Mapping[str, object]) -> None:
    """Refuse pipes, which can be read once only, and an output that would replace an input.

    Parameters
    ----------
    arguments : mapping of str to object
        Arguments of a command; those that name a file that exists are looked at.

    Raises
    ------
    InputError
        If an input is a pipe, a socket or a device.
    ArgumentError
        If the output is the file of an input, under whatever name, or there is no output.
    """
    output = arguments.get("output")
    if sys.stdout is None and output is None:
        raise ArgumentError("stdout is closed; open it, or write to a file with -o FILE")
    inputs = _inputs(arguments)
    for path in inputs:
        _refuse_stream(path)
    if isinstance(output, Path) and _exists(output) and not output.is_dir():
        for path in inputs:
            if path.is_file() and path.samefile(output):
                raise ArgumentError(
                    f"`output` is {output}, which is the input {path}; name another file"
                )


def only_input(arguments: Mapping[str, object]) -> Path | None:
    """Return the one file or folder that a command reads; ``None`` if there are none or more."""
    found = _inputs(arguments)
    return found[0] if len(found) == 1 else None


def _inputs(arguments: Mapping[str, object]) -> list[Path]:
    return [
        path
        for name, value in arguments.items()
        if name != "output"
        for path in _paths(value)
        if _exists(path)
    ]


def _paths(value: object) -> Iterator[Path]:
    """Paths that an argument may name."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, str):
        yield Path(split_label(value)[1])
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _paths(each)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or holds a NUL
        return False


def _refuse_stream(path: Path) -> None:
    kind = path.stat().st_mode
    once = stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)
    if once or (stat.S_ISCHR(kind) and not path.samefile(os.devnull)):
        what = "pipe" if once else "device"
        message = f"this is a {what}, and a file is read more than once; write it to a file first"
        raise InputError(message, path=str(path))
