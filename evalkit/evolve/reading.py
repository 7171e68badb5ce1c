"""Reading run folders: what is committed, and nothing beyond."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalkit.errors import FileMissingError
from evalkit.evolve.journal import JOURNAL, Commit, last_commit
from evalkit.evolve.run_spec import read_spec
from evalkit.evolve.store import EVENTS, HISTORY, RECORDS, SPEC

__all__ = [
    "event_rows",
    "history_rows",
    "is_run_folder",
    "record_rows",
    "run_folders",
    "run_specification",
    "run_state",
]

Source = str | os.PathLike[str]


def is_run_folder(path: Source) -> bool:
    """Whether a path is the folder of a run, or of an experiment with runs."""
    folder = Path(path)
    return folder.is_dir() and bool(_found(folder))


def run_folders(path: Source) -> tuple[Path, ...]:
    """Return the run folders of an experiment, or the one run folder that `path` is.

    Raises
    ------
    FileMissingError
        If there is no run.
    """
    folder = Path(path)
    found = _found(folder)
    if not found:
        raise FileMissingError(
            f"{folder} holds no run ({SPEC} is missing); give the folder that `evalkit run` wrote"
        )
    return found


def _found(folder: Path) -> tuple[Path, ...]:
    if (folder / SPEC).is_file():
        return (folder,)
    # Runs lie three levels below an experiment, four in stages; a whole disk is not searched.
    levels = ("*", "*/*", "*/*/*", "*/*/*/*")
    found = [path for level in levels for path in folder.glob(f"{level}/{SPEC}")]
    return tuple(path.parent for path in sorted(found, key=_natural))


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts seed-2 before seed-10."""
    import re

    pieces = re.split(r"(\d+)", path.as_posix())
    return [(int(p), "") if p.isdigit() else (-1, p) for p in pieces]


def history_rows(path: Source) -> tuple[dict[str, Any], ...]:
    """Return the committed history of one run, or of every run of an experiment.

    Parameters
    ----------
    path : path
        Folder of a run or of an experiment.

    Returns
    -------
    tuple of dict
        Rows that `evalkit.trajectory` reads. Rounds whose component was evaluated at the end
        carry its ``test`` score.

    Raises
    ------
    FileMissingError
        If there is no run.
    InputError
        If a specification is damaged.
    """
    folders = run_folders(path)
    # Stages of one arm and seed lie in folders of their own, and the last ones hold the tests.
    tests = {
        (*_run_of(folder), event.get("agent"), event.get("artifact")): event["score"]
        for folder in folders
        for event in _rows(folder, EVENTS, containing=b'"kind": "final"')
        if event["split"] == "test"
    }
    out: list[dict[str, Any]] = []
    for folder in folders:
        run = _run_of(folder)
        for row in _rows(folder, HISTORY):
            test = tests.get((*run, row.get("system"), row.get("artifact")))
            out.append(row if test is None else {**row, "test": test})
    return tuple(out)


def _run_of(folder: Path) -> tuple[Any, Any]:
    """Return the arm and the seed of a run folder."""
    spec = read_spec(folder / SPEC)
    return spec.get("arm"), spec.get("seed")


def record_rows(path: Source, *, split: str | None = None) -> tuple[dict[str, Any], ...]:
    """Return the committed records of one run, or of every run of an experiment.

    Parameters
    ----------
    path : path
        Folder of a run or of an experiment.
    split : str, optional
        Rows of this split only.

    Returns
    -------
    tuple of dict
        Rows in the canonical columns of `evalkit.records`.
    """
    mark = None if split is None else f'"split": {json.dumps(split)}'.encode()
    return tuple(
        row
        for folder in run_folders(path)
        for row in _rows(folder, RECORDS, containing=mark)
        if split is None or row["split"] == split
    )


def event_rows(path: Source, *, kind: str | None = None) -> tuple[dict[str, Any], ...]:
    """Return the committed events of one run, or of every run of an experiment."""
    mark = None if kind is None else f'"kind": {json.dumps(kind)}'.encode()
    return tuple(
        row
        for folder in run_folders(path)
        for row in _rows(folder, EVENTS, containing=mark)
        if kind is None or row["kind"] == kind
    )


def run_specification(folder: Path) -> dict[str, Any]:
    """Return what a run was started with."""
    return read_spec(folder / SPEC)


def run_state(folder: Path) -> dict[str, Any] | None:
    """Return the state after the last committed round; ``None`` before the first."""
    commit = last_commit(folder / JOURNAL)
    return None if commit is None else dict(commit.state)


def _rows(folder: Path, name: str, containing: bytes | None = None) -> Iterator[dict[str, Any]]:
    """Read the committed rows of a file; with `containing`, only lines that hold these bytes."""
    commit: Commit | None = last_commit(folder / JOURNAL)
    if commit is None:
        return
    with (folder / name).open("rb") as stream:
        data = stream.read(commit.files[name].bytes)
    for line in data.splitlines():
        if containing is None or containing in line:
            yield json.loads(line)
