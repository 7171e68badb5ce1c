"""The DUET study: attainable means, repeats of Table 1, verdicts by one rule."""

import itertools
import math
import shutil
from fractions import Fraction

import pytest
from scipy import stats

from evalkit.rounding import round_number
from evalkit.studies import build_study, load_module, load_reported, reproduce, sum_line


@pytest.fixture(scope="module")
def study(root):
    """Return the study, built from the committed fixtures."""
    return build_study("duet", root=root)


@pytest.fixture(scope="module")
def records(root):
    """Return the records of the study."""
    return load_module(root / "analysis/duet/common.py").Records(root / "fixtures/duet")


@pytest.fixture(scope="module")
def added(root):
    """Return the module of added tables."""
    return load_module(root / "analysis/duet/added.py")


def rounded_seeds(steps, printed):
    """Whether three seed means, each rounded to a decimal, average to the printed mean."""
    near = [
        mean
        for k in range(steps + 1)
        if abs((mean := round_number(Fraction(100 * k, steps), 1)) - printed) < 12
    ]
    return any(
        round_number(Fraction(sum(three)) / 3, 1) == printed
        for three in itertools.combinations_with_replacement(near, 3)
    )


def test_the_committed_report_is_what_the_study_makes(root):
    """Running the study again gives the committed report, byte by byte."""
    assert reproduce(["duet"], root=root, check=True).studies[0].differences == ()


def test_the_sum(study):
    """The sum is the one the report prints."""
    assert sum_line(study.cells) == (
        "211 reported numbers: 0 recomputed, 46 derived, 165 transcribed; of 0 + 46: "
        "38 match, 0 by rounding, 8 contradictions in the papers"
    )


def test_reported_columns_are_the_fixtures(study, root):
    """Every printed number has exactly one cell with its printed text."""
    reported = load_reported(root / "fixtures/duet/reported")
    printed = [(n.table, n.row, n.column, n.text) for ns in reported.values() for n in ns]
    assert [(c.table, c.row, c.column, c.reported) for c in study.cells] == printed


@pytest.mark.parametrize(
    ("printed", "steps", "rounding_helps"),
    [
        ("82.0", 120, True),
        ("78.5", 68, True),
        ("68.0", 156, True),
        ("74.2", 156, True),
        ("69.5", 156, True),
        ("68.4", 68, False),
        ("67.2", 156, False),
        ("62.7", 156, False),
    ],
)
def test_contradictions_by_enumeration(study, printed, steps, rounding_helps):
    """No count over three seeds prints so; rounding the seed means first helps as the note says."""
    target = round_number(printed, 1)
    counts = (round_number(Fraction(100 * k, 3 * steps), 1) for k in range(3 * steps + 1))
    assert target not in set(counts)
    assert rounded_seeds(steps, target) is rounding_helps
    [cell] = [c for c in study.cells if c.status == "mismatch" and c.reported == printed]
    assert ("attained only if seed means are rounded" in cell.note) is rounding_helps


def test_nothing_else_contradicts(study):
    """The eight are all, and every repeat of Table 1 is equal to it."""
    assert sum(c.status == "mismatch" for c in study.cells) == 8
    assert sum(c.note == "printed in Table 1" and c.status == "match" for c in study.cells) == 38


def test_claims_of_the_text(study):
    """Every computed claim matches; the others say why they are not computed."""
    assert {c.status for c in study.claims} == {"match", "not-computed"}
    assert all(";" in c.note for c in study.claims if c.status == "not-computed")


def test_verdict_by_hand(added, records):
    """DUET against A0 on SpreadsheetBench: 12.1 points on an SE from seeds and items."""
    contrast = next(
        c
        for c in added.contrasts(records)
        if (c.benchmark, c.base, c.agent) == ("SpreadsheetBench", "A0", "Solver")
    )
    seeds = (0.004**2 / 3, 0.007**2 / 3)
    items = 0.847 * 0.153 / 315 + 0.726 * 0.274 / 315
    se = math.sqrt(sum(seeds) + items)
    df = se**4 / sum(v**2 / 2 for v in seeds)
    assert contrast.p_value == pytest.approx(2 * stats.t.sf(0.121 / se, df), rel=1e-9)
    welch = 0.121 / math.sqrt(sum(seeds))
    df = sum(seeds) ** 2 / sum(v**2 / 2 for v in seeds)
    assert contrast.seed_p == pytest.approx(2 * stats.t.sf(welch, df), rel=1e-9)


def test_one_comparison_is_separated(added, records):
    """Of 41 comparisons one holds under Holm with seeds and items."""
    found = added.verdicts(records)
    separated = [(c.benchmark, c.base) for c, p in found if p < 0.05]
    assert len(found) == 41
    assert separated == [("SpreadsheetBench", "A0")]


def test_a_changed_mean_moves_its_repeats(root, tmp_path):
    """Another DUET score on Finance contradicts every table that prints it again."""
    copy = shutil.copytree(root / "fixtures/duet", tmp_path / "duet")
    path = copy / "reported/1.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("Solver / DUET,Finance,96.5", "Solver / DUET,Finance,96.6"), "utf-8"
    )
    cells = build_study("duet", root=root, fixtures=copy).cells
    moved = {c.table for c in cells if c.status == "mismatch" and c.reported == "96.5"}
    assert moved == {"3", "4", "9", "10", "F3"}
