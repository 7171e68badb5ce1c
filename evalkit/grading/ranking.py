"""Systems ranked by pairwise outcomes, no further than the data allow: ``evalkit.rank``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.bootstrap.seeds import streams
from evalkit.comparisons.all_pairs import letter_groups
from evalkit.errors import ArgumentError
from evalkit.grading.bradley_terry import (
    Fit,
    TieModel,
    check_graph,
    check_tie_parameter,
    fit_bradley_terry,
)
from evalkit.grading.errors import UnboundedFitError
from evalkit.grading.games import Games, read_games
from evalkit.intervals._student import t_quantile
from evalkit.results import Interval, Results, check_level, json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RankedScore", "rank"]

_FEW = 20
_BLOCK = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedScore:
    """One system with its score.

    Attributes
    ----------
    system : str
        Name.
    score : float
        Log strength; the scores of all systems sum to 0. A difference is the log of the odds of a
        win against a loss.
    interval : Interval or None
        Simultaneous: all scores lie in their intervals at this level.
    strength : float
        Share of the total strength, ``exp(score)`` over its sum.
    games, wins, ties, losses : int
        Comparisons of this system.
    group : str or None
        Letters; two systems that share one are not separated. ``None`` without intervals.
    rank_low, rank_high : int or None
        Best and worst rank that the separations allow.
    note : str or None
        Why there is no interval.
    """

    system: str
    score: float
    interval: Interval | None
    strength: float
    games: int
    wins: int
    ties: int
    losses: int
    group: str | None
    rank_low: int | None
    rank_high: int | None
    level: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit rank`` as JSON-safe values."""
        bounds = self.interval
        return {
            "system": self.system,
            "score": json_value(self.score),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "strength": self.strength,
            "games": self.games,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "group": self.group,
            "rank_low": self.rank_low,
            "rank_high": self.rank_high,
            "note": self.note,
        }


