"""A mean over pairs with its interval: what every line of an agreement table is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalkit.intervals.mean import MeanMethod, tally_interval
from evalkit.results import Interval, json_value
from evalkit.tally import tally_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Rate", "rate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A mean of values in 0..1.

    Attributes
    ----------
    name : str
        What is measured.
    value : float or None
        The mean; ``None`` without values, and `note` says why.
    interval : Interval or None
        Its interval.
    n : int
        Values.
    note : str or None
        Definition, or why it is undefined.
    """

    name: str
    value: float | None
    interval: Interval | None
    n: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "name": self.name,
            "value": json_value(self.value),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": None if bounds is None else bounds.level,
            "method": None if bounds is None else bounds.method,
            "n": self.n,
            "note": self.note,
        }


def rate(
    name: str,
    values: NDArray[np.float64],
    *,
    clusters: Sequence[str] | None,
    level: float,
    method: MeanMethod = "default",
    note: str | None = None,
    empty: str = "no complete pairs",
) -> Rate:
    """Mean of `values` with its interval; NaN is left out.

    Examples
    --------
    >>> import numpy as np
    >>> found = rate("right", np.array([1.0, 0.0, 1.0, 1.0]), clusters=None, level=0.95)
    >>> found.value, found.interval.method
    (0.75, 'wilson')
    """
    tally = tally_values(values, clusters=clusters)
    found = tally_interval(tally, method=method, level=level, score_range=(0.0, 1.0))
    notes = [note] if note else []
    if tally.n == 0:
        notes.append(empty)
    elif found.interval is None:
        notes += found.notes
    return Rate(
        name=name,
        value=tally.mean,
        interval=found.interval,
        n=tally.n,
        note="; ".join(notes) or None,
    )
