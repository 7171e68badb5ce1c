"""The docs tell the truth: pages exist, commands are known and run, the reference is the code's."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalkit.studies import load_module

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
EVALKIT = str(Path(sys.executable).parent / "evalkit")
TOUR = (ROOT / "docs/tour.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reference():
    """Return the generator of the command-line page."""
    return load_module(ROOT / "docs/generate_cli.py")


def test_the_command_line_page_is_what_the_code_says(reference):
    """`python docs/generate_cli.py` would change nothing."""
    assert (ROOT / "docs/cli.md").read_text(encoding="utf-8") == reference.page()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    """Every relative link of a page is a file."""
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    missing = [t for t in targets if not (page.parent / t).exists()]
    assert missing == []


def test_commands_of_the_pages_are_known(reference):
    """Every `evalkit VERB` in a code block is a verb."""
    verbs = {words for words, _ in reference.commands(reference.app, "evalkit")}
    groups = {" ".join(words.split()[:2]) for words in verbs}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for line in re.findall(r"^(?:    |\$ )?(evalkit [a-z]\S*)", text, re.MULTILINE):
            assert line in groups, f"{page.name}: {line}"


def test_every_page_is_in_the_navigation():
    """No page is written and never found."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": (\S+\.md)$", config, re.MULTILINE))
    assert {p.relative_to(ROOT / "docs").as_posix() for p in PAGES} == listed


@pytest.mark.parametrize("command", re.findall(r"^\$ (evalkit .*)$", TOUR, re.MULTILINE))
def test_commands_of_the_tour_run(command):
    """Each command of the tour succeeds in a checkout."""
    done = subprocess.run(
        [EVALKIT, *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_python_of_the_tour_prints_the_estimate_it_quotes():
    """The evolved skill scores 0.6959 [0.6177, 0.7643] on 148 items, in Python as in the text."""
    code = re.search(r"```python\n(.*?)```", TOUR, re.DOTALL).group(1)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    quoted = re.search(r"0\.6959\n\[0\.6177, 0\.7643\]", TOUR)
    assert quoted
    assert "evolved 0.6959 [0.6177, 0.7643] (n=148)" in done.stdout


@pytest.mark.slow
def test_the_figure_of_the_gates_is_what_the_code_draws():
    """`python docs/generate_gates.py` would change nothing."""
    drawn = load_module(ROOT / "docs/generate_gates.py").drawing()
    assert (ROOT / "docs/images/gates.svg").read_text(encoding="utf-8") == drawn