def _replicates(
    games: Games, fit: Fit, *, ties: TieModel, resamples: int, rng: np.random.Generator | int
) -> NDArray[np.float64]:
    """Scores under random cluster weights, shape (B, K), one set of weights for all systems."""
    source, clusters = streams(rng), games.clusters
    found = np.empty((resamples, len(games.systems)))
    for start in range(0, resamples, _BLOCK):
        drawn = source.generator(start // _BLOCK).exponential(size=(_BLOCK, clusters))
        for row, own in enumerate(drawn[: resamples - start]):
            weights = own * (clusters / own.sum())
            fitted = fit_bradley_terry(games.outcomes(weights), ties=ties, start=fit)
            found[start + row] = fitted.scores
    return found


def _widths(deviations: NDArray[np.float64], clusters: int, level: float) -> NDArray[np.float64]:
    """Half-widths that hold together: sup-t over the columns of `deviations`."""
    # Exponential weights give (G - 1) / (G + 1) of the unbiased variance of a mean.
    inflate = np.sqrt((clusters + 1.0) / (clusters - 1.0))
    spread = deviations.std(axis=0)
    moving = spread > 0
    if not moving.any():
        return np.zeros_like(spread)
    largest = np.abs(deviations[:, moving] / spread[moving]).max(axis=1)
    critical = float(np.quantile(largest, level))
    # The number of clusters limits what is known of the spread: Student's t of the same tail.
    inside = math.erf(critical / math.sqrt(2.0))
    if inside < 1.0:
        critical = max(critical, t_quantile(inside, clusters - 1.0))
    return np.asarray(critical * inflate * spread, dtype=float)


def _separated(
    scores: NDArray[np.float64],
    deviations: NDArray[np.float64],
    order: NDArray[np.int64],
    clusters: int,
    level: float,
) -> list[tuple[int, int]]:
    """Pairs of places in `order` whose difference has a simultaneous interval without 0."""
    one, two = np.triu_indices(order.size, k=1)
    better, worse = order[one], order[two]
    width = _widths(deviations[:, better] - deviations[:, worse], clusters, level)
    apart = scores[better] - scores[worse] > np.maximum(width, 0.0)
    return [(int(i), int(j)) for i, j in zip(one[apart], two[apart], strict=True)]


def _tallies(games: Games) -> NDArray[np.int64]:
    """Wins, ties and losses of each system, shape (K, 3)."""
    outcomes = games.outcomes()
    k = len(games.systems)
    wins = np.bincount(outcomes.first, outcomes.wins, k)
    wins += np.bincount(outcomes.second, outcomes.losses, k)
    losses = np.bincount(outcomes.first, outcomes.losses, k)
    losses += np.bincount(outcomes.second, outcomes.wins, k)
    ties = np.bincount(outcomes.first, outcomes.ties, k)
    ties += np.bincount(outcomes.second, outcomes.ties, k)
    return np.stack([wins, ties, losses], axis=1).round().astype(np.int64)


def _why_none(games: Games, resamples: int, *, clustered: bool) -> str | None:
    if games.clusters < 2:
        kind = "cluster" if clustered else "comparison"
        return f"one {kind}: the spread between {kind}s cannot be estimated"
    return None if resamples else "no resamples were asked for, so no interval"


def _check(level: float, resamples: int) -> None:
    check_level(level)
    if resamples < 0 or resamples == 1:
        raise ArgumentError(f"`resamples` is {resamples}; it must be 0, or 2 or more")


def rank(
    data: Any,
    *,
    cluster: str | None = None,
    ties: TieModel = "davidson",
    level: float = 0.95,
    resamples: int = 1000,
    rng: np.random.Generator | int = 0,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Results[RankedScore]:
    """Rank systems by Bradley-Terry scores with simultaneous intervals and tie groups.

    Parameters
    ----------
    data : path, dataframe of any engine, or sequence of mappings
        One row for each comparison: two systems and the outcome (left, right or tie; A, B; or the
        name of the winner).
    cluster : str, optional
        Column of clusters (items, prompts): comparisons of one are not independent. By default
        every comparison is taken as independent.
    ties : {"davidson", "half"}
        Davidson's model with a tie parameter, or each tie as half a win for both.
    level : float
        Nominal coverage of all scores together, and of all differences together.
    resamples : int
        Bootstrap replicates; 0 gives no intervals.
    rng : Generator or int
        Seed. All systems use the same resamples.
    columns : mapping of str to str, optional
        The columns ``a``, ``b`` and ``outcome``, where a guess by name would be wrong.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    Results of RankedScore
        Best first.

    Raises
    ------
    DisconnectedError
        If some systems were never compared with the rest.
    UnboundedFitError
        If some systems never lost to, nor tied with, the rest.
    InputError
        If the comparisons cannot be read.

    Notes
    -----
    Intervals are sup-t over the systems: score plus or minus ``c`` standard errors, ``c`` the
    quantile of the largest deviation. Replicates reweight clusters by exponential weights (the
    Bayesian bootstrap), which never lose a system's only defeat, so every replicate has a finite
    fit. The spread is corrected by ``(G+1)/(G-1)``, and ``c`` is replaced by the quantile of
    Student's t with ``G-1`` degrees of freedom that has its normal tail.
    Two systems are separated when the sup-t interval of their difference, over all pairs, leaves
    out 0; systems share a letter exactly when they are not separated.

    Examples
    --------
    >>> rows = [{"left": a, "right": b, "winner": "left"}
    ...         for a, b, n in (("x", "y", 30), ("y", "x", 10), ("y", "z", 30), ("z", "y", 10))
    ...         for _ in range(n)]
    >>> found = rank(rows, resamples=200)
    >>> [(r.system, r.group) for r in found], round(found[0].score, 4)
    ([('x', 'a'), ('y', 'b'), ('z', 'c')], 1.0986)
    """
    _check(level, resamples)
    games = read_games(data, cluster=cluster, columns=columns, partial=partial)
    names, clusters = games.systems, games.clusters
    check_graph(games.outcomes(), names)
    if ties == "davidson":
        check_tie_parameter(games.outcomes())
    fit = fit_bradley_terry(games.outcomes(), ties=ties)
    order = np.array(
        sorted(range(len(names)), key=lambda k: (-round(float(fit.scores[k]), 9), names[k]))
    )
    reason = _why_none(games, resamples, clustered=cluster is not None)
    notes = [*games.notes, _said(games, fit, ties, cluster)]
    widths: NDArray[np.float64] | None = None
    apart: list[tuple[int, int]] = []
    if reason is None:
        try:
            drawn = _replicates(games, fit, ties=ties, resamples=resamples, rng=rng)
        except UnboundedFitError as error:
            reason = f"no interval: in a resample {error}"
        else:
            deviations = drawn - fit.scores
            widths = _widths(deviations, clusters, level)
            if not (widths > 0).all():
                widths, reason = None, "no spread between resamples, so no interval is given"
            else:
                apart = _separated(fit.scores, deviations, order, clusters, level)
    if reason is None and clusters < _FEW:
        notes.append(f"{clusters} clusters are few: the intervals may cover less than their level")
    results = _ranked(games, fit, order, widths, apart, level=level, reason=reason)
    return Results(results, notes=dict.fromkeys(notes))


def _said(games: Games, fit: Fit, ties: TieModel, cluster: str | None) -> str:
    model = "ties are half a win for each side" if ties == "half" else "no ties"
    if fit.tie_parameter is not None:
        model = f"ties by Davidson's model, nu = {fit.tie_parameter:.4f}"
    unit = "comparisons, taken as independent" if cluster is None else f"clusters ({cluster})"
    return f"Bradley-Terry, {model}; resampled {games.clusters} {unit}"


def _letters(own: tuple[str, ...]) -> str:
    return ("" if all(len(letter) == 1 for letter in own) else ",").join(own)


def _ranked(
    games: Games,
    fit: Fit,
    order: NDArray[np.int64],
    widths: NDArray[np.float64] | None,
    apart: list[tuple[int, int]],
    *,
    level: float,
    reason: str | None,
) -> list[RankedScore]:
    number = order.size
    letters = letter_groups(number, apart)
    strength = np.exp(fit.scores - fit.scores.max())
    strength /= strength.sum()
    counts = _tallies(games)
    results = []
    for place, k in enumerate(order.tolist()):
        score = float(fit.scores[k])
        interval = None
        if widths is not None:
            interval = Interval(
                low=score - float(widths[k]),
                high=score + float(widths[k]),
                level=level,
                method="sup-t, Bayesian bootstrap of clusters",
            )
        wins, ties, losses = (int(x) for x in counts[k])
        known = widths is not None
        results.append(
            RankedScore(
                system=games.systems[k],
                score=score,
                interval=interval,
                strength=float(strength[k]),
                games=wins + ties + losses,
                wins=wins,
                ties=ties,
                losses=losses,
                group=_letters(letters[place]) if known else None,
                rank_low=1 + sum(j == place for _, j in apart) if known else None,
                rank_high=number - sum(i == place for i, _ in apart) if known else None,
                level=level,
                note=reason,
            )
        )
    return results
