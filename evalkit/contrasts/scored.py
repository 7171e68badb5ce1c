"""Contrasts with a grader's scores: what became of each, and how it is read from rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evalkit.contrasts.columns import guess_columns
from evalkit.errors import DuplicateRowError, InputError, MissingColumnError
from evalkit.grading.grading_rows import Table, cell_text, read_table
from evalkit.grading.verdicts import read_scores

__all__ = [
    "NOISE",
    "SCORED",
    "Outcome",
    "ScoredContrast",
    "ScoredSet",
    "outcome_of",
    "read_scored",
    "score_column",
]

Outcome = Literal["success", "tie", "inversion", "null"]
NOISE = 1e-9
"""Relative size of a difference that is float noise."""
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "grader": ("grader", "verifier", "judge", "evaluator", "candidate", "judge_name"),
    "family": ("family", "degradation", "transform", "contrast_family"),
    "contrast": ("contrast", "contrast_id", "pair", "pair_id", "id"),
    "score_base": ("score_base", "base_score", "base"),
    "score_degraded": ("score_degraded", "degraded_score", "degraded"),
    "status": ("status",),
    "cluster": (),
}
SCORED = frozenset({"", "scored", "ok", "success"})
"""What the status of a row with a score may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredContrast:
    """One grader's scores of one contrast.

    Attributes
    ----------
    grader, family, contrast : str
        Who scored what.
    score_base, score_degraded : float or None
        Scores; ``None`` where there is none (unparsed, infrastructure, missing).
    cluster : str or None
        Contrasts that are not independent share it.
    reason : str or None
        Why a score is missing.
    """

    grader: str
    family: str
    contrast: str
    score_base: float | None
    score_degraded: float | None
    cluster: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSet:
    """Scored contrasts of one or more graders.

    Attributes
    ----------
    rows : tuple of ScoredContrast
        One for each grader and contrast.
    families : tuple of str
        Families that every grader should have scores in.
    named : bool
        Whether contrasts have ids by which two graders can be paired.
    notes : tuple of str
        What was left out or assumed.
    """

    rows: tuple[ScoredContrast, ...]
    families: tuple[str, ...]
    named: bool = True
    notes: tuple[str, ...] = ()

    @property
    def graders(self) -> tuple[str, ...]:
        """Graders by name."""
        return tuple(sorted({row.grader for row in self.rows}))

    def of(self, grader: str) -> tuple[ScoredContrast, ...]:
        """Rows of one grader."""
        return tuple(row for row in self.rows if row.grader == grader)


def outcome_of(base: float | None, degraded: float | None, *, margin: float) -> Outcome:
    """Say what a pair of scores shows.

    Parameters
    ----------
    base, degraded : float or None
        Scores of the better and of the degraded response.
    margin : float
        The difference that a success must exceed.

    Returns
    -------
    {"success", "tie", "inversion", "null"}
        A difference above the margin, within it, below minus it; or no difference.

    Notes
    -----
    The comparison is strict up to float noise: a difference exceeds the margin if it does so by
    more than 1e-9 times the larger of 1 and the scores. So .81 against .80 is a tie at .01,
    although the doubles differ by .010000000000000009.

    Examples
    --------
    >>> [outcome_of(0.81, x, margin=0.01) for x in (0.79, 0.80, 0.83, None)]
    ['success', 'tie', 'inversion', 'null']
    """
    if base is None or degraded is None:
        return "null"
    limit = margin + NOISE * max(1.0, abs(base), abs(degraded))
    difference = base - degraded
    if difference > limit:
        return "success"
    return "inversion" if difference < -limit else "tie"


def score_column(table: Table, column: str) -> list[float]:
    """Scores of a column as numbers, NaN where missing; true and false are 1 and 0.

    Examples
    --------
    >>> score_column(read_table([{"s": True}, {"s": "False"}, {"s": 0.5}, {"s": None}]), "s")
    [1.0, 0.0, 0.5, nan]
    """
    cells = [row.get(column) for row in table.rows]
    words = {"true": 1, "false": 0}
    numbers = [words.get(str(cell).strip().casefold(), cell) for cell in cells]
    return [float(value) for value in read_scores(numbers, column=column)]


def _found(table: Table, columns: Mapping[str, str] | None, cluster: str | None) -> dict[str, str]:
    declared = {**(columns or {}), **({"cluster": cluster} if cluster else {})}
    found = guess_columns(table, _COLUMNS, declared)
    needed = [k for k in ("family", "score_base", "score_degraded") if k not in found]
    if needed:
        raise MissingColumnError(
            f"no column holds {', '.join(needed)}; the columns are "
            f"{', '.join(map(repr, table.columns)) or 'none'}; name it, as family=kind, "
            "or give the key to blinded scores"
        )
    return found


def read_scored(
    data: Any,
    *,
    cluster: str | None = None,
    families: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> ScoredSet:
    """Read rows with a family, a base score and a degraded score.

    Parameters
    ----------
    data : ScoredSet, path, dataframe of any engine, or sequence of mappings
        One row for each grader and contrast.
    cluster : str, optional
        Column of clusters.
    families : sequence of str, optional
        Families that should be there; those in the rows by default.
    columns : mapping of str to str, optional
        What is looked for (grader, family, contrast, score_base, score_degraded, status) to its
        column.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    ScoredSet

    Raises
    ------
    MissingColumnError
        If the family or a score has no column.
    DuplicateRowError
        If a grader has a contrast of a family twice.

    Examples
    --------
    >>> rows = [{"family": "pad", "score_base": 0.9, "score_degraded": 0.4}]
    >>> read_scored(rows).rows[0].grader
    'grader'
    """
    if isinstance(data, ScoredSet):
        return data
    table = read_table(data, partial=partial)
    if not table.rows:
        raise InputError("there are no scored contrasts; give a row for each grader and contrast")
    found = _found(table, columns, cluster)
    scores = {side: score_column(table, found[side]) for side in ("score_base", "score_degraded")}
    rows = []
    for number, row in enumerate(table.rows):
        cells = {k: cell_text(row.get(name)).strip() for k, name in found.items()}
        if not cells["family"]:
            raise InputError("the row has no family; name the degradation", line=number + 1)
        if "cluster" in found and not cells["cluster"]:
            raise InputError("the row has no cluster; give each its own", line=number + 1)
        reason = None if cells.get("status", "").casefold() in SCORED else cells["status"]
        pair = [scores[side][number] for side in scores]
        if reason is None and any(math.isnan(value) for value in pair):
            reason = "no score"
        base, degraded = (None if reason else value for value in pair)
        rows.append(
            ScoredContrast(
                grader=cells.get("grader", "grader"),
                family=cells["family"],
                contrast=cells.get("contrast") or f"row {number + 1}",
                score_base=base,
                score_degraded=degraded,
                cluster=cells.get("cluster"),
                reason=reason,
            )
        )
    check_unique(rows)
    seen = dict.fromkeys([*(families or ()), *sorted({row.family for row in rows})])
    return ScoredSet(
        rows=tuple(rows), families=tuple(seen), named="contrast" in found, notes=table.notes
    )


def check_unique(rows: Iterable[ScoredContrast]) -> None:
    """Refuse two rows of one grader and contrast."""
    counts = Counter((row.grader, row.family, row.contrast) for row in rows)
    twice = next((key for key, number in counts.items() if number > 1), None)
    if twice is not None:
        raise DuplicateRowError(
            f"grader {twice[0]!r} scored this contrast of {twice[1]!r} twice; give each contrast "
            "its own id (contrast=COLUMN), or keep one of its rows",
            item=twice[2],
        )
