"""The process of an isolated function: one call a line, one outcome a line."""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading
from typing import Any, TextIO

__all__ = ["main"]


def main(target: str, base: str, prepare: str) -> None:
    """Serve calls until the caller goes away."""
    out = _private_output()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    sys.path.insert(0, base)
    try:
        name, _, attribute = target.partition(":")
        module = importlib.import_module(name)
        function = getattr(module, attribute)
        if prepare:
            getattr(module, prepare)()
    except BaseException as error:  # noqa: BLE001 - user code may raise anything
        _send(out, None, _told(error))
        return
    _send(out, None, None)
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    while True:
        arguments = json.loads(lines.get())
        try:
            text = json.dumps(function(**arguments), allow_nan=False, default=_plain)
        except BaseException as error:  # noqa: BLE001 - user code may raise anything
            _send(out, None, _told(error))
        else:
            _send(out, json.loads(text), None)


def _private_output() -> TextIO:
    """Return the pipe to the caller; what user code prints goes nowhere."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return out


def _read(lines: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    # The caller is gone, so a call that still runs is for nobody.
    os._exit(0)


def _send(out: TextIO, value: Any, error: str | None) -> None:
    out.write(json.dumps({"value": value, "error": error}) + "\n")
    out.flush()


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return value.item()
    raise TypeError(f"the function returned {type(value).__name__}, which JSON cannot hold")


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]


if __name__ == "__main__":
    main(*sys.argv[1:])
