"""Running a skill on a panel and judging the same outputs with one or more verifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.environments.base import Component, Environment, Execution, Item, Verdict
from evalkit.environments.draws import Draw
from evalkit.errors import ArgumentError
from evalkit.evolve.concurrency import concurrent_map
from evalkit.evolve.evaluating import Evaluation, Outcome, execute, spend
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Labels, Parts

__all__ = ["REFERENCE", "Measured", "measure", "panel_items", "record_rows_of", "verify_outputs"]

REFERENCE = "reference"
_SPLITS = frozenset({"train", "validation", "test"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One component on one panel.

    Attributes
    ----------
    artifact : str
        SHA-256 of the component.
    panel : str
        Split or probe.
    work : tuple of (Item, Execution)
        What was run.
    verdicts : mapping of str to tuple of Verdict
        By verifier, in the order of `work`.
    """

    artifact: str
    panel: str
    work: tuple[tuple[Item, Execution], ...]
    verdicts: dict[str, tuple[Verdict, ...]]

    def evaluation(self, verifier: str = REFERENCE) -> Evaluation:
        """Return the outcomes under one verifier."""
        outcomes = tuple(
            Outcome(item=item.id, cluster=item.cluster, score=found.score, status=found.status)
            for (item, _), found in zip(self.work, self.verdicts[verifier], strict=True)
        )
        return Evaluation(
            agent="solver", artifact=self.artifact, split=self.panel, outcomes=outcomes
        )


def panel_items(environment: Environment, name: str) -> tuple[Item, ...]:
    """Return the items of a split or probe; empty where the environment lacks it.

    An environment may offer probes by a method ``panel(name)``, or as splits of that name.
    """
    offered: Callable[[str], tuple[Item, ...]] = getattr(environment, "panel", environment.items)
    try:
        return tuple(offered(name))
    except (ArgumentError, KeyError):
        return ()


def verify_outputs(
    parts: Parts,
    work: Sequence[tuple[Item, Execution]],
    ledger: Ledger,
    *,
    panel: str,
    verifier: str = REFERENCE,
) -> tuple[tuple[Verdict, ...], Ledger]:
    """Judge executions; one without an outcome keeps its status and is not shown to the verifier.

    The ledger counts one evaluation under ``verify/PANEL`` for each call.
    """

    def one(entry: tuple[Item, Execution]) -> tuple[Verdict, bool]:
        item, execution = entry
        if execution.status != "ok":
            lost = Verdict(score=None, status=execution.status, critique=execution.error or "")
            return lost, False
        return parts.environment.verify(item, execution, verifier=verifier), True

    found = concurrent_map(one, list(work), workers=parts.workers)
    asked = [verdict.usage for verdict, was_asked in found if was_asked]
    return tuple(verdict for verdict, _ in found), spend(ledger, f"verify/{panel}", asked)


def measure(
    parts: Parts,
    component: Component,
    items: Sequence[Item],
    ledger: Ledger,
    *,
    panel: str,
    draw: Draw,
    verifiers: Sequence[str] = (REFERENCE,),
) -> tuple[Measured, Ledger]:
    """Run a component on items and judge what it made."""
    executions = execute(parts, component, items, draw=draw)
    ledger = spend(ledger, f"solve/{panel}", [e.usage for e in executions])
    work = tuple(zip(items, executions, strict=True))
    verdicts: dict[str, tuple[Verdict, ...]] = {}
    for name in verifiers:
        verdicts[name], ledger = verify_outputs(parts, work, ledger, panel=panel, verifier=name)
    found = Measured(artifact=component.digest, panel=panel, work=work, verdicts=verdicts)
    return found, ledger


def record_rows_of(
    labels: Labels,
    work: Sequence[tuple[Item, Verdict]],
    *,
    number: int,
    panel: str,
    role: str,
    attempt: str,
    artifact: str,
    verifier: str = REFERENCE,
) -> list[dict[str, Any]]:
    """Return one record for each verdict.

    The system is ``ARM/solver/ROLE``, and ``ARM/PANEL/ROLE`` for a probe: its items may bear the
    ids of test items, and are other tasks.
    """
    group = "solver" if panel in _SPLITS else panel
    return [
        {
            "system": f"{labels.setting}/{group}/{role}",
            "item": item.id,
            "attempt": attempt,
            "verifier": verifier,
            "order": "",
            "score": verdict.score,
            "status": verdict.status,
            "round": number,
            "split": panel,
            "artifact": artifact,
            **({"cluster": item.cluster} if item.cluster is not None else {}),
        }
        for item, verdict in work
    ]
