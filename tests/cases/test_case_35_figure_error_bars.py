"""Bars run from low to high, wherever the point is."""

import pytest

plt = pytest.importorskip("matplotlib.figure")

from evalkit.figures.forest import ForestRow, forest  # noqa: E402
from evalkit.figures.save import save_figure  # noqa: E402

POINTS = [
    (0.7, 0.7000000000000001, 0.9),
    (0.3, 0.35, 0.5),
    (0.0, 0.0, 0.1),
    (1.0, 0.9, 1.0),
    (0.5, 0.5, 0.5),
    (None, None, None),
]


def test_every_interval_is_drawn_as_given(tmp_path):
    """The figure saves, and each bar ends exactly at its interval."""
    figure = plt.Figure()
    ax = figure.add_subplot()
    rows = [
        ForestRow(label=f"r{i}", value=v, low=low, high=high)
        for i, (v, low, high) in enumerate(POINTS)
    ]
    forest(ax, rows)
    spans = {
        (float(min(line.get_xdata())), float(max(line.get_xdata())))
        for line in ax.lines
        if len(line.get_xdata()) == 2
    }
    for collection in ax.collections:
        for path in collection.get_paths():
            xs = path.vertices[:, 0]
            spans.add((float(xs.min()), float(xs.max())))
    for _, low, high in POINTS[:4]:
        assert any(abs(a - low) < 1e-12 and abs(b - high) < 1e-12 for a, b in spans), (
            low,
            high,
            spans,
        )
    png, svg = save_figure(figure, tmp_path / "bars")
    assert png.stat().st_size > 0
    assert svg.stat().st_size > 0


@pytest.mark.parametrize("name", ["pri$$ce", "a|b", "$x^2$", "\ud835", "x" * 300, "a_{b"])
def test_names_do_not_break_the_drawing(tmp_path, name):
    """Labels are shown as they are."""
    figure = plt.Figure()
    ax = figure.add_subplot()
    forest(ax, [ForestRow(label=name, value=0.5, low=0.4, high=0.6)])
    png, _ = save_figure(figure, tmp_path / "names")
    assert png.stat().st_size > 0
