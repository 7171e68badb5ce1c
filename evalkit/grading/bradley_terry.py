"""Bradley-Terry scores from pairwise outcomes, ties by Davidson's model or as half wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.grading.errors import DisconnectedError, UnboundedFitError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Fit", "Outcomes", "TieModel", "check_graph", "check_tie_parameter", "fit_bradley_terry"]

TieModel = Literal["davidson", "half"]
_LIMIT = 30.0  # log-odds that no finite fit of real data reaches
_STEPS = 100
_TOLERANCE = 1e-12
_SLACK = 1e-7


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """How often each pair of systems was compared, and how it went.

    Attributes
    ----------
    first, second : ndarray of int, shape (P,)
        The two systems of each pair, by number.
    wins, losses, ties : ndarray of float, shape (P,)
        Outcomes seen from `first`; weights need not be whole.
    number : int
        Systems.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wins: NDArray[np.float64]
    losses: NDArray[np.float64]
    ties: NDArray[np.float64]
    number: int


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Maximum-likelihood scores.

    Attributes
    ----------
    scores : ndarray of float, shape (K,)
        Log strengths, centred: their sum is 0.
    tie_parameter : float or None
        Davidson's nu: the odds of a tie against a win between equals are nu to 2.
    """

    scores: NDArray[np.float64]
    tie_parameter: float | None


def _names(places: NDArray[np.bool_], names: Sequence[str]) -> str:
    chosen = [names[k] for k in np.flatnonzero(places).tolist()]
    return ", ".join(chosen[:5]) + (f" and {len(chosen) - 5} more" if len(chosen) > 5 else "")


def check_graph(outcomes: Outcomes, names: Sequence[str]) -> None:
    """Refuse comparisons that cannot give finite scores.

    Raises
    ------
    DisconnectedError
        If some systems were never compared with the rest, even through others.
    UnboundedFitError
        If some systems never lost to nor tied with the rest: their scores would be infinite.

    Examples
    --------
    >>> one = np.ones(1)
    >>> games = Outcomes(first=np.array([0]), second=np.array([1]), wins=one, losses=0 * one,
    ...                  ties=0 * one, number=2)
    >>> check_graph(games, ["A", "B"])
    Traceback (most recent call last):
    ...
    evalkit.grading.errors.UnboundedFitError: A never lost to nor tied with the rest (B), so ...
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    up = outcomes.wins + outcomes.ties > 0
    down = outcomes.losses + outcomes.ties > 0
    rows = np.concatenate([outcomes.first[up], outcomes.second[down]])
    columns = np.concatenate([outcomes.second[up], outcomes.first[down]])
    shape = (outcomes.number, outcomes.number)
    graph = coo_matrix((np.ones(rows.size), (rows, columns)), shape=shape).tocsr()
    parts, label = connected_components(graph, directed=True, connection="weak")
    if parts > 1:
        raise DisconnectedError(
            f"the systems fall into {parts} groups never compared with each other: "
            f"{_names(label == label[0], names)} against {_names(label != label[0], names)}; "
            "rank each group apart, or compare across them"
        )
    parts, label = connected_components(graph, directed=True, connection="strong")
    if parts > 1:
        beaten = np.zeros(parts, dtype=bool)
        across = label[rows] != label[columns]
        beaten[label[columns[across]]] = True
        top = label == int(np.flatnonzero(~beaten)[0])
        raise UnboundedFitError(
            f"{_names(top, names)} never lost to nor tied with the rest ({_names(~top, names)}), "
            "so the scores have no finite maximum; leave them out, or compare them more"
        )


