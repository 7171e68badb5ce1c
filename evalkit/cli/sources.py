"""Files on the command line: ``PATH`` or ``NAME=PATH``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import InputError

if TYPE_CHECKING:
    from evalkit.records import Records

__all__ = ["distinct_names", "read_source", "split_label"]


def split_label(argument: str) -> tuple[str | None, str]:
    """Split ``NAME=PATH``; a path that exists as written is never split.

    Examples
    --------
    >>> split_label("base=runs/a.jsonl"), split_label("a.jsonl")
    (('base', 'runs/a.jsonl'), (None, 'a.jsonl'))
    """
    label, sign, path = argument.partition("=")
    if not sign or not label or not path or Path(argument).exists():
        return None, argument
    return label, path


def read_source(
    argument: str,
    *,
    columns: dict[str, str],
    keep: Sequence[str] = (),
    optional: Sequence[str] = (),
    score_range: tuple[float, float] | None,
    partial: bool,
) -> Records:
    """Read one file argument; a label names its system."""
    from evalkit._design import read_path

    label, path = split_label(argument)
    rows = read_path(
        path,
        columns=columns,
        keep=keep,
        optional=optional,
        score_range=score_range,
        system=label,
        partial=partial,
    )
    if label is None:
        return rows
    systems = sorted(set(rows.frame["system"]))
    if len(systems) > 1:
        raise InputError(
            f"label {label!r} cannot name {len(systems)} systems ({', '.join(systems[:5])}); "
            "drop the label, or split the file",
            path=path,
        )
    # The label names every row, so the reader's remark that it may not is moot.
    notes = tuple(note for note in rows.notes if not note.startswith("`system`"))
    return replace(rows, frame=rows.frame.assign(system=label), notes=notes)


def distinct_names(sources: Sequence[Records], arguments: Sequence[str]) -> tuple[str, str] | None:
    """Names for two files of one system each; the paths where both hold the same system."""
    systems = [sorted(set(rows.frame["system"])) for rows in sources]
    if any(len(names) != 1 for names in systems) or systems[0] != systems[1]:
        return None
    return arguments[0], arguments[1]
