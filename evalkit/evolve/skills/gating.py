"""Gates by name, on two validated skills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evalkit.errors import ArgumentError
from evalkit.trajectories.gates import Gate
from evalkit.trajectories.paired_gates import (
    PairedGate,
    lower_bound,
    sign_test,
    standard_errors,
)
from evalkit.trajectories.scores import compare_scores
from evalkit.trajectories.trajectory import gate_by_name

__all__ = ["NAMES", "GateRule", "Scored", "accepts", "parse_gate", "wins_and_losses"]

NAMES = "strict, non-decreasing, dead-band:WIDTH[:best], k-se:K, lower-bound[:LEVEL], sign-test[:P]"
"""Gates that a configuration can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """A gate, before the number of validation items is known.

    Attributes
    ----------
    kind : {"scores", "k-se", "lower-bound", "sign-test"}
        ``scores`` decides on means alone, the others on wins and losses over the same items.
    name : str
        As it was asked for.
    value : float
        Its parameter; unused for ``scores``.
    """

    kind: Literal["scores", "k-se", "lower-bound", "sign-test"]
    name: str
    value: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What a gate reads of a validated skill.

    Attributes
    ----------
    score : float
        Mean over the items that have one.
    items : mapping of str to float
        Score of each item.
    """

    score: float
    items: Mapping[str, float]


def parse_gate(name: str) -> GateRule:
    """Return the gate of a name.

    Raises
    ------
    ArgumentError
        If there is none, or its parameter is out of range.

    Examples
    --------
    >>> parse_gate("k-se:1").kind, parse_gate("dead-band:0.02").kind
    ('k-se', 'scores')
    """
    kind, _, rest = name.partition(":")
    defaults = {"k-se": "1", "lower-bound": "0.95", "sign-test": "0.05"}
    if kind in defaults:
        try:
            value = float(rest or defaults[kind])
        except ValueError:
            raise ArgumentError(f"`gate` is {name!r}; it must be one of {NAMES}") from None
        rule = GateRule(kind=kind, name=name, value=value)  # type: ignore[arg-type]
        _paired(rule, 1)
        return rule
    try:
        gate_by_name(name)
    except ArgumentError:
        raise ArgumentError(f"`gate` is {name!r}; it must be one of {NAMES}") from None
    return GateRule(kind="scores", name=name)


def _paired(rule: GateRule, n: int) -> PairedGate:
    if rule.kind == "k-se":
        return standard_errors(rule.value, n=n)
    if rule.kind == "lower-bound":
        return lower_bound(n=n, level=rule.value)
    return sign_test(rule.value, n=n)


def wins_and_losses(candidate: Scored, incumbent: Scored) -> tuple[int, int, int]:
    """Count items that the candidate scores higher and lower, among those that both have."""
    shared = sorted(candidate.items.keys() & incumbent.items.keys())
    signs = [compare_scores(candidate.items[i], incumbent.items[i]) for i in shared]
    return signs.count(1), signs.count(-1), len(shared)


def accepts(rule: GateRule, candidate: Scored, incumbent: Scored, best: Scored) -> bool:
    """Whether the candidate becomes the next incumbent.

    Parameters
    ----------
    rule : GateRule
        The gate.
    candidate, incumbent, best : Scored
        Validated skills.

    Returns
    -------
    bool

    Examples
    --------
    >>> old = Scored(score=0.5, items={"a": 0.0, "b": 1.0})
    >>> new = Scored(score=1.0, items={"a": 1.0, "b": 1.0})
    >>> [accepts(parse_gate(name), new, old, old) for name in ("strict", "sign-test")]
    [True, False]
    """
    if rule.kind == "scores":
        gate: Gate = gate_by_name(rule.name)
        return gate(candidate.score, incumbent.score, best.score)
    wins, losses, n = wins_and_losses(candidate, incumbent)
    return n > 0 and _paired(rule, n).accepts(wins, losses, n)
