"""What evolution costs against calls spent at test time."""

from __future__ import annotations

import math
from fractions import Fraction

from evalkit.errors import ArgumentError

__all__ = ["amortised_calls", "break_even_deployments"]


def amortised_calls(n: float, evolution_calls: float, *, deploy_calls: float = 1) -> float:
    """Return the calls a deployment when evolution is spread over n of them.

    Parameters
    ----------
    n : float
        Deployments, at least 1.
    evolution_calls : float
        Calls spent once, on evolution.
    deploy_calls : float
        Calls of one deployment.

    Returns
    -------
    float
        ``deploy_calls + evolution_calls / n``.

    Raises
    ------
    ArgumentError
        If `n` is below 1 or a number of calls negative.

    Examples
    --------
    >>> amortised_calls(1100, 2750)
    3.5
    """
    if n < 1:
        raise ArgumentError(f"`n` is {n}; it must be at least 1")
    _check_calls(evolution_calls, deploy_calls)
    return deploy_calls + evolution_calls / n


def break_even_deployments(
    evolution_calls: float, *, control_calls_per_item: float | Fraction, deploy_calls: float = 1
) -> int | None:
    """Return from how many deployments evolution costs no more than a control.

    Parameters
    ----------
    evolution_calls : float
        Calls spent once, on evolution.
    control_calls_per_item : float or Fraction
        Calls of the control in one deployment.
    deploy_calls : float
        Calls of the evolved system in one deployment.

    Returns
    -------
    int or None
        Smallest n >= 1 with ``evolution + deploy * n <= control * n``; ``None`` if there is none.

    Raises
    ------
    ArgumentError
        If a number of calls is negative or not finite.

    Examples
    --------
    >>> break_even_deployments(2750, control_calls_per_item=6)
    550
    """
    _check_calls(evolution_calls, deploy_calls, control_calls_per_item)
    saved = Fraction(control_calls_per_item) - Fraction(deploy_calls)
    if saved <= 0:
        return 1 if saved == 0 == evolution_calls else None
    return max(1, math.ceil(Fraction(evolution_calls) / saved))


def _check_calls(*calls: float | Fraction) -> None:
    for count in calls:
        if not (math.isfinite(count) and count >= 0):
            raise ArgumentError(f"a number of calls is {count}; it must be finite and at least 0")
