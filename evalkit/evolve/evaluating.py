"""Evaluating components: executions against the reference, verdicts against pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.environments.base import Component, Execution, Item, Pair, Verdict
from evalkit.environments.draws import Draw
from evalkit.evolve.concurrency import concurrent_map
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Parts
from evalkit.evolve.protocols import Agent
from evalkit.models.base import Usage

__all__ = [
    "Evaluation",
    "Outcome",
    "evaluate",
    "evaluate_grader",
    "evaluate_solver",
    "execute",
    "judge_all",
    "spend",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One outcome of an evaluation: an item or pair with its score.

    Attributes
    ----------
    item : str
        Id of the item or pair.
    cluster : str or None
        Outcomes of one cluster are not independent.
    score : float or None
        ``None`` exactly where the status is not ``scored``.
    status : str
        One of `evalkit.records.schema.STATUSES`.
    facts : tuple of (str, value)
        Further columns.
    """

    item: str
    cluster: str | None
    score: float | None
    status: str
    facts: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One component on one split.

    Attributes
    ----------
    agent : {"solver", "grader"}
        Whose component.
    artifact : str
        SHA-256 of the component.
    split : str
        The split.
    outcomes : tuple of Outcome
        One an item, or pair.
    """

    agent: Agent
    artifact: str
    split: str
    outcomes: tuple[Outcome, ...]

    @property
    def scores(self) -> tuple[float, ...]:
        """Scores of the outcomes that have one."""
        return tuple(o.score for o in self.outcomes if o.score is not None)

    @property
    def score(self) -> float | None:
        """Mean score; ``None`` if nothing is scored. Errors are left out, not counted as 0."""
        scores = self.scores
        return math.fsum(scores) / len(scores) if scores else None

    def facts(self) -> dict[str, Any]:
        """Return what an event says of it."""
        scores = self.scores
        binary = all(score in {0.0, 1.0} for score in scores)
        return {
            "agent": self.agent,
            "artifact": self.artifact,
            "split": self.split,
            "score": self.score,
            "scored": len(scores),
            "attempted": len(self.outcomes),
            "successes": int(sum(scores)) if binary else None,
        }


def spend(ledger: Ledger, purpose: str, usages: Sequence[Usage]) -> Ledger:
    """Add one evaluation for each usage."""
    if not usages:
        return ledger
    return ledger.add(purpose, sum(usages, Usage()), evaluations=len(usages))


def execute(
    parts: Parts, component: Component, items: Sequence[Item], *, draw: Draw
) -> list[Execution]:
    """Run a solver on items."""
    return concurrent_map(
        lambda item: parts.environment.solve(component, item, draw=draw.child("solve", item.id)),
        items,
        workers=parts.workers,
    )


def judge_all(
    parts: Parts,
    component: Component,
    work: Sequence[tuple[str, Item, Execution]],
    *,
    draw: Draw,
) -> list[Verdict]:
    """Judge named executions; one without an outcome is not shown to the grader."""

    def one(entry: tuple[str, Item, Execution]) -> Verdict:
        name, item, execution = entry
        if execution.status != "ok":
            return Verdict(score=None, status=execution.status, critique=execution.error or "")
        return parts.environment.judge(component, item, execution, draw=draw.child("judge", name))

    return concurrent_map(one, work, workers=parts.workers)


def evaluate(
    parts: Parts, agent: Agent, component: Component, ledger: Ledger, *, split: str, draw: Draw
) -> tuple[Evaluation, Ledger]:
    """Evaluate the component of either agent on a split."""
    run = evaluate_solver if agent == "solver" else evaluate_grader
    return run(parts, component, ledger, split=split, draw=draw)


def evaluate_solver(
    parts: Parts, component: Component, ledger: Ledger, *, split: str, draw: Draw
) -> tuple[Evaluation, Ledger]:
    """Run a solver on a split and judge it against the reference."""
    items = parts.environment.items(split)
    executions = execute(parts, component, items, draw=draw)
    verdicts: list[Verdict | None] = concurrent_map(
        lambda pair: parts.environment.verify(*pair) if pair[1].status == "ok" else None,
        list(zip(items, executions, strict=True)),
        workers=parts.workers,
    )
    ledger = spend(ledger, f"solve/{split}", [e.usage for e in executions])
    ledger = spend(ledger, f"verify/{split}", [v.usage for v in verdicts if v is not None])
    outcomes = tuple(
        Outcome(
            item=item.id,
            cluster=item.cluster,
            score=None if verdict is None else verdict.score,
            status=execution.status if verdict is None else verdict.status,
        )
        for item, execution, verdict in zip(items, executions, verdicts, strict=True)
    )
    return Evaluation(
        agent="solver", artifact=component.digest, split=split, outcomes=outcomes
    ), ledger


def evaluate_grader(
    parts: Parts, component: Component, ledger: Ledger, *, split: str, draw: Draw
) -> tuple[Evaluation, Ledger]:
    """Judge both sides of each pair of a split; credit 1, 0.5 for a tie, 0 for an inversion."""
    pairs = parts.environment.pairs(split)
    work = [
        (f"{pair.id}/{side}", pair.item, execution)
        for pair in pairs
        for side, execution in (("better", pair.better), ("worse", pair.worse))
    ]
    verdicts = judge_all(parts, component, work, draw=draw)
    asked = [v.usage for v, (_, _, e) in zip(verdicts, work, strict=True) if e.status == "ok"]
    ledger = spend(ledger, f"judge/pairs/{split}", asked)
    outcomes = tuple(
        _credit(pair, better, worse)
        for pair, better, worse in zip(pairs, verdicts[::2], verdicts[1::2], strict=True)
    )
    return Evaluation(
        agent="grader", artifact=component.digest, split=split, outcomes=outcomes
    ), ledger


def _credit(pair: Pair, better: Verdict, worse: Verdict) -> Outcome:
    """Return the credit of one pair; a side without a score leaves the pair unscored."""
    facts = (("score_better", better.score), ("score_worse", worse.score))
    cluster = pair.item.cluster or pair.item.id
    if better.score is None or worse.score is None:
        status = better.status if better.score is None else worse.status
        return Outcome(item=pair.id, cluster=cluster, score=None, status=status, facts=facts)
    credit = 0.5 + 0.5 * ((better.score > worse.score) - (better.score < worse.score))
    return Outcome(item=pair.id, cluster=cluster, score=credit, status="scored", facts=facts)
