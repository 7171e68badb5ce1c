"""A table whose columns have roles, and the questions that checks ask of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from evalkit.consistency.grid import Grid, GridCell
from evalkit.consistency.printed import Printed
from evalkit.consistency.roles import BOUNDED, POINTS, Role, heading_role, plain_heading

__all__ = ["Column", "Kind", "Layout", "Settings", "TieRule", "lay_out"]

Kind = Literal["accuracy", "half", "integer", "mean"]
TieRule = Literal["half", "loss", "win", "excluded"]
_AGGREGATES = re.compile(
    r"(?:macro|micro|weighted|unweighted|grand|overall)? ?"
    r"(?:avg|average|mean|total|sum|overall|all)"
    r"|macro|micro|weighted|δ|∆|delta|diff|difference|gain|std|sd|se|min|max|median"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the caller knows of the table."""

    n: int | None = None
    n_of: Mapping[str, int] = field(default_factory=dict)
    seeds: int | None = None
    kind: Kind | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    deltas: Mapping[str, str] = field(default_factory=dict)
    means: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, str] = field(default_factory=dict)
    ties: TieRule | None = None
    plus_minus: Literal["sd", "se", "half-width"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column with its role.

    Attributes
    ----------
    name : str
    place : int
    role : Role
    base : str
        What is left of the heading without the words of the role.
    scale : Fraction or None
        100 for percentages, 1 for fractions; ``None`` where unknown or unbounded.
    declared : bool
        The caller said so, or the heading says so by itself.
    """

    name: str
    place: int
    role: Role
    base: str
    scale: Fraction | None
    declared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A table with roles."""

    grid: Grid
    columns: tuple[Column, ...]
    settings: Settings
    labels: tuple[int, ...] = ()
    """Places of the label columns that together tell all rows apart."""

    def of(self, *roles: Role) -> tuple[Column, ...]:
        """Columns with one of these roles."""
        return tuple(column for column in self.columns if column.role in roles)

    def label(self, row: int) -> str:
        """Name of a row: as many of its label cells as tell all rows apart."""
        return self._joined(row, self.labels)

    def full_label(self, row: int) -> str:
        """All label cells of a row."""
        return self._joined(row, [c.place for c in self.of("label")])

    def _joined(self, row: int, places: Sequence[int]) -> str:
        texts = [self.grid.rows[row][place].text for place in places]
        return " / ".join(text for text in texts if text) or f"row {row + 1}"

    def cell(self, row: int, column: Column) -> GridCell:
        """Return one cell."""
        return self.grid.rows[row][column.place]

    def number(self, row: int, column: Column | None) -> Printed | None:
        """Return the number in a cell, if any."""
        return None if column is None else self.cell(row, column).number

    def whole(self, row: int, column: Column | None) -> int | None:
        """Return the whole number in a cell, if any."""
        found = self.number(row, column)
        return int(found.value) if found is not None and found.value.denominator == 1 else None

    def is_aggregate(self, row: int) -> bool:
        """Whether a row sums up others: a mean, a total or a difference."""
        texts = [self.grid.rows[row][c.place].text for c in self.of("label")]
        return any(_AGGREGATES.fullmatch(plain_heading(text)) for text in texts if text)

    @property
    def body(self) -> tuple[int, ...]:
        """Rows that stand for themselves."""
        return tuple(i for i in range(len(self.grid.rows)) if not self.is_aggregate(i))

    def partner(self, column: Column, *roles: Role) -> Column | None:
        """Column of a role that belongs to `column`: of its base, or the only one without."""
        own = [c for c in self.of(*roles) if c.base == column.base]
        general = [c for c in self.of(*roles) if not c.base]
        found = own or general
        return found[0] if len(found) == 1 else None

    def n(self, row: int, column: Column) -> int | None:
        """Items behind a figure: of its own column, else the declared number."""
        settings = self.settings
        if column.name in settings.n_of:
            return settings.n_of[column.name]
        found = self.whole(row, self.partner(column, "n"))
        if found is None and self.partner(column, "n") is None:
            found = settings.n
        return found if found is not None and found > 0 else None

    def seeds(self, row: int) -> int:
        """Seeds behind a figure: of the column, else the declared number, else 1."""
        columns = self.of("seeds")
        found = self.whole(row, columns[0]) if columns else self.settings.seeds
        return found if found is not None and found > 0 else 1

    def point_of(self, column: Column) -> Column | None:
        """Figure that a spread or a bound belongs to: of its base, else the nearest to its left."""
        points = self.of(*POINTS)  # type: ignore[arg-type]
        own = [c for c in points if c.base == column.base or plain_heading(c.name) == column.base]
        if len(own) == 1:
            return own[0]
        if column.base:
            return None
        before = [c for c in (own or points) if c.place < column.place]
        if before:
            return before[-1]
        return points[0] if len(points) == 1 else None


def _scale(role: Role, name: str, numbers: list[Printed]) -> Fraction | None:
    """100, 1, or ``None`` where the numbers do not tell."""
    if role not in BOUNDED or not numbers:
        return None
    if "%" in name or "pct" in name.casefold() or any(p.percent for p in numbers):
        return Fraction(100)
    # One stray fraction among percentages is a finding, not another scale.
    if any(abs(p.value) > Fraction(3, 2) for p in numbers):
        return Fraction(100)
    return Fraction(1) if any(p.digits >= 2 for p in numbers) else None


def _integers(numbers: list[Printed]) -> bool:
    return all(p.digits == 0 and not p.percent and p.value >= 0 for p in numbers)


def _role(name: str, cells: list[GridCell], settings: Settings) -> tuple[Role, str, bool]:
    """Return the role of a column by its heading, unless its cells cannot hold it."""
    role, base, named = heading_role(name)
    if name in settings.roles:
        return settings.roles[name], base if named else "", True
    if role in {"wins", "ties", "losses"} and re.search(r"%|\bpct\b|percent", name.casefold()):
        role, named = "other", False
    return _role_of_cells(role, base, named, cells, settings)


def _role_of_cells(
    role: Role, base: str, named: bool, cells: list[GridCell], settings: Settings
) -> tuple[Role, str, bool]:
    filled = [cell for cell in cells if not cell.is_missing]
    numbers = [cell.number for cell in filled if cell.number is not None]
    if 2 * len(numbers) < len(filled) or (filled and not numbers):
        return "label", "", False
    if role in {"n", "seeds", "wins", "ties", "losses"} and not _integers(numbers):
        role, named = "other", False
    if role == "count" and not _integers(numbers):
        return ("other", base, False) if base else ("accuracy", base, True)
    if role == "accuracy" and _integers(numbers) and any(p.value > 100 for p in numbers):
        return "count", base, True
    outside = sum(not 0 <= p.value <= 100 for p in numbers)
    guessed = not named and 2 * outside <= len(numbers)
    if settings.kind is not None and (guessed or role in {"mean", "accuracy"}):
        share = settings.kind in {"accuracy", "half"}
        return "accuracy" if share else "mean", base, True
    return role, base, named


def lay_out(grid: Grid, settings: Settings) -> Layout:
    """Give every column its role."""
    columns: list[Column] = []
    for place, name in enumerate(grid.columns):
        cells = [row[place] for row in grid.rows]
        role, base, named = _role(name, cells, settings)
        numbers = [cell.number for cell in cells if cell.number is not None]
        scale = _scale(role, name, numbers)
        columns.append(
            Column(name=name, place=place, role=role, base=base, scale=scale, declared=named)
        )
    settled = tuple(_settled(columns, settings))
    places = [c.place for c in settled if c.role == "label"]
    for count in range(1, len(places)):
        names = {tuple(cells[p].text for p in places[:count]) for cells in grid.rows}
        if len(names) == len(grid.rows):
            places = places[:count]
            break
    return _promoted(Layout(grid=grid, columns=settled, settings=settings, labels=tuple(places)))


def _promoted(layout: Layout) -> Layout:
    """Take a column for what its rows follow: counts beside a score, games beside a win rate."""
    columns = []
    for column in layout.columns:
        role: Role | None = None
        if column.role == "mean" and layout.partner(column, "count"):
            role = "accuracy"
        elif column.role == "rate" and "win" in column.name.casefold():
            role = "win_rate" if layout.of("wins") and layout.of("losses") else None
        if role is None or column.name in layout.settings.roles:
            columns.append(column)
            continue
        numbers = {i: p for i in layout.body if (p := layout.number(i, column)) is not None}
        scale = _scale(role, column.name, list(numbers.values()))
        hits = sum(
            found is not None and abs(p.value - found * (scale or 100)) <= p.unit
            for i, p in numbers.items()
            for found in [_ratio(layout, i, column)]
        )
        needed = len(numbers) if role == "win_rate" else (len(numbers) + 1) // 2
        fits = bool(numbers) and hits >= needed
        columns.append(replace(column, role=role, scale=scale) if fits else column)
    return replace(layout, columns=tuple(columns))


def _ratio(layout: Layout, row: int, column: Column) -> Fraction | None:
    """Share that the counts beside a column give, ties as half."""
    n = layout.n(row, column)
    k = layout.whole(row, layout.partner(column, "count"))
    if column.role == "mean":
        return Fraction(k, n) if k is not None and n else None
    w = layout.whole(row, layout.partner(column, "wins"))
    l = layout.whole(row, layout.partner(column, "losses"))
    t = layout.whole(row, layout.partner(column, "ties")) or 0
    if w is None or l is None or not w + l + t:
        return None
    return (w + Fraction(t, 2)) / (w + l + t)


_GENERAL = {"", "score", "accuracy", "acc", "performance", "success rate", "success", "result"}


def _settled(columns: list[Column], settings: Settings) -> Iterator[Column]:
    """Settle roles that depend on the other columns."""
    roles = {c.role for c in columns}
    singles = {"w": "wins", "l": "losses", "t": "ties", "d": "ties"}
    letters = {plain_heading(c.name) for c in columns} & set(singles)
    discrete = any("discrete" in c.name.casefold() for c in columns if c.role == "win_rate")
    has_label = "label" in roles
    for column in columns:
        plain, role = plain_heading(column.name), column.role
        if column.name in settings.roles:
            yield column
            continue
        if len(letters) >= 2 and plain in singles:
            role = singles[plain]  # type: ignore[assignment]
        elif role == "other" and "wins" in roles and heading_role(column.name)[0] == "wins":
            # "Win %" beside a count of wins.
            role = "win_rate"
        elif role == "win_rate" and discrete and "discrete" not in plain:
            # Where a discrete win rate is printed, the other one weighs probabilities.
            role = "rate"
        elif plain == "total" and roles & {"wins", "count"} and "n" not in roles:
            role = "n"
        elif column.place == 0 and not has_label and role in {"other", "rank", "mean"}:
            role = "label"
        elif role == "mean" and plain == "mean" and _parts_before(columns, column) >= 2:
            role = "average"
        elif role == "average" and not _has_parts(columns, column):
            role = "mean" if column.base in _GENERAL else "other"
        base = "" if role in {"n", "wins", "ties", "losses", "label"} and plain in {
            *singles, "total",
        } else column.base  # fmt: skip
        share = role == "win_rate" and column.role == "other"
        scale = Fraction(100) if share else column.scale
        yield replace(column, role=role, base=base, scale=scale)


def _parts_before(columns: Sequence[Column], column: Column) -> int:
    """Count the figures to the left that a mean could be of."""
    parts = {*POINTS, "other", "count"}
    return sum(c.place < column.place and c.role in parts for c in columns)


def _has_parts(columns: Sequence[Column], column: Column) -> bool:
    """Whether two figures to the left can be the parts of a mean with this heading."""
    if column.base in _GENERAL:
        parts = {*POINTS, "other"}
        return sum(c is not column and c.role in parts for c in columns) >= 2
    return sum(c is not column and c.base.startswith(column.base) for c in columns) >= 2
