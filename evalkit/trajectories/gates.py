"""Gates: whether a candidate becomes the incumbent of the next round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

from evalkit.errors import ArgumentError
from evalkit.trajectories.scores import Score, compare_scores

__all__ = [
    "DeadBand",
    "Gate",
    "NonDecreasing",
    "Reference",
    "Strict",
    "dead_band",
    "non_decreasing",
    "strict",
]

Reference = Literal["incumbent", "best"]


class Gate(Protocol):
    """One call that decides whether a candidate becomes the next incumbent."""

    @property
    def name(self) -> str:
        """Name of the gate, with its settings."""
        ...

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:
        """Return whether the candidate with this validation score is accepted.

        Parameters
        ----------
        candidate, incumbent, best : float or Fraction
            Validation scores of the candidate, of the artifact it started from, and of the
            best artifact so far.

        Returns
        -------
        bool
            Whether the candidate becomes the next incumbent.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """Accept a candidate that scores above the incumbent."""

    name: str = "strict"

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:  # noqa: ARG002
        """Return whether the candidate scores above the incumbent."""
        return compare_scores(candidate, incumbent) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NonDecreasing:
    """Accept a candidate that does not score below the incumbent."""

    name: str = "non-decreasing"

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:  # noqa: ARG002
        """Return whether the candidate scores at least what the incumbent scores."""
        return compare_scores(candidate, incumbent) >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadBand:
    """Accept a candidate that scores above a reference less a width.

    Attributes
    ----------
    width : float or Fraction
        How far below the reference a candidate may fall, exclusive; on the scale of the scores.
    reference : {"incumbent", "best"}
        Score that the candidate is held against.
    name : str
        Printed name.
    """

    width: Score
    reference: Reference
    name: str

    def __call__(self, candidate: Score, incumbent: Score, best: Score) -> bool:
        """Return whether the candidate scores above the reference less the width."""
        held_against = incumbent if self.reference == "incumbent" else best
        return compare_scores(candidate, held_against - self.width) > 0


def strict() -> Strict:
    """Return the gate that asks for an improvement over the incumbent.

    Returns
    -------
    Strict

    Examples
    --------
    >>> gate = strict()
    >>> gate(0.5, 0.5, 0.5), gate(0.6, 0.5, 0.5)
    (False, True)
    """
    return Strict()


def non_decreasing() -> NonDecreasing:
    """Return the gate that asks for no decrease against the incumbent.

    Returns
    -------
    NonDecreasing

    Examples
    --------
    >>> gate = non_decreasing()
    >>> gate(0.5, 0.5, 0.6), gate(0.4, 0.5, 0.6)
    (True, False)
    """
    return NonDecreasing()


def dead_band(width: Score, *, reference: Reference = "incumbent") -> DeadBand:
    """Return the gate that tolerates a drop smaller than a width.

    Parameters
    ----------
    width : float or Fraction
        Tolerated drop on the scale of the scores (0.02 for fractions is 2 for percentages).
        A drop of exactly `width` is refused, so a width of 0 is the strict gate.
    reference : {"incumbent", "best"}
        Score that the candidate is held against.

    Returns
    -------
    DeadBand

    Raises
    ------
    ArgumentError
        If `width` is negative or not finite, or `reference` is unknown.

    Examples
    --------
    >>> gate = dead_band(0.02, reference="best")
    >>> gate(0.79, 0.79, 0.81), gate(0.795, 0.79, 0.81)
    (False, True)
    """
    if isinstance(width, bool) or not math.isfinite(width) or width < 0:
        raise ArgumentError(f"`width` is {width!r}; it must be a finite number of at least 0")
    if reference not in {"incumbent", "best"}:
        raise ArgumentError(f"`reference` is {reference!r}; it must be 'incumbent' or 'best'")
    return DeadBand(
        width=width, reference=reference, name=f"dead band {float(width):g} below {reference}"
    )
