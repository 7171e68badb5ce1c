"""The fixed grader of a baseline: the reference, or the grader that the run starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evalkit.environments.base import Component, Execution, Item, Verdict
from evalkit.environments.draws import Draw
from evalkit.evolve.evaluating import execute, judge_all, spend
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Parts
from evalkit.evolve.skills.measuring import Measured, verify_outputs

__all__ = ["FixedGrader", "run_and_grade"]

FixedGrader = Literal["reference", "initial"]


def run_and_grade(
    parts: Parts,
    component: Component,
    items: Sequence[Item],
    ledger: Ledger,
    *,
    split: str,
    grader: FixedGrader,
    judge: Component,
    draw: Draw,
) -> tuple[Measured, Ledger]:
    """Run a solver on items and grade it.

    Parameters
    ----------
    grader : {"reference", "initial"}
        Who grades: the reference evaluator, or the component `judge`, which sees no reference.

    Returns
    -------
    tuple of (Measured, Ledger)
        With verdicts under the name of the grader, ``reference`` or ``grader``.
    """
    executions = execute(parts, component, items, draw=draw)
    ledger = spend(ledger, f"solve/{split}", [e.usage for e in executions])
    work = tuple(zip(items, executions, strict=True))
    verdicts: tuple[Verdict, ...]
    if grader == "reference":
        verdicts, ledger = verify_outputs(parts, work, ledger, panel=split)
        name = "reference"
    else:
        named: list[tuple[str, Item, Execution]] = [(i.id, i, e) for i, e in work]
        verdicts = tuple(judge_all(parts, judge, named, draw=draw))
        asked = [v.usage for v, e in zip(verdicts, executions, strict=True) if e.status == "ok"]
        ledger = spend(ledger, f"judge/{split}", asked)
        name = "grader"
    found = Measured(artifact=component.digest, panel=split, work=work, verdicts={name: verdicts})
    return found, ledger
