"""Tables of judgments, ratings and comparisons, which are no verdicts on items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from evalkit.doctor.diagnosis import Diagnosis, Support, by_severity
from evalkit.doctor.history_checks import check_judgments
from evalkit.errors import EvalkitError
from evalkit.grading.games import read_games
from evalkit.grading.grading_rows import COLUMNS, Table, find_columns, neighbour, read_table
from evalkit.grading.rating_matrix import read_ratings

__all__ = ["examine_graded", "is_graded_columns"]


def is_graded_columns(columns: Mapping[str, str] | None) -> bool:
    """Whether declared columns are those of judgments of pairs."""
    return bool(columns) and all(name in COLUMNS for name in columns or ())


def examine_graded(source: Path, columns: Mapping[str, str] | None = None) -> Diagnosis | None:
    """Examine a table of judgments, ratings or comparisons; ``None`` where it is none."""
    if source.is_dir():
        return None
    try:
        table = read_table(source)
        found = find_columns(table, columns)
    except EvalkitError:
        return None
    judged = "pair" in found and bool({"order1", "score_a"} & found.keys())
    games = _count(lambda: read_games(table), lambda read: len(read.systems))
    raters = 0 if judged else _count(lambda: read_ratings(table), lambda read: len(read.raters))
    kinds = {"judgments": judged, "comparisons": games > 1, "ratings": raters > 1}
    if not any(kinds.values()):
        return None
    size = len(table.rows)
    return Diagnosis(
        path=str(source),
        format="plain",
        title=f"a table of {' or '.join(kind for kind, yes in kinds.items() if yes)}",
        tables={kind: size for kind, yes in kinds.items() if yes},
        counts=_counts(table, found, games, raters),
        supports=_supports(source, found, kinds, games, raters),
        findings=by_severity(check_judgments(table.rows, columns) if judged else []),
        notes=table.notes,
    )


def _count(read: Callable[[], Any], size: Callable[[Any], int]) -> int:
    try:
        return size(read())
    except EvalkitError:
        return 0


def _counts(
    table: Table, found: Mapping[str, tuple[str, ...]], games: int, raters: int
) -> dict[str, int]:
    counts = {}
    if "pair" in found:
        names = found["pair"]
        counts["pairs"] = len({tuple(str(row.get(n)) for n in names) for row in table.rows})
    if games:
        counts["systems"] = games
    if raters:
        counts["raters"] = raters
    return counts


def _supports(
    source: Path,
    found: Mapping[str, tuple[str, ...]],
    kinds: Mapping[str, bool],
    games: int,
    raters: int,
) -> tuple[Support, ...]:
    path = quote(str(source))
    labelled = bool({"label", "reference_a"} & found.keys()) or (
        "pair" in found and neighbour(source, found["pair"]) is not None
    )
    if not kinds["judgments"]:
        agreement = Support(command="agreement", possible=False, reason="no judgments of pairs")
    elif labelled:
        agreement = Support(
            command=f"evalkit agreement {path}",
            possible=True,
            reason="judgments with labels",
        )
    else:
        agreement = Support(
            command=f"evalkit agreement {path} --labels FILE",
            possible=True,
            reason="the labels stand in another file",
        )
    rank = Support(
        command=f"evalkit rank {path}" if kinds["comparisons"] else "rank",
        possible=kinds["comparisons"],
        reason=f"{games} systems compared" if kinds["comparisons"] else "no comparisons of systems",
    )
    kappa = Support(
        command=f"evalkit raters {path}" if kinds["ratings"] else "raters",
        possible=kinds["ratings"],
        reason=f"{raters} raters" if kinds["ratings"] else "no columns of raters",
    )
    return agreement, rank, kappa
