"""One rule: half up from exact values, the same in every format."""

from fractions import Fraction

import pytest
from commands import command, jsonl

from evalkit.rounding import round_number
from evalkit.tables import cell_text, number


@pytest.mark.parametrize(("k", "shown"), [(1, "13"), (3, "38"), (5, "63"), (7, "88")])
def test_eighths_as_whole_percent(k, shown):
    """1/8, 3/8, 5/8, 7/8 go up."""
    assert cell_text(number(Fraction(k, 8), 0, scale=100)) == shown


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        ("3.15", 1, "3.2"),
        ("3.65", 1, "3.7"),
        (3.15, 1, "3.2"),
        (2.675, 2, "2.68"),
        (1.005, 2, "1.01"),
        ("-2.5", 0, "-3"),
        (0.5, 0, "1"),
        ("-0.04", 1, "0.0"),
    ],
)
def test_halves(value, digits, shown):
    """Texts and floats by their shortest decimal; minus zero is zero."""
    assert str(round_number(value, digits)) == shown


def test_same_number_in_every_format(tmp_path):
    """Markdown, LaTeX and HTML print one estimate alike."""
    rows = [{"id": f"q{i}", "score": int(i < 5)} for i in range(8)]
    path = jsonl(tmp_path / "a.jsonl", rows)
    for fmt in ("table", "markdown", "latex", "html"):
        assert "0.6250" in command("estimate", path, "--format", fmt) or "0.625" in command(
            "estimate", path, "--format", fmt
        )
