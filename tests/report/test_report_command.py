"""`evalkit report` on the command line: a run, a study or a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner
from worlds import clause_world, run_duet

from evalkit.cli.report import report
from evalkit.report import write_page

RUNNER = CliRunner()
app = typer.Typer()
app.command()(report)


def run(*arguments: object, code: int = 0) -> str:
    """Run the command in this process; return its output, or what it says on stderr."""
    found = RUNNER.invoke(app, [str(each) for each in arguments])
    assert found.exit_code == code, found.output + found.stderr
    return found.stdout if code == 0 else found.stderr


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two systems on twenty items."""
    rows = [
        {"system": s, "item": i, "score": int(i < n), "topic": i % 5}
        for s, n in (("a", 18), ("b", 3))
        for i in range(20)
    ]
    path = tmp_path / "my results.v1.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a checkout with one study whose page is committed."""
    for name in ("analysis/tiny", "fixtures", "reports/tiny", "analysis/bare"):
        (tmp_path / name).mkdir(parents=True)
    for slug in ("tiny", "bare"):
        (tmp_path / "analysis" / slug / "study.py").write_text("", encoding="utf-8")
    write_page(tmp_path / "reports" / "tiny" / "index.html", title="Tiny", summary="S.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_gets_a_page_named_after_it(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default the page stands in NAME-report/ of the working directory; stdout says where."""
    monkeypatch.chdir(tmp_path)
    printed = run(results)
    assert printed == "my results-report/index.html\n"
    page = (tmp_path / "my results-report" / "index.html").read_text(encoding="utf-8")
    assert "a scores highest of 2 systems" in page


def test_settings_are_used_and_the_command_can_be_repeated(results: Path, tmp_path: Path) -> None:
    """The provenance holds the command with every setting that is not a default."""
    out = tmp_path / "out"
    arguments = ["--cluster", "topic", "--adjust", "bh", "--seed", 3, "--range", 0, 1]
    assert run(results, "-o", out, *arguments, "--column", "score=score") == f"{out}/index.html\n"
    page = (out / "index.html").read_text(encoding="utf-8")
    assert (
        f"evalkit report &#39;{results}&#39; --cluster topic --range 0.0 1.0 --adjust bh "
        "--seed 3 --column score=score"
    ) in page
    assert "clusters (topic)" in page


def test_a_study_is_found_by_name_and_by_folder(study: Path) -> None:
    """The committed page is printed, or copied with -o; it is never made again."""
    committed = study / "reports" / "tiny" / "index.html"
    for name in ("tiny", "reports/tiny", "analysis/tiny"):
        assert run(name) == f"{committed}\n"
    assert run("tiny", "-o", "copy") == "copy/index.html\n"
    assert (study / "copy" / "index.html").read_bytes() == committed.read_bytes()


def test_a_study_without_a_page_names_the_command_that_makes_it(study: Path) -> None:
    """A missing page is an error with its remedy."""
    assert "`evalkit reproduce bare` writes it" in run("bare", code=2)
    assert study.is_dir()


def test_a_file_called_like_a_study_is_a_file(study: Path, results: Path) -> None:
    """What exists as a file is read as one."""
    (study / "tiny").write_bytes(results.read_bytes())
    assert run("tiny") == "tiny-report/index.html\n"


def test_sources_that_are_nothing_are_refused(tmp_path: Path) -> None:
    """A path that is not there, and a folder without anything known, exit with 2."""
    assert "there is no such file or folder" in run(tmp_path / "none", code=2)
    assert "no known format" in run(tmp_path, "-o", tmp_path / "x", code=2)
    assert not (tmp_path / "x").exists()


def test_the_folder_of_a_run_gives_the_report_of_its_loop(tmp_path: Path) -> None:
    """A run folder goes to the loop report, which stands within it unless -o says otherwise."""
    folder = tmp_path / "run"
    run_duet(folder, world=clause_world(pair_count=0), rounds=2)
    assert run(folder) == f"{folder}/report/index.html\n"
    assert run(folder, "-o", tmp_path / "o") == f"{tmp_path}/o/index.html\n"
    pages = [(folder / "report" / "index.html"), (tmp_path / "o" / "index.html")]
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert "Selection tax and noise" in pages[0].read_text(encoding="utf-8")
