"""What a verifier says of one output: passed, failed, graded, or abstained with the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.results import json_value

__all__ = ["Verdict", "abstain", "decided"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one output.

    Attributes
    ----------
    passed : bool or None
        Success; ``None`` where the verifier abstained or only grades.
    score : float or None
        Credit between 0 and 1; ``None`` exactly where the verifier abstained.
    reason : str
        Why, in a few words.
    abstained : bool
        The verdict is undefined: there was nothing to compare, or no way to read it.
    detail : mapping
        What was compared, by name.

    Examples
    --------
    >>> Verdict(passed=True, score=1.0, reason="equal").to_dict()["abstained"]
    False
    """

    passed: bool | None
    score: float | None
    reason: str
    abstained: bool = False
    detail: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        if self.abstained and (self.passed is not None or self.score is not None):
            raise ArgumentError("a verdict that abstains has neither `passed` nor `score`")
        if not self.abstained and (self.score is None or not math.isfinite(self.score)):
            raise ArgumentError(
                f"`score` is {self.score}; a verdict that does not abstain has a finite one"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "passed": self.passed,
            "score": self.score,
            "reason": self.reason,
            "abstained": self.abstained,
            "detail": json_value(self.detail),
        }


def abstain(reason: str, detail: Mapping[str, Any] | None = None) -> Verdict:
    """Return an undefined verdict with its reason.

    Examples
    --------
    >>> abstain("no output").passed is None
    True
    """
    return Verdict(passed=None, score=None, reason=reason, abstained=True, detail=detail or {})


def decided(
    passed: bool,
    reason: str,
    detail: Mapping[str, Any] | None = None,
    *,
    score: float | None = None,
) -> Verdict:
    """Return a verdict that decides; its score is 1 or 0 unless one is given.

    Examples
    --------
    >>> decided(False, "different").score
    0.0
    """
    credit = float(passed) if score is None else score
    return Verdict(passed=passed, score=credit, reason=reason, detail=detail or {})
