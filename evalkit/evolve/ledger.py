"""What a run has spent, by purpose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalkit.models.base import Usage

__all__ = ["Entry", "Ledger"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Spending for one purpose.

    Attributes
    ----------
    evaluations : int
        Executions, verdicts or proposals that were asked for, failed ones included.
    usage : Usage
        Model calls, tokens and cost.
    """

    evaluations: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Spending by purpose: ``solve/train``, ``verify/validation``, ``propose/solver``, ...

    Examples
    --------
    >>> ledger = Ledger().add("solve/train", Usage(calls=2)).add("solve/train", Usage(calls=1))
    >>> ledger.entries["solve/train"].evaluations, ledger.total.calls
    (2, 3)
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)

    def add(self, purpose: str, usage: Usage, *, evaluations: int = 1) -> Ledger:
        """Return the ledger with one more entry added up."""
        held = self.entries.get(purpose, Entry())
        entry = Entry(evaluations=held.evaluations + evaluations, usage=held.usage + usage)
        return Ledger(entries={**self.entries, purpose: entry})

    @property
    def total(self) -> Usage:
        """Everything that was spent."""
        return sum((entry.usage for entry in self.entries.values()), Usage())