def check_tie_parameter(outcomes: Outcomes) -> None:
    """Refuse comparisons whose ties leave Davidson's model without a finite maximum.

    Raises
    ------
    UnboundedFitError
        If scores and tie parameter can grow together without making any outcome less likely.

    Notes
    -----
    The likelihood of an exponential family has no maximum exactly when some direction favours
    every outcome seen over the others of its comparison, and one of them strictly. The direction
    is sought by linear programming.

    Examples
    --------
    >>> one = np.ones(1)
    >>> check_tie_parameter(Outcomes(first=np.array([0]), second=np.array([1]), wins=one,
    ...                              losses=one, ties=one, number=2))
    """
    from scipy.optimize import linprog

    if not outcomes.ties.any():
        return
    size = outcomes.first.size
    gap = np.zeros((size, outcomes.number + 1))
    gap[np.arange(size), outcomes.first] = 0.5
    gap[np.arange(size), outcomes.second] = -0.5
    tie = np.zeros_like(gap)
    tie[:, -1] = 1.0
    seen = {"win": outcomes.wins > 0, "loss": outcomes.losses > 0, "tie": outcomes.ties > 0}
    stats = {"win": gap, "loss": -gap, "tie": tie}
    better = np.vstack(
        [(stats[own] - stats[other])[seen[own]] for own in stats for other in stats if own != other]
    )
    found = linprog(-better.sum(axis=0), A_ub=-better, b_ub=np.zeros(len(better)), bounds=(-1, 1))
    if found.status != 0 or float(found.fun or 0.0) < -_SLACK:
        raise UnboundedFitError(
            "Davidson's model has no finite maximum: its scores and its share of ties would grow "
            'together; count ties as half wins (ties="half"), or compare more'
        )


