"""What the figures draw is what they were given."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from evalkit.errors import ArgumentError
from evalkit.figures import (
    CurvePoint,
    ForestRow,
    TrajectoryRow,
    amortised_calls_curve,
    evolution_panel,
    evolution_panels,
    forest,
    forest_row,
    new_figure,
    scaling_curves,
)
from evalkit.results import Estimate, Interval, RowCounts

POINTS = [(0.7, 0.7000000000000001, 0.9), (0.3, 0.35, 0.5), (0.0, 0.0, 0.1)]


def axes() -> Axes:
    """Return the axes of a new figure."""
    return new_figure().subplots()


def segments(ax: Axes) -> list[list[list[float]]]:
    """Return every line segment of the collections of an axes."""
    found = [c for c in ax.collections if isinstance(c, LineCollection)]
    return [np.asarray(s).tolist() for c in found for s in c.get_segments()]


def markers(ax: Axes, marker: str) -> set[tuple[float, float]]:
    """Return the places of a marker."""
    lines = [line for line in ax.lines if line.get_marker() == marker]
    return {
        (float(x), float(y))
        for line in lines
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    }


def run(label: str, group: str = "g", **changes: object) -> TrajectoryRow:
    """Return a run with eight executed rounds."""
    fields = {"executed": 8, "new_bests": (1, 3), "best_round": 3, "selected": True} | changes
    return TrajectoryRow(label=label, group=group, **fields)  # type: ignore[arg-type]


def test_forest_bars_end_exactly_at_the_interval() -> None:
    """Bars run from low to high even when the point lies outside."""
    ax = axes()
    rows = [ForestRow(label=str(p), value=p, low=low, high=high) for p, low, high in POINTS]
    assert forest(ax, rows) is ax
    expected = [[[low, y], [high, y]] for y, (_, low, high) in enumerate(POINTS)]
    assert segments(ax) == expected
    assert markers(ax, "o") == {(p, float(y)) for y, (p, _, _) in enumerate(POINTS)}


def test_forest_notes_a_point_outside_but_not_float_noise() -> None:
    """Only a point that is really outside is open and noted."""
    rows = [ForestRow(label=str(p), value=p, low=low, high=high) for p, low, high in POINTS]
    assert [row.outside for row in rows] == [False, True, False]
    ax, inside = axes(), axes()
    forest(ax, rows, xlabel="Score")
    forest(inside, [rows[0], rows[2]], xlabel="Score")
    assert ax.get_xlabel() == "Score\nopen marker: the point lies outside its interval"
    assert inside.get_xlabel() == "Score"
    assert [line.get_markerfacecolor() for line in ax.lines][1] == "white"


def test_forest_says_what_is_undefined() -> None:
    """A missing interval or estimate is written out, not dropped."""
    ax = axes()
    rows = [
        ForestRow(label="a", value=0.5, low=None, high=None),
        ForestRow(label="b", value=None, low=None, high=None),
    ]
    forest(ax, rows, reference=0.0)
    assert [t.get_text() for t in ax.texts] == ["0.50 (no interval)", "undefined"]
    assert segments(ax) == []


def test_forest_row_reads_an_estimate() -> None:
    """A row takes value and bounds from an estimate."""
    estimate = Estimate(
        estimate=0.5,
        interval=Interval(low=0.4, high=0.6, level=0.95, method="wilson"),
        se=None,
        n=9,
        counts=RowCounts(attempted=9, scored=9, errored=0),
    )
    assert forest_row("a", estimate) == ForestRow(label="a", value=0.5, low=0.4, high=0.6)


@pytest.mark.parametrize(
    ("value", "low", "high", "message"),
    [
        (float("nan"), 0.1, 0.2, "use None"),
        (0.1, 0.1, None, "one bound"),
        (0.1, 0.3, 0.2, "above `high`"),
    ],
)
def test_forest_row_rejects_what_cannot_be_drawn(
    value: float, low: float | None, high: float | None, message: str
) -> None:
    """Bad bounds are refused with the name of the row."""
    with pytest.raises(ArgumentError, match=message):
        ForestRow(label="a", value=value, low=low, high=high)


def test_forest_rejects_no_rows() -> None:
    """An empty forest is refused."""
    with pytest.raises(ArgumentError, match="`rows` is empty"):
        forest(axes(), [])


def test_trajectory_marks_every_round_once() -> None:
    """Each executed round has one marker, the selected one a star."""
    ax = evolution_panel(axes(), [run("a")])
    assert markers(ax, "*") == {(3.0, 0.0)}
    assert markers(ax, "o") == {(float(r), 0.0) for r in (1, 2, 4, 5, 6, 7, 8)}
    assert [[8.7, -0.28], [8.7, 0.28]] in segments(ax)


def test_trajectory_of_a_retained_parent_has_its_star_at_zero() -> None:
    """A selected run without a new best keeps the parent; a full run has no end mark."""
    ax = evolution_panel(axes(), [run("a", executed=10, new_bests=(), best_round=0)])
    assert markers(ax, "*") == {(0.0, 0.0)}
    assert len(segments(ax)) == 1


def test_trajectory_without_selection_has_no_star() -> None:
    """A run that was not selected shows its new bests only."""
    ax = evolution_panel(axes(), [run("a", selected=False)])
    assert markers(ax, "*") == set()
    assert len(markers(ax, "o")) == 8


def test_panels_share_rows_and_leave_missing_runs_blank() -> None:
    """A run missing from one group leaves its row blank there."""
    figure = new_figure(columns=2)
    panels = evolution_panels(
        figure, [run("a", "g"), run("b", "g"), run("b", "h"), run("a", "i")], columns=2
    )
    assert [ax.get_title(loc="center") or ax.get_title(loc="left") for ax in panels] == [*"ghi"]
    assert {y for _, y in markers(panels[1], "o")} == {1.0}
    assert len(figure.axes) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"executed": 11}, "`executed` is 11"),
        ({"new_bests": (9,)}, r"rounds \[9\] were never executed"),
        ({"new_bests": (0,)}, r"rounds \[0\]"),
        ({"best_round": 9}, r"rounds \[9\]"),
    ],
)
def test_trajectory_row_rejects_impossible_rounds(changes: dict[str, object], message: str) -> None:
    """Rounds that were never executed are refused."""
    with pytest.raises(ArgumentError, match=message):
        run("a", **changes)


def test_trajectories_reject_repeated_labels_and_no_runs() -> None:
    """Two runs cannot share a line, and an empty figure is refused."""
    with pytest.raises(ArgumentError, match="must be distinct"):
        evolution_panel(axes(), [run("a"), run("a")])
    with pytest.raises(ArgumentError, match="got 0 runs"):
        evolution_panels(new_figure(), [])


def test_scaling_draws_percent_and_labels_each_line() -> None:
    """Proportions are drawn in percent and every line has its own label."""
    ax = axes()
    parallel = [CurvePoint(k=2, value=0.6, low=0.5, high=0.7), CurvePoint(k=1, value=0.5)]
    assert scaling_curves(ax, parallel=parallel, sequential=[], evolved=0.625) is ax
    assert np.asarray(ax.lines[0].get_ydata()).tolist() == [50.0, 60.0]
    assert [t.get_text() for t in ax.texts] == ["Parallel 60.0", "Evolved 62.5"]


def test_scaling_labels_follow_the_rounding_rule() -> None:
    """45 of 106 is 42.45 percent at two decimals, and a half goes up at one."""
    one, two = axes(), axes()
    points = [CurvePoint(k=1, value=45 / 106)]
    scaling_curves(two, parallel=points, sequential=[], digits=2)
    scaling_curves(one, parallel=[], sequential=points, evolved=0.4245)
    assert [t.get_text() for t in two.texts] == ["Parallel 42.45"]
    assert [t.get_text() for t in one.texts] == ["Sequential 42.5", "Evolved 42.5"]


def test_scaling_rejects_percentages_and_emptiness() -> None:
    """A percentage given as a proportion is caught, and so is an empty figure."""
    with pytest.raises(ArgumentError, match="must be a proportion"):
        CurvePoint(k=1, value=50.5)
    with pytest.raises(ArgumentError, match="one bound"):
        CurvePoint(k=1, value=0.5, low=0.4)
    with pytest.raises(ArgumentError, match=r"`evolved` is 85\.8"):
        scaling_curves(axes(), parallel=[CurvePoint(k=1, value=0.5)], sequential=[], evolved=85.8)
    with pytest.raises(ArgumentError, match="both empty"):
        scaling_curves(axes(), parallel=[], sequential=[])


def test_amortised_curve_marks_its_break_even() -> None:
    """The mark stands where 1 + 2750/n equals the calls of the control."""
    # 1 + 2750 / n = 6 at n = 2750 / 5 = 550.
    ax = axes()
    controls = {"six": 6.0, "one": 1.0, "far": 1.01}
    assert amortised_calls_curve(ax, evolution_calls=2750, controls=controls, n_max=10_000) is ax
    assert markers(ax, "o") == {(550.0, 6.0)}
    assert [t.get_text() for t in ax.texts][1:] == [
        "six\n6 calls, even at n = 550",
        "one\n1 call, never even",
        "far\n1.01 calls, even at n = 275,000 (beyond)",
    ]


def test_amortised_curve_rejects_impossible_settings() -> None:
    """Settings out of range are refused."""
    with pytest.raises(ArgumentError, match="`n_max` is 1"):
        amortised_calls_curve(axes(), evolution_calls=1, controls={}, n_max=1)
    with pytest.raises(ArgumentError, match="1 call or more"):
        amortised_calls_curve(axes(), evolution_calls=1, controls={"a": 0.5}, n_max=9)


def test_forest_heads_each_group_by_its_name() -> None:
    """Groups are named above their rows, so that colour alone tells nothing."""
    ax = axes()
    rows = [
        ForestRow(label=label, value=0.5, low=0.4, high=0.6, group=group)
        for group, label in [("one", "a"), ("one", "b"), ("two", "a")]
    ]
    forest(ax, rows)
    shown = [(label.get_text(), label.get_fontweight()) for label in ax.get_yticklabels()]
    assert shown == [
        ("one", "bold"),
        ("a", "normal"),
        ("b", "normal"),
        ("two", "bold"),
        ("a", "normal"),
    ]
