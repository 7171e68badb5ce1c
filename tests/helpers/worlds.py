"""A small world whose text clauses decide outcomes, and which counts every call."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle

from evalkit.environments.base import Component, Execution, Item, Pair, Verdict
from evalkit.evolve.protocols import Proposal
from evalkit.evolve.worlds import World
from evalkit.models.base import Usage

MODES = ("alpha", "beta", "gamma", "delta")
INITIALS = {
    "empty": {"solver": Component(), "grader": Component()},
    "informed": {
        "solver": Component(prompt="handle alpha."),
        "grader": Component(prompt="check alpha."),
    },
}


@dataclass
class ClauseWorld:
    """Each item fails in one mode unless the solver's text says to handle it.

    With `noise`, an outcome is flipped with that chance, by the draw it is given; items whose id is
    in `broken` never have an outcome.
    """

    train: int = 6
    validation: int = 4
    test: int = 4
    pair_count: int = 4
    noise: float = 0.0
    broken: frozenset = frozenset()
    name: str = "clauses"
    calls: Counter = field(default_factory=Counter)
    lock: object = field(default_factory=threading.Lock)

    def __post_init__(self):
        sizes = {"train": self.train, "validation": self.validation, "test": self.test}
        self._items = {
            split: tuple(
                Item(id=f"{split}-{i:02d}", input=mode, cluster=f"c{i // 2}")
                for i, mode in zip(range(n), cycle(MODES), strict=False)
            )
            for split, n in sizes.items()
        }

    def items(self, split, /):
        """Items of a split."""
        return self._items[split]

    def pairs(self, split, /):
        """One pair for each of the first items; the worse side fails in the item's mode."""
        return tuple(
            Pair(
                id=f"pair-{item.id}",
                item=item,
                better=Execution(item=item.id, output="good"),
                worse=Execution(item=item.id, output=f"bad {item.input}"),
            )
            for item in self._items[split][: self.pair_count]
        )

    def _count(self, what):
        with self.lock:
            self.calls[what] += 1

    def solve(self, component, item, /, *, draw):
        """Run the solver: two model calls."""
        self._count("solve")
        usage = Usage(calls=2, input_tokens=10, output_tokens=5, cost=0.25)
        if item.id in self.broken:
            return Execution(item=item.id, output=None, status="infra", error="down", usage=usage)
        good = f"handle {item.input}" in component.prompt or item.input in component.skills
        if self.noise and draw.uniform() < self.noise:
            good = not good
        return Execution(item=item.id, output="good" if good else f"bad {item.input}", usage=usage)

    def judge(self, component, item, execution, /, *, draw):  # noqa: ARG002
        """Score 0 what the grader checks and finds bad; otherwise 1, or 0.5 without checks."""
        self._count("judge")
        bad = execution.output != "good"
        seen = f"check {item.input}" in component.prompt
        score = (0.0 if bad else 1.0) if seen else 0.5
        return Verdict(
            score=score,
            critique=f"fails {item.input}" if bad and seen else "",
            usage=Usage(calls=1, input_tokens=3, output_tokens=1),
        )

    def verify(self, item, execution, /, *, verifier="reference"):  # noqa: ARG002
        """Judge against the reference."""
        self._count("verify")
        return Verdict(score=float(execution.output == "good"))

    def truth(self, agent, component):
        """Share of modes that the text deals with."""
        word = "handle" if agent == "solver" else "check"
        return sum(f"{word} {mode}" in component.prompt for mode in MODES) / len(MODES)


@dataclass
class ClauseUpdater:
    """Add the clause that the evidence asks for; or follow a script of candidates."""

    script: dict = field(default_factory=dict)
    calls: Counter = field(default_factory=Counter)
    seen: list = field(default_factory=list)

    def __call__(self, agent, current, evidence, /, *, draw):  # noqa: ARG002
        """Return the next scripted proposal of the agent, or one more clause."""
        self.calls[agent] += 1
        self.seen.append((agent, evidence))
        usage = Usage(calls=1, input_tokens=7, output_tokens=7)
        if self.script.get(agent):
            entry = self.script[agent].pop(0)
            if isinstance(entry, Proposal):
                return entry
            component = (
                entry if isinstance(entry, Component) or entry is None else Component(prompt=entry)
            )
            return Proposal(component=component, rationale="scripted", usage=usage)
        word = "handle" if agent == "solver" else "check"
        wanted = [
            row.item.input
            for row in evidence.rows
            if f"{word} {row.item.input}" not in current.prompt
            and (agent == "grader" or row.verdict.critique)
        ]
        if not wanted:
            return Proposal(component=None, rationale="nothing to add", usage=usage)
        text = f"{current.prompt} {word} {wanted[0]}.".strip()
        return Proposal(
            component=Component(prompt=text, skills=current.skills),
            rationale=f"{wanted[0]} came up",
            usage=usage,
        )


def clause_world(**settings):
    """Make a world with its updater and truth."""
    environment = ClauseWorld(**settings)
    return World(
        environment=environment,
        propose=ClauseUpdater(),
        initials=INITIALS,
        truth=environment.truth,
    )


def make_world(table, /, *, path):  # noqa: ARG001
    """Make the world of a configuration whose environment is ``clauses``."""
    return clause_world(**table)


def tree(folder):
    """Bytes of every file below a folder but the wall-clock ones."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "timing.jsonl"
    }


def run_duet(folder, *, world=None, seed=0, rounds=12, workers=1, watch=None, **settings):
    """Run DUET in a world of clauses; return the last state and the world."""
    from evalkit.environments.draws import Draw
    from evalkit.evolve.duet.loop import DUET
    from evalkit.evolve.duet.settings import DuetSettings
    from evalkit.evolve.duet.state import DuetState
    from evalkit.evolve.engine import run
    from evalkit.evolve.parts import Labels, Parts
    from evalkit.evolve.store import RunStore

    world = world or clause_world()
    chosen = DuetSettings(**{"batch": 3, **settings})
    parts = Parts(
        environment=world.environment,
        propose=world.propose,
        draw=Draw.of(seed),
        labels=Labels(run="test", setting="arm", seed=str(seed)),
        workers=workers,
        truth=world.truth,
    )
    spec = {"arm": "arm", "seed": seed, "rounds": rounds, "settings": chosen}
    with RunStore(folder, DuetState, spec=spec) as store:
        state = run(
            store,
            DUET.initial(chosen, world, path="loop.toml"),
            DUET.step(chosen, parts, rounds=rounds),
            watch=watch or (lambda *_: None),
        )
    return state, world
