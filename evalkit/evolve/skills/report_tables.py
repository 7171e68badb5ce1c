"""Tables of the report on skill evolution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from evalkit import tables
from evalkit.evolve.skills.report_data import SELECTED, SkillData, SkillRun
from evalkit.evolve.skills.report_numbers import (
    best_validation,
    calls_a_point,
    curve_of,
    deployment_sd,
    first_score,
    frozen_gain,
    frozen_score,
    gap_of,
    locked_sensitivity,
    seed_gains,
    seed_sd,
)
from evalkit.evolve.skills.selecting import PARENT_ROLE
from evalkit.rounding import format_number
from evalkit.tables import Cell, Table
from evalkit.trajectories import Accounting, Trajectory, yield_by_period

__all__ = [
    "cost_table",
    "panel_table",
    "paper_table",
    "scaling_table",
    "selection_table",
    "sensitivity_table",
    "test_table",
    "view_table",
]

EARLY = 4
"""Rounds that count as early."""


def _percent(value: float | None) -> Cell:
    return tables.number(value, 1, scale=100)


def view_table(data: SkillData, accounted: Trajectory) -> Table:
    """Show the search under each view."""
    rows, groups = [], []
    for arm in data.arms:
        runs = data.of(arm)
        for view in data.views(arm):
            group = next((g for g in accounted.accounting.groups if _is(g, arm, view)), None)
            if group is None:  # the view has begun and committed nothing
                continue
            early, late = yield_by_period(group, EARLY)
            bests = [e for run in runs for e in _new_bests(run, view)]
            stops = Counter(
                run.views[view].stopped or "unfinished" for run in runs if view in run.views
            )
            rows.append(
                [
                    tables.text(view),
                    tables.number(group.runs, 0),
                    tables.estimate(best_validation(runs, view), 1, scale=100),
                    tables.count(group.new_bests, group.candidates),
                    tables.estimate(group.interval, 1, scale=100),
                    tables.count(early.new_bests, early.attempted),
                    tables.text(None)
                    if late is None
                    else tables.count(late.new_bests, late.attempted),
                    tables.number(max(bests, default=0), 0),
                    tables.text(", ".join(f"{n} {reason}" for reason, n in stops.items())),
                ]
            )
            groups.append(arm)
    return tables.make_table(
        [
            "view",
            "seeds",
            "validation best",
            "new bests",
            "yield, %",
            f"rounds 1-{EARLY}",
            "later rounds",
            "last new best",
            "stopped",
        ],
        rows,
        groups=groups,
        notes=(
            (
                "Percent. A new best scores strictly higher and has other bytes. The interval of a "
                "validation best carries the sampling of items and not its selection: see the tax."
            ),
            "Last new best: the latest round of any seed, after which rounds brought nothing.",
        ),
    )


def _is(group: Accounting, arm: str, view: str) -> bool:
    return group.by["setting"] == arm and group.by["view"] == view


def _new_bests(run: SkillRun, view: str) -> list[int]:
    found = run.views.get(view)
    agent = None if found is None else found.agents.get("solver")
    history = () if agent is None else agent.history
    return [row["round"] for row in history if row["decision"] == "new best"]


def test_table(data: SkillData) -> Table:
    """Show the frozen skills on test."""
    rows, groups = [], []
    for arm in data.arms:
        runs = data.of(arm)
        for role in (PARENT_ROLE, *data.views(arm), SELECTED):
            parent = [run for run in runs if _is_parent(run, role)]
            gain = None if role == PARENT_ROLE else frozen_gain(runs, "test", role)
            rows.append(
                [
                    tables.text(role),
                    tables.estimate(frozen_score(runs, "test", role), 1, scale=100),
                    tables.estimate(gain, 1, scale=100),
                    _percent(seed_sd(seed_gains(runs, "test", role)) if gain else None),
                    _percent(deployment_sd(runs, role)),
                    tables.count(len(parent), len(runs)),
                ]
            )
            groups.append(arm)
    return tables.make_table(
        ["skill", "test", "minus parent", "seed sd", "sd of deployments", "is the parent"],
        rows,
        groups=groups,
        notes=(
            (
                "Percent and points, over all deployments and seeds; differences are taken item by "
                "item within a deployment, and items (or clusters of items) are the sample."
            ),
            (
                "The intervals hold for these searches; seed sd is the spread of the difference "
                "over seeds, by which another search may differ."
            ),
            "Sd of deployments: repeated test scores of the same bytes, an A/A test.",
            "Is the parent: seeds whose skill is the parent, byte for byte, and shares its runs.",
        ),
    )


def _is_parent(run: SkillRun, role: str) -> bool:
    if role == SELECTED:
        role = PARENT_ROLE if run.selected is None else run.selected["view"]
    return run.artifacts.get(role) == run.artifacts.get(PARENT_ROLE)


def selection_table(data: SkillData) -> Table:
    """Show what validation selected in each seed, and what that gave away on test."""
    rows, groups = [], []
    for run in data.runs:
        if run.selected is None:
            continue
        facts = run.selected["facts"] or {}
        gap = gap_of(run)
        rows.append(
            [
                tables.text(run.seed),
                tables.text(run.selected["view"]),
                tables.text(facts.get("decided_by")),
                tables.delta(facts.get("gain"), 1, scale=100),
                _percent(first_score(run, PARENT_ROLE)),
                _percent(first_score(run, SELECTED)),
                tables.text(None if gap is None else ", ".join(gap.best)),
                tables.number(None if gap is None else gap.gap, 1, scale=100),
            ]
        )
        groups.append(run.arm)
    return tables.make_table(
        [
            "seed",
            "selected",
            "decided by",
            "validation gain",
            "test, parent",
            "test, selected",
            "best on test",
            "gap",
        ],
        rows,
        groups=groups,
        notes=(
            (
                "Selected by validation score, then auxiliary score, then the order of the views; "
                "the parent is kept unless a view with other bytes is strictly above it. Test: the "
                "first deployment. Gap: best test score minus that of the selected skill."
            ),
        ),
    )


def panel_table(data: SkillData) -> Table:
    """Show the parent and the selected skill on the probes."""
    rows, groups = [], []
    for arm in data.arms:
        runs = data.of(arm)
        panels = dict.fromkeys(panel for run in runs for panel in run.panels if panel != "test")
        for panel in panels:
            rows.append(
                [
                    tables.text(panel),
                    tables.estimate(frozen_score(runs, panel, PARENT_ROLE), 1, scale=100),
                    tables.estimate(frozen_score(runs, panel, SELECTED), 1, scale=100),
                    tables.estimate(frozen_gain(runs, panel, SELECTED), 1, scale=100),
                ]
            )
            groups.append(arm)
    return tables.make_table(
        ["probe", "parent", "selected", "difference"],
        rows,
        groups=groups,
        notes=(
            (
                "Percent and points over all deployments and seeds. R: same task under harder "
                "conditions; T: another mix of tasks."
            ),
        ),
    )


def sensitivity_table(data: SkillData) -> Table:
    """Show the gain of the selected skill under each verifier, on the same outputs."""
    rows, groups = [], []
    for arm in data.arms:
        found = locked_sensitivity(data.of(arm))
        if found is None:
            continue
        contrasts = {contrast.v1: contrast for contrast in found.contrasts}
        for gain in found.gains:
            contrast = contrasts.get(gain.verifier)
            rows.append(
                [
                    tables.text(gain.verifier),
                    _percent(gain.base_mean),
                    _percent(gain.candidate_mean),
                    tables.delta(gain.gain, 1, scale=100),
                    tables.estimate(gain.interval, 1, scale=100),
                    tables.delta(None if contrast is None else contrast.difference, 1, scale=100),
                    tables.estimate(None if contrast is None else contrast.interval, 1, scale=100),
                    tables.number(gain.n, 0),
                ]
            )
            groups.append(arm)
    return tables.make_table(
        [
            "verifier",
            "parent",
            "selected",
            "gain",
            "interval",
            "minus first verifier",
            "interval of that",
            "items",
        ],
        rows,
        groups=groups,
        notes=(
            (
                "The outputs are those of the first test deployment, fixed byte for byte. Seeds "
                "that kept the parent have nothing to compare and are left out."
            ),
        ),
    )


def scaling_table(data: SkillData) -> Table:
    """Show the controls at their full budget beside one call of the selected skill."""
    rows, groups = [], []
    for run in data.runs:
        parallel, sequential = curve_of(run, "parallel"), curve_of(run, "sequential")
        if parallel is None or sequential is None:
            continue
        last, final = parallel.points[-1], sequential.points[-1]
        rows.append(
            [
                tables.text(run.seed),
                tables.number(last.k, 0),
                tables.number(last.support, 0),
                _percent(parallel.points[0].oracle),
                _percent(last.oracle),
                tables.estimate(last.oracle_interval, 1, scale=100),
                _percent(final.last),
                tables.estimate(final.last_interval, 1, scale=100),
                _percent(first_score(run, SELECTED)),
                tables.number(parallel.calls_added, 0),
            ]
        )
        groups.append(run.arm)
    return tables.make_table(
        [
            "seed",
            "K",
            "items",
            "K = 1",
            "Parallel",
            "interval",
            "Sequential",
            "interval ",
            "selected, one call",
            "calls added",
        ],
        rows,
        groups=groups,
        notes=(
            (
                "Parallel is an oracle: the best of K in hindsight, not a deployable score. "
                "Sequential is the last of K. Attempt 1 is the parent's, run once; the allocation "
                "is nested and does not depend on outcomes. Calls added: by one control."
            ),
        ),
    )


def cost_table(data: SkillData) -> Table:
    """Show what the searches spent."""
    rows, groups = [], []
    for arm in data.arms:
        runs = data.of(arm)
        for view in data.views(arm):
            spent = [run.views[view] for run in runs if view in run.views]
            cells = [_total([one.spent(name) for one in spent], len(spent)) for name in _SPENT]
            point = tables.number(calls_a_point(runs, view), 0)
            rows.append([tables.text(view), *cells, point])
            groups.append(arm)
    return tables.make_table(
        ["view", "calls a run", "tokens in", "tokens out", "cost, $", "calls a test point"],
        rows,
        groups=groups,
        notes=(
            (
                "Means over seeds, without the selection, the probes and the controls. A point is "
                "one percentage point of test score over the parent; undefined where none was "
                "gained."
            ),
        ),
    )


_SPENT = ("calls", "input_tokens", "output_tokens", "cost")


def _total(values: Sequence[float | None], count: int) -> Cell:
    known = [value for value in values if value is not None]
    return tables.number(sum(known) / count if known else None, 0)


def paper_table(data: SkillData, paper: Sequence[Mapping[str, str]]) -> Table:
    """Show published numbers beside the simulated ones: a skill or control by name, on test."""
    arm = data.arms[0]
    runs = data.of(arm)
    rows = []
    for value in paper:
        name = value["arm"]
        if name in {"Parallel", "Sequential"}:
            shown = tables.text(_curves(runs, name.lower()))
        else:
            shown = tables.estimate(frozen_score(runs, "test", name), 1, scale=100)
        cells = [tables.text(value["solver"] or None), shown, tables.text(value["source"])]
        rows.append([tables.text(name), *cells])
    return tables.make_table(
        ["", "published", "simulated", "source"],
        rows,
        notes=(
            (
                "Simulated, not reproduced: the two columns differ in tasks, models and prompts. "
                "Controls: one score a seed."
            ),
        ),
    )


def _curves(runs: Sequence[SkillRun], control: str) -> str | None:
    found = []
    for run in runs:
        curve = curve_of(run, control)
        if curve is not None:
            point = curve.points[-1]
            score = point.oracle if control == "parallel" else point.last
            found.append(format_number(None if score is None else 100 * score, 1))
    return ", ".join(found) or None
