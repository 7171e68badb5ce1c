"""Tables of a loop report."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from evalkit import tables
from evalkit.evolve.report_data import AgentRun, ExperimentData, RunData
from evalkit.evolve.report_numbers import (
    calls_per_point,
    chance_of_noise,
    held_out_gain,
    held_out_score,
    noise_floor,
    real_changes,
    selection_taxes,
)
from evalkit.tables import Cell, Table
from evalkit.trajectories import Accounting, Trajectory, yield_by_period

__all__ = [
    "cost_table",
    "decision_table",
    "noise_table",
    "paper_table",
    "run_table",
    "score_table",
    "yield_table",
]

_AGENTS = ("solver", "grader")
_INTERVALS = "Intervals carry the sampling of items; seed sd is the spread of the seeds' means."


def _percent(value: float | None) -> Cell:
    return tables.number(value, 1, scale=100)


def _pairs(data: ExperimentData) -> list[tuple[str, str, list[AgentRun]]]:
    found = [(arm, agent, list(data.of(arm, agent))) for agent in _AGENTS for arm in data.arms]
    return [entry for entry in found if entry[2]]


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def score_table(data: ExperimentData) -> Table:
    """Show the validation best, test scores and gain of each arm."""
    rows, groups = [], []
    for arm, agent, runs in _pairs(data):
        best = [run.best["score"] for run in runs if run.best and run.best["score"] is not None]
        initial, final = held_out_score(runs, "initial"), held_out_score(runs, "best")
        rows.append(
            [
                tables.text(arm),
                tables.number(len(runs), 0),
                _percent(_mean(best)),
                tables.estimate(initial, 1, scale=100),
                tables.estimate(final, 1, scale=100),
                _percent(None if final is None else final.attempt_sd),
                tables.estimate(held_out_gain(runs), 1, scale=100),
            ]
        )
        groups.append(agent)
    return tables.make_table(
        ["arm", "seeds", "validation best", "test, initial", "test, returned", "seed sd", "gain"],
        rows,
        groups=groups,
        notes=(
            "Percent. Solver: reference score; grader: pairwise agreement, ties half.",
            _INTERVALS,
        ),
    )


def yield_table(data: ExperimentData, accounted: Trajectory) -> Table:
    """Show the new bests of each arm and agent, early and late."""
    rows, groups = [], []
    for group in sorted(accounted.accounting.groups, key=lambda g: _AGENTS.index(g.by["system"])):
        found = list(data.of(group.by["setting"], group.by["system"]))
        cells = _yields(group, found) if _scored(found) else [tables.text(None)] * 7
        names = [tables.text(group.by["setting"]), tables.number(group.runs, 0)]
        rows.append([*names, tables.number(group.candidates, 0), *cells])
        groups.append(group.by["system"])
    return tables.make_table(
        [
            "arm",
            "runs",
            "candidates",
            "new bests",
            "runs improved",
            "yield, %",
            "interval, %",
            "rounds 1-10",
            "later rounds",
            "last new best",
        ],
        rows,
        groups=groups,
        notes=(
            (
                "A candidate is a turn whose updater answered. A new best scores strictly higher "
                "and has other bytes. Last new best: the latest round of any seed, after which "
                "rounds brought nothing."
            ),
        ),
    )


def _scored(runs: Sequence[AgentRun]) -> bool:
    """Whether candidates were validated at all; without, a new best is not defined."""
    return any(row["score"] is not None for run in runs for row in run.history)


def _yields(group: Accounting, runs: Sequence[AgentRun]) -> list[Cell]:
    """Return the cells of one arm and agent."""
    early, late = yield_by_period(group, 10)
    bests = [row["round"] for r in runs for row in r.history if row["decision"] == "new best"]
    return [
        tables.number(group.new_bests, 0),
        tables.number(group.runs_improved, 0),
        _percent(group.yield_),
        tables.estimate(group.interval, 1, scale=100),
        tables.count(early.new_bests, early.attempted),
        tables.text(None) if late is None else tables.count(late.new_bests, late.attempted),
        tables.number(max(bests, default=0), 0),
    ]


def decision_table(data: ExperimentData) -> Table:
    """Show what became of the candidates."""
    rows, groups = [], []
    for arm, agent, runs in _pairs(data):
        events = [event for run in runs for event in run.adoptions]
        outcomes = [event["decision"] for event in events]
        edits = [_edits(event) for event in events if event["decision"] == "accepted"]
        failed = sum(p["status"] != "ok" for run in runs for p in run.proposals)
        rows.append(
            [
                tables.text(arm),
                tables.number(len(events), 0),
                *(tables.number(outcomes.count(k), 0) for k in ("accepted", "rejected", "no-op")),
                tables.number(sum(bool(event.get("retried")) for event in events), 0),
                tables.number(failed, 0),
                tables.number(_mean(edits), 2),
            ]
        )
        groups.append(agent)
    return tables.make_table(
        ["arm", "candidates", "accepted", "rejected", "no-op", "retried", "failed", "mean edits"],
        rows,
        groups=groups,
        notes=("Failed: the updater did not answer; no candidate. Mean edits: of accepted ones.",),
    )


def _edits(event: Mapping[str, Any]) -> int:
    found = event.get("edits") or {}
    return int(found.get("prompt", 0)) + int(found.get("skills", 0))


def noise_table(data: ExperimentData) -> Table:
    """Show selection tax, the noise floor, and how much of the progress is noise."""
    rows, groups = [], []
    for arm, agent, runs in _pairs(data):
        again, test = selection_taxes(runs)
        noise, real = noise_floor(runs), real_changes(runs)
        rows.append(
            [
                tables.text(arm),
                tables.delta(_mean(again), 1, scale=100),
                tables.delta(_mean(test), 1, scale=100),
                _percent(noise.sd),
                tables.count(noise.higher, noise.repeats),
                _percent(chance_of_noise(runs)),
                tables.text(None)
                if real is None
                else tables.count(real.accepted - real.accepted_real, real.accepted, 0),
                tables.text(None)
                if real is None
                else tables.count(real.bests - real.bests_real, real.bests, 0),
            ]
        )
        groups.append(agent)
    return tables.make_table(
        [
            "arm",
            "tax, evaluated again",
            "tax, on test",
            "A/A sd",
            "A/A higher",
            "chance of noise",
            "accepted, not better",
            "new bests, not better",
        ],
        rows,
        groups=groups,
        notes=(
            "Points. Tax: validation score at selection minus that of the same bytes afterwards.",
            (
                "A/A: validations of unchanged bytes; their spread, and how many scored above the "
                "one before. Chance of noise: mean binomial chance that a candidate no better than "
                "the best before would have scored above it; for 0/1 scores."
            ),
            "Not better: the simulation's truth says that the change did not raise quality.",
        ),
    )


def cost_table(data: ExperimentData) -> Table:
    """Show calls, tokens and cost of each arm."""
    rows = []
    for arm in data.arms:
        runs = [run for run in data.runs if run.arm == arm]
        rows.append(
            [
                tables.text(arm),
                *(_per_run(runs, name, digits) for name, digits in _SPENT),
                *(tables.number(calls_per_point(runs, agent), 0) for agent in _AGENTS),
            ]
        )
    return tables.make_table(
        [
            "arm",
            "calls a run",
            "tokens in",
            "tokens out",
            "cost, $",
            "calls a solver point",
            "calls a grader point",
        ],
        rows,
        notes=(
            (
                "Means over runs, the final evaluation included. A point is one percentage point "
                "of test score gained; undefined where nothing was gained or no call was made."
            ),
        ),
    )


_SPENT = (("calls", 0), ("input_tokens", 0), ("output_tokens", 0), ("cost", 2))


def _per_run(runs: Sequence[RunData], name: str, digits: int) -> Cell:
    values = [value for run in runs if (value := run.spent(name)) is not None]
    return tables.number(_mean(values), digits)


def paper_table(data: ExperimentData, paper: Sequence[Mapping[str, str]]) -> Table:
    """Show published results beside those of the runs."""
    rows = []
    for value in paper:
        runs = {agent: list(data.of(value["arm"], agent)) for agent in _AGENTS}
        cells = [tables.estimate(held_out_score(runs[a], "best"), 1, scale=100) for a in _AGENTS]
        shown = [tables.text(value[agent] or None) for agent in _AGENTS]
        rows.append(
            [
                tables.text(value["arm"]),
                shown[0],
                cells[0],
                shown[1],
                cells[1],
                tables.text(value["source"]),
            ]
        )
    return tables.make_table(
        [
            "arm",
            "solver, published",
            "solver, simulated",
            "grader, published",
            "grader, simulated",
            "source",
        ],
        rows,
        notes=(
            (
                "Simulated, not reproduced: the two columns differ in tasks, models and prompts; "
                "only the order of the arms can be held against each other."
            ),
        ),
    )


def run_table(data: ExperimentData) -> Table:
    """Show one row a run."""
    rows = [
        [
            tables.text(run.arm),
            tables.text(run.seed),
            tables.number(run.rounds, 0),
            tables.text(run.stopped or "unfinished"),
            *(_run_score(run, agent, role) for agent in _AGENTS for role in ("initial", "best")),
        ]
        for run in data.runs
    ]
    return tables.make_table(
        [
            "arm",
            "seed",
            "rounds",
            "stopped",
            "solver, initial",
            "solver, returned",
            "grader, initial",
            "grader, returned",
        ],
        rows,
        notes=("Test scores in percent.",),
    )


def _run_score(run: RunData, agent: str, role: str) -> Cell:
    found = run.agents.get(agent)
    return _percent(None if found is None else found.final_score("test", role))
