"""The README tells the truth: its Python runs, its files exist, its commands are known."""

import contextlib
import io
import re
from pathlib import Path

from typer.main import get_command

from evalkit.cli.app import app

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_example_prints_what_it_says():
    """The ten lines run, and the comment beside the estimate is its output."""
    code = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL).group(1)
    assert len(code.strip().splitlines()) <= 10
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - the README is ours
    lines = out.getvalue().splitlines()
    said = re.search(r"print\(evalkit\.estimate.*# (.*)", code).group(1)
    assert lines[0] == said
    assert lines[-1].startswith(("separated", "not separated"))


def test_links_and_pictures_exist():
    """Every relative link leads somewhere."""
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_commands_are_known():
    """Every `evalkit VERB` of the README is a verb of the command line."""
    verbs = set(get_command(app).commands)
    rest = re.sub(r"```python\n.*?```", "", TEXT, flags=re.DOTALL)
    blocks = "\n".join(re.findall(r"```\n(.*?)```", rest, re.DOTALL))
    used = set(re.findall(r"^evalkit (\w+)", blocks, re.MULTILINE))
    assert used
    assert used <= verbs


def test_make_targets_exist():
    """Every `make TARGET` of the README is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", TEXT, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
