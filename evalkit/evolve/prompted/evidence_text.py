"""Evidence as an updater reads it: JSON lines, worst first, within a budget."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from evalkit.errors import ArgumentError
from evalkit.evolve.protocols import EvidenceRow

__all__ = ["Shown", "clip", "estimated_tokens", "show_rows"]

_BYTES_A_TOKEN = 4
_FIELDS = 3
_LEAST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Rows as text.

    Attributes
    ----------
    text : str
        One JSON object a line.
    rows : int
        How many are shown.
    left_out : int
        Scored rows that did not fit.
    unscored : int
        Rows without a score, which are not shown.
    """

    text: str
    rows: int
    left_out: int
    unscored: int


def estimated_tokens(text: str) -> int:
    """Return the tokens of a text, estimated as one for four bytes, rounded up.

    Examples
    --------
    >>> estimated_tokens("twelve bytes"), estimated_tokens("")
    (3, 0)
    """
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_A_TOKEN)


def clip(text: str, tokens: int) -> str:
    """Return a text within so many tokens; what is left out of its middle is counted.

    Examples
    --------
    >>> clip("short", 40)
    'short'
    """
    if estimated_tokens(text) <= tokens:
        return text
    # Half of the bytes for each end, in characters that may have up to four bytes.
    keep = max(1, tokens * _BYTES_A_TOKEN // 2 - 20)
    head = text.encode("utf-8", "ignore")[:keep].decode("utf-8", "ignore")
    tail = text.encode("utf-8", "ignore")[-keep:].decode("utf-8", "ignore")
    return f"{head} [{len(text) - len(head) - len(tail)} characters left out] {tail}"


def show_rows(rows: Sequence[EvidenceRow], *, tokens: int) -> Shown:
    """Return judged executions as JSON lines.

    Parameters
    ----------
    rows : sequence of EvidenceRow
        What was seen.
    tokens : int
        Estimated tokens that the text may have. A row takes a quarter of them at most, so several
        are shown; long fields lose their middle.

    Returns
    -------
    Shown

    Notes
    -----
    Lowest scores come first, then ids, so what is left out is what went best. Only what agents
    saw is shown: task, work, steps, score and critique.
    """
    if tokens < 4 * _FIELDS * _LEAST:
        raise ArgumentError(f"`tokens` is {tokens}; evidence needs {4 * _FIELDS * _LEAST} or more")
    scored = [row for row in rows if row.verdict.score is not None]
    order = sorted(scored, key=lambda row: (row.verdict.score or 0.0, row.item.id))
    lines: list[str] = []
    spent = 0
    for row in order:
        line = _line(row, tokens // 4 // _FIELDS)
        spent += estimated_tokens(line) + 1
        if lines and spent > tokens:
            break
        lines.append(line)
    return Shown(
        text="\n".join(lines),
        rows=len(lines),
        left_out=len(order) - len(lines),
        unscored=len(rows) - len(scored),
    )


def _line(row: EvidenceRow, field: int) -> str:
    shown = {
        "score": row.verdict.score,
        "task": clip(row.item.input, field),
        "work": clip(row.execution.output or "", field),
        "critique": clip(row.verdict.critique, field // 2),
    }
    if row.execution.trace:
        shown["steps"] = clip(row.execution.trace, field // 2)
    return json.dumps(shown, ensure_ascii=False)
