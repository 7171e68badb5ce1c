"""Recognising values that lie on a lattice: 0/1, half credits, means of k marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_STEPS", "Lattice", "common_lattice", "find_lattice"]

MAX_STEPS = 4096
"""Steps between the smallest and the largest value beyond which a lattice is refused."""
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """Values written as ``origin + step * steps``.

    Attributes
    ----------
    origin : float
        Smallest value.
    step : float
        Spacing; positive.
    steps : ndarray of float, shape (V,)
        Whole numbers, in the order of the values.
    """

    origin: float
    step: float
    steps: NDArray[np.float64]


def _common_divisor(gaps: NDArray[np.float64], finest: float) -> float | None:
    """Return the divisor by Euclid's algorithm on floats; ``None`` once it is below `finest`.

    Remainders below a quarter of the finest step count as zero.
    """
    tolerance = 0.25 * finest
    divisor = float(gaps[0])
    for gap in gaps[1:].tolist():
        a, b = gap, divisor
        while b > tolerance:
            a, b = b, abs(a - b * round(a / b))
        divisor = a
        if divisor < finest:
            return None
    return divisor


def find_lattice(values: NDArray[np.float64], *, max_steps: int = MAX_STEPS) -> Lattice | None:
    """Write values as whole steps from the smallest one.

    Parameters
    ----------
    values : ndarray of float, shape (V,)
        Distinct or not, in any order; at least one.
    max_steps : int
        Largest number of steps between the extremes.

    Returns
    -------
    Lattice or None
        ``None`` when a value is more than 1e-9 of a step off, or the lattice is too fine.

    Notes
    -----
    The step is the greatest common divisor of the gaps, so 0, 2/5 and 1 give 1/5.
    It is then refitted to the whole range, which removes the rounding that Euclid piles up.
    Equal values give a step of 1, by convention.

    Examples
    --------
    >>> found = find_lattice(np.array([0.0, 0.4, 1.0]))
    >>> found.step, found.steps.tolist()
    (0.2, [0.0, 2.0, 5.0])
    >>> find_lattice(np.array([0.0, 0.4, 2**0.5])) is None
    True
    """
    if values.size == 2 and values[0] < values[1]:
        # The usual case, 0 and 1, at a tenth of the cost.
        low, high = values.tolist()
        return Lattice(origin=low, step=high - low, steps=np.array([0.0, 1.0]))
    origin = float(values.min())
    offsets = values - origin
    span = float(offsets.max())
    if span == 0.0:
        return Lattice(origin=origin, step=1.0, steps=offsets)
    gaps = offsets[offsets > 0.0]
    # Half a step of slack: the last count below is what decides.
    divisor = _common_divisor(gaps, span / (max_steps + 0.5))
    number = 0 if divisor is None else round(span / divisor)
    if not 0 < number <= max_steps:
        return None
    step = span / number
    exact = offsets / step
    steps = np.rint(exact)
    if float(np.abs(exact - steps).max()) > _TOLERANCE:
        return None
    return Lattice(origin=origin, step=step, steps=steps)


def common_lattice(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[Lattice, Lattice] | None:
    """Put two sets of values on lattices of one step, each with its own origin.

    Examples
    --------
    >>> a, b = common_lattice(np.array([0.0, 1.0]), np.array([0.25, 0.75]))
    >>> a.step, b.step, b.origin
    (0.5, 0.5, 0.25)
    """
    offsets = np.concatenate((first - first.min(), second - second.min()))
    found = find_lattice(offsets)
    if found is None:
        return None
    cut = first.size
    return (
        Lattice(origin=float(first.min()), step=found.step, steps=found.steps[:cut]),
        Lattice(origin=float(second.min()), step=found.step, steps=found.steps[cut:]),
    )
