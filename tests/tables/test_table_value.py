"""Tables are values: verbs return copies."""

# The dash of an undefined cell is the text under test.
# ruff: noqa: RUF001

from __future__ import annotations

from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import pytest

from evalkit.errors import ArgumentError
from evalkit.results import Interval
from evalkit.tables import (
    Cell,
    Column,
    Count,
    Row,
    Table,
    bold_max,
    bold_min,
    cell_text,
    count,
    make_table,
    number,
    to_csv,
    underline_max,
    with_caption,
    with_label,
    with_note,
)


def scores() -> Table:
    """Return four rows in two groups."""
    rows = [["a", number(1, 1)], ["b", number(2.04, 1)], ["c", number(2, 1)], ["d", None]]
    return make_table(["m", "x"], rows, groups=["g", "g", "h", "h"])


def marks(table: Table, column: int = 1) -> list[bool]:
    """Return which cells of a column are bold."""
    return [row.cells[column].bold for row in table.rows]


def test_bold_max_marks_values_that_print_alike() -> None:
    """Values that print like the largest are all bold, and undefined ones never."""
    assert marks(bold_max(scores(), "x")) == [False, True, True, False]


def test_bold_max_can_compare_exact_values() -> None:
    """With exact comparison only the largest value is bold."""
    assert marks(bold_max(scores(), "x", printed=False)) == [False, True, False, False]


def test_bold_max_works_within_groups() -> None:
    """By group, every group has its own maximum."""
    assert marks(bold_max(scores(), ["x"], by_group=True)) == [False, True, True, False]
    assert marks(bold_min(scores(), ["x"], by_group=True)) == [True, False, True, False]


def test_bold_max_ranks_percentages_of_counts_as_printed() -> None:
    """A count ranks by its share of trials at the printed digits."""
    table = make_table(["x"], [[count(1, 3, 1)], [count(333, 1000, 1)], [count(1, 4, 1)]])
    assert marks(bold_max(table, "x"), 0) == [True, True, False]


def test_bold_max_leaves_text_columns_alone() -> None:
    """Text has no maximum."""
    assert marks(bold_max(scores(), "m"), 0) == [False] * 4


def test_verbs_never_change_the_original() -> None:
    """Every verb returns a changed copy."""
    original = scores()
    before = to_csv(original)
    changed = with_label(with_caption(with_note(underline_max(original, "x"), "n"), "c"), "l")
    assert (changed.notes, changed.caption, changed.label) == (("n",), "c", "l")
    assert [row.cells[1].underline for row in changed.rows] == [False, True, True, False]
    assert (original, to_csv(original)) == (scores(), before)
    assert original.notes == ()


def test_table_is_frozen() -> None:
    """Assigning to a table fails."""
    with pytest.raises(FrozenInstanceError):
        scores().caption = "x"  # type: ignore[misc]


def test_make_table_reads_plain_values() -> None:
    """Plain values become cells of the kind that their type says."""
    interval = Interval(low=0.1, high=0.2, level=0.95, method="wilson")
    values = ["a", None, True, 3, 0.25, Fraction(1, 8), Decimal("1.005"), Count(k=1, n=2), interval]
    (row,) = make_table([str(i) for i in range(len(values))], [values], digits=2).rows
    printed = [cell_text(cell) for cell in row.cells]
    assert printed == ["a", "–", "True", "3", "0.25", "0.13", "1.01", "1/2", "[0.10, 0.20]"]


def test_make_table_rejects_groups_of_another_length() -> None:
    """One group name a row is needed."""
    with pytest.raises(ArgumentError, match="1 names for 2 rows"):
        make_table(["x"], [[1], [2]], groups=["g"])


def test_table_rejects_ragged_rows() -> None:
    """A row with a cell too many is named by its position."""
    with pytest.raises(ArgumentError, match=r"`rows\[1\]` has 2 cells"):
        make_table(["x"], [[1], [2, 3]])


def test_table_rejects_repeated_and_missing_columns() -> None:
    """Column keys are unique and there is at least one."""
    with pytest.raises(ArgumentError, match="repeats the keys"):
        make_table(["x", "x"], [])
    with pytest.raises(ArgumentError, match="at least one column"):
        Table(columns=(), rows=(Row(cells=()),))


def test_verb_rejects_an_unknown_column() -> None:
    """The message lists the columns that there are."""
    table = Table(columns=(Column(key="x", header="X"),), rows=(Row(cells=(Cell(value="a"),)),))
    with pytest.raises(ArgumentError, match=r"'y'; the table has the columns \['x'\]"):
        bold_max(table, "y")
