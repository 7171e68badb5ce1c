"""The README's own instructions, followed against a real server on loopback."""

import contextlib
import gc
import json
import re
from pathlib import Path

from loopback import loopback
from typer.testing import CliRunner

from evalkit.cli.app import app
from evalkit.evolve.reading import record_rows

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def block(language):
    """Return the only code block of a language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return found


def agent(messages):
    """Solve sums, grade what is handed in, and change nothing."""
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    if "You maintain the instructions" in system:
        return json.dumps({"rationale": "nothing to mend", "edits": []})
    if "You grade" in system:
        return json.dumps({"critique": "read", "score": 0.5})
    left, sign, right = re.search(r"(\d+) ([-+]) (\d+)", messages[-1]["content"]).groups()
    return str(int(left) + int(right) if sign == "+" else int(left) - int(right))


def test_the_readme_works_as_written(tmp_path):
    """Its items with ten more of their kind, its configuration and its command."""
    shown = [json.loads(line) for line in block("json").splitlines()]
    more = [
        {"id": str(n), "input": f"What is {n} + 1?", "target": str(n + 1)} for n in range(3, 13)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in [*shown, *more])
    (tmp_path / "items.jsonl").write_text(lines, encoding="utf-8")
    command = block("sh").splitlines()[-1].split()
    assert command[:2] == ["evalkit", "run"]
    with loopback(agent) as server, contextlib.chdir(tmp_path):
        toml = block("toml").replace("http://localhost:8000/v1", server.url)
        Path("loop.toml").write_text(toml, encoding="utf-8")
        result = CliRunner().invoke(app, command[1:])
    gc.collect()
    assert result.exit_code == 0, result.output
    rows = record_rows(tmp_path / "out")
    assert {row["status"] for row in rows} == {"scored"}
    test = [
        row["score"] for row in rows if row["split"] == "test" and row["verifier"] == "reference"
    ]
    assert test
    assert set(test) == {1}
    assert (tmp_path / "out/report/index.html").is_file()
