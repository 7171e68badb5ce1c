"""Numbers of a page as text."""

from __future__ import annotations

from collections.abc import Iterable

from evalkit.results import Interval
from evalkit.rounding import format_number

__all__ = ["method_names", "percent_text"]


def percent_text(value: float | None, bounds: Interval | None = None) -> str:
    """Print a proportion in percent, with its interval if there is one.

    Examples
    --------
    >>> from evalkit.results import Interval
    >>> percent_text(0.125, Interval(low=0.1, high=0.25, level=0.95, method="wilson"))
    '12.5 [10.0, 25.0]'
    """
    shown = format_number(None if value is None else 100 * value, 1)
    if bounds is None:
        return shown
    return f"{shown} [{format_number(100 * bounds.low, 1)}, {format_number(100 * bounds.high, 1)}]"


def method_names(intervals: Iterable[Interval | None]) -> str:
    """List the methods of intervals without the degrees of freedom of each."""
    names = dict.fromkeys(each.method.split(" (")[0] for each in intervals if each is not None)
    return ", ".join(names) or "none defined"
