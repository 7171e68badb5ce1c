"""Power, sample sizes and smallest effects of paired designs, for the rules that decide here.

Counts are enumerated exactly; means take the t law. :func:`sample_size` and
:func:`smallest_effect` search over any of them, and over those of
:mod:`evalkit.comparisons.power_counts`, as a function of n or of the effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.intervals._student import t_quantile
from evalkit.results import check_level, json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PairedTest",
    "Power",
    "power_mean",
    "power_paired_binary",
    "sample_size",
    "smallest_effect",
]

PairedTest = Literal["interval", "mcnemar"]
_LARGEST_N = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Chance that a design decides, at one size and one effect.

    Attributes
    ----------
    n : int
        Items (pairs, outcomes, or items of each sample).
    effect : float
        True difference.
    power : float
        Chance of the decision.
    decision : str
        What is decided, and by which rule.
    level : float or None
        Nominal coverage of the interval that decides; ``None`` for a gate.
    assumptions : str
        What the figure rests on.
    """

    n: int
    effect: float
    power: float
    decision: str
    level: float | None
    assumptions: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "n": self.n,
            "effect": json_value(self.effect),
            "power": json_value(self.power),
            "decision": self.decision,
            "level": self.level,
            "assumptions": self.assumptions,
        }


def check_design(n: int, level: float | None, **rates: float) -> None:
    if n < 1:
        raise ArgumentError(f"`n` is {n}; it must be at least 1")
    if level is not None:
        check_level(level)
    for name, value in rates.items():
        if not 0 <= value <= 1:
            raise ArgumentError(f"`{name}` is {value:g}; it must lie in 0..1")


