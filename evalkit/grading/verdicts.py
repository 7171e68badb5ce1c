"""What a verdict or a label says about a pair: A is better, B is better, neither, or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import InputError
from evalkit.records.judge_text import parse_verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ReadVerdicts", "read_scores", "read_verdicts", "score_verdicts"]

_A = {"a", "a>b", "a>>b", "1", "first", "left", "model_a", "response_a", "answer_a", "output_1"}
_B = {"b", "b>a", "b>>a", "2", "second", "right", "model_b", "response_b", "answer_b", "output_2"}
_REVERSED = {"a<b": "b>a", "a<<b": "b>a", "b<a": "a>b", "b<<a": "a>b"}
_TIE = {"tie", "a=b", "b=a", "a~b", "draw", "equal", "same"}
_CODES = {
    **dict.fromkeys(_A, 1.0),
    **dict.fromkeys(_B, -1.0),
    **dict.fromkeys(_TIE, 0.0),
    "0": 0.0,
}
_PARSED = {"A": 1.0, "B": -1.0, "tie": 0.0}
_REPLY_WORDS = 4
_SHOWN = 40
_NULL = {"", "unparsed", "null", "none", "nan", "error", "missing", "n/a"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadVerdicts:
    """A column of verdicts.

    Attributes
    ----------
    values : ndarray of float
        1 where the first answer is better, -1 the second, 0 neither, NaN where nothing was said.
    unknown : tuple of str
        Words that say nothing known, and replies without a verdict (shortened); they are missing
        verdicts, never ties.
    replies : int
        Cells that were free text and were parsed.
    """

    values: NDArray[np.float64]
    unknown: tuple[str, ...]
    replies: int = 0


def _word(cell: Any) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    word = str(cell).strip().strip("[]").strip().casefold().replace(" ", "")
    return _REVERSED.get(word, word)


def read_verdicts(cells: Sequence[Any], *, column: str) -> ReadVerdicts:
    """Read verdicts or labels.

    Parameters
    ----------
    cells : sequence
        ``A>B``, ``B>A``, ``A=B``; ``A``, ``B``, ``tie``; ``first``, ``second``; ``left``,
        ``right``; ``1``, ``2`` and, beside a 2, ``0`` for a tie. Case and brackets do not count.
        A cell that is a reply (a marker amid text, tags, JSON, several lines or more than a few
        words) is parsed by :func:`evalkit.records.judge_text.parse_verdict`.
    column : str
        Name of the column, for messages.

    Returns
    -------
    ReadVerdicts

    Raises
    ------
    InputError
        If the column holds 0 and no 2: it may count answers from 0, or mean a tie.

    Examples
    --------
    >>> found = read_verdicts(["A>B", "[[B]]", "tie", None, "tie (both bad)"], column="verdict")
    >>> found.values.tolist(), found.unknown
    ([1.0, -1.0, 0.0, nan, nan], ('tie(bothbad)',))
    >>> read_verdicts(["<think>[[A]]?</think>So it is [[B]]."], column="reply").values.tolist()
    [-1.0]
    """
    words = [_word(cell) for cell in cells]
    replies = {
        place: _reply(cell)
        for place, (cell, word) in enumerate(zip(cells, words, strict=True))
        if isinstance(cell, str) and word not in _CODES and word not in _NULL and _is_reply(cell)
    }
    seen = set(words)
    if "0" in seen and "2" not in seen:
        raise InputError(
            f"column {column!r} holds 0 and no 2: it may number the answers from 0 or mark ties; "
            "write A, B and tie"
        )
    values = np.array([_CODES.get(word, math.nan) for word in words], dtype=float)
    for place, (value, shown) in replies.items():
        values[place] = value
        words[place] = shown
    return ReadVerdicts(
        values=values,
        unknown=tuple(sorted(set(words) - _CODES.keys() - _NULL)),
        replies=len(replies),
    )


def _is_reply(cell: str) -> bool:
    """Return whether a cell is what a judge wrote, and not a word for a verdict."""
    marked = any(mark in cell for mark in ("[[", "\n", "{", "</", "<|", "[THINK]"))
    return marked or len(cell.split()) > _REPLY_WORDS


def _reply(cell: str) -> tuple[float, str]:
    """Return the verdict of a reply, and the reply as a message shows it where it has none."""
    verdict = parse_verdict(cell).value
    if verdict is not None:
        return _PARSED[verdict], ""
    text = " ".join(cell.split())
    return math.nan, text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "\u2026"


def _number(cell: Any, column: str) -> float:
    word = _word(cell)
    if word in _NULL:
        return math.nan
    try:
        value = float(word)
    except ValueError:
        raise InputError(
            f"column {column!r} holds {cell!r}, which is not a number; scores must be numbers"
        ) from None
    if math.isinf(value):
        raise InputError(f"column {column!r} holds an infinity; mark the score as missing")
    return value


def read_scores(cells: Sequence[Any], *, column: str) -> NDArray[np.float64]:
    """Read scores; missing ones are NaN, and what is no number is refused.

    Examples
    --------
    >>> read_scores(["0.5", None, 2], column="score").tolist()
    [0.5, nan, 2.0]
    """
    return np.array([_number(cell, column) for cell in cells], dtype=float)


def score_verdicts(
    a: Sequence[Any], b: Sequence[Any], *, tie_tolerance: float, columns: tuple[str, str]
) -> NDArray[np.float64]:
    """Turn pointwise scores into verdicts: a tie where they differ by `tie_tolerance` at most.

    Examples
    --------
    >>> score_verdicts([3, 5, 0.3], [1, 5, 0.1 + 0.2], tie_tolerance=1e-9,
    ...                columns=("score_a", "score_b")).tolist()
    [1.0, 0.0, 0.0]
    """
    gap = read_scores(a, column=columns[0]) - read_scores(b, column=columns[1])
    # NaN compares false, and sign keeps it: a missing score is no verdict.
    return np.where(np.abs(gap) <= tie_tolerance, 0.0, np.sign(gap))
