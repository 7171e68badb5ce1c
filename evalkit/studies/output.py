"""What a study hands to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.figures.style import Columns
from evalkit.report import Finding
from evalkit.studies.cells import CheckedCell
from evalkit.studies.claims import CheckedClaim
from evalkit.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["StudyFigure", "StudyOutput"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigure:
    """A figure that is drawn when it is written.

    Attributes
    ----------
    draw : callable
        Returns the figure; called inside the paper style.
    caption, alt : str
        What it shows, below it and for those who do not see it.
    columns : {1, 2}
        Text columns that it spans.
    """

    draw: Callable[[], Figure]
    caption: str
    alt: str
    columns: Columns = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOutput:
    """Everything a study computed.

    Attributes
    ----------
    title, source : str
        Title of the report, and the paper it recomputes.
    summary : str
        The answer in one sentence.
    cells : tuple of CheckedCell
        One a printed number.
    claims : tuple of CheckedClaim
        One a number in the running text.
    tables : mapping of str to Table
        By file name, in the order of the page; the caption is the heading.
    figures : mapping of str to StudyFigure
        By file name.
    findings : tuple of Finding
        In order of weight.
    methods, left_out : tuple of str
        Paragraphs, and what was not counted and why.
    seeds : mapping of str to int
        Seeds by purpose; empty where nothing is random.
    """

    title: str
    source: str
    summary: str
    cells: tuple[CheckedCell, ...]
    claims: tuple[CheckedClaim, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, StudyFigure] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    methods: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    seeds: Mapping[str, int] = field(default_factory=dict)
