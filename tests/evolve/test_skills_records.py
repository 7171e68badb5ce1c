"""What a finished run feeds: the public functions read its files as they are."""

import json

import pytest
from skill_worlds import run_loop, skill_world

import evalkit
from evalkit.environments.base import Component
from evalkit.evolve.reading import history_rows, record_rows, run_state
from evalkit.evolve.report import write_run_report
from evalkit.evolve.skills.controls import refine
from evalkit.evolve.skills.report_data import SELECTED, gather_skills
from evalkit.evolve.skills.report_numbers import (
    best_validation,
    curve_of,
    first_score,
    frozen_gain,
    frozen_score,
    gap_of,
    locked_sensitivity,
    seed_gains,
    seed_sd,
)
from evalkit.locked import sensitivity
from evalkit.records import read
from evalkit.testtime import outcomes_from_frame, scaling
from evalkit.trajectories import trajectory

SETTINGS = {
    "auxiliary": "auxiliary",
    "probes": ["R1"],
    "verifiers": ["reference", "lenient"],
    "attempts": 3,
    "shares": [1.0, 0.5],
    "trajectories": 8,
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Finish a noisy experiment of two seeds, in which one item never has an outcome."""
    out = tmp_path_factory.mktemp("skills") / "out"
    world = skill_world(noise=0.15, broken=frozenset({"test-01"}), validation=16, test=16)
    run_loop(out, world=world, seeds=(0, 1), **SETTINGS)
    return out


def stage(folder, name, seed=0):
    """Folder of a stage."""
    return folder / f"runs/arm/{name}/seed-{seed}"


def test_trajectory_reads_the_experiment(finished):
    """Six runs by view and seed, decisions as recorded, a selection gap for each seed."""
    found = trajectory(history_rows(finished))
    assert [group.by["view"] for group in found.accounting.groups] == [
        "Fail-only", "Normal", "Success-only",
    ]  # fmt: skip
    assert {entry.run.labels["seed"] for entry in found.replays} == {"0", "1"}
    assert all(entry.disagreements == () for entry in found.replays)
    selected = {labels["seed"]: gap.selected for labels, gap in found.gaps}
    for seed in ("0", "1"):
        state = run_state(stage(finished, "selection", seed))
        tests = {row["seed"]: row for row in history_rows(finished) if row["round"] == 0}
        assert "test" in tests[seed]
        if state["selected"] == "Parent":
            assert selected[seed] == "Parent"
        else:
            best = {name: view["score"] for name, view in state["views"].items()}
            assert best[selected[seed]] == max(best.values())


def test_records_are_read_as_they_are(finished):
    """Every stage's file is a valid records file."""
    for name in ("parent", "Normal", "selection", "scaling", "verifiers"):
        found = read(stage(finished, name) / "records.jsonl")
        assert len(found.frame) == len(record_rows(stage(finished, name)))


def test_scaling_reads_the_controls(finished):
    """Nested attempts 1 to K, equal first attempts, the errored item left out and counted."""
    frame = read(stage(finished, "scaling") / "records.jsonl").frame
    curves = {
        name: scaling(outcomes_from_frame(frame, system=f"arm/solver/{name}"))
        for name in ("parallel", "sequential")
    }
    for curve in curves.values():
        assert curve.allocation == {2: 8, 3: 8}
        assert curve.calls_added == 16 + 8
        assert curve.errored_items == 1
    assert curves["parallel"].points[0].oracle == curves["sequential"].points[0].last
    oracle = [point.oracle for point in curves["parallel"].points]
    assert oracle == sorted(oracle)


def test_the_first_attempt_is_the_frozen_parents(finished):
    """Attempt 1 of both controls is the parent's first test deployment, and cost no call."""
    deployed = {
        row["item"]: row["score"]
        for row in record_rows(stage(finished, "selection"), split="test")
        if row["system"] == "arm/solver/Parent" and row["attempt"] == "0:1"
    }
    for row in record_rows(stage(finished, "scaling")):
        if row["attempt"] == "1":
            assert deployed[row["item"]] == row["score"]
    spent = run_state(stage(finished, "scaling"))["ledger"]["entries"]
    assert spent["solve/parallel"]["evaluations"] == spent["solve/sequential"]["evaluations"] == 24


def test_sensitivity_reads_the_locked_outputs(finished):
    """The same bytes under both verifiers; the lenient one changes the gain, not the outputs."""
    for seed in (0, 1):
        if run_state(stage(finished, "selection", seed))["selected"] == "Parent":
            continue
        found = sensitivity(
            stage(finished, "verifiers", seed) / "records.jsonl",
            base="arm/solver/Parent",
            candidate="arm/solver/selected",
            verifiers=("reference", "lenient"),
        )
        prints = {}
        for row in record_rows(stage(finished, "verifiers", seed)):
            prints.setdefault((row["system"], row["item"]), set()).add(row["output_sha256"])
        assert all(len(found) == 1 for found in prints.values())
        assert {item for (_, item), found in prints.items() if found == {None}} == {"test-01"}
        assert [gain.verifier for gain in found.gains] == ["reference", "lenient"]
        assert found.excluded_items == 1
        return
    pytest.fail("no seed selected an evolved skill, so the test says nothing")


def test_compare_reads_the_deployments(finished):
    """`compare` of two roles on the file is the paired difference that the report prints."""
    run = gather_skills(finished).runs[0]
    found = evalkit.compare(
        stage(finished, "selection") / "records.jsonl",
        systems=("arm/solver/Parent", "arm/solver/Fail-only"),
        cluster="cluster",
        score_range=(0, 1),
    )
    gain = frozen_gain([run], "test", "Fail-only")
    assert float(found.difference) == pytest.approx(float(gain.estimate))
    assert 0 < abs(gain.estimate) < 1
    assert found.interval.low == pytest.approx(gain.interval.low, abs=0.05)


def test_numbers_of_the_report_from_the_records(finished):
    """Scores, gains and the selected role agree with means taken by hand."""
    [first, second] = gather_skills(finished).runs
    for run in (first, second):
        rows = record_rows(run.folders["selection"], split="test")
        by_role = {}
        for row in rows:
            if row["score"] is not None:
                by_role.setdefault(row["system"].rpartition("/")[2], []).append(row["score"])
        means = {role: sum(scores) / len(scores) for role, scores in by_role.items()}
        for role, mean in means.items():
            assert float(frozen_score([run], "test", role).estimate) == pytest.approx(mean)
        gain = means[run.selected["view"]] - means["Parent"]
        assert float(frozen_gain([run], "test", SELECTED).estimate) == pytest.approx(gain)
        assert frozen_gain([run], "test", "Parent").estimate == 0
        best = run_state(run.folders["Normal"])["best"]["score"]
        assert float(best_validation([run], "Normal").estimate) == pytest.approx(best)
        assert curve_of(run, "parallel").points[-1].k == 3
    assert frozen_score([first], "T9", "Parent") is None
    gains = seed_gains((first, second), "test", SELECTED)
    assert seed_sd(gains) == pytest.approx(abs(gains[0] - gains[1]) / 2**0.5)
    assert seed_sd(gains[:1]) is None


def test_the_gap_is_that_of_the_skill_that_was_selected(finished):
    """Best first-deployment score over parent and distinct views, minus the selected one's."""
    for run in gather_skills(finished).runs:
        distinct = {
            role: first_score(run, role)
            for role in ("Parent", *run.views)
            if role == "Parent" or run.artifacts[role] != run.artifacts["Parent"]
        }
        gap = gap_of(run)
        assert gap.selected == run.selected["view"]
        assert gap.gap == pytest.approx(max(distinct.values()) - distinct[gap.selected])


def test_the_page_says_what_was_found_and_loads_nothing(finished, tmp_path):
    """One sentence first, one table a topic, published values apart, no link out."""
    page = write_run_report(finished, path=tmp_path / "page.html").read_text()
    assert "Simulated, not reproduced: in arm &#39;arm&#39;" in page
    for title in (
        "Views", "Frozen skills on test", "Selection", "Probes", "Verifiers on locked outputs",
        "Test-time controls", "Selection tax and noise", "Candidates", "Cost",
    ):  # fmt: skip
        assert title in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "test outcomes errored" in page


@pytest.mark.parametrize("calls", [0, 9, 60, 320])
def test_the_page_of_an_unfinished_run_names_the_stages(tmp_path, calls):
    """A run that died anywhere is reported as far as it is committed."""
    world = skill_world(noise=0.1)
    solve = world.environment.solve

    def failing(*args, **settings):
        if world.environment.calls["solve"] >= calls:
            raise ConnectionError("down")
        return solve(*args, **settings)

    world.environment.solve = failing
    with pytest.raises(ConnectionError):
        run_loop(tmp_path / "r", world=world, **SETTINGS)
    page = write_run_report(tmp_path / "r").read_text()
    assert "unfinished stages" in page
    assert "verifiers" in page
    assert locked_sensitivity(gather_skills(tmp_path / "r").runs) is None


def test_an_answer_is_revised_below_its_task_where_the_environment_has_no_retry(tmp_path):
    """The input holds the task and the previous answer; verdicts still go to the item itself."""
    world = skill_world()
    seen = []
    solve = world.environment.solve

    def noting(component, item, /, *, draw):
        seen.append((item.id, item.input))
        return solve(component, item, draw=draw)

    world.environment.solve = noting
    run_loop(tmp_path / "r", world=world, attempts=2, repeats=1, views=["Normal"])
    revised = [(item, text) for item, text in seen if "answered this before" in text]
    assert len(revised) == 12
    assert all("bad " in text for _, text in revised)
    assert {item.split("-")[0] for item, _ in revised} == {"test"}


def test_an_environment_may_offer_a_retry_of_its_own():
    """It is handed the previous execution; without an answer a first attempt is made."""
    from evalkit.environments.base import Execution, Item
    from evalkit.environments.draws import Draw
    from evalkit.evolve.parts import Labels, Parts

    world = skill_world()
    world.environment.retry = lambda component, item, previous, *, draw: previous  # noqa: ARG005
    parts = Parts(
        environment=world.environment,
        propose=world.propose,
        draw=Draw.of(0),
        labels=Labels(run="r", setting="s", seed="0"),
    )
    item = Item(id="i", input="alpha")
    before = Execution(item="i", output="earlier")
    lost = Execution(item="i", output=None, status="timeout")
    assert refine(parts, Component(), item, before, draw=Draw.of(0)) is before
    assert refine(parts, Component(), item, lost, draw=Draw.of(0)).output == "bad alpha"


def test_events_and_rows_are_strict_json(finished):
    """Each line of each file parses without NaN."""

    def refuse(name):
        raise AssertionError(name)

    for path in finished.rglob("*.jsonl"):
        for line in path.read_text().splitlines():
            json.loads(line, parse_constant=refuse)
