"""What sets of published sizes can separate, and the figures of the documentation."""

import re
from pathlib import Path

import pytest

from evalkit import power
from evalkit.comparisons.power import power_mean, power_paired_binary
from evalkit.errors import ArgumentError
from evalkit.estimation import estimate_values
from evalkit.pairs import set_power
from evalkit.rounding import format_number

PAGE = (Path(__file__).parents[2] / "docs" / "pairs.md").read_text(encoding="utf-8")


def page_rows(heading):
    """Rows of the first table under a heading."""
    body = PAGE.split(heading, 1)[1]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    table = []
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not re.fullmatch(r"\d+", cells[0]):
            break
        table.append(cells)
    return table


def smallest(n, discordance):
    """Smallest gain at power 0.8, or a dash where none reaches it."""
    found = set_power([1] * n, gain=0, discordance=discordance).smallest
    return None if found is None else found.effect


def test_smallest_gains_on_the_page():
    """The smallest detectable gains of 25, 34, 78 and 95 pairs are those that are printed."""
    rows = page_rows("### Smallest gain")
    assert [row[0] for row in rows] == ["25", "34", "78", "95"]
    for row in rows:
        expected = [format_number(smallest(int(row[0]), d), 3) for d in (0.1, 0.2, 0.3, 0.5)]
        assert row[1:] == expected


def test_power_of_reported_gains_on_the_page():
    """Power for the gain that was reported on each set."""
    rows = page_rows("### Power for the gains that were reported")
    gains = {"25": 0.006, "34": 0.101, "78": 0.071, "95": 0.009}
    assert {row[0] for row in rows} == set(gains)
    for row in rows:
        expected = [
            format_number(
                power_paired_binary(int(row[0]), effect=gains[row[0]], discordance=d).power, 2
            )
            for d in (0.2, 0.3)
        ]
        assert row[2:] == expected


def test_intervals_on_the_page():
    """Intervals of one agreement near the reported ones."""
    rows = page_rows("### Interval of one grader")
    wins = {"25": 22, "34": 27, "78": 58, "95": 69}
    for row in rows:
        n = int(row[0])
        found = estimate_values([1] * wins[row[0]] + [0] * (n - wins[row[0]]))
        low, high = (format_number(x, 3) for x in (found.interval.low, found.interval.high))
        assert row[1:] == [f"{wins[row[0]]} / {n}", f"{low}, {high}",
                           format_number(found.interval.width / 2, 3)]  # fmt: skip


def test_independent_pairs_are_enumerated():
    """Clusters of one pair give the exact paired power, and the search of `evalkit.power`."""
    found = set_power([1] * 34, gain=0.101, discordance=0.3)
    assert found.at_gain == power_paired_binary(34, effect=0.101, discordance=0.3)
    assert found.smallest.effect == power(n=34, discordance=0.3).effect


def test_clusters_take_the_weighted_size():
    """34 pairs in 19 tasks: size-weighted mean 2.1, rounded up to 3, in the t law."""
    sizes = [1] * 9 + [2] * 6 + [3] * 3 + [4]
    assert (sum(sizes), len(sizes)) == (34, 19)
    found = set_power(sizes, gain=0.1, discordance=0.3, icc=0.2).at_gain
    expected = power_mean(34, effect=0.1, sd=(0.3 - 0.01) ** 0.5, icc=0.2, cluster_size=3)
    assert found == expected
    assert set_power(sizes, gain=0.1, icc=0.0).at_gain.power > found.power


def test_clustered_example_on_the_page():
    """Three pairs a task at a correlation of 0.2 lower the power from 0.80 to 0.67."""
    alone = power_paired_binary(34, effect=0.26, discordance=0.3).power
    together = power_mean(34, effect=0.26, sd=0.482, icc=0.2, cluster_size=3).power
    said = f"falls from {format_number(alone, 2)} to {format_number(together, 2)}"
    assert said in " ".join(PAGE.split())


def test_sizes_on_the_page():
    """Pairs needed for the two larger gains."""
    needed = [
        power(effect=gain, discordance=share).n for gain in (0.101, 0.071) for share in (0.2, 0.3)
    ]
    assert needed == [150, 229, 310, 465]
    said = (
        "A gain of .101 needs 150 pairs at a discordance of 0.2 and 229 at 0.3; one of .071 needs"
    )
    assert f"{said} 310 and 465." in PAGE


def test_undefined_power_says_why():
    """No pairs, or one cluster, have no power; too few pairs have no smallest gain."""
    assert set_power([]).note == "no pairs"
    assert "two clusters" in set_power([5]).note
    few = set_power([1] * 4)
    assert few.smallest is None
    assert few.at_gain is not None
    assert "more items are needed" in few.note
    for bad in ({"gain": 0.4}, {"discordance": 1.2}, {"gain": -0.1}):
        with pytest.raises(ArgumentError, match="gain"):
            set_power([1] * 10, **bad)
