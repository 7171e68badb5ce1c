"""pass@k and pass^k of one item: draws without replacement from its attempts."""

from __future__ import annotations

import math
from numbers import Integral

from evalkit.errors import ArgumentError

__all__ = ["pass_at_k", "pass_hat_k"]


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return the chance that any of k attempts succeeds, given c successes in n attempts.

    Parameters
    ----------
    n, c : int
        Attempts made, and how many of them succeeded.
    k : int
        Attempts drawn without replacement, at least 1.

    Returns
    -------
    float or None
        ``1 - C(n-c, k) / C(n, k)``, from exact integers. ``None`` when ``k > n``: n attempts say
        nothing unbiased about more than n, and 1 would be wrong for an item nobody solved.

    Raises
    ------
    ArgumentError
        If a count is out of range.

    Examples
    --------
    >>> pass_at_k(6, 2, 3), pass_at_k(5, 0, 5), pass_at_k(3, 0, 5)
    (0.8, 0.0, None)
    """
    _check_draw(n, c, k)
    if k > n:
        return None
    return (math.comb(n, k) - math.comb(n - c, k)) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Return the chance that all of k attempts succeed, given c successes in n attempts.

    Parameters
    ----------
    n, c : int
        Attempts made, and how many of them succeeded.
    k : int
        Attempts drawn without replacement, at least 1.

    Returns
    -------
    float or None
        ``C(c, k) / C(n, k)``, from exact integers; ``None`` when ``k > n``, as in `pass_at_k`.

    Raises
    ------
    ArgumentError
        If a count is out of range.

    Examples
    --------
    >>> pass_hat_k(4, 3, 2), pass_hat_k(4, 1, 2), pass_hat_k(3, 3, 5)
    (0.5, 0.0, None)
    """
    _check_draw(n, c, k)
    return None if k > n else math.comb(c, k) / math.comb(n, k)


def _check_draw(n: int, c: int, k: int) -> None:
    given: tuple[tuple[str, object], ...] = (("n", n), ("c", c), ("k", k))
    for name, value in given:
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise ArgumentError(f"`{name}` is {value!r}; it must be a whole number")
    if n < 0:
        raise ArgumentError(f"`n` is {n}; it must be at least 0")
    if not 0 <= c <= n:
        raise ArgumentError(f"`c` is {c}; it must lie between 0 and `n`, which is {n}")
    if k < 1:
        raise ArgumentError(f"`k` is {k}; it must be at least 1")
