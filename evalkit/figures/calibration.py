"""Calibration: how often answers of a stated confidence are right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import drawable
from evalkit.figures.points import axis_name, check_not_empty, draw_point
from evalkit.figures.style import GREY, INK, PALETTE
from evalkit.results import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Calibration", "CalibrationBin", "calibration_bins", "calibration_diagram"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Answers of similar confidence.

    Attributes
    ----------
    low, high : float
        Edges; `high` belongs to the next bin, except in the last one.
    n, right : int
        Answers, and those that are right.
    confidence : float or None
        Mean confidence; ``None`` without answers.
    interval : Interval or None
        Wilson interval of the share that is right.
    """

    low: float
    high: float
    n: int
    right: int
    confidence: float | None
    interval: Interval | None

    @property
    def accuracy(self) -> float | None:
        """Share of right answers; ``None`` without answers."""
        return self.right / self.n if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Confidence against outcomes.

    Attributes
    ----------
    bins : tuple of CalibrationBin
        From low to high confidence, empty ones included.
    n : int
        Answers that were used.
    left_out : int
        Answers without a confidence or an outcome.
    level : float
        Nominal coverage of the intervals.
    """

    bins: tuple[CalibrationBin, ...]
    n: int
    left_out: int
    level: float


def calibration_bins(
    confidences: Sequence[float | None],
    outcomes: Sequence[float | bool | None],
    *,
    edges: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    level: float = 0.95,
) -> Calibration:
    """Sort answers into bins of confidence, with an interval of the accuracy of each.

    Parameters
    ----------
    confidences : sequence of float or None
        From 0 to 1.
    outcomes : sequence of 0, 1 or None
        Whether each answer is right.
    edges : sequence of float
        Rising edges from 0 to 1.
    level : float
        Nominal coverage.

    Returns
    -------
    Calibration

    Raises
    ------
    ArgumentError
        If the two differ in length, or a confidence, an outcome or the edges are not allowed.

    Examples
    --------
    >>> found = calibration_bins([0.2, 0.9, 1.0, None], [0, 1, 0, 1], edges=(0, 0.5, 1))
    >>> [(b.n, b.right, b.confidence) for b in found.bins], found.left_out
    ([(1, 0, 0.2), (2, 1, 0.95)], 1)
    """
    if len(confidences) != len(outcomes):
        raise ArgumentError(
            f"there are {len(confidences)} confidences and {len(outcomes)} outcomes; give one each"
        )
    rising = all(a < b for a, b in pairwise(edges))
    if len(edges) < 2 or edges[0] != 0 or edges[-1] != 1 or not rising:
        raise ArgumentError(f"`edges` is {list(edges)}; they must rise from 0 to 1")
    known = [
        (_checked(c, "confidences"), _checked(o, "outcomes", binary=True))
        for c, o in zip(confidences, outcomes, strict=True)
        if c is not None and o is not None
    ]
    bins = []
    for place, (low, high) in enumerate(pairwise(edges)):
        last = place == len(edges) - 2
        inside = [(c, o) for c, o in known if low <= c < high or (last and c == high)]
        bins.append(_bin(low, high, inside, level))
    return Calibration(
        bins=tuple(bins), n=len(known), left_out=len(confidences) - len(known), level=level
    )


def calibration_diagram(
    ax: Axes, found: Calibration, *, color: str = PALETTE[0], title: str | None = None
) -> Axes:
    """Draw accuracy against mean confidence, one point with its interval a bin.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    found : Calibration
        From :func:`calibration_bins`.
    color : str
        Colour of the points.
    title : str, optional
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If no answer was used.

    Notes
    -----
    On the dashed diagonal confidence equals accuracy; below it answers are overconfident. The
    number of answers stands beside each point. Bins without answers have no point.
    """
    check_not_empty("found", found.n)
    ax.plot([0, 100], [0, 100], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    outside = False
    for each in found.bins:
        if each.confidence is None or each.accuracy is None:
            continue
        bounds = each.interval
        x, y = 100 * each.confidence, 100 * each.accuracy
        outside |= draw_point(
            ax,
            x,
            y,
            low=None if bounds is None else 100 * bounds.low,
            high=None if bounds is None else 100 * bounds.high,
            colour=color,
        )
        ax.annotate(
            str(each.n),
            xy=(x, y),
            xytext=(4, -3),
            textcoords="offset points",
            va="top",
            fontsize=5.5,
            color=INK,
            parse_math=False,
        )
    ax.set_xlim(-3, 103)
    ax.set_ylim(-3, 103)
    ax.set_xlabel(axis_name("Mean confidence (%)", outside=outside), parse_math=False)
    ax.set_ylabel("Right (%)", parse_math=False)
    if title is not None:
        ax.set_title(drawable(title), parse_math=False, color=INK)
    return ax


def _checked(value: float, name: str, *, binary: bool = False) -> float:
    number = float(value)
    allowed = number in (0.0, 1.0) if binary else math.isfinite(number) and 0 <= number <= 1
    if not allowed:
        what = "0, 1 or None" if binary else "a number from 0 to 1, or None"
        raise ArgumentError(f"`{name}` holds {value!r}; each must be {what}")
    return number


def _bin(
    low: float, high: float, inside: Sequence[tuple[float, float]], level: float
) -> CalibrationBin:
    from evalkit.intervals.binomial import proportion_interval

    n, right = len(inside), int(sum(outcome for _, outcome in inside))
    return CalibrationBin(
        low=low,
        high=high,
        n=n,
        right=right,
        confidence=math.fsum(confidence for confidence, _ in inside) / n if n else None,
        interval=proportion_interval(right, n, method="wilson", level=level) if n else None,
    )
