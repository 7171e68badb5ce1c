"""The A/A noise floor: how often unchanged candidates set a new best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.points import check_not_empty, draw_point, legend_above
from evalkit.figures.style import GREY, INK, PALETTE
from evalkit.trajectories.noise import aa_new_best
from evalkit.trajectories.replay import Replay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["noise_floor", "runs_with_new_best"]

_DASHES = ((0, ()), (0, (5, 2)), (0, (6, 1, 1, 1)), (0, (9, 4)))


def runs_with_new_best(replays: Sequence[Replay], round: int) -> tuple[int, int]:  # noqa: A002
    """Count runs with a new best up to a round, among those that executed it.

    Returns
    -------
    found, runs : int
        Runs that stopped before `round` are in neither.

    Examples
    --------
    >>> from evalkit.trajectories import Candidate, Run, replay
    >>> run = Run(baseline=0.5, candidates=(Candidate(round=1, score=0.6),))
    >>> runs_with_new_best([replay(run)], 1), runs_with_new_best([replay(run)], 2)
    ((1, 1), (0, 0))
    """
    executed = [entry for entry in replays if any(step.round == round for step in entry.steps)]
    first = [entry.first_new_best for entry in executed]
    return sum(number is not None and number <= round for number in first), len(executed)


def noise_floor(
    ax: Axes,
    *,
    items: Sequence[int],
    rate: float,
    rounds: int,
    observed: Sequence[Replay] = (),
    level: float = 0.95,
    title: str | None = None,
    legend_columns: int = 2,
) -> Axes:
    """Draw the chance that a loop which changes nothing has set a new best by each round.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    items : sequence of int
        Validation sizes, one line each; at most four.
    rate : float
        Success rate of the unchanged agent.
    rounds : int
        Last round.
    observed : sequence of Replay
        Recorded runs: their share with a new best by each round, with Wilson intervals.
    level : float
        Nominal coverage of those intervals.
    title : str, optional
        Title.
    legend_columns : int
        Entries of the legend beside each other.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If there are no items or more than four sizes, or a number is out of its range.

    Notes
    -----
    The lines are :func:`evalkit.trajectories.aa_new_best`, exact for independent items and
    rounds. The dotted limit, r / (r + 1), is the chance without ties: the best of r + 1 equal
    scores is not the first. Recorded runs within the floor show no more than noise would.
    """
    from matplotlib.ticker import MaxNLocator

    from evalkit.intervals.binomial import proportion_interval

    check_not_empty("items", len(items))
    if len(items) > len(_DASHES) or rounds < 1:
        raise ArgumentError(
            f"`items` has {len(items)} sizes and `rounds` is {rounds}; give one to four sizes and "
            "1 round or more"
        )
    steps = list(range(1, rounds + 1))
    for i, n in enumerate(items):
        chances = [100 * aa_new_best(n, rate, rounds=r) for r in steps]
        ax.plot(steps, chances, color=PALETTE[i], linestyle=_DASHES[i], label=f"unchanged, n = {n}")
    limit = [100 * r / (r + 1) for r in steps]
    ax.plot(steps, limit, color=GREY, linestyle=":", linewidth=0.9, label="limit r / (r + 1)")
    for r in steps if observed else ():
        found, runs = runs_with_new_best(observed, r)
        if runs:
            bounds = proportion_interval(found, runs, method="wilson", level=level)
            draw_point(
                ax,
                r,
                100 * found / runs,
                low=None if bounds is None else 100 * bounds.low,
                high=None if bounds is None else 100 * bounds.high,
                colour=INK,
                marker="D",
            )
    if observed:
        ax.plot([], [], marker="D", color=INK, linestyle="none", label="recorded runs")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    ax.set_xlim(0.5, rounds + 0.5)
    ax.set_ylim(-3, 103)
    ax.set_xlabel("Round, r", parse_math=False)
    ax.set_ylabel("Runs with a new best (%)", parse_math=False)
    legend_above(ax, ncols=legend_columns, title=title)
    return ax
