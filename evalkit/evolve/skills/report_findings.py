"""Findings of the report on skill evolution, for its first arm."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from evalkit.evolve.report_data import AgentRun
from evalkit.evolve.report_findings import gain_text
from evalkit.evolve.report_numbers import noise_floor, real_changes, selection_taxes
from evalkit.evolve.skills.report_data import SELECTED, SkillData, SkillRun
from evalkit.evolve.skills.report_numbers import (
    curve_of,
    first_score,
    frozen_gain,
    locked_sensitivity,
    seed_gains,
    seed_sd,
)
from evalkit.report import Finding
from evalkit.rounding import format_number

__all__ = ["skill_findings"]


def skill_findings(data: SkillData) -> tuple[Finding, ...]:
    """State what was gained, what the selection cost, and how much of it is noise."""
    runs = data.of(data.arms[0])
    agents = [a for run in runs for view in run.views.values() for a in view.agents.values()]
    found = [_gained(runs), _taxed(agents), _real(agents), _controls(runs), _verifiers(runs)]
    return tuple(finding for finding in found if finding is not None)


def _points(value: float | None, *, sign: bool = False) -> str:
    return format_number(None if value is None else 100 * value, 1, sign=sign)


def _gained(runs: Sequence[SkillRun]) -> Finding | None:
    gain = frozen_gain(runs, "test", SELECTED)
    if gain is None or gain.estimate is None:
        return None
    bounds = gain.interval
    status = "undefined"
    if bounds is not None:
        status = "not separated" if bounds.low <= 0 <= bounds.high else "separated"
    gains = seed_gains(runs, "test", SELECTED)
    views = ", ".join(str(run.selected["view"]) for run in runs if run.selected is not None)
    return Finding(
        status=status,
        title=f"The selected skills are {gain_text(gain)} points from the parent on test.",
        detail=f"By seed: {', '.join(_points(x, sign=True) for x in gains)} ({views}). The "
        f"interval is that of these searches, over {gain.n} outcomes; seeds have a standard "
        f"deviation of {_points(seed_sd(gains))} points.",
    )


def _taxed(agents: Sequence[AgentRun]) -> Finding | None:
    again, _ = selection_taxes(agents)
    if not again:
        return None
    floor = noise_floor(agents)
    return Finding(
        status="selection",
        title=f"Validation bests are {_points(statistics.fmean(again), sign=True)} points above a "
        "fresh evaluation of the same bytes.",
        detail=f"Mean of {len(again)} searches. Byte-identical validations have a standard "
        f"deviation of {_points(floor.sd)} points ({floor.repeats} repeats).",
    )


def _real(agents: Sequence[AgentRun]) -> Finding | None:
    real = real_changes(agents)
    if real is None or not real.bests:
        return None
    return Finding(
        status="known truth",
        title=f"{real.bests_real} of {real.bests} new bests raised the true quality.",
        detail=f"Of {real.accepted} changes that the gate let through or that set a best, "
        f"{real.accepted_real} did.",
    )


def _controls(runs: Sequence[SkillRun]) -> Finding | None:
    gaps = []
    for run in runs:
        curve, one = curve_of(run, "parallel"), first_score(run, SELECTED)
        if curve is not None and one is not None and curve.points[-1].oracle is not None:
            gaps.append(one - curve.points[-1].oracle)
    if not gaps:
        return None
    mean = statistics.fmean(gaps)
    return Finding(
        status="controls",
        title=f"One call of the selected skill scores {_points(mean, sign=True)} points against "
        "the oracle of Parallel at its full budget.",
        detail="By seed: "
        + ", ".join(_points(gap, sign=True) for gap in gaps)
        + ". The oracle picks in hindsight and is an upper bound.",
    )


def _verifiers(runs: Sequence[SkillRun]) -> Finding | None:
    found = locked_sensitivity(runs)
    if found is None:
        return None
    said = "; ".join(
        f"{gain.verifier} {_points(gain.gain, sign=True)} ({gain.verdict})" for gain in found.gains
    )
    return Finding(
        status="verifiers",
        title=f"Gain of the selected skill on the same outputs, by verifier: {said}.",
        detail="; ".join(
            f"{c.v1} minus {c.v0}: {_points(c.difference, sign=True)} points, {c.verdict}"
            for c in found.contrasts
        ),
    )
