"""Driving capacity of graders: the worst family with its interval, above all families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.contrasts.capacity_results import DrivingCapacity
from evalkit.errors import ArgumentError
from evalkit.figures.forest import ForestRow, forest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["capacity_forest"]

_AXIS = {"half": "accuracy - 1/2 (0 is chance)", "double": "2 accuracy - 1 (0 is chance)"}


def capacity_forest(
    ax: Axes, results: Sequence[DrivingCapacity], *, digits: int = 3, title: str | None = None
) -> Axes:
    """Draw the driving capacity of graders and the families beneath it, worst first.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    results : sequence of DrivingCapacity
        At least one, all with one centring.
    digits : int
        Decimals of the printed numbers.
    title : str, optional
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If there is no result, or the centrings differ.

    Notes
    -----
    The first bar of a grader is the interval of its smallest true accuracy; the bars of the
    families are intervals of each by itself.
    """
    centrings = {result.centring for result in results}
    if len(centrings) != 1:
        raise ArgumentError(
            f"`results` has {len(results)} results with the centrings {sorted(centrings)}; "
            "give at least one, all with the same"
        )
    rows = []
    for result in results:
        bounds = result.interval
        rows.append(
            ForestRow(
                label="worst family",
                value=result.capacity,
                low=None if bounds is None else bounds.low,
                high=None if bounds is None else bounds.high,
                group=result.grader,
            )
        )
        rows += [
            ForestRow(
                label=f"{family.family} (n={family.n})",
                value=family.centred,
                low=None if family.interval is None else family.interval.low,
                high=None if family.interval is None else family.interval.high,
                group=result.grader,
            )
            for family in result.families
        ]
    return forest(
        ax,
        rows,
        digits=digits,
        reference=0.0,
        sign=True,
        xlabel=_AXIS[centrings.pop()],
        title=title,
    )
