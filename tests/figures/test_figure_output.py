"""Figures are saved without state, dates or versions, and labels never break them."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from evalkit.errors import ArgumentError
from evalkit.figures import (
    CostPoint,
    CurvePoint,
    ForestRow,
    TrajectoryRow,
    agreement_by_bin,
    amortised_calls_curve,
    calibration_bins,
    calibration_diagram,
    cost_preference,
    decision_bars,
    display_labels,
    evolution_panels,
    forest,
    new_figure,
    noise_floor,
    paper_style,
    round_yield,
    save_figure,
    scaling_curves,
    svg_text,
)
from evalkit.figures.labels import spread
from evalkit.grading.pairwise import agreement
from evalkit.trajectories import trajectory

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=60)
HARD_NAMES = ["a|b", "pri$$ce", "$\\frac$", "m\ud835", "m\ud836", "x" * 300, "x" * 301, "中\n文"]


def draw_forest(figure: Figure) -> None:
    """Draw rows with hard names."""
    rows = [ForestRow(label=name, value=0.5, low=0.4, high=0.6) for name in HARD_NAMES]
    forest(figure.subplots(), rows, xlabel="$$", title="pri$$ce")


def draw_trajectories(figure: Figure) -> None:
    """Draw runs with hard names."""
    evolution_panels(
        figure,
        [
            TrajectoryRow(
                label=name, group=name, executed=8, new_bests=(1, 3), best_round=3, selected=True
            )
            for name in HARD_NAMES[:5]
        ],
    )


def draw_scaling(figure: Figure) -> None:
    """Draw two curves under a hard title."""
    points = [CurvePoint(k=k, value=0.5 + k / 20, low=0.45, high=0.85) for k in (1, 2, 3)]
    scaling_curves(
        figure.subplots(),
        parallel=points,
        sequential=points[:2],
        evolved=0.9,
        parent=0.5,
        title="pri$$ce m\ud835",
    )


def draw_amortised(figure: Figure) -> None:
    """Draw controls with hard names."""
    controls = {name: 2.0 + i for i, name in enumerate(HARD_NAMES[:4])}
    amortised_calls_curve(
        figure.subplots(), evolution_calls=2750, controls=controls, n_max=10_000, title="$$"
    )


def draw_rounds(figure: Figure) -> None:
    """Draw decisions, yields and the noise floor of runs under hard titles."""
    rows = [
        {"run": run, "round": r, "score": (r * 7 % 5) / 10 + run / 100}
        for run in range(4)
        for r in range(6)
    ]
    found = trajectory(rows)
    left, middle, right = figure.subplots(1, 3)
    decision_bars(left, found.replays, title="pri$$ce", legend_columns=2)
    round_yield(middle, found.accounting, title="m\ud835 $")
    noise_floor(right, items=[10], rate=0.5, rounds=5, observed=found.replays, title="$$")


def draw_points(figure: Figure) -> None:
    """Draw costs, agreement by bin and calibration with hard names."""
    left, middle, right = figure.subplots(1, 3)
    points = [
        CostPoint(label=name, cost=1.0 + i, value=0.4 + i / 20, low=0.3, high=0.9)
        for i, name in enumerate(HARD_NAMES)
    ]
    cost_preference(left, points, title="$$", xlabel="$", ylabel="m\ud835")
    rows = [
        {"pair": str(i), "grader": name, "label": "A>B", "order1": "A>B", "margin": i}
        for name in HARD_NAMES[:3]
        for i in range(6)
    ]
    binned = agreement(rows, bins={"margin": [0, 3, 6]})
    agreement_by_bin(middle, binned, title="pri$$ce", xlabel="$$")
    confidences = [i / 30 for i in range(31)]
    calibration_diagram(right, calibration_bins(confidences, [i % 2 for i in range(31)]), title="$")


DRAWINGS = [
    draw_forest,
    draw_trajectories,
    draw_scaling,
    draw_amortised,
    draw_rounds,
    draw_points,
]


def drawn(draw: Callable[[Figure], None]) -> Figure:
    """Draw into a new figure in the paper style."""
    with mpl.rc_context(paper_style(2)):
        figure = new_figure(columns=2, height=3.2)
        draw(figure)
    return figure


@pytest.mark.parametrize("draw", DRAWINGS)
def test_two_runs_write_the_same_bytes(draw: Callable[[Figure], None], tmp_path: Path) -> None:
    """Drawing twice gives identical PNG and SVG files, hard names included."""
    first = save_figure(drawn(draw), tmp_path / "a" / "fig.one")
    second = save_figure(drawn(draw), tmp_path / "b" / "fig.one")
    assert [path.name for path in first] == ["fig.one.png", "fig.one.svg"]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
        assert mpl.__version__.encode() not in one.read_bytes()
        assert b"Created with" not in one.read_bytes()
    ET.fromstring(first[1].read_text(encoding="utf-8"))  # noqa: S314


def test_svg_has_no_date_and_no_document_type() -> None:
    """The SVG text names no version, date or external document."""
    svg = svg_text(drawn(draw_scaling))
    assert "<dc:date>" not in svg
    assert "<!DOCTYPE" not in svg
    assert "<text" not in svg


@pytest.mark.parametrize("draw", DRAWINGS)
def test_dollar_signs_are_drawn_outside_of_the_paper_style_too(
    draw: Callable[[Figure], None], tmp_path: Path
) -> None:
    """Math text is off for every label even under the default rcParams."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    draw(figure)
    png, _ = save_figure(figure, tmp_path / "plain")
    assert png.stat().st_size > 0


