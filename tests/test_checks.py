"""Settings checked in one place: the level and the range of the scores."""

import math

import numpy as np
import pytest

from evalkit._checks import check_level, check_range
from evalkit.errors import ArgumentError


@pytest.mark.parametrize(
    "given", [(0, 1), [0, 1], np.array([0.0, 1.0]), ("0", "1"), (np.int64(0), True)]
)
def test_two_numbers_in_order_are_a_range(given):
    """Any two finite numbers, low first, come back as floats."""
    assert check_range(given) == (0.0, 1.0)
    assert all(type(bound) is float for bound in check_range(given))


@pytest.mark.parametrize(
    "given",
    [
        (1, 0),
        (0, 0),
        (0, math.inf),
        (math.nan, 1),
        (0,),
        (0, 1, 2),
        (),
        "01",
        b"01",
        "ab",
        None,
        5,
        ("a", "b"),
        (None, 1),
        (0, 10**400),
        {"low": 0, "high": 1},
    ],
)
def test_anything_else_is_refused_by_name(given):
    """The message shows the value and what is allowed."""
    with pytest.raises(ArgumentError, match=r"`score_range` is .*two finite numbers, low < high"):
        check_range(given)


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, math.nan])
def test_levels_outside_are_refused(level):
    """A level is a share strictly between 0 and 1."""
    with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
        check_level(level)
