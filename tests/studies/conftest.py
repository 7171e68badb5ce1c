"""A tiny made-up study, and the skills study built once."""

import shutil
from pathlib import Path

import pytest

from evalkit.studies import build_study

ROOT = Path(__file__).parents[2]
STUDY = '''
"""A made-up study: one share from counts, one difference from other cells."""

from fractions import Fraction

from evalkit.figures import new_figure
from evalkit.studies import (
    Computed, StudyFigure, StudyOutput, check_claims, check_table, load_reported, read_rows,
    reproduced_table,
)


def build(fixtures):
    tables = load_reported(fixtures / "reported")
    [row] = read_rows(fixtures / "records" / "counts.csv")
    share = Fraction(100 * int(row["k"]), int(row["n"]))
    computed = {
        ("a", "score"): Computed(value=share, level="recomputed"),
        ("a", "delta"): Computed(value=share - 50, level="derived", conflict="70.1 against 70.0"),
    }
    cells = check_table(tables["1"], computed)

    def draw():
        figure = new_figure()
        figure.subplots().plot([0, 1], [0, float(share)])
        return figure

    return StudyOutput(
        title="Tiny",
        source="A made-up paper",
        summary="It adds up.",
        cells=cells,
        claims=check_claims(fixtures / "reported" / "claims.csv", {}),
        tables={"table1": reproduced_table(cells, caption="Table 1")},
        figures={"line": StudyFigure(draw=draw, caption="A line", alt="A line")},
    )
'''


@pytest.fixture
def tiny(tmp_path):
    """Return the root of a repository with one made-up study."""
    files = {
        "analysis/tiny/study.py": STUDY,
        "fixtures/tiny/records/counts.csv": "k,n\n7,10\n",
        "fixtures/tiny/reported/1.csv": (
            "row,column,reported\na,score,70.0\na,delta,+20.1\na,other,3\n"
        ),
        "fixtures/tiny/reported/claims.csv": "id,where,reported,quantity\nc1,Text,5,things\n",
        "fixtures/tiny/reported/1_labels.csv": "row,word\na,best\n",
    }
    for name, content in files.items():
        path = tmp_path / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "repo"


@pytest.fixture(scope="session")
def skills():
    """Return the skills study, built from the committed fixtures."""
    return build_study("skills", root=ROOT)


@pytest.fixture(scope="session")
def root():
    """Return the root of the repository."""
    return ROOT


@pytest.fixture
def skills_copy(tmp_path):
    """Return a copy of the skills fixtures that a test may change."""
    return Path(shutil.copytree(ROOT / "fixtures" / "skills", tmp_path / "skills"))
