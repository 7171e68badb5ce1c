"""Figures of the report on skill evolution."""

from __future__ import annotations

from evalkit.evolve.skills.report_data import SELECTED, SkillData, SkillRun
from evalkit.evolve.skills.report_numbers import curve_of, first_score, frozen_gain
from evalkit.evolve.skills.selecting import PARENT_ROLE
from evalkit.figures import (
    CurvePoint,
    ForestRow,
    TrajectoryRow,
    evolution_panels,
    forest,
    forest_row,
    new_figure,
    paper_style,
    scaling_curves,
    svg_text,
)
from evalkit.report import ReportFigure
from evalkit.testtime import ScalingCurve

__all__ = ["skill_figures"]


def skill_figures(data: SkillData) -> tuple[ReportFigure, ...]:
    """Draw the searches, the gains and the controls of the first arm."""
    import matplotlib as mpl

    runs = data.of(data.arms[0])
    with mpl.rc_context(paper_style(2)):
        found = [_searches(runs), _gains(runs, data.views(data.arms[0]))]
        evolved = [r for r in runs if r.selected and r.selected["view"] != PARENT_ROLE]
        found += [_controls(run) for run in (evolved or runs)[:1]]
    return tuple(figure for figure in found if figure is not None)


def _searches(runs: list[SkillRun]) -> ReportFigure | None:
    rows = []
    for run in runs:
        for view, found in run.views.items():
            agent = found.agents.get("solver")
            if agent is None or found.rounds < 1:
                continue
            bests = tuple(r["round"] for r in agent.history if r["decision"] == "new best")
            rows.append(
                TrajectoryRow(
                    label=view,
                    group=f"seed {run.seed}",
                    executed=found.rounds,
                    new_bests=bests,
                    best_round=bests[-1] if bests else 0,
                    selected=run.selected is not None and run.selected["view"] == view,
                    max_round=max(one.rounds for other in runs for one in other.views.values()),
                )
            )
    if not rows:
        return None
    columns = min(3, len({row.group for row in rows}))
    figure = new_figure(columns=2, height=1.1 + 0.75 * -(-len(runs) // columns))
    evolution_panels(figure, rows, columns=columns)
    said = "; ".join(
        f"{row.group}, {row.label}: "
        + (", ".join(map(str, row.new_bests)) if row.new_bests else "none")
        for row in rows
    )
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Rounds that set a new best. {said}",
        caption="Rounds that ran under each view, new bests, and the skill that was selected.",
    )


def _gains(runs: list[SkillRun], views: tuple[str, ...]) -> ReportFigure | None:
    rows: list[ForestRow] = []
    for panel in dict.fromkeys(panel for run in runs for panel in run.panels):
        for role in (*views, SELECTED) if panel == "test" else (SELECTED,):
            gain = frozen_gain(runs, panel, role)
            if gain is not None and gain.estimate is not None:
                group = "test" if panel == "test" else "probes"
                label = role if panel == "test" else panel
                rows.append(forest_row(label, gain, group=group))
    if not rows:
        return None
    figure = new_figure(columns=2, height=0.9 + 0.2 * len(rows))
    forest(
        figure.subplots(),
        rows,
        scale=100,
        digits=1,
        reference=0.0,
        sign=True,
        xlabel="points above the parent",
    )
    said = "; ".join(f"{row.label} {100 * (row.value or 0):+.1f}" for row in rows)
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Differences from the parent in points: {said}",
        caption=(
            "Frozen skills minus the parent, item by item, with item-sampling intervals; probes "
            "for the selected skill."
        ),
    )


def _controls(run: SkillRun) -> ReportFigure | None:
    parallel, sequential = curve_of(run, "parallel"), curve_of(run, "sequential")
    if parallel is None or sequential is None:
        return None
    curves = {
        "Parallel": _points(parallel, oracle=True),
        "Sequential": _points(sequential, oracle=False),
    }
    if not any(curves.values()):
        return None
    evolved, parent = first_score(run, SELECTED), first_score(run, PARENT_ROLE)
    figure = new_figure(columns=2, height=2.4)
    scaling_curves(
        figure.subplots(),
        parallel=curves["Parallel"],
        sequential=curves["Sequential"],
        evolved=evolved,
        parent=parent,
        title=f"Seed {run.seed}",
    )
    said = "; ".join(
        f"{name}: " + ", ".join(f"K = {p.k} {100 * p.value:.1f}" for p in points)
        for name, points in curves.items()
    )
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Score by attempts an item. {said}",
        caption=(
            "Test-time controls from the frozen parent, with item-sampling bands, beside one call "
            "of the selected skill. Parallel is an oracle."
        ),
    )


def _points(curve: ScalingCurve, *, oracle: bool) -> list[CurvePoint]:
    out = []
    for point in curve.points:
        value = point.oracle if oracle else point.last
        bounds = point.oracle_interval if oracle else point.last_interval
        if value is not None:
            low, high = (None, None) if bounds is None else (bounds.low, bounds.high)
            out.append(CurvePoint(k=point.k, value=value, low=low, high=high))
    return out
