"""The figure and the table of gates print the results they are given."""

import pytest

from evalkit.errors import ArgumentError
from evalkit.figures import new_figure
from evalkit.figures.gate_characteristics import (
    gate_characteristics,
    gate_characteristics_panels,
    gate_table,
)
from evalkit.tables import to_csv, to_markdown
from evalkit.trajectories import (
    lower_bound,
    non_decreasing,
    operating_characteristics,
    strict,
)


def found(n, gate, effect=0.1):
    """Characteristics at a small size."""
    return operating_characteristics(gate, n=n, base=0.6, effect=effect, rounds=2)


RESULTS = [found(n, gate) for n in (5, 9) for gate in (strict(), non_decreasing())]


def test_points_are_the_chances():
    """Each kind of candidate has its chances at the rows of the gates."""
    ax = new_figure().subplots()
    assert gate_characteristics(ax, RESULTS[:2]) is ax
    lines = {line.get_label(): line for line in ax.lines}
    assert list(lines["truly better"].get_xdata()) == [r.better for r in RESULTS[:2]]
    assert list(lines["truly worse"].get_xdata()) == [r.worse for r in RESULTS[:2]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["strict", "non-decreasing"]
    assert ax.get_title(loc="center") + ax.get_title(loc="left") == "n = 5"


def test_one_panel_a_size():
    """Panels follow the numbers of items, and one legend names the candidates."""
    figure = new_figure(columns=2)
    axes = gate_characteristics_panels(figure, RESULTS)
    assert len(axes) == 2
    [legend] = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == [
        "truly worse",
        "equally good",
        "truly better",
    ]


def test_table_prints_the_numbers():
    """The table has a row for each gate and a block of columns for each number of items."""
    table = gate_table(RESULTS)
    assert len(table.rows) == 2
    assert len(table.columns) == 15
    assert f"{RESULTS[0].better:.3f}" in to_csv(table)
    undefined = gate_table([found(2, lower_bound(n=2))])
    assert "\N{EN DASH}" in to_markdown(
        undefined
    )  # no new best is possible: the share is undefined


def test_mixtures_are_refused():
    """Nothing, two sizes in a panel, a repeated gate and mixed settings are refused."""
    ax = new_figure().subplots()
    with pytest.raises(ArgumentError, match="empty"):
        gate_characteristics(ax, [])
    with pytest.raises(ArgumentError, match="one panel for each"):
        gate_characteristics(ax, RESULTS)
    with pytest.raises(ArgumentError, match="twice"):
        gate_table([RESULTS[0], RESULTS[0]])
    with pytest.raises(ArgumentError, match="mixes"):
        gate_table([RESULTS[0], found(5, non_decreasing(), effect=0.2)])
    with pytest.raises(ArgumentError, match="gates differ"):
        gate_characteristics_panels(new_figure(), RESULTS[:3])
