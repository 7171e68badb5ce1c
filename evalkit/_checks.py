"""Settings that every statistic takes, checked in one place."""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Iterable

from evalkit.errors import ArgumentError

__all__ = ["check_level", "check_one_sided_level", "check_range"]


def check_level(level: float) -> None:
    """Refuse a nominal coverage that does not lie strictly between 0 and 1."""
    if not (_is_number(level) and 0 < level < 1):
        raise ArgumentError(
            f"`level` is {level!r}; it must lie strictly between 0 and 1, like 0.95"
        )


def check_one_sided_level(level: float) -> None:
    """Refuse a level whose one-sided bounds would lie on the wrong side."""
    if not (_is_number(level) and 0.5 < level < 1):
        raise ArgumentError(f"`level` is {level!r}; a one-sided level lies between 0.5 and 1")


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_range(score_range: Iterable[float]) -> tuple[float, float]:
    """Return the range of the scores as floats; refuse all but two finite numbers, low first.

    Examples
    --------
    >>> check_range((0, 10))
    (0.0, 10.0)
    """
    # A text of two digits would pass for two numbers.
    low = high = math.nan
    if not isinstance(score_range, (str, bytes)):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            low, high = map(float, score_range)
    if not -math.inf < low < high < math.inf:
        raise ArgumentError(
            f"`score_range` is {score_range!r}; it must be two finite numbers, low < high"
        )
    return low, high
