"""Decisions, yields, cost, agreement by bin, noise floor, calibration: they show what they hold."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

import evalkit
from evalkit.errors import ArgumentError
from evalkit.figures import (
    Calibration,
    CalibrationBin,
    CostPoint,
    agreement_by_bin,
    calibration_bins,
    calibration_diagram,
    cost_preference,
    decision_bars,
    new_figure,
    noise_floor,
    paper_style,
    pareto_front,
    round_yield,
)
from evalkit.figures.noise_floor import runs_with_new_best
from evalkit.intervals import proportion_interval
from evalkit.results import Interval
from evalkit.trajectories import Trajectory, aa_new_best, trajectory

# Scores by round of three runs; the last one stopped after one round.
RUNS = {"r1": (0.5, 0.6, 0.6, 0.4), "r2": (0.5, 0.4, 0.7, 0.8), "r3": (0.5, 0.6)}


def axes() -> Axes:
    """Return empty axes."""
    return new_figure().subplots()


def account() -> Trajectory:
    """Return three replayed runs."""
    rows = [
        {"run": run, "round": r, "score": score}
        for run, scores in RUNS.items()
        for r, score in enumerate(scores)
    ]
    return trajectory(rows)


def vertical(ax: Axes) -> list[tuple[float, float, float]]:
    """Return place, low and high of every vertical bar."""
    found = [c for c in ax.collections if isinstance(c, LineCollection)]
    ends = [np.asarray(s).tolist() for c in found for s in c.get_segments()]
    assert all(low[0] == high[0] for low, high in ends)
    return [(low[0], low[1], high[1]) for low, high in ends]


def points(ax: Axes) -> list[tuple[float, float, str, str]]:
    """Return place, value, marker and fill of every single point."""
    out = []
    for line in ax.lines:
        xs, ys = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        if len(xs) == 1 and line.get_linestyle() == "None":
            fill = str(line.get_markerfacecolor())
            out.append((float(xs[0]), float(ys[0]), str(line.get_marker()), fill))
    return out


def test_decisions_stack_to_the_runs_of_each_round() -> None:
    """Three runs ran round 1 and two rounds 2 and 3; each decision has its own segment."""
    ax = decision_bars(axes(), account().replays)
    bars = [p for p in ax.patches if isinstance(p, Rectangle)]
    tops: dict[float, float] = {}
    for bar in bars:
        middle = bar.get_x() + bar.get_width() / 2
        tops[round(middle)] = max(tops.get(round(middle), 0), bar.get_y() + bar.get_height())
    assert tops == {1: 3, 2: 2, 3: 2}
    handles, names = ax.get_legend_handles_labels()
    # Round 1: new best, reject, new best. Round 2: flat, new best. Round 3: reject, new best.
    assert names == ["new best", "flat", "reject"]
    heights = [[bar.get_height() for bar in container] for container in handles]
    assert heights == [[2, 1, 1], [0, 1, 0], [1, 0, 1]]


def test_decisions_are_told_apart_without_colour() -> None:
    """No two kinds share both hatch and lightness."""
    ax = decision_bars(axes(), account().replays)
    looks = set()
    for container in ax.get_legend_handles_labels()[0]:
        bar = container[0]
        grey = round(sum(bar.get_facecolor()[:3]) / 3, 1)
        looks.add((bar.get_hatch(), grey))
    assert len(looks) == 3


def test_yields_stand_with_their_wilson_intervals_and_counts() -> None:
    """Each round shows its share, its exact interval and its counts; a dashed line the total."""
    ax = round_yield(axes(), account().accounting)
    shares = [(1, 2, 3), (2, 1, 2), (3, 1, 2)]
    assert [(x, y) for x, y, _, _ in points(ax)] == [
        (r, pytest.approx(100 * k / n)) for r, k, n in shares
    ]
    for (place, low, high), (r, k, n) in zip(vertical(ax), shares, strict=True):
        bounds = proportion_interval(k, n, method="wilson")
        assert bounds is not None
        assert (place, low, high) == (r, 100 * bounds.low, 100 * bounds.high)
    # 4 of 7 is 57.14 percent.
    assert [t.get_text() for t in ax.texts] == ["2/3", "1/2", "1/2", "all 57.1"]


def test_nothing_to_draw_is_refused() -> None:
    """Runs without a round, no points and no answers are refused by name."""
    empty = trajectory([{"run": "a", "round": 0, "score": 0.5}])
    with pytest.raises(ArgumentError, match="`replays` is empty"):
        decision_bars(axes(), empty.replays)
    with pytest.raises(ArgumentError, match="`accounting` is empty"):
        round_yield(axes(), empty.accounting)
    with pytest.raises(ArgumentError, match="`points` is empty"):
        cost_preference(axes(), [])
    with pytest.raises(ArgumentError, match="`results` is empty"):
        agreement_by_bin(axes(), [])
    with pytest.raises(ArgumentError, match="`found` is empty"):
        calibration_diagram(axes(), calibration_bins([None], [1]))


def point(label: str, cost: float, value: float, spread: float = 0.05) -> CostPoint:
    """Return a point with a symmetric interval."""
    return CostPoint(label=label, cost=cost, value=value, low=value - spread, high=value + spread)


def drawings() -> dict[str, Callable[[Axes], Axes]]:
    """Return each figure of this module with results to draw."""
    binned = evalkit.agreement(judged(), bins={"margin": [0, 1, 2, 10]})
    answers = calibration_bins([i / 40 for i in range(41)], [i % 3 > 0 for i in range(41)])
    costs = [point(f"system number {i}", 1 + i, 0.5 + (i % 3) / 10) for i in range(5)]
    return {
        "decisions": lambda ax: decision_bars(ax, account().replays, title="Decisions"),
        "yield": lambda ax: round_yield(ax, account().accounting, title="Yield"),
        "cost": lambda ax: cost_preference(ax, costs, reference=0.5, title="Cost"),
        "agreement": lambda ax: agreement_by_bin(ax, binned, title="Agreement"),
        "noise": lambda ax: noise_floor(
            ax, items=[20, 200], rate=0.5, rounds=5, observed=account().replays, title="Noise"
        ),
        "calibration": lambda ax: calibration_diagram(ax, answers, title="Calibration"),
    }


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(
    "name", ["decisions", "yield", "cost", "agreement", "noise", "calibration"]
)
def test_everything_stays_on_the_paper_at_both_widths(name: str, columns: Literal[1, 2]) -> None:
    """Labels, legends and titles lie within the figure, and the axes keep half of its width."""
    with mpl.rc_context(paper_style(columns)):
        figure = new_figure(columns=columns)
        ax = drawings()[name](figure.subplots())
        figure.canvas.draw()
        box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 >= -0.02
    assert box.y0 >= -0.02
    assert box.x1 <= width + 0.02
    assert box.y1 <= height + 0.02
    assert ax.get_position().width > 0.5


def test_front_holds_what_no_other_point_beats() -> None:
    """Dearer and no better is dominated; equal points stay together."""
    found = [point("a", 1, 0.5), point("b", 1, 0.5), point("c", 2, 0.5), point("d", 3, 0.6)]
    assert [p.label for p in pareto_front(found)] == ["a", "b", "d"]
    assert pareto_front([]) == ()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_front_is_what_brute_force_finds(pairs: list[tuple[int, int]]) -> None:
    """Sweeping by cost finds the same costs and values as checking every pair."""
    found = [CostPoint(label=str(i), cost=c, value=v / 5) for i, (c, v) in enumerate(pairs)]
    best, swept = -1.0, set()
    for cost, value in sorted({(p.cost, p.value) for p in found}, key=lambda cv: (cv[0], -cv[1])):
        if value > best:
            swept.add((cost, value))
            best = value
    assert {(p.cost, p.value) for p in pareto_front(found)} == swept


def test_cost_figure_marks_the_front_by_shape_and_fill() -> None:
    """Front: filled circle; dominated: open square; outside its interval: cross, and said so."""
    outside = CostPoint(label="o", cost=4, value=0.3, low=0.35, high=0.5)
    ax = cost_preference(axes(), [point("a", 1, 0.5), point("c", 2, 0.4), outside])
    assert [(x, m) for x, _, m, _ in points(ax)] == [(1, "o"), (2, "s"), (4, "x")]
    assert points(ax)[1][3] == "white"
    ends = [(1, 45, 55), (2, 35, 45), (4, 35, 50)]
    assert vertical(ax) == [pytest.approx(each, rel=1e-12) for each in ends]
    assert ax.get_xlabel().endswith("cross: the point lies outside its interval")
    assert [t.get_text() for t in ax.texts] == ["a", "c", "o"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cost": -1.0}, "the cost 0 or more"),
        ({"value": float("nan")}, "must be finite"),
        ({"low": 0.1}, "one bound"),
        ({"low": 0.3, "high": 0.2}, "above `high`"),
    ],
)
def test_cost_points_reject_what_cannot_be_drawn(changes: dict[str, float], message: str) -> None:
    """Bad numbers are refused with the name of the point."""
    with pytest.raises(ArgumentError, match=message):
        CostPoint(**({"label": "a", "cost": 1.0, "value": 0.5} | changes))  # type: ignore[arg-type]


def test_a_free_system_has_no_place_on_a_logarithmic_axis() -> None:
    """A cost of 0 is fine on the plain axis only."""
    free = [CostPoint(label="a", cost=0, value=0.5)]
    cost_preference(axes(), free)
    with pytest.raises(ArgumentError, match="a logarithmic axis cannot show"):
        cost_preference(axes(), free, log=True)


def judged() -> list[dict[str, object]]:
    """Return two graders on pairs of three margins, right above 1 and wrong below."""
    return [
        {
            "pair": f"p{i}",
            "grader": grader,
            "label": "A>B",
            "order1": "A>B" if margin > 1 or (grader == "g2" and i % 2) else "B>A",
            "margin": margin,
        }
        for grader in ("g1", "g2")
        for i, margin in enumerate([0.5] * 4 + [1.5] * 6 + [10.0] * 5)
    ]


def test_agreement_stands_by_bin_in_the_order_of_the_edges() -> None:
    """Bins go by their edges, not their names, and graders differ in marker and place."""
    found = evalkit.agreement(judged(), bins={"margin": [0, 1, 2, 10]})
    ax = agreement_by_bin(axes(), list(found)[::-1])
    assert [t.get_text() for t in ax.get_xticklabels()] == [
        "[0, 1)\nn = 4",
        "[1, 2)\nn = 6",
        "[2, 10]\nn = 5",
    ]
    shown = points(ax)
    assert {m for _, _, m, _ in shown} == {"o", "s"}
    values = {(round(x), m): y for x, y, m, _ in shown}
    assert values[0, "s"] == 0
    assert values[0, "o"] == 50
    assert values[2, "o"] == values[2, "s"] == 100
    ends = {(low, high) for _, low, high in vertical(ax)}
    assert ends == {(100 * r.interval.low, 100 * r.interval.high) for r in found if r.interval}
    assert len(ends) >= 3


def test_agreement_needs_the_bins_it_is_asked_for() -> None:
    """Results without the column, or twice the same bin, are refused."""
    plain = evalkit.agreement(judged())
    with pytest.raises(ArgumentError, match="Ask for the bins"):
        agreement_by_bin(axes(), plain)
    found = list(evalkit.agreement(judged(), bins={"margin": [0, 1, 2, 10]}))
    with pytest.raises(ArgumentError, match="twice"):
        agreement_by_bin(axes(), [*found, found[0]])


def test_noise_floor_lines_are_the_exact_chances_below_their_limit() -> None:
    """Each line holds aa_new_best of its size, and stays below r / (r + 1)."""
    ax = noise_floor(axes(), items=[10, 200], rate=0.6, rounds=4)
    lines = [np.asarray(line.get_ydata(), dtype=float) for line in ax.lines]
    for line, n in zip(lines, (10, 200), strict=False):
        assert line.tolist() == [100 * aa_new_best(n, 0.6, rounds=r) for r in (1, 2, 3, 4)]
        assert (line < lines[2]).all()
    # 1/2, 2/3, 3/4, 4/5
    assert lines[2] == pytest.approx([50, 200 / 3, 75, 80])
    styles = {str(line._unscaled_dash_pattern) for line in ax.lines}
    assert len(styles) == 3


def test_noise_floor_shows_recorded_runs_with_intervals() -> None:
    """By round 1 two of three runs have a new best; by round 2 both that got there."""
    replays = account().replays
    assert [runs_with_new_best(replays, r) for r in (1, 2, 3, 4)] == [
        (2, 3),
        (2, 2),
        (2, 2),
        (0, 0),
    ]
    ax = noise_floor(axes(), items=[20], rate=0.5, rounds=4, observed=replays)
    assert [(x, y) for x, y, m, _ in points(ax) if m == "D"] == [
        (1, pytest.approx(200 / 3)),
        (2, 100),
        (3, 100),
    ]
    bounds = proportion_interval(2, 3, method="wilson")
    assert bounds is not None
    assert vertical(ax)[0] == (1, 100 * bounds.low, 100 * bounds.high)


def test_noise_floor_rejects_impossible_settings() -> None:
    """No size, too many sizes, no round and a rate out of range are refused."""
    for items, rate, rounds in (([], 0.5, 1), ([1] * 5, 0.5, 1), ([5], 0.5, 0), ([5], 1.5, 1)):
        with pytest.raises(ArgumentError):
            noise_floor(axes(), items=items, rate=rate, rounds=rounds)


@given(
    st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=40),
)
def test_calibration_counts_every_answer_once(pairs: list[tuple[int, bool]]) -> None:
    """Bins hold all answers, edges included, with the mean confidence and Wilson's interval."""
    confidences = [k / 20 for k, _ in pairs]
    found = calibration_bins(confidences, [right for _, right in pairs])
    assert sum(b.n for b in found.bins) == found.n == len(pairs)
    assert sum(b.right for b in found.bins) == sum(right for _, right in pairs)
    for each in found.bins:
        if not each.n:
            assert each.confidence is each.interval is each.accuracy is None
            continue
        assert each.confidence is not None
        assert each.low - 1e-12 <= each.confidence <= each.high + 1e-12
        assert each.interval == proportion_interval(each.right, each.n, method="wilson")
        assert Fraction(each.right, each.n) == Fraction(each.accuracy or 0).limit_denominator(100)


