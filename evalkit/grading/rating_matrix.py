"""Ratings as a matrix of items by raters, with gaps."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError
from evalkit.grading.grading_rows import Table, cell_text, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RatingMatrix", "rating_matrix", "read_ratings"]

_ITEM = ("item", "item_id", "unit", "units", "pair_id", "pair", "id", "idx", "question_id")
_RATER = ("rater", "annotator", "worker", "coder", "observer", "grader", "judge", "verifier")
_UNPARSED = {"unparsed", "nan"}
_LISTED = 12
_RATING = ("rating", "label", "score", "verdict", "code", "winner")
_WIDE = re.compile(r"(rater|annotator|observer|coder|judge|grader|worker)[ _-]?\w*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class RatingMatrix:
    """Ratings of items by raters.

    Attributes
    ----------
    codes : ndarray of int, shape (n, R)
        Category of each rating; -1 where there is none.
    categories : tuple of str
        Categories that occur, on their scale where they are numbers, else by name.
    values : ndarray of float, shape (q,)
        Their places on the scale: the numbers themselves, or 1, 2, ...
    raters : tuple of str
        Names of the columns.
    numeric : bool
        Whether the categories are numbers.
    notes : tuple of str
        What was guessed.
    """

    codes: NDArray[np.int64]
    categories: tuple[str, ...]
    values: NDArray[np.float64]
    raters: tuple[str, ...]
    numeric: bool
    notes: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How many raters put each item in each category, shape (n, q)."""
        places = np.arange(len(self.categories))
        hits = self.codes[:, :, None] == places
        return np.asarray(hits.sum(axis=1), dtype=float)


def rating_matrix(
    cells: Sequence[Sequence[Any]], *, raters: Sequence[str], notes: Sequence[str] = ()
) -> RatingMatrix:
    """Code a matrix of ratings, one row for each item.

    Examples
    --------
    >>> found = rating_matrix([["b", "a"], ["a", None]], raters=["x", "y"])
    >>> found.codes.tolist(), found.categories
    ([[1, 0], [0, -1]], ('a', 'b'))
    """
    texts = [[cell_text(cell).strip() for cell in row] for row in cells]
    unparsed = sum(text.casefold() in _UNPARSED for row in texts for text in row)
    texts = [["" if text.casefold() in _UNPARSED else text for text in row] for row in texts]
    if any(len(row) != len(raters) for row in texts):
        raise InputError("the items have different numbers of ratings; write gaps as empty cells")
    distinct = sorted({text for row in texts for text in row if text})
    numbers = _numbers(distinct)
    if numbers is None:
        names, values = distinct, np.arange(1, len(distinct) + 1, dtype=float)
        places = {name: i for i, name in enumerate(names)}
    else:
        values = np.unique(np.array(list(numbers.values()), dtype=float))
        names = [f"{value:g}" for value in values]
        places = {t: int(np.searchsorted(values, number)) for t, number in numbers.items()}
    remarks = [f"{unparsed} unparsed ratings are gaps"] if unparsed else []
    if 0 < len(names) <= _LISTED:
        remarks.append(f"labels in use: {', '.join(names)}")
    codes = np.array(
        [[places.get(text, -1) for text in row] for row in texts], dtype=np.int64
    ).reshape(len(texts), len(raters))
    return RatingMatrix(
        codes=codes,
        categories=tuple(names),
        values=values,
        raters=tuple(raters),
        numeric=numbers is not None,
        notes=(*notes, *remarks),
    )


def _numbers(texts: Sequence[str]) -> dict[str, float] | None:
    """Return all texts as finite numbers, or ``None``."""
    try:
        found = {text: float(text) for text in texts}
    except ValueError:
        return None
    return found if all(map(math.isfinite, found.values())) else None


def _one_of(table: Table, names: Sequence[str]) -> str | None:
    folded = {column.casefold(): column for column in reversed(table.columns)}
    return next((folded[name] for name in names if name in folded), None)


def _long(table: Table, item: str, rater: str, rating: str) -> RatingMatrix:
    """Pivot one row for each rating."""
    cells: dict[tuple[str, str], Any] = {}
    for row in table.rows:
        key = cell_text(row.get(item)), cell_text(row.get(rater))
        if key in cells:
            raise DuplicateRowError(f"rater {key[1]!r} rated this item twice", item=key[0])
        cells[key] = row.get(rating)
    items = dict.fromkeys(key[0] for key in cells)
    raters = sorted({key[1] for key in cells})
    note = f"ratings {rating!r} of {item!r} by {rater!r}, one row each"
    return rating_matrix(
        [[cells.get((i, r)) for r in raters] for i in items],
        raters=raters,
        notes=[*table.notes, note],
    )


def _declared(table: Table, columns: Mapping[str, str]) -> dict[str, str | None]:
    found = {
        "item": _one_of(table, _ITEM),
        "rater": _one_of(table, _RATER),
        "rating": _one_of(table, _RATING),
    }
    for key, name in columns.items():
        if key not in found:
            raise ArgumentError(f"`columns` names {key!r}; allowed are {', '.join(found)}")
        if name not in table.columns:
            raise MissingColumnError(
                f"column {name!r} is not there; the columns are {', '.join(table.columns)}"
            )
        found[key] = name
    return found


def read_ratings(
    data: Any,
    *,
    raters: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> RatingMatrix:
    """Read ratings: one column for each rater, or one row for each rating.

    Parameters
    ----------
    data : path, dataframe of any engine, sequence of mappings, or 2-D array
        An array has one row for each item and one column for each rater.
    raters : sequence of str, optional
        Rater columns; by default those named rater, annotator, observer, coder, judge, grader.
    columns : mapping of str to str, optional
        Item, rater and rating columns of the long form, where a guess by name would be wrong.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Raises
    ------
    InputError
        If no raters are found, or a rater rated an item twice.

    Examples
    --------
    >>> read_ratings([[1, 1], [2, 1]]).raters
    ('1', '2')
    """
    array = getattr(data, "ndim", None) == 2 and not hasattr(data, "columns")
    if array or (isinstance(data, (list, tuple)) and data and isinstance(data[0], (list, tuple))):
        rows = [list(row) for row in data]
        return rating_matrix(rows, raters=[str(k + 1) for k in range(len(rows[0]))])
    table = read_table(data, partial=partial)
    found = _declared(table, columns or {})
    item, rater, rating = (found[key] for key in ("item", "rater", "rating"))
    if raters is None and item and rater and rating:
        return _long(table, item, rater, rating)
    wide = list(raters or [c for c in table.columns if c != item and _WIDE.fullmatch(c)])
    for name in wide:
        if name not in table.columns:
            raise MissingColumnError(
                f"column {name!r} is not there; the columns are {', '.join(table.columns)}"
            )
    if not wide:
        raise MissingColumnError(
            "no columns of raters are found, and no item, rater and rating columns; the columns "
            f"are {', '.join(map(repr, table.columns)) or 'none'}; name the raters (--raters A,B)"
        )
    return rating_matrix(
        [[row.get(name) for name in wide] for row in table.rows], raters=wide, notes=table.notes
    )
