"""How often the intervals of a loop report hold the truth: measured on simulated worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evalkit.comparisons.paired import compare_pairs
from evalkit.comparisons.selection import selection_corrected
from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.environments.simulation.settings import parse_settings
from evalkit.environments.simulation.world import SimulatedWorld
from evalkit.errors import ArgumentError
from evalkit.estimation import estimate_values
from evalkit.intervals.binomial import proportion_interval
from evalkit.results import Interval
from evalkit.tally import tally_values

__all__ = ["CoverageRow", "interval_coverage"]

Quantity = Literal["score", "difference", "agreement", "selected", "selected, corrected", "test"]
_CANDIDATES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """Coverage of one interval.

    Attributes
    ----------
    quantity : str
        What the interval is of.
    coverage : float
        Share of worlds where it holds the truth.
    interval : Interval or None
        Clopper-Pearson interval of that share: how well it was measured.
    width : float
        Mean width; of a one-sided bound, its mean distance from the point.
    worlds : int
        Worlds with a defined interval.
    undefined : int
        Worlds without.
    """

    quantity: Quantity
    coverage: float
    interval: Interval | None
    width: float
    worlds: int
    undefined: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "quantity": self.quantity,
            "coverage": self.coverage,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "width": self.width,
            "worlds": self.worlds,
            "undefined": self.undefined,
        }


@dataclass(frozen=True, slots=True)
class _Hit:
    held: bool
    width: float


def _scores(
    world: SimulatedWorld, component: Component, split: str, draw: Draw
) -> dict[str, float]:
    """Scores of the items whose execution came through."""
    out = {}
    for item in world.items(split):
        execution = world.solve(component, item, draw=draw.child(split, item.id))
        score = world.verify(item, execution).score
        if score is not None:
            out[item.id] = score
    return out


def _clusters(world: SimulatedWorld, split: str, items: Sequence[str]) -> list[str] | None:
    names = {item.id: item.cluster for item in world.items(split)}
    found = [names[item] for item in items]
    return None if None in found else [str(name) for name in found]


def _two_sided(interval: Interval | None, truth: float) -> _Hit | None:
    return None if interval is None else _Hit(truth in interval, interval.width)


def _mean_hit(
    world: SimulatedWorld, scores: Mapping[str, float], split: str, truth: float, level: float
) -> _Hit | None:
    clusters = _clusters(world, split, list(scores))
    found = estimate_values(
        list(scores.values()), clusters=clusters, level=level, score_range=(0.0, 1.0)
    )
    return _two_sided(found.interval, truth)


def _difference_hit(world: SimulatedWorld, draw: Draw, level: float) -> _Hit | None:
    base, better = world.initial("solver"), world.initial("solver", kind="informed")
    first = _scores(world, base, "validation", draw.child("base"))
    second = _scores(world, better, "validation", draw.child("better"))
    both = [item for item in first if item in second]
    differences = tally_values(
        [second[item] - first[item] for item in both],
        clusters=_clusters(world, "validation", both),
    )
    truth = world.truth(better, "population") - world.truth(base, "population")
    return _two_sided(compare_pairs(differences, level=level).interval, truth)


def _agreement_hit(world: SimulatedWorld, draw: Draw, level: float) -> _Hit | None:
    grader = world.initial("grader", kind="informed")
    credited: list[float] = []
    clusters: list[str] = []
    for pair in world.pairs("validation"):
        sides = [
            world.judge(grader, pair.item, side, draw=draw.child(pair.id, index)).score
            for index, side in enumerate((pair.better, pair.worse))
        ]
        better, worse = sides
        if better is not None and worse is not None:
            credited.append((1 + (better > worse) - (better < worse)) / 2)
            clusters.append(pair.item.cluster or pair.item.id)
    found = estimate_values(credited, clusters=clusters, level=level, score_range=(0.0, 1.0))
    return _two_sided(found.interval, world.grader_truth(grader, "population"))


def _selection_hits(world: SimulatedWorld, draw: Draw, level: float) -> dict[Quantity, _Hit | None]:
    """Best of eight equally good candidates on validation: naive, corrected, and on test."""
    base = world.initial("solver")
    truth = world.truth(base, "population")
    tables = [
        _scores(world, base, "validation", draw.child("candidate", k)) for k in range(_CANDIDATES)
    ]
    shared = [item for item in tables[0] if all(item in table for table in tables)]
    rows = {str(k): [table[item] for item in shared] for k, table in enumerate(tables)}
    found = selection_corrected(
        rows,
        clusters=_clusters(world, "validation", shared),
        level=(1 + level) / 2,
        score_range=(0.0, 1.0),
        resamples=1,
    )
    winner = rows[str(found.winner)]
    naive = _mean_hit(world, dict(zip(shared, winner, strict=True)), "validation", truth, level)
    lower = None
    if found.lower is not None and found.best is not None:
        lower = _Hit(found.lower <= truth, found.best - found.lower)
    return {"selected": naive, "selected, corrected": lower}


def interval_coverage(
    settings: Mapping[str, object],
    *,
    worlds: int,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[CoverageRow, ...]:
    """Measure the coverage of a loop report's intervals on worlds with known truth.

    Parameters
    ----------
    settings : mapping
        Settings of the worlds, as :func:`evalkit.environments.simulation.build` takes them.
    worlds : int
        Worlds to draw: other items, pairs and executions each.
    seed : int
        Seed of all of them.
    level : float
        Nominal coverage.

    Returns
    -------
    tuple of CoverageRow
        ``score`` (validation) and ``test`` scores of a solver, ``difference`` of two solvers on
        validation, ``agreement`` of a grader on validation pairs, and the validation score of the
        best of eight equally good candidates: ``selected`` as if it had not been selected,
        ``selected, corrected`` by the one-sided bound that holds for whichever wins, at
        ``(1 + level) / 2``.

    Raises
    ------
    ArgumentError
        If a setting is out of range, or there is nothing to measure on.

    Notes
    -----
    The truth is the expectation over new items and executions, in closed form. Every interval
    counts infrastructure errors as missing.
    """
    if worlds < 1:
        raise ArgumentError(f"`worlds` is {worlds}; it must be at least 1")
    hits: dict[Quantity, list[_Hit | None]] = {}
    knobs = parse_settings(settings)
    if not (knobs.validation and knobs.test and knobs.pairs):
        raise ArgumentError("`validation`, `test` and `pairs` must be above 0 to measure coverage")
    for index in range(worlds):
        draw = Draw.of(seed).child("coverage", index)
        world = SimulatedWorld(knobs, draw.integer())
        solver = world.initial("solver")
        truth = world.truth(solver, "population")
        found: dict[Quantity, _Hit | None] = {}
        for quantity, split in (("score", "validation"), ("test", "test")):
            scores = _scores(world, solver, split, draw.child("solver"))
            found[quantity] = _mean_hit(world, scores, split, truth, level)  # type: ignore[index]
        found["difference"] = _difference_hit(world, draw.child("difference"), level)
        found["agreement"] = _agreement_hit(world, draw.child("agreement"), level)
        found |= _selection_hits(world, draw.child("selection"), level)
        for quantity, hit in found.items():
            hits.setdefault(quantity, []).append(hit)
    return tuple(_row(quantity, found) for quantity, found in hits.items())


def _row(quantity: Quantity, hits: Sequence[_Hit | None]) -> CoverageRow:
    defined = [hit for hit in hits if hit is not None]
    held = sum(hit.held for hit in defined)
    n = len(defined)
    if not n:
        raise ArgumentError(f"no interval of {quantity!r} is defined; give the splits more items")
    return CoverageRow(
        quantity=quantity,
        coverage=held / n,
        interval=proportion_interval(held, n, method="clopper-pearson"),
        width=sum(hit.width for hit in defined) / n,
        worlds=n,
        undefined=len(hits) - n,
    )
