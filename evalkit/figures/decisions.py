"""Gate decisions of recorded runs, by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.figures.points import check_not_empty, legend_above
from evalkit.figures.style import INK, PALETTE
from evalkit.trajectories.replay import Replay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["decision_bars"]

# Hatches tell the parts apart where colours do not.
_KINDS = (
    ("new best", PALETTE[0], ""),
    ("flat", PALETTE[5], "////"),
    ("reject", "#E4E4E4", ""),
    ("no-op", "white", "...."),
)


def decision_bars(
    ax: Axes, replays: Sequence[Replay], *, title: str | None = None, legend_columns: int = 4
) -> Axes:
    """Draw how many runs took which decision in each round, as stacked bars.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    replays : sequence of Replay
        Runs, as in :attr:`evalkit.trajectories.Trajectory.replays`.
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
        If no run executed a round.

    Notes
    -----
    A bar is as high as the number of runs that executed its round, so runs that stopped early
    lower the later bars. Decisions that occur nowhere have no entry in the legend.
    """
    steps = [step for replay in replays for step in replay.steps]
    check_not_empty("replays", len(steps))
    rounds = range(1, max(step.round for step in steps) + 1)
    base = [0] * len(rounds)
    for kind, colour, hatch in _KINDS:
        counts = [sum(s.round == r and s.decision == kind for s in steps) for r in rounds]
        if not any(counts):
            continue
        ax.bar(
            list(rounds),
            counts,
            bottom=base,
            width=0.8,
            color=colour,
            edgecolor=INK,
            linewidth=0.5,
            hatch=hatch,
            label=kind,
        )
        base = [low + count for low, count in zip(base, counts, strict=True)]
    _integer_axes(ax, last=len(rounds))
    ax.set_xlabel("Round", parse_math=False)
    ax.set_ylabel("Runs", parse_math=False)
    legend_above(ax, ncols=legend_columns, title=title)
    return ax


def _integer_axes(ax: Axes, *, last: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    ax.set_xlim(0.4, last + 0.6)
