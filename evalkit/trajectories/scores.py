"""Comparing scores: exactly when both are rational, within float noise otherwise."""

from __future__ import annotations

import math
from fractions import Fraction

from evalkit.errors import ArgumentError

__all__ = ["TOLERANCE", "Score", "check_score", "compare_scores"]

Score = float | Fraction
TOLERANCE = 1e-12


def compare_scores(first: Score, second: Score) -> int:
    """Return the sign of ``first - second``.

    Parameters
    ----------
    first, second : float or Fraction
        Two scores on one scale.

    Returns
    -------
    int
        1, 0 or -1. Integers and fractions are compared exactly; as soon as one of the two
        is a float, values within 1e-12 of each other are equal.

    Examples
    --------
    >>> compare_scores(0.1 + 0.2, 0.3), compare_scores(Fraction(1, 3), Fraction(1, 2))
    (0, -1)
    """
    if isinstance(first, (int, Fraction)) and isinstance(second, (int, Fraction)):
        return (first > second) - (first < second)
    difference = float(first) - float(second)
    if abs(difference) <= TOLERANCE:
        return 0
    return 1 if difference > 0 else -1


def check_score(value: Score, *, name: str) -> None:
    """Refuse a score that is not a finite number.

    Parameters
    ----------
    value : float or Fraction
        The score.
    name : str
        What to call it in the message.

    Raises
    ------
    ArgumentError
        If `value` is not a number, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise ArgumentError(f"{name} is {value!r}; it must be a number, or None if not recorded")
    if not math.isfinite(value):
        raise ArgumentError(f"{name} is {value!r}; it must be finite, or None if not recorded")
