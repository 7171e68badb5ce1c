"""The law of a mean of values that lie on no lattice, as a smooth distribution."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.characteristic import (
    Draws,
    Moments,
    characteristic_minus_one,
    log_power,
    sum_moments,
)
from evalkit.bootstrap.inversion import LOG_DROP
from evalkit.bootstrap.law import Exactness
from evalkit.bootstrap.power_sums import series_minus_one
from evalkit.bootstrap.quantile import cornish_fisher
from evalkit.bootstrap.window import bernstein_window
from evalkit.errors import EvalkitWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ContinuousInversion",
    "ContinuousLaw",
    "InversionWarning",
    "invert_continuous",
    "roughness",
]

MAX_FREQUENCIES = 512
_SMALL = 1e-13  # |phi|^n at the last frequency below which the series has converged
_NOTICE = 1e-3  # and above which a user is warned
_FEW = 64  # values for which the direct sum is cheaper than a power series


class InversionWarning(EvalkitWarning):
    """The smoothed law is rough: its limits may be off by about 2 % of the standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuousInversion:
    """A centred sum as a smooth law, ready to be evaluated anywhere.

    Attributes
    ----------
    low, high : float
        Window that holds all but 1e-16 of the mass.
    support : tuple of float
        Smallest and largest possible sum; smoothing may not reach beyond.
    theta : ndarray of float, shape (K,)
        Multiples of ``2 pi / (high - low)``.
    real, imaginary : ndarray of float, shape (K,)
        Powers of the characteristic function, times ``2 / (high - low)``.
    last : float
        Largest ``|phi|^n`` among the last frequencies: what the cut-off left out.
    moments : Moments
        Of the sum.
    """

    low: float
    high: float
    support: tuple[float, float]
    theta: NDArray[np.float64]
    real: NDArray[np.float64]
    imaginary: NDArray[np.float64]
    constant: float
    last: float
    moments: Moments

    def evaluate(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the distribution function and the density at `x`, of any shape."""
        inside = np.minimum(np.maximum(x, self.low), self.high)
        angle = np.multiply.outer(inside, self.theta)
        sine, cosine = np.sin(angle), np.cos(angle)
        cdf = sine @ (self.real / self.theta) - cosine @ (self.imaginary / self.theta)
        cdf += (inside - self.low) / (self.high - self.low) + self.constant
        density = cosine @ self.real + sine @ self.imaginary + 1.0 / (self.high - self.low)
        return np.minimum(np.maximum(cdf, 0.0), 1.0), density


def _minus_one(
    theta: NDArray[np.float64], part: Draws
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if part.values.size <= _FEW:
        return characteristic_minus_one(theta, part.values, part.weights)
    return series_minus_one(theta, part)


def _frequencies(
    parts: Sequence[Draws], base: float, number: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    theta = base * np.arange(1.0, number + 1.0)
    modulus, phase = np.zeros(number), np.zeros(number)
    for part in parts:
        real, angle = log_power(*_minus_one(theta, part), part.number)
        modulus += real
        phase += angle
    return theta, modulus, phase


def invert_continuous(parts: Sequence[Draws]) -> ContinuousInversion:
    """Invert the characteristic function of a sum with the kernel ``1 / (i t)``.

    Parameters
    ----------
    parts : sequence of Draws
        Centred draws; the sum has positive variance.

    Returns
    -------
    ContinuousInversion

    Notes
    -----
    On a window [L, L + W) with ``t_j = 2 pi j / W``,
    ``F(x) = (x - L) / W + (2 / W) sum_j Re[phi(t_j)^n (e^(-i t_j L) - e^(-i t_j x)) / (i t_j)]``.
    Where a normal law of the same spread has ``|phi|^n < 1e-16`` the sum is cut; it is doubled, up
    to 512 frequencies, as long as ``|phi|^n`` is not small there. With few or extreme values it
    never gets small, because the law has atoms: then F is a smoothed version of it.

    Examples
    --------
    >>> law = invert_continuous([Draws.of(np.linspace(-1, 1, 50), np.ones(50))])
    >>> float(law.evaluate(np.array(0.0))[0])
    0.5
    """
    moments = sum_moments(parts)
    below, above = bernstein_window(moments)
    width = below + above
    base = 2.0 * np.pi / width
    sd = math.sqrt(moments.variance)
    number = min(MAX_FREQUENCIES, math.ceil(math.sqrt(-2.0 * LOG_DROP) / sd / base) + 4)
    while True:
        theta, modulus, phase = _frequencies(parts, base, number)
        last = math.exp(float(modulus[-4:].max()))
        if last < _SMALL or number >= MAX_FREQUENCIES:
            break
        number = min(MAX_FREQUENCIES, 2 * number)
    height = 2.0 / width * np.exp(modulus)
    real, imaginary = height * np.cos(phase), height * np.sin(phase)
    edge = -below * theta
    constant = -float(np.sin(edge) @ (real / theta) - np.cos(edge) @ (imaginary / theta))
    return ContinuousInversion(
        low=-below,
        high=above,
        support=(
            float(sum(part.number * part.values.min() for part in parts)),
            float(sum(part.number * part.values.max() for part in parts)),
        ),
        theta=theta,
        real=real,
        imaginary=imaginary,
        constant=constant,
        last=last,
        moments=moments,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuousLaw:
    """The smoothed law of a mean, or of a difference of means.

    Attributes
    ----------
    inversion : ContinuousInversion
        Law of the sum, relative to its mean.
    mean : float
        The statistic of the sample.
    scale : float
        A sum of s stands for ``mean + s / scale``.
    """

    inversion: ContinuousInversion
    mean: float
    scale: float
    exactness: Exactness = "lattice smoothing"

    @classmethod
    def of(cls, parts: Sequence[Draws], *, mean: float, scale: float) -> ContinuousLaw:
        """Invert, and warn when the smoothing is rough.

        Examples
        --------
        >>> law = ContinuousLaw.of([Draws.of(np.sqrt(np.arange(40.0)), np.ones(40))],
        ...                        mean=float(np.sqrt(np.arange(40.0)).mean()), scale=40)
        >>> [round(x, 3) for x in law.quantiles([0.025, 0.975])]
        [3.638, 4.602]
        """
        inversion = invert_continuous(parts)
        warn_if_rough(inversion)
        return cls(inversion=inversion, mean=mean, scale=scale)

    @property
    def se(self) -> float:
        """Standard deviation of the law."""
        return math.sqrt(self.inversion.moments.variance) / self.scale

    @property
    def acceleration(self) -> float:
        """A sixth of the skewness of the law: the jackknife's acceleration of a mean."""
        return self.inversion.moments.skewness / 6.0

    def cdf(self, x: float) -> float:
        """Return P(T* <= x)."""
        return float(self.inversion.evaluate(np.array((x - self.mean) * self.scale))[0])

    def probability_below(self, x: float) -> float:
        """Return the probability below `x`; the smoothed law has no ties."""
        return self.cdf(x)

    def quantile(self, alpha: float) -> float:
        """Return the x with P(T* <= x) = alpha."""
        return self.quantiles([alpha])[0]

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return several quantiles at once."""
        return [self.mean + x / self.scale for x in continuous_quantiles(self.inversion, levels)]


@contextmanager
def roughness() -> Iterator[list[str]]:
    """Collect the warnings of rough laws as notes, for results that carry notes."""
    remarks: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield remarks
    for warning in caught:
        if issubclass(warning.category, InversionWarning):
            remarks.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def warn_if_rough(inversion: ContinuousInversion) -> None:
    """Warn when the series was cut while |phi|^n was still large."""
    if inversion.last > _NOTICE:
        warnings.warn(
            "the bootstrap law of these outcomes has atoms that no lattice carries (|phi|^n is "
            f"still {inversion.last:.1e} at {inversion.theta.size} frequencies); its smoothed "
            "limits may be off by about 2 % of the standard error",
            InversionWarning,
            stacklevel=3,
        )


def continuous_quantiles(law: ContinuousInversion, levels: Sequence[float]) -> list[float]:
    """Solve F(x) = level for all levels at once: Newton's method kept inside a bracket.

    Examples
    --------
    >>> law = invert_continuous([Draws.of(np.linspace(-1, 1, 50), np.ones(50))])
    >>> low, high = continuous_quantiles(law, [0.025, 0.975])
    >>> abs(low + high) < 1e-9
    True
    """
    sd, skewness = math.sqrt(law.moments.variance), law.moments.skewness
    target = np.clip(np.asarray(levels, dtype=float), 0.0, 1.0)
    low, high = np.full(target.size, law.low), np.full(target.size, law.high)
    x = np.array(
        [cornish_fisher(float(a), sd=sd, skewness=skewness) if 0 < a < 1 else 0.0 for a in target]
    )
    x = np.where((x > low) & (x < high), x, 0.5 * (low + high))
    for _ in range(100):
        cdf, density = law.evaluate(x)
        excess = cdf - target
        high, low = np.where(excess >= 0, x, high), np.where(excess >= 0, low, x)
        step = x - excess / np.maximum(density, 1e-300)
        step = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        moved = np.abs(step - x)
        x = step
        if float(moved.max()) < 1e-12 * sd:
            break
    ends = np.where(target >= 1.0, law.high, np.where(target <= 0.0, law.low, x))
    return [float(v) for v in np.clip(ends, *law.support)]
