"""Evolution runs: which rounds ran, which set a new best, which one was selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import display_labels, drawable, keep_literal
from evalkit.figures.style import GREY, INK, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["TrajectoryRow", "evolution_panel", "evolution_panels"]

_NEW_BEST, _SELECTED = PALETTE[0], PALETTE[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryRow:
    """What one evolution run did.

    Attributes
    ----------
    label : str
        Name of the run within its group.
    group : str
        Panel that it belongs to, such as a benchmark.
    executed : int
        Rounds that ran, from round 1.
    new_bests : tuple of int
        Rounds that set a new best, increasing.
    best_round : int
        Round whose candidate the run kept; 0 is the parent.
    selected : bool
        Whether this run supplied the candidate that was finally selected.
    max_round : int
        Rounds that were allowed.
    """

    label: str
    group: str
    executed: int
    new_bests: tuple[int, ...]
    best_round: int
    selected: bool
    max_round: int = 10

    def __post_init__(self) -> None:
        where = f"run {self.label!r} of {self.group!r}"
        if not 0 <= self.executed <= self.max_round:
            raise ArgumentError(
                f"{where}: `executed` is {self.executed}; it must be 0 to {self.max_round}"
            )
        outside = [r for r in (*self.new_bests, self.best_round or 1) if r < 1]
        outside += [r for r in (*self.new_bests, self.best_round) if r > self.executed]
        if outside:
            raise ArgumentError(
                f"{where}: rounds {outside} were never executed; "
                f"rounds must be 1 to {self.executed} (0 is the parent, for `best_round` only)"
            )


def evolution_panel(
    ax: Axes, runs: Sequence[TrajectoryRow], *, order: Sequence[str] | None = None
) -> Axes:
    """Draw the runs of one group, one line each.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    runs : sequence of TrajectoryRow
        Runs with distinct labels.
    order : sequence of str, optional
        Labels from top to bottom, with those of missing runs; by default as in `runs`.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If two runs share a label, or `order` lacks one.

    Notes
    -----
    Open circle: an executed round. Filled circle: a new best. Star: the selected round, at 0 for
    the parent. A short upright bar ends a run that stopped early.
    """
    labels = [run.label for run in runs]
    order = list(dict.fromkeys(labels)) if order is None else order
    if len(set(labels)) < len(labels) or not set(labels) <= set(order):
        raise ArgumentError(f"`runs` has the labels {labels}; they must be distinct and in `order`")
    last = max((run.max_round for run in runs), default=10)
    for run in runs:
        _draw_run(ax, run, y=order.index(run.label))
    ax.set_xlim(-0.7, last + 0.7)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xticks([0, *range(2, last + 1, 2)], ["P", *map(str, range(2, last + 1, 2))])
    ax.set_yticks(range(len(order)), display_labels(list(order), limit=24), parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def evolution_panels(
    figure: Figure, runs: Sequence[TrajectoryRow], *, columns: int = 5
) -> tuple[Axes, ...]:
    """Draw one panel a group, with shared rows and one legend.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        An empty figure; two text columns fit five panels with nine runs each.
    runs : sequence of TrajectoryRow
        At least one.
    columns : int
        Panels beside each other.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        One a group, in the order of first appearance.

    Raises
    ------
    ArgumentError
        If `runs` is empty or `columns` is below 1.
    """
    if not runs or columns < 1:
        raise ArgumentError(f"got {len(runs)} runs and `columns` {columns}; both must be 1 or more")
    groups = list(dict.fromkeys(run.group for run in runs))
    order = list(dict.fromkeys(run.label for run in runs))
    width = min(columns, len(groups))
    height = -(-len(groups) // width)
    grid = figure.subplots(height, width, sharey=True, squeeze=False)
    axes = list(grid.flat)
    titles = display_labels(groups, limit=18)
    for ax, group, title in zip(axes, groups, titles, strict=False):
        evolution_panel(ax, [run for run in runs if run.group == group], order=order)
        # A title wider than its panel would otherwise take the room of the panel.
        ax.set_title(title, parse_math=False, fontsize=7).set_in_layout(False)
        ax.tick_params(axis="y", labelleft=axes.index(ax) % width == 0)
    for ax in axes[len(groups) :]:
        figure.delaxes(ax)
    handles = _legend_handles()
    legend = figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), title="Rounds (P: parent)"
    )
    keep_literal([*legend.get_texts(), legend.get_title()])
    return tuple(axes[: len(groups)])


def _draw_run(ax: Axes, run: TrajectoryRow, *, y: int) -> None:
    ax.hlines(y, 0, run.executed, colors="#BBBBBB", linewidth=0.8, zorder=1)
    star = run.best_round if run.selected else None
    bests = [r for r in run.new_bests if r != star]
    plain = [r for r in range(1, run.executed + 1) if r != star and r not in bests]
    _markers(ax, plain, y, marker="o", size=2.6, face="white", edge=GREY)
    _markers(ax, bests, y, marker="o", size=4.0, face=_NEW_BEST, edge=_NEW_BEST)
    if star is not None:
        _markers(ax, [star], y, marker="*", size=7.5, face=_SELECTED, edge=_SELECTED)
    if run.executed < run.max_round:
        ax.vlines(run.executed + 0.7, y - 0.28, y + 0.28, colors=INK, linewidth=1.0)


def _markers(
    ax: Axes, rounds: Sequence[int], y: int, *, marker: str, size: float, face: str, edge: str
) -> None:
    # An unclipped line without points would still take room in the layout.
    if not rounds:
        return
    ax.plot(
        list(rounds),
        [y] * len(rounds),
        linestyle="none",
        marker=marker,
        markersize=size,
        markerfacecolor=face,
        markeredgecolor=edge,
        markeredgewidth=0.6,
        clip_on=False,
        zorder=3,
    )


def _legend_handles() -> list[Line2D]:
    from matplotlib.lines import Line2D

    def handle(label: str, marker: str, size: float, face: str, edge: str) -> Line2D:
        return Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor=face,
            markeredgecolor=edge,
            label=drawable(label),
        )

    return [
        handle("executed round", "o", 2.8, "white", GREY),
        handle("new best", "o", 4.0, _NEW_BEST, _NEW_BEST),
        handle("selected", "*", 7.5, _SELECTED, _SELECTED),
        handle("stopped early", "|", 6.0, INK, INK),
    ]
