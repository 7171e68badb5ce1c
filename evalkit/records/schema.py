"""What a record is: the canonical columns, the names they are guessed from, and the table of them.

A record is one verdict: who was judged (`system`), on what (`item`), which try (`attempt`),
by whom (`verifier`), in which presentation order (`order`), with what outcome (`score`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ALIASES", "KEY_COLUMNS", "KEY_DEFAULTS", "STATUSES", "Records"]

KEY_COLUMNS = ("system", "item", "attempt", "verifier", "order")
"""Columns that name a verdict; no two rows may share all five."""

KEY_DEFAULTS: Mapping[str, str] = MappingProxyType({"attempt": "1", "verifier": "", "order": ""})
"""What stands in a key column that the source does not fill."""

STATUSES = ("scored", "infra", "timeout", "judge_error", "missing", "invalid", "skipped")
"""What can become of a row; only ``scored`` rows hold a score."""

ALIASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "item": (
            "item",
            "item_id",
            "id",
            "task_id",
            "doc_id",
            "question_id",
            "instance_id",
            "example_id",
            "sample_id",
            "pair_id",
            "uid",
        ),
        "score": (
            "score",
            "hard",
            "correct",
            "is_correct",
            "outcome",
            "exact_match",
            "acc",
            "accuracy",
            "resolved",
            "passed",
            "pass",
            "success",
            "reward",
            "value",
        ),
        "system": ("system", "model", "model_name", "agent", "candidate", "solver"),
        "attempt": ("attempt", "trial", "epoch", "sample", "repeat", "seed", "run"),
        "verifier": ("verifier", "grader", "judge", "metric", "filter", "scorer"),
        "order": ("order", "position"),
        "status": ("status",),
        "error": ("error", "exception", "error_message"),
    }
)
"""Canonical name -> names of the source it is guessed from, best claim first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Verdicts in canonical columns, with all that was left out, guessed or odd.

    Attributes
    ----------
    frame : pandas.DataFrame
        ``system, item, attempt, verifier, order`` (text), ``score`` (float64, NaN exactly where
        the status is not ``scored``), ``status`` (text), then the kept extra columns
        (text as written; ``None`` where missing).
    columns : mapping of str to str
        Canonical name -> column of the source it was read from.
    other_columns : tuple of str
        Columns of the source that were not kept.
    score_range : tuple of float, optional
        The range that was declared.
    sources : tuple of str
        Files or frames that were read.
    notes : tuple of str
        Everything left out, guessed or odd, each naming its line or item.
    partial : bool
        Whether the source is known to be incomplete.
    """

    frame: pd.DataFrame
    columns: Mapping[str, str] = field(default_factory=dict)
    other_columns: tuple[str, ...] = ()
    score_range: tuple[float, float] | None = None
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False

    def __len__(self) -> int:
        return len(self.frame)
