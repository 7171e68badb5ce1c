"""Calls per item of an evolved candidate, its evolution spread over its deployments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.figures.labels import display_labels, spread
from evalkit.figures.style import PALETTE
from evalkit.rounding import format_number
from evalkit.testtime.calls import amortised_calls, break_even_deployments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["amortised_calls_curve"]


def amortised_calls_curve(
    ax: Axes,
    *,
    evolution_calls: int,
    controls: Mapping[str, float],
    n_max: int,
    title: str | None = None,
) -> Axes:
    """Draw calls per item against deployments, with the break-even of each control.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    evolution_calls : int
        Calls that the evolution run made.
    controls : mapping of str to float
        Calls per item of each control, at least 1.
    n_max : int
        Largest number of deployments, at least 2.
    title : str, optional
        Title of the panel.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, both axes logarithmic.

    Raises
    ------
    ArgumentError
        If a setting is out of its range.
    """
    if evolution_calls < 1 or n_max < 2:
        raise ArgumentError(
            f"`evolution_calls` is {evolution_calls} and `n_max` is {n_max}; "
            "they must be at least 1 and 2"
        )
    if any(not (math.isfinite(calls) and calls >= 1) for calls in controls.values()):
        raise ArgumentError(f"`controls` is {dict(controls)}; each must make 1 call or more")
    steps = [n_max ** (i / 200) for i in range(201)]
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.plot(steps, [amortised_calls(n, evolution_calls) for n in steps], color=PALETTE[2], zorder=3)
    ax.annotate(
        f"Evolved: 1 + {evolution_calls:,}/n",
        xy=(steps[60], 1 + evolution_calls / steps[60]),
        xytext=(6, 2),
        textcoords="offset points",
        color=PALETTE[2],
        parse_math=False,
    )
    ax.set_xlim(1, n_max)
    ax.set_ylim(0.8, 1.3 * max(1 + evolution_calls, *controls.values(), 1))
    _draw_controls(ax, evolution_calls=evolution_calls, controls=controls, n_max=n_max)
    _plain_log_ticks(ax)
    ax.set_xlabel("Deployments, n", parse_math=False)
    ax.set_ylabel("Calls per item", parse_math=False)
    if title is not None:
        ax.set_title(display_labels([title], limit=80)[0], parse_math=False)
    return ax


def _draw_controls(
    ax: Axes, *, evolution_calls: int, controls: Mapping[str, float], n_max: int
) -> None:
    colours = (PALETTE[0], PALETTE[1], PALETTE[3], PALETTE[6])
    bottom, top = (math.log10(limit) for limit in ax.get_ylim())
    # Two lines of text for each label, in decades of the vertical axis.
    gap = (top - bottom) * 0.12
    places = spread([math.log10(calls) for calls in controls.values()], gap=gap)
    lowest = min(places, default=bottom)
    shift = max(0.0, bottom + gap / 2 - lowest)
    labels = display_labels(list(controls), limit=24)
    for i, (label, calls) in enumerate(zip(labels, controls.values(), strict=True)):
        colour = colours[i % len(colours)]
        exact = Fraction(calls).limit_denominator(10**6)
        n = break_even_deployments(evolution_calls, control_calls_per_item=exact)
        ax.axhline(calls, color=colour, linestyle=(0, (5, 2)), linewidth=1.0)
        if n is not None and n <= n_max:
            ax.vlines(n, ax.get_ylim()[0], calls, colors=colour, linewidth=0.8, linestyles=":")
            ax.plot([n], [calls], marker="o", markersize=4, color=colour, zorder=4)
        ax.text(
            1.03,
            10 ** (places[i] + shift),
            f"{label}\n{_ending(calls, n, n_max)}",
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=6.5,
            color=colour,
            parse_math=False,
        )


def _ending(calls: float, n: int | None, n_max: int) -> str:
    number = format_number(calls, 2).rstrip("0").rstrip(".")
    shown = f"{number} {'call' if calls == 1 else 'calls'}"
    if n is None:
        return f"{shown}, never even"
    return f"{shown}, even at n = {n:,}" + (" (beyond)" if n > n_max else "")


def _plain_log_ticks(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    # The default formatter writes powers as math text, which is switched off for labels.
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
