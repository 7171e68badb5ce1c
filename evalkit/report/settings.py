"""Settings of a page about a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evalkit.results import Range

if TYPE_CHECKING:
    from evalkit.comparisons.multiplicity import Adjustment

__all__ = ["ReportSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings:
    """Settings of a page about a file.

    Attributes
    ----------
    cluster : str or None
        Column of clusters.
    level : float
        Nominal coverage.
    score_range : (low, high) or None
        Range of the scores; 0 to 1 is inferred.
    errors : {"exclude", "fail"}
        What attempted rows without a score count as.
    adjust : {"holm", "bh"}
        Adjustment of the p-values of all pairs.
    columns : mapping of str to str
        Canonical name -> column of a plain table.
    seed : int
        Seed of the tests that sample.
    command : str or None
        What was typed, for the provenance.
    """

    cluster: str | None = None
    level: float = 0.95
    score_range: Range | None = None
    errors: Literal["exclude", "fail"] = "exclude"
    adjust: Adjustment = "holm"
    columns: Mapping[str, str] | None = None
    seed: int = 0
    command: str | None = None
