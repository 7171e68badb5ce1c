"""Evaluation ledger: what a search spent, step by step, and what it got for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from evalkit.errors import ArgumentError, InputError
from evalkit.trajectories.scores import Score, check_score, compare_scores

__all__ = ["EvaluationLedger", "LedgerStep", "evaluation_ledger"]

_KINDS = ("seed", "proposal")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerStep:
    """One step of a search.

    Attributes
    ----------
    step : int
        Number of the step.
    kind : {"seed", "proposal"}
        What it evaluated.
    evaluations : int
        Evaluations spent in the step.
    cumulative : int
        Evaluations spent so far.
    accepted : bool or None
        Whether the proposal was accepted; ``None`` for a seed.
    fully_validated : bool
        Whether the validation set was evaluated.
    best : float, Fraction or None
        Best validation score so far, over the seed and the accepted proposals.
    """

    step: int
    kind: str
    evaluations: int
    cumulative: int
    accepted: bool | None
    fully_validated: bool
    best: Score | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "step": self.step,
            "kind": self.kind,
            "evaluations": self.evaluations,
            "cumulative": self.cumulative,
            "accepted": self.accepted,
            "fully_validated": self.fully_validated,
            "best": None if self.best is None else float(self.best),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationLedger:
    """Evaluations of a search.

    Attributes
    ----------
    steps : tuple of LedgerStep
        In order.
    total : int
        Evaluations spent, each counted once.
    proposals, accepted : int
        Proposals, and those accepted.
    full_validations : int
        Proposals whose validation set was evaluated; the seed's is not among them.
    too_few_proposals : bool
        Whether there were fewer proposals than `min_proposals`.
    min_proposals : int
        The setting.
    note : str or None
        Names a search with too few proposals.
    """

    steps: tuple[LedgerStep, ...]
    total: int
    proposals: int
    accepted: int
    full_validations: int
    too_few_proposals: bool
    min_proposals: int
    note: str | None = None

    @property
    def cumulative(self) -> tuple[int, ...]:
        """Evaluations spent up to and including each step."""
        return tuple(step.cumulative for step in self.steps)

    @property
    def best(self) -> tuple[Score | None, ...]:
        """Best validation score after each step."""
        return tuple(step.best for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "total": self.total,
            "cumulative": list(self.cumulative),
            "best": [None if best is None else float(best) for best in self.best],
            "proposals": self.proposals,
            "accepted": self.accepted,
            "full_validations": self.full_validations,
            "too_few_proposals": self.too_few_proposals,
            "min_proposals": self.min_proposals,
            "steps": [step.to_dict() for step in self.steps],
            "note": self.note,
        }


def evaluation_ledger(
    steps: Iterable[Mapping[str, object]], *, min_proposals: int = 3
) -> EvaluationLedger:
    """Add up the evaluations of a search.

    Parameters
    ----------
    steps : iterable of mappings
        Each with ``step`` (increasing), ``kind`` (``seed`` or ``proposal``), ``evals``
        (evaluations by panel: ``val`` is the full validation set), for a proposal ``accepted``,
        and ``val``, the validation score, where the set was evaluated.
    min_proposals : int
        A search with fewer proposals is named as such.

    Returns
    -------
    EvaluationLedger

    Raises
    ------
    ArgumentError
        If `min_proposals` is negative.
    InputError
        If a step cannot be read, naming it.

    Notes
    -----
    The evaluations of a step are the sum over its panels and nothing else, so the mini-batch of
    a child is counted once even when the child goes on to full validation.

    Examples
    --------
    >>> ledger = evaluation_ledger(
    ...     [
    ...         {"step": 0, "kind": "seed", "evals": {"val": 20}, "val": 0.5},
    ...         {"step": 1, "kind": "proposal", "evals": {"mini": 6}, "accepted": False},
    ...     ]
    ... )
    >>> ledger.cumulative, ledger.proposals, ledger.too_few_proposals
    ((20, 26), 1, True)
    """
    if min_proposals < 0:
        raise ArgumentError(f"`min_proposals` is {min_proposals}; it must be at least 0")
    read: list[LedgerStep] = []
    for row in steps:
        read.append(_step(row, read[-1] if read else None))
    offered = [step for step in read if step.kind == "proposal"]
    few = len(offered) < min_proposals
    return EvaluationLedger(
        steps=tuple(read),
        total=read[-1].cumulative if read else 0,
        proposals=len(offered),
        accepted=sum(step.accepted is True for step in offered),
        full_validations=sum(step.fully_validated for step in offered),
        too_few_proposals=few,
        min_proposals=min_proposals,
        note=(
            f"only {len(offered)} proposal{'' if len(offered) == 1 else 's'}, fewer than "
            f"{min_proposals}: the budget allowed no real search"
            if few
            else None
        ),
    )


def _step(row: Mapping[str, object], before: LedgerStep | None) -> LedgerStep:
    if not isinstance(row, Mapping):
        raise InputError(f"a step is {row!r}; it must be an object with step, kind and evals")
    number = row.get("step")
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError(f"`step` is {number!r}; it must be an integer")
    if before is not None and number <= before.step:
        raise InputError(f"step {number} follows step {before.step}; steps must increase strictly")
    kind = row.get("kind")
    if kind not in _KINDS:
        raise InputError(f"step {number}: `kind` is {kind!r}; it must be 'seed' or 'proposal'")
    accepted = row.get("accepted")
    if kind == "proposal" and not isinstance(accepted, bool):
        raise InputError(f"step {number}: `accepted` is {accepted!r}; it must be true or false")
    counts = _evaluations(row.get("evals"), number)
    spent = sum(counts.values())
    validated = counts.get("val", 0) > 0
    return LedgerStep(
        step=number,
        kind=str(kind),
        evaluations=spent,
        cumulative=spent + (0 if before is None else before.cumulative),
        accepted=accepted if kind == "proposal" and isinstance(accepted, bool) else None,
        fully_validated=validated,
        best=_best(
            row.get("val") if kind == "seed" or accepted is True else None,
            validated=validated,
            before=None if before is None else before.best,
            number=number,
        ),
    )


def _evaluations(value: object, number: int) -> dict[str, int]:
    if not isinstance(value, Mapping):
        raise InputError(
            f"step {number}: `evals` is {value!r}; it must map panels to counts of evaluations"
        )
    for panel, count in value.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InputError(
                f"step {number}: `evals` has {count!r} for {panel!r}; it must be a count"
            )
    return cast("dict[str, int]", dict(value))


def _best(value: object, *, validated: bool, before: Score | None, number: int) -> Score | None:
    if value is None:
        return before
    score = cast("Score", value)
    try:
        check_score(score, name="`val`")
    except ArgumentError as error:
        raise InputError(f"step {number}: {error}") from error
    if not validated:
        raise InputError(
            f"step {number} has a validation score and no evaluations under `val`; "
            "count what was spent on it"
        )
    return score if before is None or compare_scores(score, before) > 0 else before
