"""The report of an experiment: one page built from its run folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalkit.evolve.experiment import EXPERIMENT
from evalkit.evolve.report_data import AgentRun, ExperimentData, gather
from evalkit.evolve.report_figures import loop_figures
from evalkit.evolve.report_findings import gain_text, loop_findings
from evalkit.evolve.report_numbers import held_out_gain, held_out_score, real_changes
from evalkit.evolve.report_tables import (
    cost_table,
    decision_table,
    noise_table,
    paper_table,
    run_table,
    score_table,
    yield_table,
)
from evalkit.evolve.run_spec import read_spec
from evalkit.evolve.worlds import load_named
from evalkit.results import Estimate
from evalkit.rounding import format_number

__all__ = ["PAGES", "REPORT", "write_run_report"]

REPORT = "report/index.html"
PAGES: dict[str, str] = {"skills": "evalkit.evolve.skills.report:write_skills_report"}
"""Loops with a page of their own -> ``module:writer``, called with the folder and ``path``."""

_METHODS = """
Every arm runs under every seed, and arms of one seed share their random numbers. After each round
the agents are validated; a component becomes the best of its agent in the round that made it, by a
strictly higher score and other bytes. At the end the initial, the last and the best components are
evaluated on the test split, which nothing was selected on, and the best once more on validation.

Test intervals treat items (or clusters of items) as the sample: outcomes of one item under several
seeds form one cluster. Gains are differences item by item and seed by seed. Infrastructure errors
are left out of every score and never count as failures. Yields are Wilson intervals of the share of
candidates that set a new best, as if candidates were independent.
"""


def write_run_report(folder: Path, *, path: Path | None = None) -> Path:
    """Write the report of an experiment, or of one run.

    Parameters
    ----------
    folder : Path
        What `evalkit run` wrote; unfinished runs are named and their rounds counted.
    path : Path, optional
        File to write; ``report/index.html`` below `folder` by default.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    FileMissingError
        If there is no run.
    """
    from evalkit.report import write_page
    from evalkit.trajectories import dead_band, trajectory

    spec = read_spec(folder / EXPERIMENT) if (folder / EXPERIMENT).is_file() else {}
    loop = str(spec.get("loop", ""))
    if loop in PAGES:
        write: Callable[..., Path] = load_named(PAGES, loop, key="loop", path=folder)
        return write(folder, path=path or folder / REPORT)
    data = gather(folder, arms=list(spec.get("arms", ())))
    # The loop keeps what it adopts, whatever it scores; so does a band wider than the scale.
    accounted = trajectory(data.history, by=["setting", "system"], gate=dead_band(2.0))
    simulated = any(run.truths for run in _agents(data))
    named = [
        ("Scores", score_table(data)),
        ("New bests", yield_table(data, accounted)),
        ("Selection tax and noise", noise_table(data)),
        ("Candidates", decision_table(data)),
        ("Cost", cost_table(data)),
    ]
    if spec.get("paper"):
        beside = paper_table(data, spec["paper"])
        named.append(("Published results: simulated, not reproduced", beside))
    named.append(("Runs", run_table(data)))
    return write_page(
        path or folder / REPORT,
        title=str(spec.get("title") or data.runs[0].folder.name),
        summary=_summary(data, simulated=simulated),
        findings=loop_findings(data),
        tables=named,
        figures=loop_figures(data),
        methods=_METHODS,
        left_out=_left_out(data),
        provenance=_provenance(data, spec),
    )


def _agents(data: ExperimentData) -> Iterator[AgentRun]:
    return (agent for run in data.runs for agent in run.agents.values())


def _summary(data: ExperimentData, *, simulated: bool) -> str:
    """Say in one sentence what became of the first arm."""
    arm = data.arms[0]
    parts = []
    for agent, what in (("solver", "test score"), ("grader", "pairwise agreement on test")):
        runs = list(data.of(arm, agent))
        start, end, gain = (
            held_out_score(runs, "initial"),
            held_out_score(runs, "best"),
            held_out_gain(runs),
        )
        if start is not None and end is not None and gain is not None:
            parts.append(
                f"the {agent}'s {what} went from {_percent(start)} to {_percent(end)}, "
                f"a gain of {gain_text(gain)} points"
            )
    parts = parts or ["no run has reached its final evaluation"]
    real = real_changes(run for agent in ("solver", "grader") for run in data.of(arm, agent))
    if real is not None and real.accepted:
        false = real.accepted - real.accepted_real
        parts.append(f"{false} of {real.accepted} adopted changes did not raise the true quality")
    head = "Simulated, not reproduced: in" if simulated else "In"
    return f"{head} arm {arm!r}, {'; '.join(parts)}."


def _percent(found: Estimate) -> str:
    value = found.estimate
    return f"{format_number(None if value is None else 100 * value, 1)}%"


def _left_out(data: ExperimentData) -> list[str]:
    """Name what is unfinished and what errored."""
    lines = [
        f"arm {run.arm}, seed {run.seed}: unfinished after round {run.rounds}, so without test "
        "scores; continue it with --resume"
        for run in data.runs
        if run.stopped is None
    ]
    errors: dict[str, int] = {}
    for agent in _agents(data):
        for event in (*agent.validations, *agent.finals.values()):
            missing = event["attempted"] - event["scored"]
            errors[event["split"]] = errors.get(event["split"], 0) + missing
    lines += [
        f"{count} {split} outcomes errored; they are in no score"
        for split, count in errors.items()
        if count
    ]
    return lines


def _provenance(data: ExperimentData, spec: Mapping[str, Any]) -> dict[str, str]:
    from evalkit import __version__

    seeds = list(dict.fromkeys(run.seed for run in data.runs))
    out = {"evalkit": __version__, "runs": str(len(data.runs)), "seeds": ", ".join(seeds)}
    if spec:
        out["loop"] = str(spec["loop"])
        kinds = {str(arm["environment"].get("kind")) for arm in spec["arms"].values()}
        out["environment"] = ", ".join(sorted(kinds))
    return out
