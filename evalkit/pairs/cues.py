"""Cues: an observable property of an output as one exact number, higher where it impresses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evalkit.errors import ArgumentError, MissingColumnError
from evalkit.pairs.candidate import Candidate
from evalkit.pairs.exact import exact_number
from evalkit.pairs.expressions import Expression, Name, parse_expression
from evalkit.pairs.grader_columns import check_not_grader
from evalkit.pairs.text_cues import TEXT_CUES
from evalkit.records.values import CellError

__all__ = ["Cue", "check_features", "find_cue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A cue that was found.

    Attributes
    ----------
    name : str
        As it was asked for.
    description : str
        What it measures.
    expression : Expression
        How it is computed.
    """

    name: str
    description: str
    expression: Expression

    @property
    def columns(self) -> tuple[str, ...]:
        """Feature columns that it reads."""
        return tuple(n.text for n in self.expression.names if n.quoted or n.text not in TEXT_CUES)

    def value(self, candidate: Candidate) -> Fraction | None:
        """Measure one candidate; ``None`` where the cue is undefined for it."""
        return self.expression.value(lambda name: _looked_up(candidate, name))


def _looked_up(candidate: Candidate, name: Name) -> Fraction | None:
    if not name.quoted and name.text in TEXT_CUES:
        if candidate.output is None:
            return None
        count = TEXT_CUES[name.text][1](candidate.output)
        return None if count is None else Fraction(count)
    try:
        return exact_number(candidate.features.get(name.text))
    except CellError:
        return None


def find_cue(text: str, *, graders: Collection[str] = (), not_graders: Collection[str] = ()) -> Cue:
    """Find a cue by name.

    Parameters
    ----------
    text : str
        One of the cues on texts (`TEXT_CUES`), ``column:NAME``, or an expression over both. A name
        of a text cue means that cue; `NAME` in backticks, and ``column:NAME``, mean the column.
    graders, not_graders : collection of str
        Columns that are, and are not, scores of a grader under evaluation.

    Returns
    -------
    Cue

    Raises
    ------
    ArgumentError
        If it cannot be read, or uses the score of a grader.

    Examples
    --------
    >>> from evalkit.pairs.candidate import make_candidate
    >>> row = make_candidate(id="a", task="t", reference=1, output="Yes.", features={"cells": 5})
    >>> [find_cue(text).value(row) for text in ("length", "column:cells", "cells / words")]
    [Fraction(4, 1), Fraction(5, 1), Fraction(5, 1)]
    """
    wanted = text.strip()
    if wanted in TEXT_CUES:
        name = Name(wanted, quoted=False)
        expression = Expression(text=wanted, names=(name,), node=lambda lookup: lookup(name))
        cue = Cue(name=wanted, description=TEXT_CUES[wanted][0], expression=expression)
    elif wanted.startswith("column:") and wanted != "column:":
        column = Name(wanted.removeprefix("column:"), quoted=True)
        expression = Expression(text=wanted, names=(column,), node=lambda lookup: lookup(column))
        cue = Cue(name=wanted, description=f"column {column.text!r}", expression=expression)
    else:
        expression = parse_expression(wanted)
        if not expression.names:
            raise ArgumentError(
                f"`cue` is {text!r}, which names nothing; take one of {', '.join(TEXT_CUES)}, "
                "column:NAME, or an expression over columns"
            )
        cue = Cue(name=wanted, description=f"expression {wanted}", expression=expression)
    for each in cue.columns:
        check_not_grader("cue", each, graders=graders, not_graders=not_graders)
    return cue


def check_features(cue: Cue, candidates: Sequence[Candidate], *, graders: Collection[str]) -> None:
    """Refuse features of a grader, a cue that no candidate has, and one of texts without texts.

    Raises
    ------
    MissingColumnError, ArgumentError
    """
    if not candidates:
        return
    known = sorted({name for each in candidates for name in each.features})
    for name in known:
        if name in graders:
            raise ArgumentError(
                f"the features hold {name!r}, the score of a grader under evaluation; leave it out"
            )
    for name in cue.columns:
        if name not in known:
            raise MissingColumnError(
                f"the cue {cue.name!r} reads the feature {name!r}, which no candidate has; the "
                f"features are {', '.join(map(repr, known)) or 'none'}, and the cues on texts "
                f"{', '.join(TEXT_CUES)}"
            )
    uses_text = any(n.text in TEXT_CUES and not n.quoted for n in cue.expression.names)
    if uses_text and all(each.output is None for each in candidates):
        raise ArgumentError(
            f"the cue {cue.name!r} is counted in texts, and no candidate has one; name the column "
            "of outputs, or a feature (column:NAME)"
        )
