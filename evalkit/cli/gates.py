"""``compare --gate``: turn a comparison into an exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evalkit._checks import check_one_sided_level
from evalkit.errors import ArgumentError
from evalkit.results import Comparison, Range

__all__ = ["GateOutcome", "apply_gate", "gate_level", "with_bare_gate"]

NAMES = ("better", "not-worse")
NON_INFERIOR, EQUIVALENT = "non-inferior:", "equivalent:"


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
    intervals : tuple of Comparison
        What was decided on, where that is not what is printed: ``equivalent:MARGIN``.
    """

    rule: str
    passed: bool
    reasons: tuple[str, ...]
    intervals: tuple[Comparison, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        out: dict[str, Any] = {
            "rule": self.rule,
            "passed": self.passed,
            "reasons": list(self.reasons),
        }
        if self.intervals:
            names = ("by", "low", "high", "level", "method")
            rows = [found.to_dict() for found in self.intervals]
            out["intervals"] = [{name: row[name] for name in names} for row in rows]
        return out

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided on, in words."""
        return tuple(
            f"gate {self.rule} reads the {found.interval.level:.4g} interval "
            f"[{found.interval.low:.4f}, {found.interval.high:.4f}]"
            for found in self.intervals
            if found.interval is not None
        )


def _margin(name: str, bounds: Range | None) -> float | None:
    """Margin of the gate; ``None`` for the gates without one."""
    if name in NAMES:
        return None
    prefix = next((p for p in (NON_INFERIOR, EQUIVALENT) if name.startswith(p)), None)
    try:
        margin = -1.0 if prefix is None else float(name.removeprefix(prefix))
    except ValueError:
        margin = -1.0
    if not 0 <= margin < float("inf") or (prefix == EQUIVALENT and margin == 0):
        raise ArgumentError(
            f"`gate` is {name!r}; it must be {', '.join(NAMES)}, non-inferior:MARGIN or "
            "equivalent:MARGIN, as non-inferior:0.02; a margin is a number, above 0 for equivalent"
        )
    if bounds is not None and margin >= bounds[1] - bounds[0]:
        raise ArgumentError(
            f"`gate` is {name!r} and no difference can exceed {bounds[1] - bounds[0]:g}, the width "
            "of the range, so every result would pass; choose a smaller margin"
        )
    return margin


def gate_level(name: str, level: float) -> float:
    """Return the level of the interval that a gate reads: two one-sided tests read 1 - 2α.

    Examples
    --------
    >>> round(gate_level("equivalent:0.05", 0.95), 10), gate_level("better", 0.95)
    (0.9, 0.95)
    """
    if not name.startswith(EQUIVALENT):
        return level
    check_one_sided_level(level)
    return 2 * level - 1


def _failure(name: str, margin: float | None, found: Comparison) -> str | None:
    """Why a comparison does not pass; ``None`` if it does."""
    if found.interval is None or found.difference is None:
        return f"undefined ({found.note})"
    low, high = found.interval.low, found.interval.high
    if name == "better" and low <= 0:
        return f"the interval [{low:.4f}, {high:.4f}] does not lie above 0"
    if name == "not-worse" and high < 0:
        return f"the interval [{low:.4f}, {high:.4f}] lies below 0"
    if name.startswith(EQUIVALENT) and margin is not None:
        if not (-margin < low and high < margin):
            return f"[{low:.4f}, {high:.4f}] does not lie within -{margin:g}..{margin:g}"
        return None
    if margin is not None and low <= -margin:
        return f"the interval [{low:.4f}, {high:.4f}] does not lie above -{margin:g}"
    return None


def apply_gate(
    name: str, results: Iterable[Comparison], *, score_range: Range | None = None
) -> GateOutcome:
    """Decide a gate on intervals at its level (:func:`gate_level`).

    Parameters
    ----------
    name : str
        ``better``: the interval lies above 0; ``not-worse``: it does not lie below 0;
        ``non-inferior:MARGIN``: it lies above -MARGIN; ``equivalent:MARGIN``: the interval at
        level 1 - 2α lies within -MARGIN..MARGIN, which is two one-sided tests of size α.
    results : iterable of Comparison
        Every one has to pass.
    score_range : (float, float), optional
        Range of the scores, which a margin has to be narrower than.

    Returns
    -------
    GateOutcome

    Raises
    ------
    ArgumentError
        If there is no such gate, or every result would pass it.
    """
    margin = _margin(name, score_range)
    found_all = tuple(results)
    reasons = []
    for found in found_all:
        reason = _failure(name, margin, found)
        if reason is not None:
            group = ", ".join(f"{k} {v}" for k, v in found.by.items())
            reasons.append(f"{group}: {reason}" if group else reason)
    return GateOutcome(
        rule=name,
        passed=not reasons,
        reasons=tuple(reasons),
        intervals=found_all if name.startswith(EQUIVALENT) else (),
    )


def with_bare_gate(arguments: list[str]) -> list[str]:
    """Read ``--gate`` without a value as ``--gate better``."""
    out: list[str] = []
    for index, word in enumerate(arguments):
        out.append(word)
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        known = following in NAMES or following.startswith((NON_INFERIOR, EQUIVALENT))
        if word == "--gate" and not known and (not following or following.startswith("-")):
            out.append(NAMES[0])
    return out
