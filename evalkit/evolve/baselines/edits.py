"""Structured edits of a document: lines added, deleted, replaced."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

__all__ = ["Edit", "apply_edits", "structured_edits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One contiguous change.

    Attributes
    ----------
    kind : {"add", "delete", "replace"}
        What is done.
    start, stop : int
        Lines of the old document that it takes the place of.
    lines : tuple of str
        New lines, with their line ends.
    """

    kind: Literal["add", "delete", "replace"]
    start: int
    stop: int
    lines: tuple[str, ...] = ()


def structured_edits(before: str, after: str) -> tuple[Edit, ...]:
    r"""Return the edits that lead from one document to another, in their order.

    Lines that are added side by side are one edit each, so that a budget can keep some of them.

    Examples
    --------
    >>> [edit.kind for edit in structured_edits("a\nb\n", "a\nc\nd\ne\n")]
    ['replace', 'add', 'add']
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    out: list[Edit] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        shared = min(j - i, m - k)
        for step in range(shared):
            line = (new[k + step],)
            out.append(Edit(kind="replace", start=i + step, stop=i + step + 1, lines=line))
        out += [Edit(kind="delete", start=at, stop=at + 1) for at in range(i + shared, j)]
        out += [Edit(kind="add", start=j, stop=j, lines=(new[at],)) for at in range(k + shared, m)]
    return tuple(out)


def apply_edits(before: str, edits: tuple[Edit, ...]) -> str:
    r"""Return the document with edits of :func:`structured_edits`, all of them or the first few.

    Examples
    --------
    >>> edits = structured_edits("a\nb\n", "a\nc\nd\n")
    >>> apply_edits("a\nb\n", edits[:1]), apply_edits("a\nb\n", edits)
    ('a\nc\n', 'a\nc\nd\n')
    """
    old = before.splitlines(keepends=True)
    out: list[str] = []
    at = 0
    for edit in edits:
        out += old[at : edit.start]
        for line in edit.lines:
            # An edit that is left out may leave the line before without its end.
            if out and not out[-1].endswith(("\n", "\r")):
                out[-1] += "\n"
            out.append(line)
        at = max(at, edit.stop)
    return "".join([*out, *old[at:]])
