"""Times of runs on one clock, whatever mixture of offsets they were written with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from evalkit.errors import ArgumentError

__all__ = ["TimeOrder", "order_by_time"]

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOrder:
    """Runs by time.

    Attributes
    ----------
    names : tuple of str
        From the earliest to the latest; equal times in the order given.
    instants : tuple of datetime
        Their times, in UTC.
    notes : tuple of str
        Which times have no offset and were read as UTC.
    """

    names: tuple[str, ...]
    instants: tuple[datetime, ...]
    notes: tuple[str, ...] = ()

    @property
    def latest(self) -> str:
        """Name of the latest run."""
        return self.names[-1]


def order_by_time(stamps: Mapping[str, str]) -> TimeOrder:
    """Order runs by their timestamps.

    Parameters
    ----------
    stamps : mapping of str to str
        Name of the run -> time in ISO 8601, with an offset, ``Z`` or neither.

    Returns
    -------
    TimeOrder

    Raises
    ------
    ArgumentError
        There are no runs, or a text is no time.

    Notes
    -----
    A time without an offset is read as UTC, and a note says so. A date is its midnight.

    Examples
    --------
    >>> found = order_by_time({"a": "2031-03-01T10:00:00", "b": "2031-03-01T12:30:00+03:00"})
    >>> found.latest, len(found.notes)
    ('a', 1)
    """
    if not stamps:
        raise ArgumentError("`stamps` is empty; give at least one run")
    instants: dict[str, datetime] = {}
    bare: list[str] = []
    for name, text in stamps.items():
        try:
            moment = datetime.fromisoformat(text.strip().upper())  # "z" and "t" are allowed too
            instant = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
            instants[name] = instant.astimezone(UTC)
        except (ValueError, AttributeError, OverflowError):
            raise ArgumentError(
                f"`stamps` gives {name!r} the time {text!r}; write it in ISO 8601, like "
                "2031-03-01T10:00:00Z"
            ) from None
        if moment.tzinfo is None:
            bare.append(name)
    names = sorted(instants, key=instants.__getitem__)
    notes: tuple[str, ...] = ()
    if bare:
        named = ", ".join(bare[:_NAMED]) + (", ..." if len(bare) > _NAMED else "")
        notes = (f"{len(bare)} times have no offset and are read as UTC: {named}",)
    return TimeOrder(
        names=tuple(names), instants=tuple(instants[name] for name in names), notes=notes
    )
