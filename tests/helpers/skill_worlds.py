"""A world whose skills are lines of text, and an updater that writes down what it is shown."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from worlds import MODES, ClauseWorld

from evalkit.environments.base import Component, Verdict
from evalkit.evolve.config import Arm, Experiment
from evalkit.evolve.experiment import run_experiment
from evalkit.evolve.progress import SilentProgress
from evalkit.evolve.protocols import Proposal
from evalkit.evolve.worlds import WORLDS, World
from evalkit.models.base import Usage

HELD = {}
"""World that the environment kind ``held`` stands for."""

PARENT = Component(prompt="Answer the task.\n")


def held(table, /, *, path):  # noqa: ARG001
    """Return the world that a test has put there."""
    return HELD["world"]


def lines_world(table, /, *, path):  # noqa: ARG001
    """Make the world of a configuration whose environment is ``lines``."""
    return skill_world(**table)


@dataclass
class LineUpdater:
    """Adds a line for the first mode that it is shown, or follows a script of texts.

    A ``None`` in the script proposes no change; a Proposal is returned as it is.
    """

    script: list = field(default_factory=list)
    calls: Counter = field(default_factory=Counter)
    seen: list = field(default_factory=list)
    lock: object = field(default_factory=threading.Lock)

    def __call__(self, agent, current, evidence, /, *, draw):
        """Return the next proposal."""
        self.calls[agent] += 1
        self.seen.append((current, evidence))
        usage = Usage(calls=1, input_tokens=7, output_tokens=7)
        if self.script:
            entry = self.script.pop(0)
            if isinstance(entry, Proposal):
                return entry
            made = None if entry is None else Component(prompt=entry)
            return Proposal(component=made, rationale="scripted", usage=usage)
        modes = [row.item.input for row in evidence.rows]
        wanted = [mode for mode in modes if f"handle {mode}" not in current.prompt]
        if not wanted or draw.child("idle").uniform() < 0.1:
            return Proposal(component=None, rationale="nothing to add", usage=usage)
        text = f"{current.prompt}- handle {wanted[0]}\n"
        return Proposal(component=Component(prompt=text), rationale=wanted[0], usage=usage)


@dataclass
class ProbedWorld(ClauseWorld):
    """A world of clauses with a probe R1; ``lenient`` passes what fails in the last mode."""

    def panel(self, name):
        """Return the items of a split, or the test items under another name."""
        if name == "R1":
            return tuple(item for item in self._items["test"] if item.input != MODES[0])
        return self._items[name]

    def solve(self, component, item, /, *, draw):
        """Run the solver; two texts have noise of their own."""
        return super().solve(component, item, draw=draw.child(component.digest))

    def verify(self, item, execution, /, *, verifier="reference"):
        """Judge against the reference; without an answer there is nothing to judge or count."""
        if execution.status != "ok":
            return Verdict(score=None, status=execution.status)
        found = super().verify(item, execution, verifier=verifier)
        if verifier == "lenient" and item.input == MODES[-1]:
            return Verdict(score=1.0)
        return found


def skill_world(script=(), **settings):
    """Make a world with its updater and truth."""
    environment = ProbedWorld(**{"train": 12, "validation": 8, "test": 12, **settings})
    return World(
        environment=environment,
        propose=LineUpdater(script=list(script)),
        initials={"empty": {"solver": PARENT, "grader": Component(prompt="check alpha")}},
        truth=environment.truth,
    )


def experiment_of(loop, arms, *, rounds=6, seeds=(0,)):
    """Make an experiment whose arms are tables of the loop."""
    return Experiment(
        name="toy",
        title="toy",
        loop=loop,
        seeds=tuple(seeds),
        arms=tuple(
            Arm(name=name, rounds=rounds, environment={"kind": "held"}, loop=table)
            for name, table in arms.items()
        ),
        path=Path("loop.toml"),
    )


def run_loop(folder, loop="skills", *, world=None, rounds=6, seeds=(0,), workers=1, **table):
    """Run one arm of a loop in a folder, or what is left of it; return the world."""
    HELD["world"] = world or skill_world()
    WORLDS["held"] = "skill_worlds:held"
    try:
        run_experiment(
            experiment_of(loop, {"arm": table}, rounds=rounds, seeds=seeds),
            folder,
            resume=True,
            workers=workers,
            watch=SilentProgress(),
        )
        return HELD["world"]
    finally:
        del WORLDS["held"]


def ledger_counts(states):
    """Add up the evaluations of several states by what was asked: solve, verify, judge, propose."""
    counted = Counter()
    for state in states:
        for purpose, entry in state["ledger"]["entries"].items():
            counted[purpose.split("/")[0]] += entry["evaluations"]
    return counted