def test_calibration_leaves_out_what_is_missing_and_says_how_much() -> None:
    """An answer without confidence or outcome is counted as left out, not as wrong."""
    found = calibration_bins([0.9, None, 0.8], [None, 1, True], edges=(0, 1))
    assert (found.n, found.left_out, found.bins[0].right) == (1, 2, 1)


@pytest.mark.parametrize(
    ("confidences", "outcomes", "edges", "message"),
    [
        ([0.5], [1, 0], (0, 1), "give one each"),
        ([50.0], [1], (0, 1), "from 0 to 1, or None"),
        ([float("nan")], [1], (0, 1), "from 0 to 1, or None"),
        ([0.5], [0.5], (0, 1), "0, 1 or None"),
        ([0.5], [1], (0, 0.5, 0.5, 1), "must rise from 0 to 1"),
        ([0.5], [1], (0.1, 1), "must rise from 0 to 1"),
        ([0.5], [1], (), "must rise from 0 to 1"),
    ],
)
def test_calibration_rejects_what_is_no_confidence(
    confidences: list[float], outcomes: list[float], edges: tuple[float, ...], message: str
) -> None:
    """Percentages, half outcomes and edges that leave answers out are refused."""
    with pytest.raises(ArgumentError, match=message):
        calibration_bins(confidences, outcomes, edges=edges)


def test_calibration_draws_a_point_a_bin_and_opens_one_outside() -> None:
    """Empty bins have no point, counts stand beside, a point outside its bar is open and noted."""
    bars = Interval(low=0.35, high=0.5, level=0.95, method="x")
    found = Calibration(
        bins=(
            CalibrationBin(low=0, high=0.5, n=10, right=3, confidence=0.25, interval=bars),
            CalibrationBin(low=0.5, high=0.7, n=0, right=0, confidence=None, interval=None),
            CalibrationBin(low=0.7, high=1, n=4, right=4, confidence=0.9, interval=None),
        ),
        n=14,
        left_out=0,
        level=0.95,
    )
    ax = calibration_diagram(axes(), found)
    assert [(x, y, fill) for x, y, _, fill in points(ax)] == [
        (25, 30, "white"),
        (90, 100, "#0072B2"),
    ]
    assert vertical(ax) == [(25, 35, 50)]
    assert [t.get_text() for t in ax.texts] == ["10", "4"]
    assert ax.get_xlabel().endswith("open marker: the point lies outside its interval")
