"""What the reference has to say of a pair, from the settings and the scores themselves."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, get_args

from evalkit.errors import ArgumentError
from evalkit.pairs.candidate import Candidate
from evalkit.pairs.exact import exact_setting, number_text
from evalkit.pairs.report import Outcome
from evalkit.pairs.selection import Rules, SameModel, SecondRule

__all__ = ["OutcomeChoice", "find_rules"]

OutcomeChoice = Literal["auto", "binary", "graded"]
_MARGIN = Fraction(8, 100)


def _check_choice(name: str, value: object, allowed: Any) -> None:
    if value is not None and value not in get_args(allowed):
        raise ArgumentError(
            f"`{name}` is {value!r}; it must be one of {', '.join(get_args(allowed))}"
        )


def _outcome(
    rows: Sequence[Candidate], wanted: Literal["auto", "binary", "graded"]
) -> tuple[Outcome, str]:
    scores = {c.reference for c in rows if c.reference is not None}
    if not scores and wanted != "graded":
        return "binary", "there are no reference scores"
    only_two = scores <= {Fraction(0), Fraction(1)}
    if wanted == "auto":
        if only_two:
            return "binary", "the reference scores are all 0 or 1: pairs have opposite outcomes"
        return "graded", "the reference scores are graded: pairs need a margin"
    if wanted == "binary" and not only_two:
        odd = next(iter(sorted(scores - {Fraction(0), Fraction(1)})))
        raise ArgumentError(
            f"`outcome` is 'binary', and a reference score is {number_text(odd)}; binary ones are "
            "0 or 1"
        )
    return wanted, f"the reference scores are declared {wanted}"


def _margin(
    rows: Sequence[Candidate], outcome: Outcome, margin: object, notes: list[str]
) -> Fraction:
    """Least difference of two reference scores, itself included."""
    if outcome == "binary":
        if margin is not None:
            notes.append("the margin is not used: binary references differ by 1")
        return Fraction(1)
    if margin is not None:
        found = exact_setting("margin", margin)
        if found == 0:
            raise ArgumentError("`margin` is 0; equal scores prefer neither output, so give more")
        return found
    scores = [c.reference for c in rows if c.reference is not None]
    if scores and (min(scores) < 0 or max(scores) > 1):
        raise ArgumentError(
            f"the reference scores reach from {number_text(min(scores))} to "
            f"{number_text(max(scores))}, and the default margin 0.08 is meant for 0..1; "
            "declare `margin` (--margin)"
        )
    return _MARGIN


def _second_rule(rows: Sequence[Candidate], wanted: SecondRule | None) -> SecondRule | None:
    some = any(c.second_reference is not None for c in rows)
    if wanted is not None and not some and rows:
        raise ArgumentError(
            f"`second` is {wanted!r}, and no candidate has a second reference score"
        )
    return wanted if wanted is not None else ("agrees" if some else None)


def find_rules(
    rows: Sequence[Candidate],
    *,
    outcome: OutcomeChoice,
    margin: object,
    second: SecondRule | None,
    models: SameModel,
    least_gap: object,
    least_ratio: object,
) -> tuple[Outcome, Rules, list[str]]:
    """Return the kind of the reference scores, the rules of a pair, and notes on both.

    Raises
    ------
    ArgumentError
        If a setting is not allowed, or does not fit the scores.
    """
    _check_choice("outcome", outcome, OutcomeChoice)
    _check_choice("models", models, SameModel)
    _check_choice("second", second, SecondRule)
    kind, note = _outcome(rows, outcome)
    notes = [note]
    rules = Rules(
        margin=_margin(rows, kind, margin, notes),
        models=models,
        second=_second_rule(rows, second),
        least_gap=exact_setting("least_gap", least_gap),
        least_ratio=exact_setting("least_ratio", least_ratio),
    )
    return kind, rules, notes
