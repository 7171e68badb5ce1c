"""Operating characteristics of gates: one table and one figure of the same results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import display_labels, drawable
from evalkit.figures.style import GREY, PALETTE
from evalkit.tables.cells import Cell, number, text
from evalkit.tables.table import Column, Table, make_table
from evalkit.trajectories.operating_characteristics import OperatingCharacteristics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["gate_characteristics", "gate_characteristics_panels", "gate_table"]

_KINDS = (
    ("worse", "truly worse", PALETTE[1], "v"),
    ("equal", "equally good", GREY, "o"),
    ("better", "truly better", PALETTE[2], "^"),
)
_FIELDS = (
    ("better", "better"),
    ("equal", "equal"),
    ("worse", "worse"),
    ("noise", "any noise"),
    ("real", "real"),
    ("gain", "gain"),
    ("tax", "tax"),
)


def _by_size(
    results: Sequence[OperatingCharacteristics],
) -> dict[int, dict[str, OperatingCharacteristics]]:
    """Results by number of items and gate, in their order."""
    if not results:
        raise ArgumentError("`results` is empty; give the characteristics of at least one gate")
    out: dict[int, dict[str, OperatingCharacteristics]] = {}
    for found in results:
        held = out.setdefault(found.n, {})
        if found.gate in held:
            raise ArgumentError(f"`results` has the gate {found.gate!r} at n = {found.n} twice")
        held[found.gate] = found
    return out


def gate_characteristics(
    ax: Axes,
    results: Sequence[OperatingCharacteristics],
    *,
    title: str | None = None,
    labels: bool = True,
) -> Axes:
    """Draw how often each gate accepts a worse, an equal and a better candidate.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    results : sequence of OperatingCharacteristics
        One a gate, of one number of items; first gate on top.
    title : str, optional
        By default the number of items.
    labels : bool
        Print the names of the gates.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Raises
    ------
    ArgumentError
        If `results` is empty, or mixes numbers of items.
    """
    sizes = _by_size(results)
    if len(sizes) > 1:
        raise ArgumentError(
            f"`results` has the item counts {sorted(sizes)}; draw one panel for each, with "
            "gate_characteristics_panels"
        )
    rows = range(len(results))
    for y, found in enumerate(results):
        ax.hlines(y, found.worse, found.better, colors=GREY, linewidth=0.8, zorder=1)
    for kind, label, colour, marker in _KINDS:
        ax.plot(
            [getattr(found, kind) for found in results],
            list(rows),
            marker=marker,
            markersize=4.5,
            color=colour,
            linestyle="none",
            label=label,
            zorder=2,
        )
    names = display_labels([found.gate for found in results], limit=36)
    ax.set_yticks(list(rows), names if labels else [""] * len(results), parse_math=False)
    ax.set_ylim(len(results) - 0.5, -0.5)
    ax.set_xlim(-0.03, 1.03)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("chance of acceptance")
    ax.set_title(drawable(f"n = {results[0].n}" if title is None else title), parse_math=False)
    return ax


def gate_characteristics_panels(
    figure: Figure, results: Sequence[OperatingCharacteristics]
) -> tuple[Axes, ...]:
    """Draw one panel for each number of items, with shared rows and one legend.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        An empty figure.
    results : sequence of OperatingCharacteristics
        The same gates in the same order at every number of items.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        One for each number of items.

    Raises
    ------
    ArgumentError
        If `results` is empty, or the gates differ between panels.
    """
    sizes = _by_size(results)
    gates = [list(held) for held in sizes.values()]
    if any(names != gates[0] for names in gates):
        raise ArgumentError(f"the gates differ between the numbers of items {list(sizes)}")
    axes = figure.subplots(1, len(sizes), squeeze=False)[0]
    for index, (ax, held) in enumerate(zip(axes, sizes.values(), strict=True)):
        gate_characteristics(ax, list(held.values()), labels=index == 0)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names))
    return tuple(axes)


def gate_table(results: Sequence[OperatingCharacteristics]) -> Table:
    """Tabulate gates by number of items.

    Parameters
    ----------
    results : sequence of OperatingCharacteristics
        Gates at one or more numbers of items, in one setting otherwise.

    Returns
    -------
    Table
        One row a gate; for each number of items the chances of acceptance, the chance of at
        least one noise new best in the run, the share of new bests that are real, the expected
        true gain of the best, and the selection tax.

    Raises
    ------
    ArgumentError
        If `results` is empty, repeats a gate, or mixes settings.
    """
    sizes = _by_size(results)
    settings = {(r.base, r.effect, r.correlation, r.run.rounds, r.run.prior) for r in results}
    if len(settings) > 1:
        raise ArgumentError(
            "`results` mixes base rates, effects, correlations, rounds or priors; "
            "make one table for each"
        )
    first = results[0]
    columns = [Column(key="gate", header="gate")]
    for n in sizes:
        columns += [
            Column(key=f"{key}-{n}", header=header, spanner=f"n = {n}", align="right")
            for key, header in _FIELDS
        ]
    gates = dict.fromkeys(found.gate for found in results)
    rows = [[text(gate), *_cells(gate, sizes)] for gate in gates]
    return make_table(
        columns,
        rows,
        caption="Which gates keep noise out",
        label="gate-characteristics",
        notes=(_decision_note(first), _run_note(first)),
    )


def _decision_note(first: OperatingCharacteristics) -> str:
    return (
        f"better, equal, worse: chance that the gate accepts a candidate whose true rate is "
        f"{first.effect:g} above, at, {first.effect:g} below {first.base:g}; outcomes of two "
        f"evaluations of an item correlate {first.correlation:.3g}. Exact."
    )


def _run_note(first: OperatingCharacteristics) -> str:
    prior = first.run.prior
    return (
        f"Over {first.run.rounds} rounds with {prior.better:g} better, {prior.equal:g} equal and "
        f"{prior.worse:g} worse candidates: chance of at least one new best that is noise, share "
        "of new bests that are real, expected true gain of the best, and its validation score "
        "less its true rate."
    )


def _cells(gate: str, sizes: dict[int, dict[str, OperatingCharacteristics]]) -> list[Cell]:
    out = []
    for held in sizes.values():
        found = held.get(gate)
        values: Sequence[float | None] = [None] * len(_FIELDS)
        if found is not None:
            run = found.run
            chances = (found.better, found.equal, found.worse)
            values = (*chances, run.any_noise_new_best, run.real_share, run.best_gain, run.tax)
        out += [number(value, digits=3) for value in values]
    return out
