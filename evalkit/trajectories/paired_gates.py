"""Gates that ask for evidence: decided on wins and losses over the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, runtime_checkable

from evalkit.errors import ArgumentError
from evalkit.results import check_level
from evalkit.trajectories.gates import Gate, dead_band, non_decreasing, strict
from evalkit.trajectories.scores import Score, compare_scores

__all__ = [
    "LowerBound",
    "PairedGate",
    "SignTest",
    "StandardErrors",
    "lower_bound",
    "paired_counts",
    "paired_gate_by_name",
    "sign_test",
    "standard_errors",
    "standard_gates",
]

_CACHE = 65536


@runtime_checkable
class PairedGate(Protocol):
    """A gate that reads which items were won and lost, and that can do with two scores."""

    @property
    def name(self) -> str:
        """Name of the gate, with its settings."""
        ...

    def accepts(self, wins: int, losses: int, n: int) -> bool:
        """Return whether so many wins and losses among `n` items are enough."""
        ...

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:
        """Decide from the scores alone, as :class:`evalkit.trajectories.gates.Gate` does."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardErrors:
    """Accept a gain of more than k standard errors of the paired difference.

    Attributes
    ----------
    k : float
        Standard errors that the gain must exceed.
    n : int
        Validation items.
    discordance : float or None
        Share of items taken to differ when only scores are known.
    """

    k: float
    n: int
    discordance: float | None = None

    @property
    def name(self) -> str:
        """Name of the gate, with its settings."""
        return f"{self.k:g} SE"

    def accepts(self, wins: int, losses: int, n: int) -> bool:
        """Return whether the net wins exceed k standard errors."""
        net = wins - losses
        return net > 0 and net > self.k * math.sqrt(wins + losses - net * net / n)

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:  # noqa: ARG002
        """Decide from the scores alone; see :func:`paired_counts`."""
        return self.accepts(*paired_counts(candidate, incumbent, self.n, self.discordance), self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class LowerBound:
    """Accept when the interval of the paired difference lies above 0, or above ``-margin``.

    Attributes
    ----------
    level : float
        Nominal two-sided coverage of the interval.
    n : int
        Validation items.
    margin : float
        Loss that is tolerated.
    discordance : float or None
        Share of items taken to differ when only scores are known.
    """

    level: float
    n: int
    margin: float = 0.0
    discordance: float | None = None

    @property
    def name(self) -> str:
        """Name of the gate, with its settings."""
        above = f" above -{self.margin:g}" if self.margin else ""
        return f"{100 * self.level:g}% lower bound{above}"

    def accepts(self, wins: int, losses: int, n: int) -> bool:
        """Return whether the lower end of the augmented-t interval exceeds ``-margin``."""
        size, net = n + 2, wins - losses
        variance = (wins + losses + 2 - net * net / size) / (size * (size - 1))
        low = net / size - _t_quantile(self.level, size - 1) * math.sqrt(variance)
        return low > -self.margin

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:  # noqa: ARG002
        """Decide from the scores alone; see :func:`paired_counts`."""
        return self.accepts(*paired_counts(candidate, incumbent, self.n, self.discordance), self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignTest:
    """Accept when the one-sided sign test of the discordant items rejects.

    Attributes
    ----------
    alpha : float
        Largest p-value that accepts.
    n : int
        Validation items.
    discordance : float or None
        Share of items taken to differ when only scores are known.
    """

    alpha: float
    n: int
    discordance: float | None = None

    @property
    def name(self) -> str:
        """Name of the gate, with its settings."""
        return f"sign test {self.alpha:g}"

    def accepts(self, wins: int, losses: int, n: int) -> bool:  # noqa: ARG002
        """Return whether ``P(X >= wins) <= alpha`` for X ~ Binomial(wins + losses, 1/2)."""
        return wins > losses and _sign_tail(wins, wins + losses) <= self.alpha

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:  # noqa: ARG002
        """Decide from the scores alone; see :func:`paired_counts`."""
        return self.accepts(*paired_counts(candidate, incumbent, self.n, self.discordance), self.n)


@lru_cache(maxsize=256)
def _t_quantile(level: float, df: int) -> float:
    from evalkit.intervals._student import t_quantile

    return t_quantile(level, df)


@lru_cache(maxsize=_CACHE)
def _sign_tail(wins: int, m: int) -> float:
    from scipy.special import bdtrc

    return float(bdtrc(wins - 1, m, 0.5)) if wins else 1.0


def paired_counts(
    candidate: Score, incumbent: Score, n: int, discordance: float | None = None
) -> tuple[int, int]:
    """Return wins and losses that two scores are consistent with.

    Parameters
    ----------
    candidate, incumbent : float or Fraction
        Shares of `n` items, in 0..1.
    n : int
        Items.
    discordance : float, optional
        Share of items on which the two differ, where it is known. Otherwise as many as the two
        scores allow, so that a gate accepts only what it would accept under every pairing.

    Returns
    -------
    tuple of (int, int)
        Wins and losses of the candidate.

    Raises
    ------
    ArgumentError
        If a score lies outside 0..1.

    Examples
    --------
    >>> paired_counts(0.8, 0.7, 10), paired_counts(0.8, 0.7, 10, discordance=0.3)
    ((3, 2), (2, 1))
    """
    for name, score in (("candidate", candidate), ("incumbent", incumbent)):
        if not -1e-12 <= score <= 1 + 1e-12:
            raise ArgumentError(
                f"the {name}'s score is {float(score):g}; a gate on {n} items reads shares in "
                "0..1: divide percentages by 100"
            )
    passed, held = round(candidate * n), round(incumbent * n)
    net = passed - held
    # Half credits can round to a net win that is not there; the scores have the last word.
    if compare_scores(candidate, incumbent) <= 0:
        net = min(net, 0)
    most = min(held, n - passed) if net >= 0 else min(passed, n - held)
    losses = most if discordance is None else (round(discordance * n) - abs(net)) // 2
    spare = max(0, min(most, losses))
    return (spare + net, spare) if net >= 0 else (spare, spare - net)


def _check(n: int, discordance: float | None) -> None:
    if isinstance(n, bool) or n < 1:
        raise ArgumentError(f"`n` is {n!r}; it must be the number of validation items, 1 or more")
    if discordance is not None and not 0 <= discordance <= 1:
        raise ArgumentError(f"`discordance` is {discordance!r}; it must lie in 0..1, or be None")


def standard_errors(k: float, *, n: int, discordance: float | None = None) -> StandardErrors:
    """Return the gate that asks for a gain of more than k standard errors.

    Parameters
    ----------
    k : float
        Standard errors, at least 0.
    n : int
        Validation items.
    discordance : float, optional
        Share of items that differ, for decisions on scores alone; see :func:`paired_counts`.

    Returns
    -------
    StandardErrors

    Raises
    ------
    ArgumentError
        If a setting is out of range.

    Notes
    -----
    With net wins D among m discordant of n items, ``D > k sqrt(m - D²/n)``.

    Examples
    --------
    >>> gate = standard_errors(1, n=39)
    >>> gate.accepts(3, 1, 39), gate.accepts(2, 2, 39)
    (True, False)
    """
    _check(n, discordance)
    if isinstance(k, bool) or not math.isfinite(k) or k < 0:
        raise ArgumentError(f"`k` is {k!r}; it must be a finite number of at least 0")
    return StandardErrors(k=k, n=n, discordance=discordance)


def lower_bound(
    *, n: int, level: float = 0.95, margin: float = 0.0, discordance: float | None = None
) -> LowerBound:
    """Return the gate that asks for an interval above 0, or above ``-margin``.

    Parameters
    ----------
    n : int
        Validation items.
    level : float
        Nominal two-sided coverage.
    margin : float
        Loss that is tolerated, at least 0.
    discordance : float, optional
        Share of items that differ, for decisions on scores alone; see :func:`paired_counts`.

    Returns
    -------
    LowerBound

    Raises
    ------
    ArgumentError
        If a setting is out of range.

    Notes
    -----
    The interval is the augmented t of :func:`evalkit.compare`, so the gate accepts what a
    comparison of the same items calls separated in the candidate's favour.

    Examples
    --------
    >>> gate = lower_bound(n=39)
    >>> gate.accepts(9, 1, 39), gate.accepts(6, 3, 39)
    (True, False)
    """
    _check(n, discordance)
    check_level(level)
    if isinstance(margin, bool) or not math.isfinite(margin) or margin < 0:
        raise ArgumentError(f"`margin` is {margin!r}; it must be a finite number of at least 0")
    return LowerBound(level=level, n=n, margin=margin, discordance=discordance)


def sign_test(alpha: float = 0.05, *, n: int, discordance: float | None = None) -> SignTest:
    """Return the gate that asks for a one-sided sign test at `alpha`.

    Parameters
    ----------
    alpha : float
        Largest p-value that accepts, strictly between 0 and 1.
    n : int
        Validation items.
    discordance : float, optional
        Share of items that differ, for decisions on scores alone; see :func:`paired_counts`.

    Returns
    -------
    SignTest

    Raises
    ------
    ArgumentError
        If a setting is out of range.

    Examples
    --------
    >>> gate = sign_test(n=39)
    >>> gate.accepts(5, 0, 39), gate.accepts(4, 0, 39)  # p = 1/32, 1/16
    (True, False)
    """
    _check(n, discordance)
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` is {alpha!r}; it must lie strictly between 0 and 1")
    return SignTest(alpha=alpha, n=n, discordance=discordance)


def paired_gate_by_name(name: str, *, n: int) -> PairedGate:
    """Return the gate of a name: ``se:K``, ``sign-test:ALPHA`` or ``lower-bound:LEVEL``.

    Raises
    ------
    ArgumentError
        If there is no such gate, or its setting is out of range.

    Examples
    --------
    >>> paired_gate_by_name("sign-test:0.05", n=39)
    SignTest(alpha=0.05, n=39, discordance=None)
    """
    kind, _, rest = name.partition(":")
    try:
        value = float(rest)
    except ValueError:
        kind, value = "", 0.0
    if kind == "se":
        return standard_errors(value, n=n)
    if kind == "sign-test":
        return sign_test(value, n=n)
    if kind == "lower-bound":
        return lower_bound(level=value, n=n)
    raise ArgumentError(
        f"`gate` is {name!r}; it must be se:K, sign-test:ALPHA or lower-bound:LEVEL, as se:1, "
        "sign-test:0.05 or lower-bound:0.95"
    )


def standard_gates(n: int, *, level: float = 0.95) -> tuple[Gate, ...]:
    """Return the gates that the loops of this package offer, for n items.

    Parameters
    ----------
    n : int
        Validation items.
    level : float
        Coverage of the lower bound's interval.

    Returns
    -------
    tuple of Gate
        From the most lenient to the most demanding.

    Examples
    --------
    >>> [gate.name for gate in standard_gates(39)][4:]
    ['strict', '1 SE', 'sign test 0.05', '95% lower bound']
    """
    return (
        *(dead_band(Fraction(w, 100)) for w in (5, 2, 1)),
        non_decreasing(),
        strict(),
        standard_errors(1, n=n),
        sign_test(n=n),
        lower_bound(n=n, level=level),
    )
