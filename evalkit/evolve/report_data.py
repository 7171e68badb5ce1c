"""What the runs of an experiment found, gathered from their folders."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.evolve.reading import (
    event_rows,
    history_rows,
    record_rows,
    run_folders,
    run_specification,
)

__all__ = ["AgentRun", "ExperimentData", "OutcomeRow", "RunData", "gather"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """One outcome on the test split.

    Attributes
    ----------
    item, cluster : str
        The item, and what is independent of others: its cluster, or itself.
    score : float or None
        ``None`` where it errored.
    """

    item: str
    cluster: str
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """One agent in one run.

    Attributes
    ----------
    validations : tuple of mapping
        Events of the validations after each round, in order.
    adoptions : tuple of mapping
        Events of the decisions on candidates.
    history : tuple of mapping
        History rows, the start included.
    proposals : tuple of mapping
        Events of the updater.
    starts : tuple of mapping
        The event of the initial component.
    finals : mapping of (str, str) to mapping
        Final events by split and role.
    tests : mapping of str to tuple of OutcomeRow
        Test outcomes by role.
    """

    validations: tuple[Mapping[str, Any], ...]
    adoptions: tuple[Mapping[str, Any], ...]
    history: tuple[Mapping[str, Any], ...]
    proposals: tuple[Mapping[str, Any], ...]
    starts: tuple[Mapping[str, Any], ...]
    finals: Mapping[tuple[str, str], Mapping[str, Any]]
    tests: Mapping[str, tuple[OutcomeRow, ...]]

    @property
    def best(self) -> Mapping[str, Any] | None:
        """History row of the best component: the last new best, or the start."""
        bests = [row for row in self.history if row["decision"] == "new best"]
        if bests:
            return bests[-1]
        return self.history[0] if self.history else None

    @property
    def truths(self) -> dict[str, float]:
        """True quality by artifact, where it is known."""
        events = [*self.starts, *self.adoptions, *self.validations, *self.finals.values()]
        return {e["artifact"]: e["truth"] for e in events if e.get("truth") is not None}

    def final_score(self, split: str, role: str) -> float | None:
        """Return the score of a role in the final evaluation."""
        found = self.finals.get((split, role))
        return None if found is None else found["score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunData:
    """One run.

    Attributes
    ----------
    arm, seed : str
        Which.
    folder : Path
        Where.
    rounds : int
        Rounds done, the final evaluation not counted.
    stopped : str or None
        Why it ended; ``None`` while unfinished.
    agents : mapping of str to AgentRun
        Agents that evolved.
    ledger : mapping
        Spending by purpose.
    """

    arm: str
    seed: str
    folder: Path
    rounds: int
    stopped: str | None
    agents: Mapping[str, AgentRun]
    ledger: Mapping[str, Mapping[str, Any]]

    def spent(self, field: str) -> float | None:
        """Return the sum of ``calls``, ``input_tokens``, ``output_tokens`` or ``cost``."""
        values = [entry["usage"][field] for entry in self.ledger.values()]
        known = [value for value in values if value is not None]
        return math.fsum(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentData:
    """Runs of an experiment.

    Attributes
    ----------
    runs : tuple of RunData
        In the order of the arms and seeds.
    history : tuple of mapping
        Every history row.
    """

    runs: tuple[RunData, ...]
    history: tuple[Mapping[str, Any], ...]

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms, in order."""
        return tuple(dict.fromkeys(run.arm for run in self.runs))

    def of(self, arm: str, agent: str) -> Iterator[AgentRun]:
        """Return the runs of an agent in an arm."""
        return (r.agents[agent] for r in self.runs if r.arm == arm and agent in r.agents)


def gather(folder: Path, *, arms: Sequence[str] = ()) -> ExperimentData:
    """Read the runs below a folder.

    Parameters
    ----------
    folder : Path
        Folder of an experiment or of one run.
    arms : sequence of str
        Order of the arms; others follow.

    Raises
    ------
    FileMissingError
        If there is no run.
    """
    runs = [_gather_run(path) for path in run_folders(folder)]
    place = {arm: i for i, arm in enumerate(arms)}
    runs.sort(key=lambda run: place.get(run.arm, len(place)))
    history = tuple(row for run in runs for agent in run.agents.values() for row in agent.history)
    return ExperimentData(runs=tuple(runs), history=history)


def _gather_run(folder: Path) -> RunData:
    spec = run_specification(folder)
    events = event_rows(folder)
    history = history_rows(folder)
    tests = _tests(folder)
    agents = {}
    for name in ("solver", "grader"):
        mine = [event for event in events if event.get("agent") == name]
        rows = tuple(row for row in history if row["system"] == name)
        if rows:
            agents[name] = AgentRun(
                validations=_of(mine, "validated"),
                adoptions=_of(mine, "adoption"),
                proposals=_of(mine, "proposal"),
                starts=_of(mine, "start"),
                history=rows,
                finals={
                    **{(e["split"], e["role"]): e for e in _of(mine, "final")},
                    **_later_finals(folder, spec.get("stage")),
                },
                tests=tests.get(name, {}),
            )
    stopped = [event["reason"] for event in events if event["kind"] == "stopped"]
    ledgers = [event for event in events if event["kind"] == "ledger"]
    last = max((event["round"] for event in events), default=0)
    return RunData(
        arm="/".join(filter(None, (spec["arm"], spec.get("stage")))),
        seed=str(spec["seed"]),
        folder=folder,
        rounds=max(last - len(stopped), 0),
        stopped=stopped[-1] if stopped else None,
        agents=agents,
        ledger=ledgers[-1]["entries"] if ledgers else {},
    )


def _later_finals(folder: Path, stage: str | None) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Test scores of what a stage started from and returned, where a later stage took them."""
    if stage is None:
        return {}
    out: dict[tuple[str, str], Mapping[str, Any]] = {}
    for other in sorted(folder.parent.parent.glob(f"*/{folder.name}")):
        for event in event_rows(other, kind="final") if other != folder else ():
            if "returned_by" in event and event["returned_by"] in {None, stage}:
                role = "initial" if event["returned_by"] is None else "best"
                out[event["split"], role] = event
    return out


def _of(events: Sequence[Mapping[str, Any]], kind: str) -> tuple[Mapping[str, Any], ...]:
    return tuple(event for event in events if event["kind"] == kind)


def _tests(folder: Path) -> dict[str, dict[str, tuple[OutcomeRow, ...]]]:
    """Test outcomes by agent and role."""
    out: dict[str, dict[str, list[OutcomeRow]]] = {}
    for row in record_rows(folder, split="test"):
        _, agent, role = row["system"].split("/")
        cluster = row.get("cluster") or row["item"]
        found = OutcomeRow(item=row["item"], cluster=cluster, score=row["score"])
        out.setdefault(agent, {}).setdefault(role, []).append(found)
    return {
        agent: {role: tuple(rows) for role, rows in roles.items()} for agent, roles in out.items()
    }
