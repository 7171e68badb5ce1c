"""Numbers of a loop report beyond scores: gains, selection tax, noise, what is real, cost."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from evalkit.estimation import estimate_values
from evalkit.evolve.report_data import AgentRun, RunData
from evalkit.results import Estimate
from evalkit.trajectories.noise import false_new_best

__all__ = [
    "Noise",
    "RealShare",
    "calls_per_point",
    "chance_of_noise",
    "held_out_gain",
    "held_out_score",
    "noise_floor",
    "real_changes",
    "selection_taxes",
]


def held_out_score(runs: Sequence[AgentRun], role: str, *, level: float = 0.95) -> Estimate | None:
    """Estimate the test score of a role over seeds; ``None`` without finished runs.

    Notes
    -----
    The interval is that of sampling items: the outcomes of one item (or cluster of items) under
    all seeds are one cluster. `attempt_sd` is the standard deviation of the seeds' means.
    """
    tested = [run.tests[role] for run in runs if run.tests.get(role)]
    if not tested:
        return None
    rows = [row for run in tested for row in run]
    found = _clustered([r.score for r in rows], [r.cluster for r in rows], low=0.0, level=level)
    means = [_mean(row.score for row in run) for run in tested]
    return _with_seeds(found, means)


def held_out_gain(runs: Sequence[AgentRun], *, level: float = 0.95) -> Estimate | None:
    """Estimate best minus initial on the test split, item by item and seed by seed."""
    values: list[float | None] = []
    clusters: list[str] = []
    means: list[float | None] = []
    for run in runs:
        if not (run.tests.get("best") and run.tests.get("initial")):
            continue
        base = {row.item: row.score for row in run.tests["initial"]}
        pairs = [(row.score, base.get(row.item), row.cluster) for row in run.tests["best"]]
        gains = [None if a is None or b is None else a - b for a, b, _ in pairs]
        values += gains
        clusters += [cluster for _, _, cluster in pairs]
        means.append(_mean(gains))
    if not values:
        return None
    return _with_seeds(_clustered(values, clusters, low=-1.0, level=level), means)


def selection_taxes(runs: Iterable[AgentRun]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the validation best minus its fresh evaluation, and minus its test score, by run."""
    again, test = [], []
    for run in runs:
        best = run.best
        if best is None or best["score"] is None:
            continue
        fresh, tested = run.final_score("validation", "best"), run.final_score("test", "best")
        again += [] if fresh is None else [best["score"] - fresh]
        test += [] if tested is None else [best["score"] - tested]
    return tuple(again), tuple(test)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Spread of byte-identical evaluations.

    Attributes
    ----------
    sd : float or None
        Standard deviation within components; ``None`` without re-evaluations.
    repeats : int
        Evaluations beyond the first of each component.
    higher : int
        Those that scored strictly above the evaluation before.
    """

    sd: float | None
    repeats: int
    higher: int


def noise_floor(runs: Iterable[AgentRun]) -> Noise:
    """Pool the validations of unchanged components: an A/A test that the loop ran on the way."""
    squares, repeats, higher = 0.0, 0, 0
    for run in runs:
        groups: dict[str, list[float]] = {}
        for event in run.validations:
            if event["score"] is not None:
                groups.setdefault(event["artifact"], []).append(event["score"])
        for scores in groups.values():
            mean = math.fsum(scores) / len(scores)
            squares += math.fsum((score - mean) ** 2 for score in scores)
            repeats += len(scores) - 1
            higher += sum(b > a for a, b in pairwise(scores))
    sd = math.sqrt(squares / repeats) if repeats else None
    return Noise(sd=sd, repeats=repeats, higher=higher)


@dataclass(frozen=True, slots=True, kw_only=True)
class RealShare:
    """Changes whose true quality is known.

    Attributes
    ----------
    accepted, accepted_real : int
        Adopted changes, and those that raised the true quality.
    bests, bests_real : int
        New bests, and those that raised it above the best before.
    """

    accepted: int
    accepted_real: int
    bests: int
    bests_real: int


def real_changes(runs: Iterable[AgentRun]) -> RealShare | None:
    """Count the changes that truly helped; ``None`` where the truth is not known."""
    counts = [0, 0, 0, 0]
    known = False
    for run in runs:
        truths = run.truths
        if not run.history or run.history[0]["artifact"] not in truths:
            continue
        known = True
        incoming = best = truths[run.history[0]["artifact"]]
        for row in run.history[1:]:
            truth = truths.get(row["artifact"])
            if truth is None or row["decision"] not in {"new best", "flat"}:
                continue
            counts[0] += 1
            counts[1] += truth > incoming
            if row["decision"] == "new best":
                counts[2] += 1
                counts[3] += truth > best
                best = truth
            incoming = truth
    if not known:
        return None
    accepted, accepted_real, bests, bests_real = counts
    return RealShare(
        accepted=accepted, accepted_real=accepted_real, bests=bests, bests_real=bests_real
    )


def chance_of_noise(runs: Iterable[AgentRun]) -> float | None:
    """Return the mean chance that a new best would have come from an equal candidate.

    Notes
    -----
    For each new best, the binomial chance that a component as good as the best before, by its
    observed share, scores above it on as many items; ``None`` where scores are not 0 or 1.
    """
    chances = []
    for run in runs:
        events = {(e["round"], e["artifact"]): e for e in run.validations}
        best = run.history[0] if run.history else None
        for row in run.history[1:]:
            if row["decision"] != "new best" or best is None:
                continue
            before = events.get((best["round"], best["artifact"]))
            if before is not None and before["scored"] and before["successes"] is not None:
                chances.append(false_new_best(before["scored"], before["successes"]))
            best = row
    return math.fsum(chances) / len(chances) if chances else None


def calls_per_point(runs: Sequence[RunData], agent: str) -> float | None:
    """Return model calls for each point of test score gained; ``None`` where none was gained."""
    gains, calls = [], []
    for run in runs:
        found = run.agents.get(agent)
        if found is None:
            continue
        best, start = found.final_score("test", "best"), found.final_score("test", "initial")
        spent = run.spent("calls")
        if best is not None and start is not None and spent:
            gains.append(best - start)
            calls.append(spent)
    gained = 100 * math.fsum(gains)
    return math.fsum(calls) / gained if gained > 0 else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _clustered(
    values: Sequence[float | None], clusters: Sequence[str], *, low: float, level: float
) -> Estimate:
    distinct = len(set(clusters))
    return estimate_values(
        values,
        clusters=None if distinct == len(clusters) else clusters,
        level=level,
        score_range=(low, 1.0),
    )


def _with_seeds(found: Estimate, means: Sequence[float | None]) -> Estimate:
    known = [mean for mean in means if mean is not None]
    sd = statistics.stdev(known) if len(known) > 1 else None
    return replace(found, attempts=len(known), attempt_sd=sd)
