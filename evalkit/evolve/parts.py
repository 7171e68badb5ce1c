"""What a round works with beside its state."""

from __future__ import annotations

from dataclasses import dataclass

from evalkit.environments.base import Component, Environment
from evalkit.environments.draws import Draw
from evalkit.evolve.protocols import Agent, Propose
from evalkit.evolve.worlds import Truth

__all__ = ["Labels", "Parts", "known_truth"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Names of a run in its records and history.

    Attributes
    ----------
    run : str
        The experiment.
    setting : str
        The arm.
    seed : str
        The seed, as text.
    view : str
        Which outcomes the updater is shown.
    """

    run: str
    setting: str
    seed: str
    view: str = "Normal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a round works with.

    Attributes
    ----------
    environment : Environment
        Items, solver, grader and reference.
    propose : Propose
        The updater.
    draw : Draw
        Root of the run's randomness. It depends on the seed alone, so arms of one seed share
        their random numbers.
    labels : Labels
        Names of the run.
    workers : int
        Calls that are made at the same time.
    truth : Truth or None
        True quality, where it is known.
    """

    environment: Environment
    propose: Propose
    draw: Draw
    labels: Labels
    workers: int = 1
    truth: Truth | None = None


def known_truth(parts: Parts, agent: Agent, component: Component) -> float | None:
    """Return the true quality of a component to nine decimals; ``None`` where it is not known.

    The last bits of a long sum depend on how memory is aligned, and a run must not.
    """
    found = None if parts.truth is None else parts.truth(agent, component)
    return None if found is None else round(found, 9)
