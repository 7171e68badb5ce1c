"""A fraction and a percentage are not compared before the scale is declared."""

import pytest
from commands import command, document, jsonl


def run(path, scores):
    """One run."""
    return jsonl(path, [{"id": f"q{i}", "score": s} for i, s in enumerate(scores)])


def test_two_scales_are_refused(tmp_path):
    """.83 against 82.0: an error with the remedy, never a difference of -81."""
    base = run(tmp_path / "a.jsonl", [0.9, 0.76])
    other = run(tmp_path / "b.jsonl", [84.0, 80.0])
    out = command("compare", base, other, code=2)
    assert "scale" in out
    assert "-81" not in out


@pytest.mark.parametrize("cells", [['"83%"'], ['"0.83%"']])
def test_percent_signs_are_refused(tmp_path, cells):
    """A percent sign in a score leaves the scale open."""
    path = jsonl(tmp_path / "a.jsonl", [f'{{"id": "q", "score": {c}}}' for c in cells])
    assert "percentage" in command("estimate", path, code=2)


def test_one_scale_is_compared(tmp_path):
    """Two runs in per cent differ in points."""
    base = run(tmp_path / "a.jsonl", [82.0, 80.0, 90.0])
    other = run(tmp_path / "b.jsonl", [83.0, 82.0, 90.0])
    found = document("compare", base, other, "--range", "0", "100")["results"][0]
    assert found["difference"] == pytest.approx(1.0)
