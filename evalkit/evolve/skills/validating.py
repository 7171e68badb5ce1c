"""Validating a skill on the full split: the reference, and an auxiliary verifier."""

from __future__ import annotations

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.skills.measuring import REFERENCE, measure, record_rows_of
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.state import Validated

__all__ = ["tell_validated", "validate"]


def validate(
    parts: Parts,
    component: Component,
    ledger: Ledger,
    log: RoundLog,
    *,
    settings: SkillSettings,
    role: str,
    draw: Draw,
    made_in: int,
    attempt: str | None = None,
) -> tuple[Validated, Ledger]:
    """Run a skill on the validation split and write its records.

    Parameters
    ----------
    made_in : int
        Round that made the skill.
    attempt : str, optional
        Attempt of the records; seed and round by default.
    """
    verifiers = (REFERENCE, *([settings.auxiliary] if settings.auxiliary else []))
    items = parts.environment.items("validation")
    found, ledger = measure(
        parts, component, items, ledger, panel="validation", draw=draw, verifiers=verifiers
    )
    for name in verifiers:
        log.records += record_rows_of(
            parts.labels,
            list(zip(items, found.verdicts[name], strict=True)),
            number=log.round,
            panel="validation",
            role=role,
            attempt=attempt or f"{parts.labels.seed}:{log.round}",
            artifact=found.artifact,
            verifier=name,
        )
    hard = found.evaluation()
    soft = found.evaluation(settings.auxiliary).score if settings.auxiliary else None
    scores = tuple((o.item, o.score) for o in hard.outcomes if o.score is not None)
    return (
        Validated(
            component=component,
            round=made_in,
            score=hard.score,
            auxiliary=soft,
            items=scores,
            attempted=len(items),
        ),
        ledger,
    )


def tell_validated(log: RoundLog, found: Validated, parts: Parts, *, kind: str, role: str) -> None:
    """Write the event of a validation."""
    scores = [score for _, score in found.items]
    binary = all(score in {0.0, 1.0} for score in scores)
    log.event(
        kind,
        agent="solver",
        role=role,
        artifact=found.component.digest,
        split="validation",
        score=found.score,
        auxiliary=found.auxiliary,
        scored=len(scores),
        attempted=found.attempted,
        successes=int(sum(scores)) if binary else None,
        truth=known_truth(parts, "solver", found.component),
    )
