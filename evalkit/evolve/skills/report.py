"""The page of an experiment on skill evolution."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.evolve.experiment import EXPERIMENT
from evalkit.evolve.report_findings import gain_text
from evalkit.evolve.report_numbers import real_changes
from evalkit.evolve.report_tables import decision_table, noise_table
from evalkit.evolve.run_spec import read_spec
from evalkit.evolve.skills.report_data import SELECTED, SkillData, gather_skills
from evalkit.evolve.skills.report_figures import skill_figures
from evalkit.evolve.skills.report_findings import skill_findings
from evalkit.evolve.skills.report_numbers import frozen_gain, seed_gains, seed_sd
from evalkit.evolve.skills.report_tables import (
    cost_table,
    panel_table,
    paper_table,
    scaling_table,
    selection_table,
    sensitivity_table,
    test_table,
    view_table,
)
from evalkit.evolve.skills.selecting import PARENT_ROLE
from evalkit.rounding import format_number

if TYPE_CHECKING:
    from evalkit.trajectories import Trajectory

__all__ = ["write_skills_report"]

_METHODS = """
Every view starts from one validated parent and sees its own outcomes only. A round runs a training
draw with the current skill, shows the view's part of it to the updater, validates the candidate on
the full split by the reference, and lets the gate decide. The best is tracked apart: strictly
higher, other bytes. When all views are done, validation selects across them; only then are the
frozen skills run on test and on the probes, the test-time controls started from the frozen parent,
and the same outputs judged by every verifier. Runs of one seed share their random numbers.

Intervals treat items (or clusters of items) as the sample: outcomes of one item in several
deployments and seeds are one cluster. Infrastructure errors are left out of every score and never
count as failures. Yields are Wilson intervals, as if candidates were independent.
"""


def write_skills_report(folder: Path, *, path: Path) -> Path:
    """Write the report of an experiment on skill evolution.

    Parameters
    ----------
    folder : Path
        What `evalkit run` wrote; unfinished stages are named.
    path : Path
        File to write.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    FileMissingError
        If there is no run.
    """
    from evalkit.evolve.reading import history_rows
    from evalkit.report import write_page
    from evalkit.trajectories import trajectory

    spec = read_spec(folder / EXPERIMENT)
    data = gather_skills(folder, arms=list(spec["arms"]))
    history = history_rows(folder)
    accounted = trajectory(history, by=["setting", "view"])
    simulated = any(agent.truths for run in data.stages.runs for agent in run.agents.values())
    named = [
        ("Views", view_table(data, accounted)),
        ("Frozen skills on test", test_table(data)),
        ("Selection", selection_table(data)),
        ("Probes", panel_table(data)),
        ("Verifiers on locked outputs", sensitivity_table(data)),
        ("Test-time controls", scaling_table(data)),
        ("Selection tax and noise", noise_table(data.stages)),
        ("Candidates", decision_table(data.stages)),
        ("Cost", cost_table(data)),
    ]
    if spec.get("paper"):
        beside = paper_table(data, spec["paper"])
        named.append(("Published results: simulated, not reproduced", beside))
    return write_page(
        path,
        title=str(spec["title"]),
        summary=_summary(data, accounted, simulated=simulated),
        findings=skill_findings(data),
        tables=[(title, table) for title, table in named if table.rows],
        figures=skill_figures(data),
        methods=_METHODS,
        left_out=_left_out(data),
        provenance=_provenance(data, spec),
    )


def _summary(data: SkillData, accounted: Trajectory, *, simulated: bool) -> str:
    """Say in one sentence what the first arm brought."""
    arm = data.arms[0]
    runs = data.of(arm)
    chosen = [run.selected["view"] for run in runs if run.selected is not None]
    group = [g for g in accounted.accounting.groups if g.by["setting"] == arm]
    bests, candidates = sum(g.new_bests for g in group), sum(g.candidates for g in group)
    parts = [f"{bests} of {candidates} candidates set a new best"]
    agents = [a for run in runs for view in run.views.values() for a in view.agents.values()]
    real = real_changes(agents)
    if real is not None and real.bests:
        parts.append(f"{real.bests_real} of the {real.bests} new bests truly raised the quality")
    if chosen:
        evolved = sum(view != PARENT_ROLE for view in chosen)
        parts.append(f"validation selects an evolved skill in {evolved} of {len(chosen)} seeds")
    gain = frozen_gain(runs, "test", SELECTED)
    if gain is not None and gain.estimate is not None:
        spread = seed_sd(seed_gains(runs, "test", SELECTED))
        over = "" if spread is None else f" (seed sd {format_number(100 * spread, 1)})"
        parts.append(f"what it selects is {gain_text(gain)} points from the parent on test{over}")
    head = "Simulated, not reproduced: in" if simulated else "In"
    return f"{head} arm {arm!r}, {'; '.join(parts)}."


def _left_out(data: SkillData) -> list[str]:
    """Name what is unfinished and what errored."""
    lines = [
        f"arm {run.arm}, seed {run.seed}: unfinished stages {', '.join(run.unfinished)}; continue "
        "with --resume"
        for run in data.runs
        if run.unfinished
    ]
    errors: dict[str, int] = {}
    for run in data.runs:
        for (panel, _), rows in run.deployed.items():
            errors[panel] = errors.get(panel, 0) + sum(row.score is None for row in rows)
    lines += [
        f"{count} {panel} outcomes errored; they are in no score"
        for panel, count in errors.items()
        if count
    ]
    return lines


def _provenance(data: SkillData, spec: Mapping[str, Any]) -> dict[str, str]:
    from evalkit import __version__

    kinds = {str(arm["environment"].get("kind")) for arm in spec["arms"].values()}
    gates = {str(arm["settings"]["gate"]) for arm in spec["arms"].values()}
    return {
        "evalkit": __version__,
        "loop": str(spec["loop"]),
        "seeds": ", ".join(dict.fromkeys(run.seed for run in data.runs)),
        "environment": ", ".join(sorted(kinds)),
        "gate": ", ".join(sorted(gates)),
    }
