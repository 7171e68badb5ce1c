"""Kappa of raters who use one label only is undefined, not NaN and not 0."""

import pytest
from commands import document

from evalkit import raters


def table(one, two):
    """Ratings of two graders."""
    return [{"item": i, "r1": a, "r2": b} for i, (a, b) in enumerate(zip(one, two, strict=True))]


def values(one, two):
    """Coefficient -> value."""
    found = raters(table(one, two), coefficient=["raw", "kappa"], raters=["r1", "r2"], resamples=0)
    rows = [each.to_dict() for each in found]
    return {row["coefficient"].split()[-1]: row for row in rows}


def test_one_label():
    """Raw agreement 1, kappa null with the reason."""
    found = values("AAAAA", "AAAAA")
    assert found["agreement"]["value"] == 1.0
    assert found["kappa"]["value"] is None
    assert "one" in found["kappa"]["note"] or "label" in found["kappa"]["note"]


def test_control():
    """Raw 3/4, kappa (3/4 - 5/16) / (11/16) = 7/11."""
    found = values("AABT", "ABBT")
    assert found["agreement"]["value"] == 0.75
    assert found["kappa"]["value"] == pytest.approx(7 / 11)


def test_command_line_is_strict(tmp_path):
    """The undefined kappa is null in the JSON of the command."""
    path = tmp_path / "r.csv"
    path.write_text("item,r1,r2\n" + "".join(f"{i},A,A\n" for i in range(5)))
    found = document("raters", path, "--coefficient", "kappa", "--raters", "r1,r2")
    assert found["results"][0]["value"] is None
