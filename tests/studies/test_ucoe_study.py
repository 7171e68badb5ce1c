"""The UCoE study: printed numbers, what they imply, and that cells depend on the records."""

import math
import shutil

import pytest

from evalkit.studies import build_study, load_module, load_reported, reproduce, sum_line


@pytest.fixture(scope="module")
def study(root):
    """Return the study, built from the committed fixtures."""
    return build_study("ucoe", root=root)


@pytest.fixture(scope="module")
def added(root):
    """Return the module of added tables."""
    return load_module(root / "analysis/ucoe/added.py")


def test_the_committed_report_is_what_the_study_makes(root):
    """Running the study again gives the committed report, byte by byte."""
    assert reproduce(["ucoe"], root=root, check=True).studies[0].differences == ()


def test_the_sum(study):
    """The sum is the one the report prints, with no contradiction."""
    assert sum_line(study.cells) == (
        "285 reported numbers: 8 recomputed, 68 derived, 209 transcribed; of 8 + 68: "
        "75 match, 1 by rounding, 0 contradictions in the papers"
    )


def test_reported_columns_are_the_fixtures(study, root):
    """Every printed number has exactly one cell with its printed text."""
    reported = load_reported(root / "fixtures/ucoe/reported")
    printed = [(n.table, n.row, n.column, n.text) for ns in reported.values() for n in ns]
    assert [(c.table, c.row, c.column, c.reported) for c in study.cells] == printed


def test_preferences_of_decisions_by_hand(study):
    """(99 + 13)/158, (132 + 27)/309, (54 + 12)/95 and (143 + 51.5)/375."""
    shown = [c.computed for c in study.cells if c.column == "Critic preference"]
    assert shown == [f"{100 * k / n:.2f}" for k, n in ((112, 158), (159, 309), (66, 95))] + [
        f"{100 * 194.5 / 375:.2f}"
    ]
    assert shown == ["70.89", "51.46", "69.47", "51.87"]


def test_a_changed_count_moves_its_cell(root, tmp_path):
    """One tie that becomes a win moves preference and n's cell of that row only."""
    copy = shutil.copytree(root / "fixtures/ucoe", tmp_path / "ucoe")
    path = copy / "records/decisions.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("99,33,26", "100,33,25"), "utf-8")
    before = build_study("ucoe", root=root).cells
    after = build_study("ucoe", root=root, fixtures=copy).cells
    moved = [(b.row, b.column, a.status) for b, a in zip(before, after, strict=True) if a != b]
    assert moved == [("Qwen3-8B / Accepted", "Critic preference", "mismatch")]


def test_every_preference_is_a_sum_of_quarter_credits(study):
    """No transcribed preference is impossible at its number of tasks."""
    notes = [c.note for c in study.cells if "quarter credits" in c.note]
    assert len(notes) > 60
    assert all(note.startswith("attainable") for note in notes)


def test_implied_ties_of_writingprompts(added):
    """A width of 0.73 points on 1,024 tasks leaves at most 5.7 percent that are no tie."""
    low, high = added.tie_share(0.0073, 0.5054, 1024)
    spread = (0.0073 / 3.919928) ** 2 * 1024 + 0.0054**2
    assert low == pytest.approx(1 - 16 * spread)
    assert high == pytest.approx(1 - 4 * spread)
    assert (round(low, 3), round(high, 3)) == (0.943, 0.986)


def test_ties_implied_by_an_exact_interval_enclose_the_truth(added):
    """From outcomes with a known tie rate, the bounds hold it."""
    tasks, wins, ties = 400, 120, 200
    share = (wins + ties / 2) / tasks
    variance = (wins + ties / 4) / tasks - share**2
    width = 2 * added.Z * math.sqrt(variance / tasks)
    low, high = added.tie_share(width, share, tasks)
    assert low <= ties / tasks
    assert high == pytest.approx(ties / tasks)


def test_five_intervals_are_wider_than_their_tasks_allow(root, added):
    """Each of the five exceeds what tasks without a tie give by more than a tenth."""
    common = load_module(root / "analysis/ucoe/common.py")
    entries = list(added.preferences(common.Records(root / "fixtures/ucoe")))
    wide = {(e.method, e.benchmark) for e in entries if e.ties is None}
    assert wide == {
        ("LLM as a Judge", "WildBench"),
        ("DREAM", "Arena-Hard"),
        ("DREAM", "WritingPrompts"),
        ("SpyRL", "WritingPrompts"),
        ("SpyRL", "WildBench"),
    }
    assert all(e.high - e.low > 1.1 * e.widest for e in entries if e.ties is None)
    assert all(e.high - e.low < 1.1 * e.widest for e in entries if e.ties is not None)


def test_recovered_denominators(added):
    """Six accuracies of Hard-MATH are counts of 382 tasks and of no smaller number."""
    printed = ["56.54", "55.24", "57.33", "59.42", "58.12", "59.16"]
    assert added.denominators(printed)[0] == 382
