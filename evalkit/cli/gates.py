"""``compare --gate``: turn a comparison into an exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.results import Comparison

__all__ = ["GateOutcome", "apply_gate", "with_bare_gate"]

NAMES = ("better", "not-worse")
_PREFIX = "non-inferior:"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """Whether every comparison passed.

    Attributes
    ----------
    rule : str
        The gate, in words.
    passed : bool
        An undefined comparison does not pass.
    reasons : tuple of str
        One for each comparison that failed.
    """

    rule: str
    passed: bool
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {"rule": self.rule, "passed": self.passed, "reasons": list(self.reasons)}


def _margin(name: str) -> float | None:
    """Margin of the gate; ``None`` for the gates without one."""
    if name in NAMES:
        return None
    try:
        margin = float(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else -1.0
    except ValueError:
        margin = -1.0
    if not 0 <= margin < float("inf"):
        raise ArgumentError(
            f"`gate` is {name!r}; it must be {', '.join(NAMES)} or non-inferior:MARGIN, "
            "as non-inferior:0.02"
        )
    return margin


def _failure(name: str, margin: float | None, found: Comparison) -> str | None:
    """Why a comparison does not pass; ``None`` if it does."""
    if found.interval is None or found.difference is None:
        return f"undefined ({found.note})"
    low, high = found.interval.low, found.interval.high
    if name == "better" and low <= 0:
        return f"the interval [{low:.4f}, {high:.4f}] does not lie above 0"
    if name == "not-worse" and high < 0:
        return f"the interval [{low:.4f}, {high:.4f}] lies below 0"
    if margin is not None and low <= -margin:
        return f"the interval [{low:.4f}, {high:.4f}] does not lie above -{margin:g}"
    return None


def apply_gate(name: str, results: Iterable[Comparison]) -> GateOutcome:
    """Decide a gate on the intervals that were printed.

    Parameters
    ----------
    name : str
        ``better``: the interval lies above 0; ``not-worse``: it does not lie below 0;
        ``non-inferior:MARGIN``: it lies above -MARGIN.
    results : iterable of Comparison
        Every one has to pass.

    Returns
    -------
    GateOutcome

    Raises
    ------
    ArgumentError
        If there is no such gate.
    """
    margin = _margin(name)
    reasons = []
    for found in results:
        reason = _failure(name, margin, found)
        if reason is not None:
            group = ", ".join(f"{k} {v}" for k, v in found.by.items())
            reasons.append(f"{group}: {reason}" if group else reason)
    return GateOutcome(rule=name, passed=not reasons, reasons=tuple(reasons))


def with_bare_gate(arguments: list[str]) -> list[str]:
    """Read ``--gate`` without a value as ``--gate better``."""
    out: list[str] = []
    for index, word in enumerate(arguments):
        out.append(word)
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        known = following in NAMES or following.startswith(_PREFIX)
        if word == "--gate" and not known and (not following or following.startswith("-")):
            out.append(NAMES[0])
    return out
