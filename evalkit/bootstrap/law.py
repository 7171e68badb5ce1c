"""What a bootstrap law offers, and the laws whose points can be listed or counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np

from evalkit.bootstrap.characteristic import Draws
from evalkit.bootstrap.inversion import LatticeInversion, invert_lattice
from evalkit.bootstrap.lattice import Lattice
from evalkit.bootstrap.quantile import lattice_quantiles, level_tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BootstrapLaw", "DiscreteLaw", "Exactness", "LatticeLaw", "PointLaw"]

Exactness = Literal["exact", "inversion error <= 1e-11", "lattice smoothing"]
_SNAP = 1e-9  # relative: how far a point may be from the lattice and still be on it


@runtime_checkable
class BootstrapLaw(Protocol):
    """The distribution that infinitely many resamples would draw.

    Attributes
    ----------
    mean : float
        The statistic of the sample itself.
    se : float or None
        Standard deviation of the law; ``None`` for a point.
    acceleration : float
        Efron's acceleration of the statistic.
    exactness : str
        Whether the law is exact, exact to an inversion error, or smoothed over its lattice.
    """

    @property
    def mean(self) -> float: ...  # noqa: D102
    @property
    def se(self) -> float | None: ...  # noqa: D102
    @property
    def acceleration(self) -> float: ...  # noqa: D102
    @property
    def exactness(self) -> Exactness: ...  # noqa: D102

    def cdf(self, x: float) -> float:
        """Return P(T* <= x)."""
        ...

    def probability_below(self, x: float) -> float:
        """Return the mid-p probability ``P(T* < x) + P(T* = x) / 2``."""
        ...

    def quantile(self, alpha: float) -> float:
        """Return ``inf {x : P(T* <= x) >= alpha}``."""
        ...

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return several quantiles at once."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PointLaw:
    """The law of a sample without spread: every resample gives the same value.

    Examples
    --------
    >>> PointLaw(mean=0.7, reason="all outcomes equal").quantile(0.025)
    0.7
    """

    mean: float
    reason: str
    se: None = None
    acceleration: float = 0.0
    exactness: Exactness = "exact"

    def cdf(self, x: float) -> float:
        """Return P(T* <= x)."""
        return 1.0 if x >= self.mean else 0.0

    def probability_below(self, x: float) -> float:
        """Return the mid-p probability below `x`."""
        return 0.5 if x == self.mean else self.cdf(x)

    def quantile(self, alpha: float) -> float:  # noqa: ARG002
        """Return the point."""
        return self.mean

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return the point, once for each level."""
        return [self.mean] * len(levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaw:
    """A law given by its points and their probabilities.

    Attributes
    ----------
    points : ndarray of float, shape (K,)
        Distinct, ascending.
    probabilities : ndarray of float, shape (K,)
        Of the points; they add up to 1.

    Examples
    --------
    >>> law = DiscreteLaw(
    ...     points=np.array([0.0, 0.5, 1.0]), probabilities=np.array([0.25, 0.5, 0.25]),
    ...     mean=0.5, se=0.125**0.5, acceleration=0.0)
    >>> law.cdf(0.5), law.probability_below(0.5), law.quantile(0.25), law.quantile(0.26)
    (0.75, 0.5, 0.0, 0.5)
    """

    points: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    mean: float
    se: float | None
    acceleration: float
    exactness: Exactness = "exact"

    @classmethod
    def of(
        cls,
        points: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        *,
        mean: float,
        acceleration: float,
        exactness: Exactness = "exact",
    ) -> DiscreteLaw:
        """Sort the points and add up the probabilities of those that are equal but for rounding."""
        order = np.argsort(points)
        points, probabilities = points[order], probabilities[order] / probabilities.sum()
        slack = 1e-12 * max(abs(float(points[0])), abs(float(points[-1])))
        starts = np.flatnonzero(np.concatenate(([True], np.diff(points) > slack)))
        kept, mass = points[starts], np.add.reduceat(probabilities, starts)
        centre = float(kept @ mass)
        se = math.sqrt(float(mass @ (kept - centre) ** 2))
        return cls(
            points=kept,
            probabilities=mass,
            mean=mean,
            se=se or None,
            acceleration=acceleration,
            exactness=exactness,
        )

    def _slack(self) -> float:
        return 1e-12 * max(abs(float(self.points[0])), abs(float(self.points[-1])))

    def cdf(self, x: float) -> float:
        """Return P(T* <= x)."""
        stop = int(np.searchsorted(self.points, x + self._slack(), side="right"))
        return min(1.0, float(self.probabilities[:stop].sum()))

    def probability_below(self, x: float) -> float:
        """Return the mid-p probability below `x`."""
        start = int(np.searchsorted(self.points, x - self._slack(), side="left"))
        below = float(self.probabilities[:start].sum())
        return 0.5 * (below + self.cdf(x))

    def quantile(self, alpha: float) -> float:
        """Return ``inf {x : P(T* <= x) >= alpha}``."""
        return self.quantiles([alpha])[0]

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return several quantiles at once."""
        cumulative = np.cumsum(self.probabilities)
        targets = [min(max(a, 0.0), 1.0) - level_tolerance(min(max(a, 0.0), 1.0)) for a in levels]
        index = np.minimum(np.searchsorted(cumulative, targets), self.points.size - 1)
        return [float(x) for x in self.points[index]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeLaw:
    """The law of a mean, or of a difference of means, of values on a lattice.

    Attributes
    ----------
    inversion : LatticeInversion
        Law of the sum in steps, relative to its mean.
    total : int
        The sum of the sample itself, in steps.
    origin, unit : float
        A sum of k steps stands for ``origin + unit * k``.
    scale : int
        The unit is ``step / scale``, kept apart so that 27 of 34 is 27/34 to the last digit.
    """

    inversion: LatticeInversion
    total: int
    origin: float
    step: float
    scale: int
    exactness: Exactness = "inversion error <= 1e-11"

    @classmethod
    def of(cls, lattice: Lattice, counts: NDArray[np.float64]) -> LatticeLaw:
        """Return the law of the mean of as many draws as there are outcomes.

        Examples
        --------
        >>> from evalkit.bootstrap.lattice import find_lattice
        >>> law = LatticeLaw.of(find_lattice(np.array([0.0, 1.0])), np.array([7.0, 27.0]))
        >>> [round(34 * x) for x in law.quantiles([0.025, 0.975])]
        [22, 31]
        """
        number, total = int(counts.sum()), int(counts @ lattice.steps)
        top = int(lattice.steps.max())
        inversion = invert_lattice(
            (Draws.of(lattice.steps, counts),), support=(-total, number * top - total)
        )
        return cls(
            inversion=inversion,
            total=total,
            origin=lattice.origin,
            step=lattice.step,
            scale=number,
        )

    def value(self, steps: int) -> float:
        """Return the value that a sum of so many steps from the mean stands for."""
        return self.origin + self.step * (self.total + steps) / self.scale

    @property
    def mean(self) -> float:
        """The statistic of the sample."""
        return self.value(0)

    @property
    def se(self) -> float:
        """Standard deviation of the law."""
        return self.step / self.scale * math.sqrt(self.inversion.moments.variance)

    @property
    def acceleration(self) -> float:
        """A sixth of the skewness of the law: the jackknife's acceleration of a mean."""
        return self.inversion.moments.skewness / 6.0

    def _steps(self, x: float) -> tuple[float, float]:
        """Return `x` in steps from the mean, and how far from a whole number still is one."""
        steps = (x - self.origin) / self.step * self.scale
        return steps - self.total, min(0.25, _SNAP * (1.0 + abs(steps)))

    def cdf(self, x: float) -> float:
        """Return P(T* <= x)."""
        steps, slack = self._steps(x)
        whole = math.floor(steps + slack)
        return float(self.inversion.cdf(np.array(float(whole))))

    def probability_below(self, x: float) -> float:
        """Return the mid-p probability below `x`."""
        steps, slack = self._steps(x)
        ends = np.array([math.ceil(steps - slack) - 1.0, float(math.floor(steps + slack))])
        return float(self.inversion.cdf(ends).mean())

    def probability_below_mean(self) -> float:
        """Return the mid-p probability below the sample's own statistic."""
        return self.inversion.below_mean()

    def quantile(self, alpha: float) -> float:
        """Return ``inf {x : P(T* <= x) >= alpha}``."""
        return self.quantiles([alpha])[0]

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return several quantiles at once."""
        return [self.value(k) for k in lattice_quantiles(self.inversion, levels)]
