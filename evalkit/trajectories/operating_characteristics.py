"""How often a gate accepts a better, an equal and a worse candidate: exact, without simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.results import json_value
from evalkit.trajectories.gates import Gate
from evalkit.trajectories.operating_laws import (
    PairedCells,
    acceptance,
    cells_from_correlation,
    cells_from_discordance,
)
from evalkit.trajectories.operating_runs import (
    EffectPrior,
    RunCharacteristics,
    run_characteristics,
)

__all__ = ["OperatingCharacteristics", "operating_characteristics"]

_PRIOR = EffectPrior(better=0.2, equal=0.5, worse=0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingCharacteristics:
    """What a gate does at one number of items.

    Attributes
    ----------
    gate : str
        Name of the gate.
    n : int
        Validation items.
    base : float
        True rate of the incumbent.
    effect : float
        True gain of the better candidate, and loss of the worse one.
    discordance : float
        Share of items on which the incumbent and an equally good candidate differ.
    correlation : float
        Correlation of their two outcomes on an item.
    better, equal, worse : float
        Chance that the gate accepts each of the three candidates.
    run : RunCharacteristics
        A run of several rounds.
    """

    gate: str
    n: int
    base: float
    effect: float
    discordance: float
    correlation: float
    better: float
    equal: float
    worse: float
    run: RunCharacteristics

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "gate": self.gate,
            "n": self.n,
            "base": self.base,
            "effect": self.effect,
            "discordance": json_value(self.discordance),
            "correlation": json_value(self.correlation),
            "better": self.better,
            "equal": self.equal,
            "worse": self.worse,
            "run": self.run.to_dict(),
        }


def operating_characteristics(
    gate: Gate,
    *,
    n: int,
    base: float,
    effect: float,
    discordance: float | None = None,
    correlation: float | None = None,
    rounds: int = 1,
    prior: EffectPrior = _PRIOR,
) -> OperatingCharacteristics:
    """Work out how well a gate on n items tells candidates apart.

    Parameters
    ----------
    gate : Gate
        Any gate of :mod:`evalkit.trajectories`.
    n : int
        Validation items with 0/1 outcomes.
    base : float
        True rate of the incumbent, strictly between 0 and 1.
    effect : float
        True gain of the better candidate and loss of the worse one, above 0.
    discordance : float, optional
        Share of items on which incumbent and candidate differ, whichever the candidate.
    correlation : float, optional
        Correlation of their outcomes on an item, at least 0 and below 1; an alternative to
        `discordance`. Without either the two evaluations are independent, which is the case
        where a gate sees least.
    rounds : int
        Rounds of the run.
    prior : EffectPrior
        How often candidates of the run are better, equal and worse by `effect`.

    Returns
    -------
    OperatingCharacteristics
        Exact up to floating point.

    Raises
    ------
    ArgumentError
        If a setting is out of range, or rates and discordance do not go together.

    Notes
    -----
    *One decision.* Wins, losses and agreements over n items are multinomial; every count is
    enumerated and the gate is asked. The incumbent is evaluated once, and is the best so far.

    *A run.* The items stay the same, so that part of the luck of an evaluation repeats.
    ``n (1 - correlation)`` of the items are open: each evaluation of them succeeds or fails anew,
    at the artifact's true rate; the others are settled. Two evaluations of one artifact then have
    the stated correlation. The scores of incumbent and best are stored, not drawn again. A
    candidate revises the incumbent and is better or worse by `effect`, as far as the open items
    leave room. A new best is an accepted candidate that scores above the best so far. The law of
    (true rate and count of the incumbent, count of the best) is carried through the rounds. A
    gate whose ``reference`` is ``"best"`` is asked about the best, any other about the incumbent.
    An acceptance or a new best is noise when the candidate is not truly better than the incumbent
    that it revises. The tax refers to the same items; how far those represent all items is
    another matter, which an interval answers. Time and memory of a run grow with the third power
    of the open items: a second at n = 200, some ten at n = 400 and ten rounds.

    Examples
    --------
    >>> from evalkit.trajectories import strict
    >>> found = operating_characteristics(strict(), n=39, base=0.75, effect=0.05, rounds=10)
    >>> round(found.equal, 3), round(found.run.any_noise_new_best, 3)
    (0.448, 0.741)
    """
    _check(n=n, base=base, effect=effect, rounds=rounds)
    if discordance is not None and correlation is not None:
        raise ArgumentError("`discordance` and `correlation` exclude each other; give one")
    if discordance is not None:
        shared = 1 - discordance / (2 * base * (1 - base))
        cells = [cells_from_discordance(base, d, discordance) for d in (effect, 0.0, -effect)]
    else:
        shared = 0.0 if correlation is None else correlation
        cells = [cells_from_correlation(base, d, shared) for d in (effect, 0.0, -effect)]
    if not -1e-9 <= shared < 1:
        raise ArgumentError(
            f"the correlation is {shared:g}; it must be at least 0 and below 1, which is a "
            f"`discordance` above 0 and of at most {2 * base * (1 - base):g}"
        )
    shared = max(0.0, shared)
    better, equal, worse = (acceptance(gate, n, found) for found in cells)
    return OperatingCharacteristics(
        gate=gate.name,
        n=n,
        base=base,
        effect=effect,
        discordance=_equal_cells(cells).discordance,
        correlation=shared,
        better=better,
        equal=equal,
        worse=worse,
        run=run_characteristics(
            gate,
            n=n,
            base=base,
            effect=effect,
            correlation=shared,
            rounds=rounds,
            prior=prior,
        ),
    )


def _equal_cells(cells: list[PairedCells]) -> PairedCells:
    return cells[1]


def _check(*, n: int, base: float, effect: float, rounds: int) -> None:
    if isinstance(n, bool) or n < 1:
        raise ArgumentError(f"`n` is {n!r}; it must be the number of items, 1 or more")
    if not 0 < base < 1:
        raise ArgumentError(f"`base` is {base!r}; it must lie strictly between 0 and 1")
    if not 0 < effect <= min(base, 1 - base):
        raise ArgumentError(
            f"`effect` is {effect!r}; it must be above 0 and at most {min(base, 1 - base):g}, "
            "so that both the better and the worse candidate have a rate"
        )
    if isinstance(rounds, bool) or rounds < 1:
        raise ArgumentError(f"`rounds` is {rounds!r}; it must be 1 or more")
