"""Find the columns of a table by the names they usually have, or as declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalkit.errors import ArgumentError, MissingColumnError
from evalkit.grading.grading_rows import Table

__all__ = ["guess_columns"]


def guess_columns(
    table: Table, known: Mapping[str, Sequence[str]], declared: Mapping[str, str] | None
) -> dict[str, str]:
    """Return the column of each thing that the table holds.

    Parameters
    ----------
    table : Table
        Rows.
    known : mapping of str to sequence of str
        What is looked for, and the names it is recognised by, best first; case does not count.
    declared : mapping of str to str, optional
        What is looked for to its column, where the guess would be wrong.

    Raises
    ------
    ArgumentError
        If something unknown is declared.
    MissingColumnError
        If a declared column is not there.

    Examples
    --------
    >>> table = Table(rows=(), columns=("ID", "reply"))
    >>> guess_columns(table, {"item": ("id",), "response": ("response",)}, {"response": "reply"})
    {'item': 'ID', 'response': 'reply'}
    """
    folded = {name.casefold(): name for name in reversed(table.columns)}
    found = {}
    for key, names in known.items():
        first = next((folded[name] for name in names if name in folded), None)
        if first is not None:
            found[key] = first
    for key, name in (declared or {}).items():
        if key not in known:
            raise ArgumentError(f"`columns` names {key!r}; allowed are {', '.join(known)}")
        if name not in table.columns:
            raise MissingColumnError(
                f"column {name!r} is not there; the columns are "
                f"{', '.join(map(repr, table.columns)) or 'none'}"
            )
        found[key] = name
    return found
