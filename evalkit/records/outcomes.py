"""What became of each row: its status, and the notes that say why a score is not used."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from evalkit.records.cells import NO_STATUS
from evalkit.records.schema import STATUSES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Outcomes", "name_rows", "settle"]

Outcomes = tuple["NDArray[np.float64]", "NDArray[np.object_]"]
_NAMED = 5


def name_rows(positions: Any, items: list[str], lines: array[int], unit: str) -> str:
    """Return the first few rows as a message names them."""
    shown = [f"item {items[i]!r} ({unit} {lines[i]})" for i in positions[:_NAMED]]
    more = len(positions) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def settle(
    scores: array[float],
    statuses: array[int],
    errors: array[int],
    score_range: tuple[float, float] | None,
    *,
    name: Callable[[Any], str],
    notes: list[str],
) -> Outcomes:
    """Return the scores, NaN where not scored, and the status texts.

    Parameters
    ----------
    scores : array of float
        As read: NaN where missing, infinite where not a finite number.
    statuses, errors : array of int
        Positions in `STATUSES`, or `NO_STATUS`; empty where the source has no such column.
    score_range : (low, high), optional
        Declared range; a score outside is invalid.
    name : callable
        Names rows by position.
    notes : list of str
        Takes one note per reason.
    """
    import numpy as np

    from evalkit.tally import LARGEST_SCORE

    values = np.array(scores, dtype=np.float64)
    codes = np.zeros(len(values), dtype=np.int8)
    if len(statuses):
        codes = np.maximum(np.array(statuses, dtype=np.int8), 0)
    unused = (codes != 0) & ~np.isnan(values)
    if len(errors):
        reported = np.array(errors, dtype=np.int8)
        failed = (codes == 0) & (reported != NO_STATUS)
        codes = np.where(failed, reported, codes)
        _note(notes, failed, name, "with an error, not scored whatever score they hold")
    _note(notes, unused, name, "with a score that is not used, as the status is not scored")
    for mask, status, reason in (
        (np.isnan(values), "missing", "without a score: missing"),
        (np.isinf(values), "invalid", "with a score that is not a finite number: invalid"),
        (
            np.abs(values) > LARGEST_SCORE,
            "invalid",
            f"with a score beyond {LARGEST_SCORE:g} in size, which has no mean: invalid",
        ),
        _outside(values, score_range),
    ):
        hit = (codes == 0) & mask
        codes = np.where(hit, STATUSES.index(status), codes)
        _note(notes, hit, name, reason)
    scored = codes == 0
    values[~scored] = np.nan
    if score_range is None:
        _second_scale(values, scored, name, notes)
    return values, np.array(STATUSES, dtype=object)[codes]


def _outside(
    values: NDArray[np.float64], score_range: tuple[float, float] | None
) -> tuple[NDArray[np.bool_], str, str]:
    import numpy as np

    if score_range is None:
        return np.zeros(len(values), dtype=bool), "invalid", ""
    low, high = score_range
    reason = f"with a score outside the declared range [{low:g}, {high:g}]: invalid, not clamped"
    return (values < low) | (values > high), "invalid", reason


def _note(
    notes: list[str], mask: NDArray[np.bool_], name: Callable[[Any], str], reason: str
) -> None:
    positions = mask.nonzero()[0]
    if len(positions):
        rows = "row" if len(positions) == 1 else "rows"
        notes.append(f"{len(positions)} {rows} {reason}: {name(positions)}")


def _second_scale(
    values: NDArray[np.float64],
    scored: NDArray[np.bool_],
    name: Callable[[Any], str],
    notes: list[str],
) -> None:
    above = scored & (values > 1)
    rest = scored & ~above
    few = 0 < above.sum() < scored.sum() / 2
    if few and bool((values[rest] >= 0).all()):
        first = above.nonzero()[0]
        notes.append(
            f"{len(first)} of {scored.sum()} scores exceed 1 while the others lie in [0, 1], as if "
            f"on a second scale: {name(first)}; declare `score_range` (--range 0 1) to "
            "leave them out"
        )
