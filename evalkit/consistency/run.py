"""The audit: every check of every table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, get_args

from evalkit.consistency.against_items import (
    candidates_by_system,
    check_items,
    check_selection,
    item_sums,
)
from evalkit.consistency.checks_counts import (
    check_attainable,
    check_counts,
    check_denominators,
)
from evalkit.consistency.checks_games import check_games, check_win_rate
from evalkit.consistency.checks_order import check_best, check_rank
from evalkit.consistency.checks_parts import (
    check_aggregate_rows,
    check_delta,
    check_mean,
    check_total,
)
from evalkit.consistency.checks_range import check_interval, check_range
from evalkit.consistency.checks_repeats import check_repeats
from evalkit.consistency.checks_spread import check_sd, check_se
from evalkit.consistency.findings import AuditedCell, AuditReport
from evalkit.consistency.grid import Grid
from evalkit.consistency.layout import Kind, Layout, Settings, TieRule, lay_out
from evalkit.consistency.reading import read_grids
from evalkit.consistency.roles import check_roles
from evalkit.errors import ArgumentError

__all__ = ["PlusMinus", "audit"]

PlusMinus = Literal["sd", "se", "half-width"]
_CHECKS: tuple[Callable[[Layout], Iterator[AuditedCell]], ...] = (
    check_counts, check_games, check_win_rate, check_attainable, check_denominators,
    check_sd, check_se, check_interval, check_range, check_delta, check_mean, check_total,
    check_aggregate_rows, check_rank, check_best,
)  # fmt: skip
_ORDER = ("mismatch", "rounding", "uncheckable", "ok")


def audit(
    table: Any,
    *,
    n: int | Mapping[str, int] | None = None,
    seeds: int | None = None,
    kind: Kind | None = None,
    roles: Mapping[str, str] | None = None,
    deltas: Mapping[str, str] | None = None,
    means: Mapping[str, str] | None = None,
    sums: Mapping[str, str] | None = None,
    ties: TieRule | None = None,
    plus_minus: PlusMinus | None = None,
    items: Any = None,
    item_columns: Mapping[str, str] | None = None,
    items_for: str | None = None,
    candidates: Any = None,
    candidate_columns: Mapping[str, str] | None = None,
) -> AuditReport:
    """Check whether the printed numbers of a table can all be right.

    Parameters
    ----------
    table : path, dataframe or sequence of mappings
        CSV, TSV, Markdown, LaTeX, HTML, JSON Lines, Parquet, a folder of reported tables,
        a dataframe, or rows. Every table of a file is read.
    n : int or mapping of str to int, optional
        Items behind a percentage, for all columns or by column; an n column goes first.
    seeds : int, optional
        Runs that a mean is over; a seeds column goes first.
    kind : {"accuracy", "half", "integer", "mean"}, optional
        What columns without a telling heading hold: percentages of items, percentages in which
        an item can count half, means of whole numbers, or other means.
    roles : mapping of str to str, optional
        Column -> role, in place of reading it off the heading.
    deltas : mapping of str to str, optional
        Column -> the difference it is, as ``{"gain": "ours-base"}``.
    means : mapping of str to str, optional
        Column -> the columns it is the mean of, as ``{"avg": "A,B"}`` or, with weights,
        ``{"avg": "A:400,B:16"}``.
    sums : mapping of str to str, optional
        Column -> the columns it is the sum of, as ``{"total": "A+B"}``.
    ties : {"half", "loss", "win", "excluded"}, optional
        What a tie counts in a win rate; half by default, or what the whole column follows.
    plus_minus : {"sd", "se", "half-width"}, optional
        What stands after a plus-minus sign; the sd where there are several seeds.
    items : path or dataframe, optional
        Scores by system and item, from which the rows are recomputed.
    item_columns : mapping of str to str, optional
        Canonical name -> column of `items`, as ``{"score": "resolved"}``.
    items_for : str, optional
        Column that the items give.
    candidates : path, dataframe or rows, optional
        Scores by system and candidate on the reported set, with the validation score if known.
    candidate_columns : mapping of str to str, optional
        ``system``, ``candidate``, ``score`` and ``selection`` -> column of `candidates`.

    Returns
    -------
    AuditReport
        A result for each check of each printed number, findings first, with the roles of the
        columns as notes.

    Raises
    ------
    ArgumentError
        If a setting names a column or a value that does not exist.
    InputError
        If the table cannot be read.

    Notes
    -----
    Printed numbers are read exactly, and compared with exact fractions under rounding half up,
    half to even, and truncation. Attainability follows [1]_ and, with an sd, the integer search
    that [2]_ speeds up. A check that is not certain to apply is ``uncheckable``, with a reason.

    References
    ----------
    .. [1] Brown & Heathers (2017), The GRIM test, Social Psychological and Personality
       Science 8(4).
    .. [2] Anaya (2016), The GRIMMER test, PeerJ Preprints 4:e2400v1.

    Examples
    --------
    >>> rows = [{"system": "a", "accuracy": "80.3"}, {"system": "b", "accuracy": "82.0"}]
    >>> for cell in audit(rows, n=120, seeds=3).findings:
    ...     print(cell.row, cell.printed, cell.verdict, "-", cell.explanation)
    b 82.0 rounding - reached only if each of the 3 seed means was rounded before averaging
    """
    _check_numbers(n, seeds)
    for name, value, allowed in (
        ("kind", kind, get_args(Kind)), ("ties", ties, get_args(TieRule)),
        ("plus_minus", plus_minus, get_args(PlusMinus)),
    ):  # fmt: skip
        if value is not None and value not in allowed:
            raise ArgumentError(f"`{name}` is {value!r}; allowed are {', '.join(allowed)}")
    grids = read_grids(table)
    columns = list(dict.fromkeys(c for grid in grids for c in grid.columns))
    declared = check_roles(roles, columns)
    for name, mapping in (("n", n), ("deltas", deltas), ("means", means), ("sums", sums)):
        _check_names(name, mapping, columns)
    settings = Settings(
        n=None if isinstance(n, Mapping) else n,
        n_of=dict(n) if isinstance(n, Mapping) else {},
        seeds=seeds,
        kind=kind,
        roles=declared,
        deltas=dict(deltas or {}),
        means=dict(means or {}),
        sums=dict(sums or {}),
        ties=ties,
        plus_minus=plus_minus,
    )
    layouts = [lay_out(grid, settings) for grid in grids]
    found = [*chain.from_iterable(check(layout) for layout in layouts for check in _CHECKS)]
    found += check_repeats(layouts)
    notes = [note for layout in layouts for note in _notes(layout)]
    if items is not None:
        read = item_sums(items, item_columns)
        notes += [f"items: {note}" for note in read.notes]
        found += chain.from_iterable(check_items(la, read, items_for) for la in layouts)
    if candidates is not None:
        named = candidates_by_system(candidates, candidate_columns)
        found += chain.from_iterable(check_selection(layout, named) for layout in layouts)
    found.sort(key=lambda cell: _ORDER.index(cell.verdict))
    return AuditReport(found, notes=notes)


def _check_numbers(n: int | Mapping[str, int] | None, seeds: int | None) -> None:
    given = list(n.values()) if isinstance(n, Mapping) else [n]
    for name, value in [*(("n", v) for v in given), ("seeds", seeds)]:
        if value is not None and (isinstance(value, bool) or int(value) != value or value < 1):
            raise ArgumentError(f"`{name}` is {value!r}; it must be a whole number, at least 1")


def _check_names(name: str, given: object, columns: list[str]) -> None:
    if not isinstance(given, Mapping):
        return
    for column in given:
        if column not in columns:
            raise ArgumentError(
                f"`{name}` names {column!r}; the columns are {', '.join(map(repr, columns))}"
            )


def _notes(layout: Layout) -> Iterator[str]:
    """Say what each column was taken for."""
    grid: Grid = layout.grid
    taken = []
    for column in layout.columns:
        unit = "" if column.scale is None else " in percent"
        unit = " as fractions" if column.scale == 1 else unit
        taken.append(f"{column.name} = {column.role}{unit}")
    yield f"{grid.name}: {len(grid.rows)} rows; {'; '.join(taken)}"
    yield from (f"{grid.name}: {note}" for note in grid.notes)