def test_figures_leave_pyplot_alone() -> None:
    """Drawing does not import pyplot."""
    before = "matplotlib.pyplot" in sys.modules
    drawn(draw_forest)
    assert ("matplotlib.pyplot" in sys.modules) is before


def test_paper_style_is_a_new_valid_dictionary() -> None:
    """Every key is an rcParam, and changing one copy changes no other."""
    style = paper_style(2)
    assert set(style) <= set(mpl.rcParams)
    style["font.size"] = 99
    assert paper_style(2)["font.size"] == 7.0
    assert paper_style(1)["figure.figsize"][0] == 3.4
    with pytest.raises(ArgumentError, match="`columns` is 3"):
        paper_style(3)  # type: ignore[arg-type]


@given(st.lists(ANY_TEXT, max_size=8), st.integers(12, 40))
def test_labels_stay_short_and_distinct(names: list[str], limit: int) -> None:
    """Distinct names get distinct labels within the limit that can be encoded."""
    labels = display_labels(names, limit=limit)
    assert len(set(labels)) == len(set(names))
    assert all(len(label) <= limit for label in labels)
    assert "".join(labels).encode("utf-8") is not None


def test_labels_of_short_names_do_not_change() -> None:
    """A plain name is its own label, even beside a longer one that is cut to it."""
    cut = display_labels(["x" * 30], limit=12)[0]
    assert display_labels(["x" * 30, cut], limit=12)[1] == cut


def test_labels_reject_a_limit_that_cannot_hold_a_number() -> None:
    """A limit below 12 is refused."""
    with pytest.raises(ArgumentError, match="`limit` is 5"):
        display_labels(["a"], limit=5)


@given(st.lists(st.floats(-100, 100), max_size=6), st.floats(0.1, 10))
def test_spread_keeps_neighbours_apart_and_in_order(values: list[float], gap: float) -> None:
    """Placed values keep their order and their distance; free ones stay where they were."""
    placed = spread(values, gap=gap)
    ranked = [placed[i] for i in sorted(range(len(values)), key=lambda i: values[i])]
    assert all(b - a >= gap * (1 - 1e-9) - 1e-9 for a, b in pairwise(ranked))
    assert len(values) != 1 or placed == values
