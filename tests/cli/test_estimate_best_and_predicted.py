"""`estimate --best` and `estimate --predicted` on the command line."""

import pytest
from commands import command, document

from evalkit.comparisons import prediction_powered_mean, selection_corrected

SCORES = {
    "A": [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1],
    "B": [1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0],
    "C": [0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0],
}
TRUTH = [1, 1, 0] * 20
JUDGE = [1, 1, 0, 1, 1, 1] * 10


@pytest.fixture
def systems(jsonl):
    """Three systems on twelve items in four passages."""
    rows = [
        {"system": name, "item": f"q{i:02}", "score": s, "passage": f"p{i // 3}"}
        for name, own in SCORES.items()
        for i, s in enumerate(own)
    ]
    return jsonl("systems.jsonl", rows)


@pytest.fixture
def labelled(jsonl):
    """Twenty labelled items of sixty, a judge on all."""
    rows = [
        {"id": f"q{i}", "human": t if i < 20 else None, "judge": j, "passage": f"p{i // 2}"}
        for i, (t, j) in enumerate(zip(TRUTH, JUDGE, strict=True))
    ]
    return jsonl("labelled.jsonl", rows)


def test_best_prints_what_to_report_and_what_was_naive(systems):
    """The fields of the help, with the figures of the function."""
    found = document("estimate", systems, "--best")
    row = found["results"][0]
    expected = selection_corrected(SCORES)
    assert len(found["results"]) == 1
    assert set(row) == {
        "system", "estimate", "naive", "corrected", "optimism", "low", "high", "lower", "level",
        "method", "candidates", "chances", "n", "clusters", "note",
    }  # fmt: skip
    assert row["system"] == "A"
    assert row["estimate"] == row["corrected"] == expected.corrected < row["naive"]
    assert (row["low"], row["high"]) == (expected.interval.low, expected.interval.high)
    assert row["low"] < row["lower"] < row["naive"] < row["high"]
    assert (row["candidates"], row["n"], row["clusters"]) == (3, 12, None)
    assert (found["settings"]["best"], found["settings"]["seed"]) == (True, 0)


def test_best_takes_clusters_seed_and_every_format(systems):
    """Clusters are counted; a seed repeats; tables name the winner."""
    one, two = (
        document("estimate", systems, "--best", "--cluster", "passage", "--seed", s)["results"][0]
        for s in (3, 3)
    )
    assert one == two
    assert one["clusters"] == 4
    for form in ("table", "csv", "markdown", "latex", "html"):
        shown = command("estimate", systems, "--best", "--format", form)
        assert f"{one['naive']:.4f}" in shown


def test_best_of_several_files(systems, jsonl):
    """Systems of several files are candidates together."""
    lines = systems.read_text().splitlines()
    files = [jsonl(f"{i}.jsonl", lines[12 * i : 12 * i + 12]) for i in range(3)]
    rows = document("estimate", *files, "--best")["results"]
    assert rows == document("estimate", systems, "--best")["results"]


def test_best_is_undefined_with_one_cluster(jsonl):
    """Null with the reason, never a number without an error."""
    path = jsonl(
        "one.jsonl",
        [
            {"system": s, "item": i, "score": i % 2, "passage": "p"}
            for s in ("A", "B")
            for i in range(6)
        ],
    )
    row = document("estimate", path, "--best", "--cluster", "passage")["results"][0]
    assert (row["estimate"], row["low"], row["high"]) == (None, None, None)
    assert "one cluster" in row["note"]


def test_predicted_prints_the_rectified_mean(labelled):
    """A judge named `judge` beside labels named `human`; the fields of the help."""
    arguments = ("--column", "score=human", "--predicted", "judge")
    row = document("estimate", labelled, *arguments)["results"][0]
    expected = prediction_powered_mean(JUDGE[20:], JUDGE[:20], TRUTH[:20])
    assert row["estimate"] == pytest.approx(expected.estimate, abs=1e-12)
    assert (row["low"], row["high"]) == pytest.approx(
        (expected.interval.low, expected.interval.high)
    )
    assert (row["n_gold"], row["n_judged"]) == (20, 40)
    assert row["gold_only"]["n"] == 20
    assert set(row) == {
        "by", "estimate", "low", "high", "level", "method", "se", "judge_weight", "judge_mean",
        "rectifier", "gold_only", "sensitivity", "specificity", "n_gold", "n_judged", "note",
    }  # fmt: skip
    for form in ("table", "csv", "markdown", "latex", "html"):
        assert f"{row['estimate']:.4f}" in command(
            "estimate", labelled, *arguments, "--format", form
        )


def test_predicted_with_clusters_and_groups(labelled):
    """The usual options keep their meaning."""
    arguments = ("--column", "score=human", "--predicted", "judge")
    whole = document("estimate", labelled, *arguments, "--cluster", "passage")["results"][0]
    assert "augmented-cluster-t" in whole["method"]
    rows = document("estimate", labelled, *arguments, "--by", "passage", "--level", "0.9")
    assert len(rows["results"]) == 30
    assert rows["settings"]["predicted"] == "judge"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--best", "--predicted", "judge"), "`--best` does not go with --predicted"),
        (("--best", "--by", "passage"), "`--best` does not go with --by"),
        (("--best", "--method", "t"), "`--best` does not go with --method"),
        (("--best", "--level", "0.4"), "between 0.5 and 1"),
        (("--best", "--level", "1"), "`level` is 1"),
        (("--best", "--cluster", "repo"), "'repo'"),
        (("--predicted", "judge", "--method", "t"), "`--predicted` does not go with --method"),
        (("--predicted", "judge", "--errors", "fail"), "does not go with --errors"),
        (("--predicted", "nobody"), "'nobody'"),
        (("--predicted", "score"), "beside the label"),
        (("--predicted", "human"), "beside the label"),
    ],
)
def test_wrong_use_is_one_message_and_exit_code_2(labelled, arguments, message):
    """Options that would be ignored are refused by name."""
    told = command("estimate", labelled, "--column", "score=human", *arguments, code=2)
    assert message in told
    assert "Traceback" not in told


def test_the_help_documents_the_fields():
    """Each JSON field of both modes stands in the help."""
    told = command("estimate", "--help")
    for name in ("rectifier", "n_gold", "judge_weight", "optimism", "naive", "chances"):
        assert name in told
