"""Bold by evidence: the maximum, together with whatever is not separated from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.results import Comparison
from evalkit.tables.cells import cell_text, sort_value
from evalkit.tables.table import Row, Table, column_index

if TYPE_CHECKING:
    from evalkit.comparisons.all_pairs import AllPairs

__all__ = ["bold_separated"]


def bold_separated(
    table: Table,
    column: str,
    found: AllPairs | Iterable[Comparison],
    *,
    names: str | None = None,
    group: str | None = None,
) -> Table:
    """Set the largest value in bold, with every value that is not separated from it.

    Parameters
    ----------
    table : Table
        One system a row; not changed.
    column : str
        Key of the column to mark.
    found : AllPairs, or iterable of Comparison
        What :func:`evalkit.compare_all` returned, whose adjusted verdicts decide; or comparisons
        of the best system with each other one, whose intervals of differences decide.
    names : str, optional
        Key of the column that names the systems; the first by default.
    group : str, optional
        Mark only the rows of this row group.

    Returns
    -------
    Table
        A copy with a note that states the rule.

    Raises
    ------
    ArgumentError
        If a column does not exist, a system stands in two rows, or the best system was not
        compared with another one of the column.

    Notes
    -----
    Convention: the maximum stands in bold alone exactly where it is separated from every other
    value. Otherwise the whole tie group of the maximum is bold: a lower value that the data do
    not tell from the maximum is as good a candidate for the best. A comparison without a
    verdict does not separate. Undefined cells are never marked and decide nothing. Exact values
    decide which one is largest; equal maxima each need to be separated from a value.

    Examples
    --------
    >>> import pandas as pd
    >>> from evalkit.comparisons import compare_all
    >>> from evalkit.tables import make_table
    >>> scores = [1] * 30 + [1] * 28 + [0] * 2 + [1] * 5 + [0] * 25
    >>> frame = pd.DataFrame(
    ...     {"system": list("A" * 30 + "B" * 30 + "C" * 30), "item": [*range(30)] * 3,
    ...      "score": scores})
    >>> found = compare_all(frame)
    >>> table = make_table(["system", "mean"], [[s.system, s.mean] for s in found.systems])
    >>> marked = bold_separated(table, "mean", found)
    >>> [row.cells[1].bold for row in marked.rows]
    [True, True, False]
    """
    position = column_index(table, column)
    naming = 0 if names is None else column_index(table, names)
    values = _values(table, position, naming, group)
    separated = _verdicts(found)
    top = max((value for value, _ in values.values()), default=None)
    best = {name for name, (value, _) in values.items() if value == top}
    rows = list(table.rows)
    for name, (_, index) in values.items():
        if name in best or not all(_is_separated(separated, one, name) for one in best):
            cells = list(rows[index].cells)
            cells[position] = replace(cells[position], bold=True)
            rows[index] = Row(cells=tuple(cells), group=rows[index].group)
    rule = f"Bold: the highest value and those not separated from it{_basis(found)}."
    notes = table.notes if rule in table.notes else (*table.notes, rule)
    return replace(table, rows=tuple(rows), notes=notes)


def _values(
    table: Table, position: int, naming: int, group: str | None
) -> dict[str, tuple[float, int]]:
    """Value and row of each system that has a value."""
    out: dict[str, tuple[float, int]] = {}
    for index, row in enumerate(table.rows):
        if group is not None and row.group != group:
            continue
        name, value = cell_text(row.cells[naming]), sort_value(row.cells[position])
        if value is None or isinstance(value, str):
            continue
        if name in out:
            raise ArgumentError(
                f"`table` names {name!r} in two rows; give `group`, or make the names distinct"
            )
        out[name] = (value, index)
    return out


def _verdicts(found: AllPairs | Iterable[Comparison]) -> dict[frozenset[str], bool]:
    """Whether each pair of systems is separated."""
    from evalkit.comparisons.all_pairs import AllPairs

    if isinstance(found, AllPairs):
        judged = [(pair.comparison, pair.verdict) for pair in found.comparisons]
    else:
        judged = [(each, each.verdict) for each in found]
    return {frozenset((c.base, c.candidate)): verdict == "separated" for c, verdict in judged}


def _is_separated(separated: dict[frozenset[str], bool], one: str, other: str) -> bool:
    pair = frozenset((one, other))
    if pair not in separated:
        raise ArgumentError(
            f"`found` holds no comparison of {one!r} with {other!r}; every system of the column "
            "must be compared with the best one"
        )
    return separated[pair]


def _basis(found: AllPairs | Iterable[Comparison]) -> str:
    from evalkit.comparisons.all_pairs import AllPairs

    if isinstance(found, AllPairs):
        method = {"holm": "Holm", "bh": "Benjamini-Hochberg"}[found.adjust]
        return f" ({method}-adjusted paired comparisons, {100 * found.level:g} % level)"
    return " (interval of the paired difference)"
