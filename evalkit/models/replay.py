"""Recorded calls: asked once, answered from the file for ever."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalkit.errors import ArgumentError, FileMissingError, InputError, UnseenPromptError
from evalkit.models.base import Model, Reply, Request, Usage

__all__ = ["RecordingModel", "ReplayModel"]

_Answers = dict[str, dict[str, Reply]]


class ReplayModel:
    """Answer from a recording; a request that was not recorded is an error.

    Parameters
    ----------
    path : path
        A file that `RecordingModel` wrote.
    model : str, optional
        Name of the model whose answers are wanted; needed where the file holds several.

    Raises
    ------
    FileMissingError
        If there is no such file.
    InputError
        If a line of it cannot be read; a last line that is cut off is left out.
    ArgumentError
        If the file holds several models and `model` names none of them.

    Notes
    -----
    Requests are told apart by `Request.key`: messages, purpose, sample and generation settings.
    The usage of a replayed call is the one that was recorded.
    """

    def __init__(self, path: str | os.PathLike[str], *, model: str | None = None) -> None:
        self._path = Path(path)
        if not self._path.is_file():
            raise FileMissingError(
                f"there is no recording {str(self._path)!r}; record one first, with `record` in "
                "place of `replay`"
            )
        answers, _ = _read(self._path)
        self._name = _chosen(model, answers, self._path)
        self._answers = answers.get(self._name, {})

    @property
    def name(self) -> str:
        """Name of the model that was recorded."""
        return self._name

    def __len__(self) -> int:
        return len(self._answers)

    def __call__(self, request: Request, /) -> Reply:
        """Return the recorded answer.

        Raises
        ------
        UnseenPromptError
            If there is none.
        """
        reply = self._answers.get(request.key)
        if reply is None:
            raise UnseenPromptError(_unseen(request, self._path, len(self._answers)))
        return reply


class RecordingModel:
    """Ask a model and keep each answer; what the file holds already is not asked again.

    Parameters
    ----------
    inner : Model
        The model that is asked.
    path : path
        The recording: made where it does not exist, continued where it does.

    Raises
    ------
    InputError
        If the file exists and a line of it cannot be read.

    Notes
    -----
    A line holds the request, the name of the model and the answer; never a key or a header. It is
    on the disk before the answer is returned. A last line that a crash cut off is removed. Calls
    without an answer (``infra``, ``timeout``) are not kept, so that they are asked again.
    """

    def __init__(self, inner: Model, path: str | os.PathLike[str]) -> None:
        self._inner = inner
        self._path = Path(path)
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._answers: dict[str, Reply] = {}
        if self._path.exists():
            answers, whole = _read(self._path)
            self._answers = answers.get(inner.name, {})
            _repair(self._path, whole)
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def name(self) -> str:
        """Name of the model that is asked."""
        return self._inner.name

    def __call__(self, request: Request, /) -> Reply:
        """Return the recorded answer, or ask; the same request is asked by one thread only."""
        key = request.key
        with self._lock:
            asking = self._asking.setdefault(key, threading.Lock())
        with asking:
            held = self._answers.get(key)
            if held is not None:
                return held
            reply = self._inner(request)
            if reply.status == "ok":
                self._keep(key, request, reply)
            return reply

    def _keep(self, key: str, request: Request, reply: Reply) -> None:
        row = {
            "key": key,
            "model": self._inner.name,
            "request": asdict(request),
            "reply": asdict(reply),
        }
        # ASCII, so that lone surrogates and line separators in texts cannot break a line.
        line = json.dumps(row, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        with self._lock:
            with self._path.open("ab", buffering=0) as file:
                file.write(line)
                os.fsync(file.fileno())
            self._answers[key] = reply


def _read(path: Path) -> tuple[_Answers, int]:
    """Return the answers by model and key, and how many bytes are whole lines."""
    answers: _Answers = {}
    whole = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line) if line.strip() else None
            except ValueError as cause:
                if not line.endswith(b"\n"):
                    break
                raise InputError(
                    f"the recording is not JSON here ({cause}); remove the line to ask again",
                    path=str(path),
                    line=number,
                ) from None
            if row is not None:
                model, key, reply = _row(row, path, number)
                # The first answer stands: it is the one that the recorded run went on with.
                answers.setdefault(model, {}).setdefault(key, reply)
            whole += len(line)
    return answers, whole


def _row(row: Any, path: Path, number: int) -> tuple[str, str, Reply]:
    try:
        held: Mapping[str, Any] = row["reply"]
        reply = Reply(**{**held, "usage": Usage(**held["usage"])})
        key, model = row["key"], row["model"]
    except (KeyError, TypeError, ArgumentError):
        key, model, reply = None, None, None
    if not (isinstance(key, str) and isinstance(model, str) and reply is not None):
        raise InputError(
            "the line is not a recorded call; it has `key`, `model`, `request` and `reply`",
            path=str(path),
            line=number,
        )
    return model, key, reply


def _repair(path: Path, whole: int) -> None:
    """Cut a torn last line off, and end the last whole one."""
    with path.open("r+b") as file:
        file.truncate(whole)
        if whole:
            file.seek(whole - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.flush()
        os.fsync(file.fileno())


def _chosen(model: str | None, answers: _Answers, path: Path) -> str:
    known = sorted(answers)
    if model is not None and model in known:
        return model
    if model is None and len(known) == 1:
        return known[0]
    if not known:
        return model or "replay"
    names = ", ".join(map(repr, known))
    raise ArgumentError(f"`model` is {model!r}; {str(path)!r} holds the answers of {names}")


def _unseen(request: Request, path: Path, held: int) -> str:
    last = request.messages[-1].content if request.messages else ""
    words = " ".join(last.split())
    start = words if len(words) <= 60 else words[:60] + "\u2026"
    return (
        f"{path}: no recorded answer for the purpose {request.purpose!r}, sample {request.sample}, "
        f"to {start!r} (the file holds {held} answers); a prompt, setting or seed differs from the "
        "recorded run: restore it, or record again with `record` in place of `replay`"
    )
