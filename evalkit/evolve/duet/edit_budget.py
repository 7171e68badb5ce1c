"""How many edits an update may make."""

from __future__ import annotations

import math

__all__ = ["edit_budget"]


def edit_budget(updates: int, *, total: int, high: int = 4, low: int = 2) -> int:
    """Return the budget of the next update, on a cosine schedule.

    Parameters
    ----------
    updates : int
        Updates that the agent has adopted already (j).
    total : int
        Turns that it has in all (J).
    high, low : int
        Budget at the start and at the end.

    Returns
    -------
    int

    Notes
    -----
    ``max(low, round(low + (high - low) (1 + cos(pi j / J)) / 2))``, halves rounded up. Turns
    whose candidate was rejected, unchanged or never came leave j as it is.

    Examples
    --------
    >>> [edit_budget(j, total=15) for j in range(15)]
    [4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 2, 2]
    """
    share = min(updates / total, 1.0) if total else 1.0
    value = low + (high - low) * (1 + math.cos(math.pi * share)) / 2
    # The cosine of a rational angle is off by an ulp where the budget is exactly a half.
    return max(low, math.floor(round(value, 9) + 0.5))
