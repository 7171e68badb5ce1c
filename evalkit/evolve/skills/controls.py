"""Test-time controls: independent attempts, and attempts that revise the one before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalkit.environments.base import Component, Execution, Item, Verdict
from evalkit.environments.draws import Draw
from evalkit.evolve.concurrency import concurrent_map
from evalkit.evolve.evaluating import spend
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Parts
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.skills.measuring import record_rows_of, verify_outputs
from evalkit.evolve.skills.state import Held

__all__ = ["CONTROLS", "attempt_control", "first_attempts", "refine"]

CONTROLS = ("parallel", "sequential")
Retry = Callable[..., Execution]


def refine(
    parts: Parts, component: Component, item: Item, previous: Execution, *, draw: Draw
) -> Execution:
    """Let the solver revise an answer, from the task and that answer alone.

    An environment may offer ``retry(component, item, previous, draw=...)``; for others the answer
    is written below the task. Without an answer this is a first attempt.
    """
    retry: Retry | None = getattr(parts.environment, "retry", None)
    if previous.output is None:
        return parts.environment.solve(component, item, draw=draw)
    if retry is not None:
        return retry(component, item, previous, draw=draw)
    shown = (
        f"{item.input}\n\nYou answered this before:\n\n{previous.output}\n\n"
        "Look for what is wrong with that answer, and give the answer that should stand."
    )
    return parts.environment.solve(component, replace(item, input=shown), draw=draw)


def first_attempts(
    parts: Parts, held: Sequence[Held], items: Mapping[str, Item], log: RoundLog, *, artifact: str
) -> None:
    """Write the parent's outcomes as attempt 1 of both controls; nothing is run again."""
    work = [(items[one.item], Verdict(score=one.score, status=one.verdict)) for one in held]
    for name in CONTROLS:
        log.records += _rows(parts, work, log, name=name, number=1, artifact=artifact)


def attempt_control(
    parts: Parts,
    component: Component,
    chosen: Sequence[Item],
    previous: Mapping[str, Held],
    ledger: Ledger,
    log: RoundLog,
    *,
    name: str,
    number: int,
) -> tuple[list[Held], Ledger]:
    """Make attempt `number` of one control on the items that have one."""
    # First attempts are the same under both controls of one seed.
    draw = parts.draw.child("control", name if number > 1 else "first", number)

    def one(item: Item) -> Execution:
        turn = draw.child("solve", item.id)
        if name == "parallel":
            return parts.environment.solve(component, item, draw=turn)
        return refine(parts, component, item, previous[item.id].execution(), draw=turn)

    executions = concurrent_map(one, list(chosen), workers=parts.workers)
    ledger = spend(ledger, f"solve/{name}", [e.usage for e in executions])
    work = tuple(zip(chosen, executions, strict=True))
    verdicts, ledger = verify_outputs(parts, work, ledger, panel=name)
    pairs = list(zip(chosen, verdicts, strict=True))
    log.records += _rows(parts, pairs, log, name=name, number=number, artifact=component.digest)
    held = [Held.of(*entry, verdict) for entry, verdict in zip(work, verdicts, strict=True)]
    return held, ledger


def _rows(
    parts: Parts,
    work: Sequence[tuple[Item, Verdict]],
    log: RoundLog,
    *,
    name: str,
    number: int,
    artifact: str,
) -> list[dict[str, Any]]:
    return record_rows_of(
        parts.labels,
        work,
        number=log.round,
        panel="test",
        role=name,
        attempt=str(number),
        artifact=artifact,
    )
