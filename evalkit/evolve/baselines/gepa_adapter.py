"""Our environment as GEPA sees it, with every answer kept so that a run can be replayed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from evalkit.environments.base import Component, Item
from evalkit.errors import RunFolderError
from evalkit.evolve.baselines.grading import FixedGrader, run_and_grade
from evalkit.evolve.baselines.state import Answer
from evalkit.evolve.evaluating import spend
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Parts
from evalkit.evolve.protocols import Evidence, EvidenceRow
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.skills.measuring import Measured, record_rows_of
from evalkit.evolve.skills.revising import writable

__all__ = ["PROMPT", "GepaAdapter", "imputed_scores"]

PROMPT = "prompt"
"""Name of the one component that GEPA revises."""


def imputed_scores(scores: Sequence[float | None]) -> tuple[float, ...]:
    """Return a number for every item, as GEPA needs it.

    An outcome that errored gets the mean of the others, so that it moves no comparison of means;
    0 where there is no other. Records keep it without a score.

    Examples
    --------
    >>> imputed_scores([1.0, None, 0.0])
    (1.0, 0.5, 0.0)
    """
    known = [score for score in scores if score is not None]
    mean = math.fsum(known) / len(known) if known else 0.0
    return tuple(mean if score is None else score for score in scores)


class GepaAdapter:
    """Evaluates candidates and proposes texts for GEPA.

    Parameters
    ----------
    parts : Parts
        What the run works with.
    grader : {"reference", "initial"}
        Who grades.
    judge : Component
        The fixed grader.
    start : Component
        The initial component; its skills stay as they are.
    answers : sequence of Answer
        What earlier rounds answered. GEPA is deterministic, so it asks the same again; then the
        kept answers are returned and nothing is run.
    ledger : Ledger
        What was spent so far.
    log : RoundLog
        The round in flight; new evaluations write their records to it.

    Attributes
    ----------
    answers : list of Answer
        All answers, the new ones at the end.
    measured : dict
        New validations by candidate text.
    proposed : tuple of (str, str) or None
        Text that the new proposal started from, and the proposed one.
    failed : bool
        Whether the updater did not answer. GEPA then evaluates its parent once more.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        grader: FixedGrader,
        judge: Component,
        start: Component,
        answers: Sequence[Answer],
        ledger: Ledger,
        log: RoundLog,
    ) -> None:
        self.answers = list(answers)
        self.ledger = ledger
        self.measured: dict[str, Measured] = {}
        self.proposed: tuple[str, str] | None = None
        self.failed = False
        self._parts, self._judge, self._start = parts, judge, start
        self._grader: FixedGrader = grader
        self._log = log
        self._kept, self._next = len(self.answers), 0
        self._rows: dict[str, tuple[EvidenceRow, ...]] = {}
        self._validation = {item.id for item in parts.environment.items("validation")}

    def evaluate(
        self,
        batch: list[Item],
        candidate: dict[str, str],
        capture_traces: bool = False,
    ) -> Any:
        """Run a candidate on items; GEPA's interface."""
        from gepa.core.adapter import EvaluationBatch

        component = Component(prompt=candidate[PROMPT], skills=self._start.skills)
        key = _key(component.digest, *(item.id for item in batch))
        kept = self._replayed("evaluation", key)
        scores = self._run(batch, component, key) if kept is None else kept.scores
        return EvaluationBatch(
            outputs=[None] * len(batch),
            scores=list(scores),
            trajectories=[item.id for item in batch] if capture_traces else None,
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return what is reflected on, as GEPA wants to log it; the updater gets the rows."""
        rows = self._rows.get(candidate[PROMPT], ())
        shown = [{"item": row.item.id, "feedback": row.verdict.critique} for row in rows]
        ids = [{"item": item, "feedback": ""} for item in eval_batch.trajectories or ()]
        return dict.fromkeys(components_to_update, shown or ids)

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Ask the updater for a new text."""
        del reflective_dataset
        text = candidate[PROMPT]
        key = _key(text, *components_to_update)
        kept = self._replayed("proposal", key)
        new = self._propose(text, key) if kept is None else kept.text
        return dict.fromkeys(components_to_update, text if new is None else new)

    def _replayed(self, kind: str, key: str) -> Answer | None:
        """Return the kept answer to the next question; ``None`` where it is new."""
        if self._next >= self._kept:
            return None
        found = self.answers[self._next]
        self._next += 1
        if (found.kind, found.key) != (kind, key):
            raise RunFolderError(
                f"GEPA asked another question than when the run began (number {self._next}); "
                "finish the run with the version of gepa that began it"
            )
        return found

    def _run(self, batch: Sequence[Item], component: Component, key: str) -> tuple[float, ...]:
        split = "validation" if {i.id for i in batch} <= self._validation else "train"
        number = len(self.answers)
        found, self.ledger = run_and_grade(
            self._parts,
            component,
            batch,
            self.ledger,
            split=split,
            grader=self._grader,
            judge=self._judge,
            draw=self._parts.draw.child("gepa", number),
        )
        name, verdicts = next(iter(found.verdicts.items()))
        rows = record_rows_of(
            self._parts.labels,
            list(zip(batch, verdicts, strict=True)),
            number=self._log.round,
            panel=split,
            role="",
            attempt=f"{self._parts.labels.seed}:{self._log.round}:{number}",
            artifact=found.artifact,
            verifier=name,
        )
        system = f"{self._parts.labels.setting}/solver"
        self._log.records += [{**row, "system": system} for row in rows]
        self._log.artifact(component.to_text())
        self._rows[component.prompt] = tuple(
            EvidenceRow(item=item, execution=execution, verdict=verdict)
            for (item, execution), verdict in zip(found.work, verdicts, strict=True)
        )
        if split == "validation":
            self.measured[component.prompt] = found
        scores = imputed_scores([verdict.score for verdict in verdicts])
        self.answers.append(Answer(kind="evaluation", key=key, scores=scores))
        return scores

    def _propose(self, text: str, key: str) -> str | None:
        current = Component(prompt=text, skills=self._start.skills)
        number = len(self.answers)
        proposal = self._parts.propose(
            "solver",
            current,
            Evidence(rows=self._rows.get(text, ())),
            draw=self._parts.draw.child("gepa", number, "propose"),
        )
        self.ledger = spend(self.ledger, "propose/solver", [proposal.usage])
        self._log.event(
            "proposal",
            agent="solver",
            attempt=1,
            status=proposal.status,
            declared_edits=proposal.edits,
            rationale=proposal.rationale,
            facts=dict(proposal.facts),
        )
        made = proposal.component if proposal.status == "ok" else None
        new = None if made is None else writable(made, current).prompt
        self.answers.append(Answer(kind="proposal", key=key, text=new))
        self.proposed, self.failed = (text, text if new is None else new), proposal.status != "ok"
        return new


def _key(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
