"""The score of RewardBench 2 on its Ties subset: several right answers beside wrong ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.records.importers.tables import mean

__all__ = ["TiesItem", "TiesScore", "ties_score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TiesItem:
    """The scores of one prompt, right answers first.

    Attributes
    ----------
    right, wrong : tuple of float
        Scores of the right and the wrong answers; neither is empty.
    """

    right: tuple[float, ...]
    wrong: tuple[float, ...]

    @property
    def margin(self) -> float:
        """Worst right minus best wrong answer."""
        return min(self.right) - max(self.wrong)

    @property
    def spread(self) -> float | None:
        """Best minus worst right answer; ``None`` with one right answer."""
        return max(self.right) - min(self.right) if len(self.right) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TiesScore:
    """The Ties score and its five parts; ``None`` where a part has no prompts.

    Attributes
    ----------
    tied_accuracy, reference_accuracy : float or None
        Share of prompts of each kind whose right answers all outscore the wrong ones.
    preferred, preferred_hard : float or None
        Share of prompts whose margin exceeds the spread of the right answers; the hard form takes
        the smaller of the two margins, of the tied prompt and its reference.
    margin : float or None
        Mean hyperbolic tangent of (smaller margin / spread - 1).
    score : float or None
        ``.3 tied + .3 reference + .2 preferred + .2 hard + .01 margin``.
    prompts : int
        Prompts that have both kinds.
    """

    tied_accuracy: float | None
    reference_accuracy: float | None
    preferred: float | None
    preferred_hard: float | None
    margin: float | None
    score: float | None
    prompts: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "tied_accuracy": self.tied_accuracy,
            "reference_accuracy": self.reference_accuracy,
            "preferred": self.preferred,
            "preferred_hard": self.preferred_hard,
            "margin": self.margin,
            "score": self.score,
            "prompts": self.prompts,
        }


def _tanh(margin: float, spread: float) -> float:
    """Return tanh(margin / spread - 1); its limit without spread, 0 where that is undefined."""
    if spread:
        return math.tanh(margin / spread - 1)
    return 0.0 if not margin else math.copysign(1.0, margin)


def ties_score(reference: Mapping[str, TiesItem], tied: Mapping[str, TiesItem]) -> TiesScore:
    """Return the Ties score.

    Parameters
    ----------
    reference, tied : mapping of str to TiesItem
        By prompt: the form with one right answer (ids ``ref:N``), and with several (``tied:N``).

    Returns
    -------
    TiesScore

    Notes
    -----
    A tied prompt with one right answer has no spread and does not enter the last three parts.

    Examples
    --------
    >>> one = {"0": TiesItem(right=(3.0,), wrong=(1.0,))}
    >>> several = {"0": TiesItem(right=(3.0, 2.5), wrong=(1.0,))}
    >>> round(ties_score(one, several).score, 6)
    1.00964
    """
    both: Sequence[tuple[TiesItem, TiesItem, float]] = [
        (reference[key], tied[key], spread)
        for key in tied
        if key in reference and (spread := tied[key].spread) is not None
    ]
    parts = (
        mean(float(item.margin > 0) for item in tied.values()),
        mean(float(item.margin > 0) for item in reference.values()),
        mean(float(several.margin > spread) for _, several, spread in both),
        mean(float(min(one.margin, several.margin) > spread) for one, several, spread in both),
        mean(_tanh(min(one.margin, several.margin), spread) for one, several, spread in both),
    )
    known = [part for part in parts if part is not None]
    weights = (0.3, 0.3, 0.2, 0.2, 0.01)
    whole = len(known) == len(parts)
    return TiesScore(
        tied_accuracy=parts[0],
        reference_accuracy=parts[1],
        preferred=parts[2],
        preferred_hard=parts[3],
        margin=parts[4],
        score=math.fsum(w * p for w, p in zip(weights, known, strict=True)) if whole else None,
        prompts=len(both),
    )