def binomial_window(n: int, p: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the counts with any chance to speak of, and their probabilities."""
    from scipy.special import gammaln, xlog1py, xlogy

    reach = 9 * math.sqrt(n * p * (1 - p)) + 40
    k = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p)
    return k, np.exp(logs)


def _interval_limits(m: NDArray[np.int64], n: int, level: float) -> NDArray[np.float64]:
    """Net wins that must be exceeded for the augmented-t interval to leave 0.

    From ``|D| / N > t sqrt((m + 2 - D²/N) / (N (N-1)))`` with m discordant pairs and ``N = n + 2``.
    """
    size = n + 2
    squared = t_quantile(level, n + 1) ** 2
    limits: NDArray[np.float64] = np.sqrt(squared * (m + 2) * size / (size - 1 + squared))
    return limits


def _mcnemar_limits(m: NDArray[np.int64], level: float) -> NDArray[np.float64]:
    """Net wins that must be exceeded for the exact McNemar test to reject."""
    from scipy.special import bdtr, bdtrik

    tail = (1 - level) / 2
    # The first count whose tail is too heavy; the inverse may be off by rounding at a whole number.
    near = np.ceil(bdtrik(tail, m, 0.5))
    before = np.maximum(near - 1, 0.0)
    smallest = np.where(bdtr(before, m, 0.5) >= tail, before, near)
    return np.where(m > 0, m - 2.0 * smallest, 0.0)


def net_wins_beyond(
    m: NDArray[np.int64], limits: NDArray[np.float64], share: float, *, sides: Literal[1, 2] = 2
) -> NDArray[np.float64]:
    """``P(D > limit)`` or ``P(|D| > limit)`` of ``D = 2W - m``, W wins of m discordant pairs."""
    from scipy.special import bdtr, bdtrc

    # The smallest W with 2W - m > limit is floor((m + limit) / 2) + 1.
    top = np.floor((m + limits) / 2)
    above = np.where(top < m, bdtrc(np.clip(top, 0, m), m, share), 0.0)
    above = np.where(top < 0, 1.0, above)
    if sides == 1:
        return above
    bottom = np.ceil((m - limits) / 2) - 1
    below = np.where(bottom >= 0, bdtr(np.clip(bottom, 0, m), m, share), 0.0)
    return above + below


def power_paired_binary(
    n: int,
    *,
    effect: float,
    discordance: float,
    level: float = 0.95,
    test: PairedTest = "interval",
) -> Power:
    """Chance that a paired comparison of 0/1 scores is separated.

    Parameters
    ----------
    n : int
        Pairs.
    effect : float
        True difference of the two rates.
    discordance : float
        Share of items on which the systems differ, at least ``|effect|``.
    level : float
        Nominal coverage.
    test : {"interval", "mcnemar"}
        The interval that decides in :func:`evalkit.compare` (augmented t), or the exact McNemar
        test at ``1 - level``.

    Returns
    -------
    Power
        Exact. Both directions count, so that at an effect of 0 it is the size of the test.

    Raises
    ------
    ArgumentError
        If the discordance cannot hold the effect.

    Notes
    -----
    The discordant pairs are Binomial(n, discordance), and the wins among m of them
    Binomial(m, (discordance + effect) / (2 discordance)). Given m, both tests reject beyond a
    number of net wins, so the sum has n + 1 terms.

    Examples
    --------
    >>> round(power_paired_binary(200, effect=0.09, discordance=0.39).power, 3)
    0.528
    """
    check_design(n, level, discordance=discordance)
    if abs(effect) > discordance:
        raise ArgumentError(
            f"`effect` is {effect:g} and `discordance` {discordance:g}; "
            "an effect needs at least as many discordant pairs"
        )
    if test not in get_args(PairedTest):
        raise ArgumentError(f"`test` is {test!r}; use 'interval' or 'mcnemar'")
    m, weights = binomial_window(n, discordance)
    limits = _interval_limits(m, n, level) if test == "interval" else _mcnemar_limits(m, level)
    share = (discordance + effect) / (2 * discordance) if discordance else 0.5
    power = float(weights @ net_wins_beyond(m, limits, share))
    rule = "augmented-t interval excludes 0" if test == "interval" else "exact McNemar rejects"
    return Power(
        n=n,
        effect=effect,
        power=min(1.0, power),
        decision=f"separated ({rule})",
        level=level,
        assumptions=f"independent pairs, {discordance:g} of them discordant; exact enumeration",
    )


def power_mean(
    n: int,
    *,
    effect: float,
    sd: float,
    icc: float = 0.0,
    cluster_size: int = 1,
    level: float = 0.95,
) -> Power:
    """Chance that a t test separates a mean (difference) from 0.

    Parameters
    ----------
    n : int
        Outcomes, in clusters of `cluster_size`.
    effect : float
        True mean.
    sd : float
        Standard deviation of an outcome: of a paired difference, for instance.
    icc : float
        Intraclass correlation within clusters.
    cluster_size : int
        Outcomes of each cluster.
    level : float
        Nominal coverage.

    Returns
    -------
    Power

    Raises
    ------
    ArgumentError
        If there are fewer than two clusters, or a setting is not possible.

    Notes
    -----
    With ``D = 1 + (cluster_size - 1) icc``, the statistic is noncentral t on
    ``n / cluster_size - 1`` degrees of freedom with noncentrality ``effect / (sd sqrt(D / n))``.
    For clustered pairs of 0/1 scores take ``sd = sqrt(discordance - effect²)``.

    Examples
    --------
    >>> round(power_mean(34, effect=0.5, sd=1).power, 4)
    0.8078
    """
    from scipy.special import nctdtr

    check_design(n, level, icc=icc)
    if not (sd > 0 and math.isfinite(sd)):
        raise ArgumentError(f"`sd` is {sd}; it must be above 0")
    if cluster_size < 1 or n < 2 * cluster_size:
        raise ArgumentError(
            f"`n` is {n} and `cluster_size` {cluster_size}; at least two clusters are needed"
        )
    inflation = 1 + (cluster_size - 1) * icc
    df = n / cluster_size - 1
    shift = abs(effect) / (sd * math.sqrt(inflation / n))
    t = t_quantile(level, df)
    # The wrong side has a chance below normal(-shift); its series breaks down when that is tiny.
    wrong_side = float(nctdtr(df, shift, -t)) if shift < 8 else 0.0
    power = min(1.0, float(nctdtr(df, -shift, -t)) + wrong_side)
    return Power(
        n=n,
        effect=effect,
        power=power,
        decision="separated (t interval excludes 0)",
        level=level,
        assumptions=f"normal mean, sd {sd:g}, design effect {inflation:g}, {df:g} df",
    )


def _check_target(target: float) -> None:
    if not 0 < target < 1:
        raise ArgumentError(f"`target` is {target}; a power lies strictly between 0 and 1")


def sample_size(
    design: Callable[[int], Power], *, target: float = 0.8, step: int = 1, start: int | None = None
) -> Power:
    """Smallest n from which the power stays at its target.

    Parameters
    ----------
    design : callable
        Power of each n: ``lambda n: power_paired_binary(n, effect=0.05, discordance=0.2)``.
    target : float
        Power wanted.
    step : int
        n goes up in steps of this: the cluster size, for whole clusters.
    start : int, optional
        Smallest n to consider; by default ``2 step``.

    Returns
    -------
    Power
        At that n.

    Raises
    ------
    ArgumentError
        If ten million items do not reach the target.

    Notes
    -----
    The power of counts goes up in a saw-tooth, so one n can reach the target and the next miss
    it. The n returned reaches it, as do the ``30 + 6 sqrt(n / step)`` steps after it, and the n
    one step below it does not.

    Examples
    --------
    >>> sample_size(lambda n: power_mean(n, effect=0.5, sd=1)).n
    34
    """
    _check_target(target)
    first = 2 * step if start is None else start

    def reached(index: int) -> bool:
        return design(first + index * step).power >= target

    low, high = -1, 1
    while not reached(high):
        low, high = high, 2 * high
        if first + high * step > _LARGEST_N:
            raise ArgumentError(
                f"a power of {target:g} is not reached with {_LARGEST_N:,} items; "
                "is the effect 0, or on the wrong side?"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    found, checked = high, high
    while checked <= found + 30 + 6 * math.sqrt(first / step + found):
        checked += 1
        if not reached(checked):
            found = checked + 1
    while found > 0 and reached(found - 1):
        found -= 1
    return design(first + found * step)


def smallest_effect(
    design: Callable[[float], Power], *, largest: float, target: float = 0.8
) -> Power:
    """Smallest positive effect that a design detects with the wanted power.

    Parameters
    ----------
    design : callable
        Power of each effect: ``lambda d: power_paired_binary(200, effect=d, discordance=0.2)``.
    largest : float
        Largest effect that is possible: the discordance, or one less the base rate.
    target : float
        Power wanted.

    Returns
    -------
    Power
        At that effect, to 1e-9 of `largest`; its power is not below the target.

    Raises
    ------
    ArgumentError
        If even the largest effect is not detected.

    Notes
    -----
    Power grows with the effect, so the effect is bisected.

    Examples
    --------
    >>> found = smallest_effect(
    ...     lambda d: power_paired_binary(200, effect=d, discordance=0.39), largest=0.39)
    >>> round(found.effect, 4)
    0.1229
    """
    _check_target(target)
    low, high = 0.0, largest
    best = design(largest)
    if best.power < target:
        raise ArgumentError(
            f"the largest effect, {largest:g}, is detected with power {best.power:.3f}, below the "
            f"target {target:g}; more items are needed"
        )
    while high - low > 1e-9 * largest:
        middle = (low + high) / 2
        found = design(middle)
        if found.power >= target:
            high, best = middle, found
        else:
            low = middle
    return best
