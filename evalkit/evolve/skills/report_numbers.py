"""Numbers of the report on skill evolution."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.estimation import estimate_values
from evalkit.evolve.reading import record_rows
from evalkit.evolve.skills.after_selection import SCALING, VERIFIERS
from evalkit.evolve.skills.report_data import Deployed, SkillRun
from evalkit.evolve.skills.selecting import PARENT_ROLE
from evalkit.locked import Sensitivity, sensitivity
from evalkit.results import Estimate
from evalkit.testtime import ScalingCurve, scaling
from evalkit.trajectories.selection import SelectionGap, ViewResult, selection_gap

__all__ = [
    "best_validation",
    "calls_a_point",
    "curve_of",
    "deployment_sd",
    "first_score",
    "frozen_gain",
    "frozen_score",
    "gap_of",
    "locked_sensitivity",
    "seed_gains",
    "seed_sd",
]


def _estimate(
    values: Sequence[float | None], clusters: Sequence[str], *, low: float, level: float
) -> Estimate | None:
    if not values:
        return None
    distinct = len(set(clusters)) == len(clusters)
    return estimate_values(
        values, clusters=None if distinct else clusters, level=level, score_range=(low, 1.0)
    )


def frozen_score(
    runs: Iterable[SkillRun], panel: str, role: str, *, level: float = 0.95
) -> Estimate | None:
    """Estimate the score of a role over deployments and seeds; ``None`` without any.

    Outcomes of one item, or of one cluster of items, are one cluster.
    """
    rows = [row for run in runs for row in run.of(panel, role)]
    return _estimate([r.score for r in rows], [r.cluster for r in rows], low=0.0, level=level)


def frozen_gain(
    runs: Iterable[SkillRun],
    panel: str,
    role: str,
    *,
    base: str = PARENT_ROLE,
    level: float = 0.95,
) -> Estimate | None:
    """Estimate role minus base, item by item within a deployment; ``None`` without any."""
    values: list[float | None] = []
    clusters: list[str] = []
    for run in runs:
        before = {(row.deployment, row.item): row.score for row in run.of(panel, base)}
        for row in run.of(panel, role):
            old = before.get((row.deployment, row.item))
            values.append(None if row.score is None or old is None else row.score - old)
            clusters.append(row.cluster)
    return _estimate(values, clusters, low=-1.0, level=level)


def seed_gains(runs: Iterable[SkillRun], panel: str, role: str) -> list[float]:
    """Return role minus parent of each seed that has both."""
    found = [frozen_gain([run], panel, role) for run in runs]
    return [float(g.estimate) for g in found if g is not None and g.estimate is not None]


def seed_sd(gains: Sequence[float]) -> float | None:
    """Return the standard deviation of the seeds' gains; ``None`` for fewer than two."""
    return statistics.stdev(gains) if len(gains) > 1 else None


def deployment_sd(runs: Iterable[SkillRun], role: str) -> float | None:
    """Return the standard deviation of repeated test scores of the same bytes, within runs."""
    squares, freedom = 0.0, 0
    for run in runs:
        means = _means(run.of("test", role))
        if len(means) > 1:
            centre = statistics.fmean(means)
            squares += math.fsum((mean - centre) ** 2 for mean in means)
            freedom += len(means) - 1
    return math.sqrt(squares / freedom) if freedom else None


def first_score(run: SkillRun, role: str) -> float | None:
    """Return the test score of the first deployment, the one that a single test would report."""
    rows = run.of("test", role)
    first = [row for row in rows if row.deployment == rows[0].deployment]
    means = _means(first)
    return means[0] if means else None


def _means(rows: Iterable[Deployed]) -> list[float]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        if row.score is not None:
            groups.setdefault(row.deployment, []).append(row.score)
    return [statistics.fmean(scores) for scores in groups.values()]


def best_validation(runs: Iterable[SkillRun], role: str, *, level: float = 0.95) -> Estimate | None:
    """Estimate the validation score of a role at its selection; ``None`` without any."""
    values: list[float] = []
    clusters: list[str] = []
    for run in runs:
        for item, score in run.best_items.get(role, {}).items():
            values.append(score)
            clusters.append(run.clusters.get(item, item))
    return _estimate(values, clusters, low=0.0, level=level)


def gap_of(run: SkillRun) -> SelectionGap | None:
    """Return what the selection gave away on the first test deployment; ``None`` before it."""
    tests = {role: first_score(run, role) for role in (PARENT_ROLE, *run.views)}
    parent = run.best_items.get(PARENT_ROLE)
    if run.selected is None or not parent or None in tests.values():
        return None
    views = {
        view: ViewResult(
            validation=statistics.fmean(run.best_items[view].values()),
            test=tests[view],
            artifact=run.artifacts[view],
        )
        for view in run.views
    }
    start = ViewResult(
        validation=statistics.fmean(parent.values()),
        test=tests[PARENT_ROLE],
        artifact=run.artifacts[PARENT_ROLE],
    )
    return selection_gap(views, start, selected=run.selected["view"], parent_name=PARENT_ROLE)


def calls_a_point(runs: Sequence[SkillRun], view: str) -> float | None:
    """Return model calls of the search for each point gained on test; ``None`` without gain."""
    calls, gains = [], []
    for run in runs:
        gain = frozen_gain([run], "test", view)
        spent = run.views[view].spent("calls") if view in run.views else None
        if spent and gain is not None and gain.estimate is not None:
            calls.append(spent)
            gains.append(float(gain.estimate))
    gained = 100 * math.fsum(gains)
    return math.fsum(calls) / gained if gained > 0 else None


def curve_of(run: SkillRun, control: str) -> ScalingCurve | None:
    """Return the curve of a test-time control; ``None`` before its first attempt."""
    folder = run.folders.get(SCALING)
    wanted = f"{run.arm}/solver/{control}"
    outcomes: dict[str, dict[int, float | None]] = {}
    for row in () if folder is None else record_rows(folder):
        if row["system"] == wanted:
            outcomes.setdefault(row["item"], {})[int(row["attempt"])] = row["score"]
    if not outcomes:
        return None
    return scaling({item: [t[k] for k in sorted(t)] for item, t in outcomes.items()})


def locked_sensitivity(runs: Iterable[SkillRun]) -> Sensitivity | None:
    """Compare the verifiers on the same outputs; ``None`` where the parent was kept throughout."""
    rows: list[dict[str, Any]] = []
    arm = ""
    for run in runs:
        folder = run.folders.get(VERIFIERS)
        if folder is not None and run.selected and run.selected["view"] != PARENT_ROLE:
            rows += record_rows(folder)
            arm = run.arm
    if not rows:
        return None
    import pandas as pd

    frame = pd.DataFrame(rows)
    names = tuple(dict.fromkeys(str(name) for name in frame["verifier"]))
    try:
        return sensitivity(
            frame,
            verifiers=names,
            base=f"{arm}/solver/Parent",
            candidate=f"{arm}/solver/selected",
            cluster="cluster" if "cluster" in frame else None,
            score_range=(0.0, 1.0),
        )
    except ArgumentError:  # one of the two has no output yet
        return None
