"""Findings of a loop report: what the first arm gained, and how much of it is noise."""

from __future__ import annotations

import statistics

from evalkit.evolve.report_data import AgentRun, ExperimentData
from evalkit.evolve.report_numbers import (
    held_out_gain,
    noise_floor,
    real_changes,
    selection_taxes,
)
from evalkit.report import Finding
from evalkit.results import Estimate
from evalkit.rounding import format_number

__all__ = ["gain_text", "loop_findings"]


def loop_findings(data: ExperimentData) -> tuple[Finding, ...]:
    """State the findings of the first arm, for each agent."""
    arm = data.arms[0]
    out: list[Finding] = []
    for agent in ("solver", "grader"):
        runs = list(data.of(arm, agent))
        gain = held_out_gain(runs)
        if gain is not None and gain.estimate is not None:
            out.append(_gained(arm, agent, gain))
        found = [_overstated(agent, runs), _noisy(agent, runs)]
        out += [finding for finding in found if finding is not None]
    return tuple(out)


def gain_text(found: Estimate) -> str:
    """Print a gain in points with its interval."""
    value, bounds = found.estimate, found.interval
    shown = format_number(None if value is None else 100 * value, 1, sign=True)
    if bounds is None:
        return shown
    low, high = (format_number(100 * x, 1, sign=True) for x in (bounds.low, bounds.high))
    return f"{shown} [{low}, {high}]"


def _gained(arm: str, agent: str, gain: Estimate) -> Finding:
    bounds = gain.interval
    status = "undefined"
    if bounds is not None:
        status = "not separated" if bounds.low <= 0 <= bounds.high else "separated"
    sampled = "" if gain.clusters is None else f", {gain.clusters} clusters"
    return Finding(
        status=status,
        title=f"In arm {arm}, the {agent} gained {gain_text(gain)} points on test.",
        detail=f"{gain.attempts} seeds, {gain.n} outcomes{sampled}; seed sd "
        f"{format_number(_points(gain.attempt_sd), 1)} points.",
    )


def _overstated(agent: str, runs: list[AgentRun]) -> Finding | None:
    again, _ = selection_taxes(runs)
    if not again:
        return None
    tax = format_number(100 * statistics.fmean(again), 1, sign=True)
    floor = noise_floor(runs)
    return Finding(
        status="selection",
        title=f"The {agent}'s validation best is {tax} points above a fresh evaluation of the "
        "same bytes.",
        detail=f"Mean of {len(again)} runs. Byte-identical validations have a standard deviation "
        f"of {format_number(_points(floor.sd), 1)} points ({floor.repeats} repeats).",
    )


def _noisy(agent: str, runs: list[AgentRun]) -> Finding | None:
    real = real_changes(runs)
    if real is None or not real.accepted:
        return None
    return Finding(
        status="known truth",
        title=f"{real.accepted_real} of {real.accepted} changes that the {agent} adopted raised "
        "its true quality.",
        detail=f"Of {real.bests} new bests, {real.bests_real} did.",
    )


def _points(value: float | None) -> float | None:
    return None if value is None else 100 * value
