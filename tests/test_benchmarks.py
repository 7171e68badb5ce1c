"""The benchmarks run, check their numbers, and render one page from one set of results."""

import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
RUN = FOLDER / "run.py"


def bench(*arguments):
    """Run the benchmarks' command in a process of its own."""
    return subprocess.run(
        [sys.executable, str(RUN), *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Results of a quick run of a few workloads, and what it printed."""
    path = tmp_path_factory.mktemp("benchmarks") / "results.json"
    done = bench("--quick", "--only", "W1,W4,W7,startup", "--output", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text(encoding="utf-8")), done.stdout


@pytest.fixture
def beside(monkeypatch):
    """Import modules that lie beside the command, and not in a package; forget them afterwards."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if (FOLDER / f"{name}.py").exists():
            del sys.modules[name]


@pytest.fixture
def page(beside):
    """Return the renderer of the page."""
    return beside("document")


def test_what_is_not_installed_is_a_row_and_not_a_failure(beside):
    """A method whose package is missing keeps its row, says so, and is not timed."""
    timing = beside("timing")

    def absent(k):
        return importlib.import_module("no_such_rival").interval(k)

    method = timing.Method(name="rival", side="rival", kind="resampling", call=absent)
    found = timing.ready(method)
    assert found.missing == "not installed: no_such_rival"
    assert found.call is None
    assert timing.interleave([found]) == {}


def test_timings_are_per_call_and_scaled(beside):
    """A method that sleeps 2 ms and stands for ten times the work takes 20 ms or more."""
    timing = beside("timing")
    method = timing.Method(
        name="sleep",
        side="rival",
        kind="resampling",
        call=lambda _: time.sleep(0.002),
        scale=10,
        repeats=3,
    )
    taken = timing.interleave([method])["sleep"]
    assert taken.extrapolated
    assert taken.repeats == 3
    assert 0.02 <= taken.low <= taken.median <= taken.high


def test_a_wrong_limit_is_found(beside):
    """Limits of the resampled law pass the check; limits half a standard error off do not."""
    workload = beside("workload")
    resamples = np.random.default_rng(1).normal(size=10_000)
    right = workload.check_percentile("right", (-1.96, 1.96), resamples)
    wrong = workload.check_percentile("wrong", (-1.46, 1.46), resamples)
    assert all(check.passed for check in right)
    assert not any(check.passed for check in wrong)


def test_numbers_are_checked_before_speed(quick):
    """Every workload compares its numbers with scipy's or a closed form, and all agree."""
    results, _ = quick
    assert set(results["checks"]) == {"W1", "W4", "W4-unequal", "W7"}
    for key, checks in results["checks"].items():
        assert checks, key
        assert all(check["passed"] for check in checks), checks


def test_rows_say_what_was_measured(quick):
    """A row has a median inside its spread, or the reason why it was not measured."""
    results, _ = quick
    assert {row["work"] for row in results["rows"]} == {"W1", "W4", "W4-unequal", "W7"}
    for row in results["rows"]:
        if row["missing"]:
            assert row["missing"].startswith("not installed")
            assert row["median_seconds"] is None
            continue
        low, high = row["spread_seconds"]
        assert 0 < low <= row["median_seconds"] <= high
        assert row["ratio_to_scipy"] > 0


def test_quick_runs_do_not_judge_goals(quick):
    """Small sizes say nothing about a goal, so a quick run leaves every goal open."""
    results, out = quick
    assert results["quick"] is True
    assert results["goals"]
    assert {goal["met"] for goal in results["goals"]} == {None}
    assert "quick run" in out


def test_the_exact_law_outruns_resampling(quick):
    """Even in numpy alone, the exact interval of a rate costs less than a tenth of scipy's."""
    results, _ = quick
    row = next(
        row
        for row in results["rows"]
        if row["work"] == "W1" and row["method"] == "evalkit exact, numpy only"
    )
    assert row["ratio_to_scipy"] > 10


def test_results_name_no_machine(quick):
    """Results hold versions and the number of processors, and no path or host name."""
    import platform

    results, _ = quick
    text = json.dumps(results)
    assert results["versions"]["numpy"]
    assert results["cpus"] >= 1
    assert str(Path.home()) + "/" not in text
    assert platform.node() not in text or len(platform.node()) < 4


def test_the_summary_says_where_large_ratios_come_from(quick):
    """The sentence about removing resampling stands under the tables."""
    _, out = quick
    assert "The large ratios come from removing resampling" in " ".join(out.split())


def test_unknown_workloads_are_refused():
    """A name that is not a workload is an error that lists the workloads."""
    done = bench("--only", "W99")
    assert done.returncode != 0
    assert "W4-unequal" in done.stderr


def test_rendering_is_deterministic(quick, page):
    """The same results give the same page, with a table for each workload."""
    results, _ = quick
    text = page.render(results)
    assert text == page.render(json.loads(json.dumps(results)))
    for key in results["checks"]:
        assert f"### {key}: " in text
    assert "removing resampling" in text


def test_the_committed_page_is_that_of_the_committed_results(page):
    """docs/performance.md is what --render makes of benchmarks/results.json."""
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    assert results["quick"] is False
    committed = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert page.render(results) == committed


def test_committed_numbers_agree():
    """No committed result stands on a number that was wrong."""
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    checks = [check for part in results["checks"].values() for check in part]
    assert checks
    assert all(check["passed"] for check in checks)
