"""Yield of each round: the share of its candidates that set a new best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalkit.figures.labels import drawable
from evalkit.figures.points import axis_name, check_not_empty, draw_point
from evalkit.figures.style import GREY, PALETTE
from evalkit.rounding import format_number
from evalkit.trajectories.accounting import Accounting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["round_yield"]

_MOST_COUNTS = 15


def round_yield(
    ax: Axes, accounting: Accounting, *, digits: int = 1, title: str | None = None
) -> Axes:
    """Draw the yield of each round with its interval, beside that of all rounds.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    accounting : Accounting
        Of any set of runs.
    digits : int
        Decimals of the printed percentage.
    title : str, optional
        Title.

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
    New bests and candidates stand above each round, up to 15 rounds. A round that no run
    executed has no point. The intervals treat candidates as independent.
    """
    from matplotlib.ticker import MaxNLocator

    check_not_empty("accounting", len(accounting.by_round))
    outside = False
    for entry in accounting.by_round:
        if entry.yield_ is None:
            continue
        bounds = entry.interval
        outside |= draw_point(
            ax,
            entry.round,
            100 * entry.yield_,
            low=None if bounds is None else 100 * bounds.low,
            high=None if bounds is None else 100 * bounds.high,
            colour=PALETTE[0],
        )
        if len(accounting.by_round) <= _MOST_COUNTS:
            ax.text(
                entry.round,
                1.02,
                f"{entry.new_bests}/{entry.attempted}",
                transform=ax.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=5.5,
                color=GREY,
                parse_math=False,
            )
    if accounting.yield_ is not None:
        ax.axhline(
            100 * accounting.yield_, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0
        )
        ax.text(
            1.01,
            100 * accounting.yield_,
            f"all {format_number(100 * accounting.yield_, digits)}",
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=6.5,
            color=GREY,
            parse_math=False,
        )
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    ax.set_xlim(0.4, len(accounting.by_round) + 0.6)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(axis_name("Round", outside=outside), parse_math=False)
    ax.set_ylabel("New bests (%)", parse_math=False)
    if title is not None:
        ax.set_title(drawable(title), parse_math=False, pad=14)
    return ax
