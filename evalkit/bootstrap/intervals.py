"""Bootstrap intervals read off an exact law: percentile, basic, BC and BCa."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from evalkit.bootstrap.adjust import adjusted_levels, bias_correction
from evalkit.bootstrap.choose import bootstrap_law
from evalkit.bootstrap.law import BootstrapLaw, LatticeLaw, PointLaw
from evalkit.errors import ArgumentError
from evalkit.results import Interval, check_level
from evalkit.rounding import format_number
from evalkit.tally import Tally

__all__ = [
    "BootstrapInterval",
    "Method",
    "bootstrap_interval",
    "law_interval",
    "probability_below_mean",
]

Method = Literal["percentile", "bc", "bca", "basic"]
METHODS: tuple[Method, ...] = ("percentile", "bc", "bca", "basic")
_Limits = Callable[[BootstrapLaw, float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapInterval:
    """A bootstrap interval with what it was made from.

    Attributes
    ----------
    point : float or None
        The statistic of the sample; ``None`` without outcomes.
    interval : Interval or None
        ``None`` where the law is a point: a point is never passed off as an interval.
    se : float or None
        Standard deviation of the law; ``None``, never 0, where it is a point.
    bias : float or None
        Bias correction z0, from the mid-p probability below the statistic.
    acceleration : float or None
        Acceleration of BCa.
    method : {"percentile", "bc", "bca", "basic"}
    level : float
        Nominal coverage.
    exactness : str
        ``"exact"``, ``"inversion error <= 1e-11"`` or ``"lattice smoothing"``.
    n : int
        Outcomes.
    note : str or None
        Why the interval is undefined, or how the law was smoothed.
    """

    point: float | None
    interval: Interval | None
    se: float | None
    bias: float | None
    acceleration: float | None
    method: Method
    level: float
    exactness: str
    n: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "point": self.point,
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": self.method,
            "se": self.se,
            "bias": self.bias,
            "acceleration": self.acceleration,
            "exactness": self.exactness,
            "n": self.n,
            "note": self.note,
        }


def bootstrap_interval(
    tally: Tally, *, method: Method = "bca", level: float = 0.95
) -> BootstrapInterval:
    """Compute a bootstrap interval of a mean without resampling and without a seed.

    Parameters
    ----------
    tally : Tally
        Outcomes, or paired differences; whole clusters are resampled when it has some.
    method : {"bca", "bc", "percentile", "basic"}
        Which limits are read off the law.
    level : float
        Nominal coverage.

    Returns
    -------
    BootstrapInterval

    Raises
    ------
    ArgumentError
        If `method` or `level` is not allowed.

    Warns
    -----
    InversionWarning
        If the smoothed law is rough: limits may be off by about 2 % of the standard error.

    Notes
    -----
    The limits are those that the usual bootstrap approaches as the number of resamples grows.
    Removing the Monte Carlo error does not remove the bootstrap's own under-coverage: for small
    samples and for rates near 0 or 1 see `evalkit.intervals`.
    When all outcomes are equal the law is a point, so `interval` is ``None``.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> result = bootstrap_interval(tally_values([1] * 27 + [0] * 7))
    >>> round(result.interval.low, 3), round(result.interval.high, 3)
    (0.618, 0.912)
    >>> bootstrap_interval(tally_values([0.7] * 10)).note
    'all outcomes equal: the bootstrap law is a point at 0.7 (degenerate)'
    """
    check_level(level)
    if tally.n == 0:
        _check_method(method)
        return BootstrapInterval(
            point=None,
            interval=None,
            se=None,
            bias=None,
            acceleration=None,
            method=method,
            level=level,
            exactness="exact",
            n=0,
            note="no outcomes",
        )
    return law_interval(bootstrap_law(tally), n=tally.n, method=method, level=level)


def law_interval(
    law: BootstrapLaw, *, n: int, method: Method = "bca", level: float = 0.95
) -> BootstrapInterval:
    """Read an interval off any bootstrap law.

    Parameters
    ----------
    law : BootstrapLaw
        From `bootstrap_law`, `two_sample_law`, `ratio_law` or `quantile_law`.
    n : int
        Outcomes behind it.
    method, level
        As in `bootstrap_interval`.

    Returns
    -------
    BootstrapInterval

    Examples
    --------
    >>> from evalkit.bootstrap.choose import two_sample_law
    >>> from evalkit.tally import tally_values
    >>> law = two_sample_law(tally_values([0, 1] * 20), tally_values([1, 1, 1, 0] * 10))
    >>> law_interval(law, n=80, method="percentile").interval.high
    0.45
    """
    check_level(level)
    limits = _check_method(method)
    if isinstance(law, PointLaw) or law.se is None:
        reason = law.reason if isinstance(law, PointLaw) else "every resample gives one value"
        return BootstrapInterval(
            point=law.mean,
            interval=None,
            se=None,
            bias=None,
            acceleration=None,
            method=method,
            level=level,
            exactness="exact",
            n=n,
            note=f"{reason}: the bootstrap law is a point at {_short(law.mean)} (degenerate)",
        )
    bias = bias_correction(probability_below_mean(law))
    low, high = limits(law, level, bias)
    smoothed = law.exactness == "lattice smoothing"
    return BootstrapInterval(
        point=law.mean,
        interval=Interval(
            low=low, high=high, level=level, method=f"bootstrap {method} (no resampling)"
        ),
        se=law.se,
        bias=bias,
        acceleration=law.acceleration,
        method=method,
        level=level,
        exactness=law.exactness,
        n=n,
        note="the law is smoothed over the atoms of its lattice" if smoothed else None,
    )


def _short(value: float) -> str:
    return format_number(value, 6).rstrip("0").rstrip(".") or "0"


def probability_below_mean(law: BootstrapLaw) -> float:
    """Return the mid-p probability that a resample falls below the statistic of the sample."""
    if isinstance(law, LatticeLaw):
        return law.probability_below_mean()
    return law.probability_below(law.mean)


def _percentile(law: BootstrapLaw, level: float, bias: float) -> tuple[float, float]:  # noqa: ARG001
    low, high = law.quantiles(adjusted_levels(level))
    return low, high


def _basic(law: BootstrapLaw, level: float, bias: float) -> tuple[float, float]:
    low, high = _percentile(law, level, bias)
    return 2.0 * law.mean - high, 2.0 * law.mean - low


def _bc(law: BootstrapLaw, level: float, bias: float) -> tuple[float, float]:
    low, high = law.quantiles(adjusted_levels(level, bias=bias))
    return low, high


def _bca(law: BootstrapLaw, level: float, bias: float) -> tuple[float, float]:
    low, high = law.quantiles(adjusted_levels(level, bias=bias, acceleration=law.acceleration))
    return low, high


_LIMITS: dict[str, _Limits] = {"percentile": _percentile, "basic": _basic, "bc": _bc, "bca": _bca}


def _check_method(method: str) -> _Limits:
    if method not in _LIMITS:
        allowed = ", ".join(map(repr, METHODS))
        raise ArgumentError(f"`method` is {method!r}; it must be one of {allowed}")
    return _LIMITS[method]
