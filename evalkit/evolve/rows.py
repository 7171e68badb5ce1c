"""Rows of a run folder in the canonical columns of records and histories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalkit.environments.base import Execution, Item, Verdict
from evalkit.evolve.evaluating import Evaluation
from evalkit.evolve.parts import Labels
from evalkit.evolve.protocols import Agent
from evalkit.trajectories.history import Decision

__all__ = ["evaluation_rows", "history_row", "training_rows"]

_VERIFIER = {"solver": "reference", "grader": "pairs"}


def evaluation_rows(
    labels: Labels, found: Evaluation, *, number: int, role: str | None = None
) -> list[dict[str, Any]]:
    """Return one record for each outcome of an evaluation.

    Parameters
    ----------
    labels : Labels
        Names of the run.
    found : Evaluation
        What was evaluated.
    number : int
        The round.
    role : str, optional
        ``initial``, ``last`` or ``best`` in the final evaluation. Such rows carry the seed as
        their attempt, so that the spread over attempts is the spread over seeds.
    """
    system = f"{labels.setting}/{found.agent}" + (f"/{role}" if role else "")
    attempt = labels.seed if role else f"{labels.seed}:{number}"
    return [
        {
            "system": system,
            "item": outcome.item,
            "attempt": attempt,
            "verifier": _VERIFIER[found.agent],
            "order": "",
            "score": outcome.score,
            "status": outcome.status,
            "round": number,
            "split": found.split,
            "artifact": found.artifact,
            **({"cluster": outcome.cluster} if outcome.cluster is not None else {}),
            **dict(outcome.facts),
        }
        for outcome in found.outcomes
    ]


def training_rows(
    labels: Labels,
    work: Sequence[tuple[Item, Execution, Verdict]],
    *,
    number: int,
    solver: str,
    grader: str,
) -> list[dict[str, Any]]:
    """Return one record for each training execution, as the grader under evolution scored it."""
    return [
        {
            "system": f"{labels.setting}/solver",
            "item": item.id,
            "attempt": f"{labels.seed}:{number}",
            "verifier": "grader",
            "order": "",
            "score": verdict.score,
            "status": verdict.status,
            "round": number,
            "split": "train",
            "artifact": solver,
            "grader_artifact": grader,
            **({"cluster": item.cluster} if item.cluster is not None else {}),
        }
        for item, _, verdict in work
    ]


def history_row(
    labels: Labels,
    agent: Agent,
    *,
    number: int,
    score: float | None,
    artifact: str,
    changed: bool | None = None,
    decision: Decision | None = None,
) -> dict[str, Any]:
    """Return the row that `evalkit.trajectory` reads for one candidate, or the start (round 0)."""
    return {
        "run": labels.run,
        "setting": labels.setting,
        "seed": labels.seed,
        "system": agent,
        "view": labels.view,
        "round": number,
        "score": score,
        "artifact": artifact,
        "changed": changed,
        "decision": decision,
    }
