"""What a simulated kind of work consists of: tasks, failure modes, habits and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalkit.environments.simulation.clauses import Clause

__all__ = ["GENERAL_CHECKS", "INERT", "Mode", "Profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One way in which an outcome can fail.

    Attributes
    ----------
    name : str
        Name in the catalogue.
    severity : float
        Part of the quality that it costs.
    mild : bool
        Whether a loose verifier lets it pass.
    complaint : str
        How a grader reports it.
    praise : str
        How a grader reports its absence.
    cues : tuple of tuples of str
        Words by which a reader of critiques knows it, as the groups of a clause.
    """

    name: str
    severity: float
    mild: bool
    complaint: str
    praise: str
    cues: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A kind of work.

    Attributes
    ----------
    name : str
        Name in settings.
    modes : tuple of Mode
        Ways to fail, at most eight.
    domains : mapping of str to tuple of float
        Kind of task -> weight of each mode; the weights of all add to its hardness.
    request : str
        Text of a task, with ``{topic}`` and ``{domain}``.
    answer : str
        Text of an outcome, with ``{topic}`` and ``{token}``.
    extras : tuple of str
        Sentences that long outcomes add, first one or both.
    trace : str
        What the solver did, with ``{topic}`` and ``{steps}``.
    nouns : tuple of str
        What topics are about.
    solver_prompt, grader_prompt : str
        Where a loop starts: no habit and no check.
    habits : tuple of Clause
        What a solver's text can say; effects name modes.
    checks : tuple of Clause
        What a grader's text can say; effects name modes, ``noise``, ``style``, ``alarms``.
    """

    name: str
    modes: tuple[Mode, ...]
    domains: Mapping[str, tuple[float, ...]]
    request: str
    answer: str
    extras: tuple[str, str]
    trace: str
    nouns: tuple[str, ...]
    solver_prompt: str
    grader_prompt: str
    habits: tuple[Clause, ...]
    checks: tuple[Clause, ...]


INERT = (
    "Work with care and keep a professional tone.",
    "Think about what a reader would like to see.",
    "Stay organised from the beginning.",
    "Take a moment to reflect on the plan.",
    "Treat the request with respect.",
)
"""Sentences that an updater may write and that change nothing."""

GENERAL_CHECKS = (
    Clause(
        name="content-alone",
        text="Judge the content alone, whatever the length or the number of citations.",
        groups=(("content alone", "substance", "content only"), ("length", "citation", "long")),
        effects={"style": 1.0},
    ),
    Clause(
        name="anchored-scale",
        text="Anchor each score on the scale to the faults that were found.",
        groups=(("anchor", "calibrate"), ("score", "scale")),
        effects={"noise": 1.0},
    ),
    Clause(
        name="evidence-first",
        text="Point to the evidence before reporting a fault.",
        groups=(("evidence",), ("fault", "defect", "weakness")),
        effects={"alarms": 1.0},
    ),
    Clause(
        name="generous",
        text="Be generous when an outcome looks plausible.",
        groups=(("generous", "lenient"),),
        effects={"sensitivity": -1.0},
    ),
    Clause(
        name="suspicious",
        text="Assume that every outcome contains a mistake.",
        groups=(("assume", "presume"), ("mistake", "error")),
        effects={"alarms": -1.0},
    ),
    Clause(
        name="more-is-better",
        text="Reward longer and more detailed outcomes.",
        groups=(("reward", "prefer"), ("longer", "detailed", "more citations")),
        effects={"style": -1.0},
    ),
)
"""Checks that do not depend on the kind of work."""
