"""Credit of a grader for a pair: 1, 1/2 or 0 in each order, and one number for both orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OrderRule", "credit_bounds", "order_credit", "pair_credits"]

OrderRule = Literal["average", "consistent"]


def order_credit(
    verdict: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Credit of one verdict: 1 if it prefers the better answer, 1/2 for a tie, 0 otherwise.

    Examples
    --------
    >>> order_credit(np.array([1.0, 0.0, -1.0]), np.array([1.0, 1.0, 1.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    return (1.0 + verdict * reference) / 2.0


def pair_credits(
    first: NDArray[np.float64],
    second: NDArray[np.float64] | None,
    reference: NDArray[np.float64],
    *,
    rule: OrderRule = "average",
) -> NDArray[np.float64]:
    """Credit of each pair; NaN where a verdict is missing.

    Parameters
    ----------
    first, second : ndarray of float
        Verdicts with A shown first and with B shown first, both as 1 (A), 0 (tie), -1 (B).
        Without a second order the first decides.
    reference : ndarray of float
        The better answer, 1 (A) or -1 (B).
    rule : {"average", "consistent"}
        The mean of the two credits; or the credit of the verdict that both orders give, and 1/2
        where they differ.

    Examples
    --------
    >>> one = np.array([1.0, 1.0, 0.0])
    >>> two = np.array([1.0, -1.0, 1.0])
    >>> better = np.ones(3)
    >>> pair_credits(one, two, better).tolist()
    [1.0, 0.5, 0.75]
    >>> pair_credits(one, two, better, rule="consistent").tolist()
    [1.0, 0.5, 0.5]
    """
    credit = order_credit(first, reference)
    if second is None:
        return credit
    other = order_credit(second, reference)
    if rule == "average":
        return (credit + other) / 2.0
    known = ~np.isnan(credit) & ~np.isnan(other)
    return np.where(known, np.where(credit == other, credit, 0.5), np.nan)


def credit_bounds(
    first: NDArray[np.float64],
    second: NDArray[np.float64] | None,
    reference: NDArray[np.float64],
    *,
    rule: OrderRule = "average",
) -> tuple[float, float] | None:
    """Mean credit with every missing verdict wrong, and with every one right.

    Examples
    --------
    >>> credit_bounds(np.array([1.0, np.nan]), None, np.ones(2))
    (0.5, 1.0)
    """
    if not reference.size:
        return None
    ends = []
    for side in (-reference, reference):
        one = np.where(np.isnan(first), side, first)
        two = None if second is None else np.where(np.isnan(second), side, second)
        ends.append(float(pair_credits(one, two, reference, rule=rule).mean()))
    return ends[0], ends[1]
