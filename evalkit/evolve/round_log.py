"""What one round wrote: records, history rows, events and artifacts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

__all__ = ["RoundLog"]


@dataclass(slots=True, kw_only=True)
class RoundLog:
    """Everything that a round adds to the run folder, committed at once.

    Attributes
    ----------
    round : int
        Number of the round; round 0 evaluates the initial components.
    records : list of dict
        Verdicts in the canonical columns of `evalkit.records`, plus ``round``, ``split`` and
        ``artifact``.
    history : list of dict
        Rows of `evalkit.trajectory`: ``round``, ``score``, ``artifact``, ``changed``,
        ``decision`` and labels.
    events : list of dict
        Decisions, each with ``kind``.
    artifacts : dict of str to str
        SHA-256 -> text.
    """

    round: int
    records: list[dict[str, Any]] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)

    def event(self, kind: str, /, **facts: Any) -> None:
        """Add one decision."""
        self.events.append({"kind": kind, "round": self.round, **facts})

    def artifact(self, text: str, /) -> str:
        """Keep a text; return its SHA-256."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.artifacts[digest] = text
        return digest
