"""Times with and without an offset are on one clock, by a stated rule."""

import pytest

from evalkit.errors import ArgumentError
from evalkit.records.timestamps import order_by_time

RUNS = {
    "a": "2031-03-01T10:00:00",
    "b": "2031-03-01T09:30:00+00:00",
    "c": "2031-03-01T12:00:00Z",
}


def test_latest_run():
    """The one at 12:00Z; the one without an offset is UTC, and a note says so."""
    found = order_by_time(RUNS)
    assert found.names == ("b", "a", "c")
    assert found.latest == "c"
    assert "a" in found.notes[0]


@pytest.mark.parametrize(
    ("stamps", "latest"),
    [
        ({"a": "2031-03-01T23:00:00-05:00", "b": "2031-03-02T03:00:00Z"}, "a"),
        ({"a": "2031-03-01", "b": "2031-02-28T23:59:59.999999+00:00"}, "a"),
        ({"a": "20310301T100000Z", "b": "2031-03-01 10:00:00.5"}, "b"),
    ],
)
def test_offsets_dates_and_fractions(stamps, latest):
    """Offsets are applied, a date is its midnight, fractions count."""
    assert order_by_time(stamps).latest == latest


@pytest.mark.parametrize("stamps", [{}, {"a": "yesterday"}, {"a": ""}, {"a": None}])
def test_what_is_no_time_is_refused(stamps):
    """An unreadable time is an error that names the run."""
    with pytest.raises(ArgumentError, match="stamps"):
        order_by_time(stamps)
