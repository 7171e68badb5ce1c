"""Views: which judged executions an updater is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from evalkit.environments.base import Item
from evalkit.environments.draws import Draw
from evalkit.evolve.protocols import EvidenceRow

__all__ = ["VIEWS", "View", "is_success", "training_draw", "visible"]

View = Literal["Normal", "Fail-only", "Success-only"]
VIEWS: tuple[View, ...] = get_args(View)


def is_success(row: EvidenceRow, *, success: float) -> bool | None:
    """Whether a row succeeded; ``None`` where it has no score."""
    score = row.verdict.score
    return None if score is None else score >= success


def visible(
    rows: Sequence[EvidenceRow], *, view: View, success: float = 1.0
) -> tuple[EvidenceRow, ...]:
    """Return the rows of a view.

    Parameters
    ----------
    rows : sequence of EvidenceRow
        Executions of a round with the verdicts of the reference.
    view : {"Normal", "Fail-only", "Success-only"}
        What is shown.
    success : float
        Score from which a row counts as a success.

    Returns
    -------
    tuple of EvidenceRow
        In their order. An execution without a score is neither a success nor a failure, so no
        view has it.
    """
    wanted = {"Normal": {True, False}, "Fail-only": {False}, "Success-only": {True}}[view]
    return tuple(row for row in rows if is_success(row, success=success) in wanted)


def training_draw(items: Sequence[Item], *, count: int, draw: Draw) -> tuple[Item, ...]:
    """Draw training items without replacement: a sample of `count`, or all in a drawn order.

    The sample depends on the draw and on the ids, never on the order of `items`.
    """
    ranked = sorted(items, key=lambda item: (draw.child("pick", item.id).integer(), item.id))
    return tuple(ranked[:count])
