"""`compare --gate equivalent:MARGIN`: two one-sided tests as an exit code."""

import pytest
from commands import command, document, jsonl
from typer.testing import CliRunner

from evalkit.cli.app import app
from evalkit.cli.gates import apply_gate, gate_level, with_bare_gate
from evalkit.comparisons import equivalence_test
from evalkit.errors import ArgumentError
from evalkit.tally import tally_values

DIFFERENCES = [1] * 12 + [-1] * 10 + [0] * 378


@pytest.fixture
def pair(tmp_path):
    """Two systems on 400 items: 12 wins, 10 losses."""
    base = [0 if d == 1 else 1 for d in DIFFERENCES]
    candidate = [b + d for b, d in zip(base, DIFFERENCES, strict=True)]
    return [
        jsonl(tmp_path / f"{name}.jsonl", [{"id": i, "score": s} for i, s in enumerate(scores)])
        for name, scores in (("a", base), ("b", candidate))
    ]


@pytest.mark.parametrize(("margin", "code"), [(0.05, 0), (0.026, 0), (0.025, 1), (0.01, 1)])
def test_gate_is_the_equivalence_test(pair, margin, code):
    """Passed exactly when two one-sided tests of .05 show it; the bounds are theirs."""
    found = CliRunner().invoke(
        app, ["compare", *map(str, pair), "--gate", f"equivalent:{margin}", "-f", "csv"]
    )
    assert found.exit_code == code
    expected = equivalence_test(tally_values(DIFFERENCES), margin=margin)
    assert (expected.verdict == "equivalent") == (code == 0)
    assert ("does not lie within" in found.stderr) == (code == 1)
    assert f"[{expected.interval.low:.4f}, {expected.interval.high:.4f}]" in found.stderr


def test_json_holds_the_interval_that_decided(pair):
    """The results keep the level that was asked for; the gate names its own."""
    found = document("compare", *pair, "--gate", "equivalent:0.05")
    expected = equivalence_test(tally_values(DIFFERENCES), margin=0.05)
    [interval] = found["gate"]["intervals"]
    assert found["gate"]["passed"] is True
    assert (interval["low"], interval["high"]) == pytest.approx(
        (expected.interval.low, expected.interval.high)
    )
    assert interval["level"] == pytest.approx(0.9)
    assert found["results"][0]["level"] == 0.95
    assert "intervals" not in document("compare", *pair, "--gate", "not-worse")["gate"]


def test_too_few_items_are_not_equivalent(tmp_path):
    """Ten pairs without a difference do not show equivalence."""
    rows = [{"id": i, "score": i % 2} for i in range(10)]
    paths = [jsonl(tmp_path / f"{name}.jsonl", rows) for name in "ab"]
    assert "does not lie within" in command("compare", *paths, "--gate", "equivalent:0.05", code=1)


def test_undefined_is_not_equivalent(tmp_path):
    """One cluster, or no shared item, shows nothing."""
    rows = [{"id": i, "score": i % 2, "passage": "p"} for i in range(10)]
    paths = [jsonl(tmp_path / f"{name}.jsonl", rows) for name in "ab"]
    told = command("compare", *paths, "--gate", "equivalent:0.2", "--cluster", "passage", code=1)
    assert "undefined" in told


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("equivalent", "equivalent:MARGIN"),
        ("equivalent:", "equivalent:MARGIN"),
        ("equivalent:0", "above 0"),
        ("equivalent:-0.1", "above 0"),
        ("equivalent:nan", "above 0"),
        ("equivalent:inf", "above 0"),
        ("equivalent:5%", "equivalent:MARGIN"),
        ("equivalent:1", "every result would pass"),
        ("non-inferior:1", "every result would pass"),
    ],
)
def test_wrong_margins_are_one_message_and_exit_code_2(pair, gate, message):
    """A margin is a number above 0 and below the width of the range."""
    assert message in command("compare", *pair, "--gate", gate, code=2)


def test_wrong_use_of_the_options(pair):
    """A one-sided level above one half; no gate over all pairs."""
    told = command("compare", *pair, "--gate", "equivalent:0.1", "--level", "0.5", code=2)
    assert "0.5 and 1" in told
    assert "--gate" in command("compare", pair[0], "--all", "--gate", "equivalent:0.1", code=2)


def test_a_declared_range_admits_its_own_margins(tmp_path):
    """On a scale of 0 to 10 a margin of 1 is a margin."""
    rows = [{"id": i, "score": 3 + i % 5} for i in range(60)]
    paths = [jsonl(tmp_path / f"{name}.jsonl", rows) for name in "ab"]
    assert command("compare", *paths, "--gate", "equivalent:1", "--range", 0, 10)
    assert "width" in command(
        "compare", *paths, "--gate", "equivalent:10", "--range", 0, 10, code=2
    )


def test_levels_and_bare_words():
    """Other gates read the printed level; the word after --gate is not taken for a file."""
    assert gate_level("non-inferior:0.1", 0.9) == 0.9
    assert gate_level("equivalent:0.1", 0.975) == pytest.approx(0.95)
    words = ["--gate", "equivalent:0.1"]
    assert with_bare_gate(words) == words
    with pytest.raises(ArgumentError, match="MARGIN"):
        apply_gate("equivalent:x", [])
