"""Families of p-values: Holm's and Benjamini and Hochberg's adjustments, missing values kept."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evalkit.errors import ArgumentError
from evalkit.results import json_value

__all__ = ["Adjusted", "Adjustment", "adjust_p"]

Adjustment = Literal["holm", "bh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """Adjusted p-values of one family.

    Attributes
    ----------
    values : tuple of float or None
        In the order given; a missing p-value stays missing in its place.
    m : int
        Size of the family: the p-values that are not missing.
    method : {"holm", "bh"}
        Adjustment.
    """

    values: tuple[float | None, ...]
    m: int
    method: Adjustment

    @property
    def missing(self) -> int:
        """Number of p-values that are missing, which the family leaves out."""
        return len(self.values) - self.m

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "p_adjusted": json_value(self.values),
            "m": self.m,
            "missing": self.missing,
            "method": self.method,
        }


def _check_p(value: Any, index: int) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ArgumentError(
            f"`p_values[{index}]` is {value!r}; give a number in 0..1, or None where it is missing"
        )
    number = float(value)
    if math.isnan(number):
        return None
    if not 0 <= number <= 1:
        raise ArgumentError(f"`p_values[{index}]` is {number}; a p-value lies in 0..1")
    return number


def _holm(values: Sequence[float]) -> list[float]:
    m, out, running = len(values), [0.0] * len(values), 0.0
    for place, index in enumerate(sorted(range(m), key=values.__getitem__)):
        running = max(running, min(1.0, (m - place) * values[index]))
        out[index] = running
    return out


def _benjamini_hochberg(values: Sequence[float]) -> list[float]:
    m, out, running = len(values), [0.0] * len(values), 1.0
    for place, index in enumerate(sorted(range(m), key=values.__getitem__, reverse=True)):
        running = min(running, values[index] * m / (m - place))
        out[index] = running
    return out


def adjust_p(p_values: Sequence[float | None], *, method: Adjustment = "holm") -> Adjusted:
    """Adjust a family of p-values for their number.

    Parameters
    ----------
    p_values : sequence of float or None
        One for each hypothesis; ``None`` and NaN are missing.
    method : {"holm", "bh"}
        ``"holm"`` bounds the chance of any false rejection, whatever the dependence; ``"bh"``
        bounds the expected share of false rejections, for independent or positively dependent
        tests.

    Returns
    -------
    Adjusted

    Raises
    ------
    ArgumentError
        If a p-value lies outside 0..1, or the method is unknown.

    Notes
    -----
    With ordered p-values ``p(1) <= … <= p(m)`` of those that are not missing, Holm (1979) is
    ``max_{j<=i} min(1, (m-j+1) p(j))`` and Benjamini and Hochberg (1995)
    ``min_{j>=i} min(1, m p(j) / j)``.
    A missing p-value is no hypothesis that was tested: it neither counts in m nor spreads.
    The values are those of ``statsmodels.stats.multitest.multipletests`` and R's ``p.adjust``; the
    former is not called, because it collects garbage on every call, which takes .2 s.

    Examples
    --------
    >>> found = adjust_p([0.012, None, 0.031, 0.2, 0.008])
    >>> [p if p is None else round(p, 4) for p in found.values], found.m
    ([0.036, None, 0.062, 0.2, 0.032], 4)
    """
    if method not in get_args(Adjustment):
        raise ArgumentError(f"`method` is {method!r}; use 'holm' or 'bh'")
    checked = [_check_p(value, index) for index, value in enumerate(p_values)]
    present = [value for value in checked if value is not None]
    if not present:
        return Adjusted(values=tuple(checked), m=0, method=method)
    adjusted = iter(_holm(present) if method == "holm" else _benjamini_hochberg(present))
    values = tuple(None if value is None else next(adjusted) for value in checked)
    return Adjusted(values=values, m=len(present), method=method)