def _moments(
    outcomes: Outcomes, scores: NDArray[np.float64], log_nu: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Log denominator, expected credit of the first system, and chance of a tie, by pair."""
    half = (scores[outcomes.first] - scores[outcomes.second]) / 2.0
    largest = np.maximum(np.abs(half), log_nu)
    up, down, tie = (np.exp(x - largest) for x in (half, -half, np.full(half.size, log_nu)))
    total = up + down + tie
    return np.log(total) + largest, (up + tie / 2.0) / total, tie / total


def _log_likelihood(outcomes: Outcomes, scores: NDArray[np.float64], log_nu: float) -> float:
    half = (scores[outcomes.first] - scores[outcomes.second]) / 2.0
    games = outcomes.wins + outcomes.losses + outcomes.ties
    value = (outcomes.wins - outcomes.losses) @ half - games @ _moments(outcomes, scores, log_nu)[0]
    ties = float(outcomes.ties.sum())
    return float(value) + (ties * log_nu if ties else 0.0)


def _step(
    outcomes: Outcomes, scores: NDArray[np.float64], log_nu: float
) -> tuple[NDArray[np.float64], float, float]:
    """Newton step of the scores and of log nu, and the size of the gradient."""
    k, first, second = outcomes.number, outcomes.first, outcomes.second
    games = outcomes.wins + outcomes.losses + outcomes.ties
    _, credit, tie = _moments(outcomes, scores, log_nu)
    surprise = outcomes.wins + outcomes.ties / 2.0 - games * credit
    gradient = np.zeros(k + 1)
    gradient[:k] = np.bincount(first, surprise, k) - np.bincount(second, surprise, k)
    spread = games * (credit - tie / 4.0 - credit**2)
    information = np.zeros((k + 1, k + 1))
    np.add.at(information, (first, first), spread)
    np.add.at(information, (second, second), spread)
    np.add.at(information, (first, second), -spread)
    np.add.at(information, (second, first), -spread)
    # The scores are defined up to a constant; this pins their sum to 0.
    information[:k, :k] += 1.0 / k
    if np.isfinite(log_nu):
        gradient[k] = (outcomes.ties - games * tie).sum()
        information[k, k] = (games * tie * (1.0 - tie)).sum()
        cross = games * tie * (0.5 - credit)
        information[:k, k] = np.bincount(first, cross, k) - np.bincount(second, cross, k)
        information[k, :k] = information[:k, k]
    else:
        information[k, k] = 1.0
    try:
        move = np.linalg.solve(information, gradient)
    except np.linalg.LinAlgError:
        move = gradient
    scores_move: NDArray[np.float64] = np.array(move[:k], dtype=np.float64)
    return scores_move, float(move[k]), float(np.abs(gradient).max() / max(games.sum(), 1.0))


def _climb(
    outcomes: Outcomes,
    scores: NDArray[np.float64],
    log_nu: float,
    best: float,
    move: NDArray[np.float64],
    move_nu: float,
) -> tuple[NDArray[np.float64], float, float]:
    """Take the step, halved until the likelihood does not fall."""
    scale = min(1.0, 4.0 / max(float(np.abs(move).max()), abs(move_nu)))
    tried, tried_nu, value = scores, log_nu, best
    for _ in range(40):
        tried, tried_nu = scores + scale * move, log_nu + scale * move_nu
        value = _log_likelihood(outcomes, tried, tried_nu)
        if value >= best - 1e-9 * abs(best):
            break
        scale /= 2.0
    return tried - tried.mean(), tried_nu, value


def fit_bradley_terry(
    outcomes: Outcomes, *, ties: TieModel = "davidson", start: Fit | None = None
) -> Fit:
    """Fit scores by maximum likelihood.

    Parameters
    ----------
    outcomes : Outcomes
        Of systems that are connected; see :func:`check_graph`.
    ties : {"davidson", "half"}
        Davidson's model, or a tie as half a win for each side.
    start : Fit, optional
        Scores to start from.

    Returns
    -------
    Fit

    Raises
    ------
    UnboundedFitError
        If the likelihood has no finite maximum.

    Notes
    -----
    With ``d = (score_i - score_j) / 2`` the chances of win, loss and tie are ``e^d``, ``e^-d`` and
    ``nu`` over their sum (Davidson 1970); ``nu = 0`` is the Bradley-Terry model. The likelihood is
    concave in the scores and ``log nu``; Newton steps climb it, halved where they overshoot.

    Examples
    --------
    >>> games = Outcomes(first=np.array([0]), second=np.array([1]), wins=np.array([3.0]),
    ...                  losses=np.array([1.0]), ties=np.array([0.0]), number=2)
    >>> found = fit_bradley_terry(games)
    >>> round(float(found.scores[0] - found.scores[1]), 6) == round(float(np.log(3)), 6)
    True
    """
    if ties not in ("davidson", "half"):
        raise ArgumentError(f"`ties` is {ties!r}; it must be 'davidson' or 'half'")
    if ties == "half":
        outcomes = Outcomes(
            first=outcomes.first,
            second=outcomes.second,
            wins=outcomes.wins + outcomes.ties / 2.0,
            losses=outcomes.losses + outcomes.ties / 2.0,
            ties=np.zeros_like(outcomes.ties),
            number=outcomes.number,
        )
    modelled = bool(outcomes.ties.sum() > 0)
    scores = np.zeros(outcomes.number) if start is None else start.scores
    nu = 1.0 if start is None or not start.tie_parameter else start.tie_parameter
    log_nu = float(np.log(nu)) if modelled else -np.inf
    best = _log_likelihood(outcomes, scores, log_nu)
    for _ in range(_STEPS):
        move, move_nu, slope = _step(outcomes, scores, log_nu)
        size = max(float(np.abs(move).max(initial=0.0)), abs(move_nu))
        if size < _TOLERANCE or (slope < _TOLERANCE and size < 1e-8):
            scores, log_nu = scores + move, log_nu + move_nu
            return Fit(
                scores=scores - scores.mean(),
                tie_parameter=float(np.exp(log_nu)) if modelled else None,
            )
        scores, log_nu, best = _climb(outcomes, scores, log_nu, best, move, move_nu)
        if np.abs(scores).max() > _LIMIT or (modelled and abs(log_nu) > _LIMIT):
            break
    raise UnboundedFitError(
        "the likelihood has no finite maximum: scores, or the share of ties, would be infinite; "
        'count ties as half wins (ties="half"), or compare more'
    )
