"""docs/models.md, followed to the letter by a new user against a real server on loopback."""

import ast
import contextlib
import gc
import io
import json
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from zlib import crc32

import pytest
import typer
from loopback import loopback
from typer.testing import CliRunner

from evalkit.cli.run import run
from evalkit.evolve.reading import event_rows, record_rows

TEXT = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
SECRET = "sk-very-secret"  # noqa: S105 - a word to look for
FAULTS = ["429", "500", "reset", "truncated", "malformed", "no choices", "html", "503"]


def blocks(language):
    """Return the code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def agent(messages):
    """Answer as a solver, a grader or an updater would; the solver errs until it is told how."""
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    user = messages[-1]["content"]
    if "You maintain the instructions" in system:
        edit = {"target": "prompt", "find": "", "replace": "Recheck the digits."}
        return json.dumps({"rationale": "slips", "edits": [edit]})
    if "You grade" in system:
        held = json.loads(user)
        right = held["work"] == solved(held["task"])
        return json.dumps({"critique": "checked", "score": 0.9 if right else 0.2})
    return solved(user) if "Recheck the digits." in system or "25" in user else "0"


def solved(question):
    """Return the answer of an arithmetic question."""
    left, sign, right = re.search(r"(\d+) ([-+*/]) (\d+)", question).groups()
    value = {
        "+": int(left) + int(right),
        "-": int(left) - int(right),
        "*": int(left) * int(right),
        "/": int(left) // int(right),
    }[sign]
    return str(value)


def follow(folder, url, *, change=lambda text: text, more=()):
    """Write the files of the page and give its command; only the address is another."""
    items, pairs = blocks("json")
    (toml,) = blocks("toml")
    (command,) = blocks("sh")
    (folder / "items.jsonl").write_text(items)
    (folder / "pairs.jsonl").write_text(pairs)
    toml = change(toml.replace("http://localhost:8000/v1", url))
    (folder / "loop.toml").write_text(toml)
    words = command.split()
    assert words[:2] == ["evalkit", "run"]
    app = typer.Typer()
    app.command()(run)
    with contextlib.chdir(folder):
        result = CliRunner().invoke(app, [*words[2:], *more])
    gc.collect()
    return result


def test_the_page_works_as_written_under_faults(tmp_path, monkeypatch):
    """A new user's run meets every fault, loses nothing, doubles nothing, and leaks no key."""
    monkeypatch.setenv("MY_SERVER_KEY", SECRET)

    def faults(prompt):
        return [FAULTS[crc32(prompt.encode()) % len(FAULTS)]]

    def change(toml):
        quick = "backoff = 0.01\nprices = { input = 1.0, output = 2.0 }\nrecord = "
        return toml.replace("# api_key_env", "api_key_env").replace("record = ", quick)

    with loopback(agent, faults=faults) as server:
        result = follow(tmp_path, server.url, change=change)
        assert result.exit_code == 0, result.output
        asked = Counter(server.requests)
    assert set(server.keys) == {f"Bearer {SECRET}"}
    out = tmp_path / "out"
    assert (out / "report" / "index.html").exists()

    rows = list(record_rows(out))
    assert rows
    assert {row["status"] for row in rows} == {"scored"}
    keys = [
        tuple(row[k] for k in ("system", "item", "attempt", "verifier", "order")) for row in rows
    ]
    assert len(keys) == len(set(keys))
    (ledger,) = [e for e in event_rows(out) if e["kind"] == "ledger"][-1:]
    assert sum(asked.values()) == calls_of(ledger)
    lines = (tmp_path / "calls.jsonl").read_text().splitlines()
    recorded = [json.loads(line) for line in lines]
    assert len(recorded) == sum(server.served.values())
    assert len({row["key"] for row in recorded}) == len(recorded)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path

    replayed = tmp_path / "again"
    replayed.mkdir()
    (replayed / "calls.jsonl").write_bytes((tmp_path / "calls.jsonl").read_bytes())
    monkeypatch.delenv("MY_SERVER_KEY")
    result = follow(replayed, server.url, change=lambda t: t.replace("record =", "replay ="))
    assert result.exit_code == 0, result.output
    for name in ("records.jsonl", "history.jsonl"):
        (first,), (second,) = (list(p.glob(f"out/runs/*/*/{name}")) for p in (tmp_path, replayed))
        assert first.read_bytes() == second.read_bytes()


def calls_of(ledger):
    """Return all calls of a ledger event."""
    return sum(entry["usage"]["calls"] for entry in ledger["entries"].values())


def test_a_run_that_broke_off_ends_as_one_that_did_not(tmp_path):
    """A server that turns away in mid-run costs nothing: resumed, the files are the same bytes."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    with loopback(agent) as server:
        assert follow(whole, server.url).exit_code == 0
    with loopback(agent) as server:
        server.faults = lambda _: ["401"] * 99 if sum(server.requests.values()) > 60 else []
        result = follow(broken, server.url)
        assert (result.exit_code, "the key is refused" in result.output) == (2, True)
        before = sum(server.served.values())
        server.faults = lambda _: []
        result = follow(broken, server.url, more=["--resume"])
        assert result.exit_code == 0, result.output
    recorded = (whole / "calls.jsonl").read_bytes().splitlines()
    assert 0 < before < len(recorded) == sum(server.served.values())
    assert sorted(recorded) == sorted((broken / "calls.jsonl").read_bytes().splitlines())
    for name in ("records.jsonl", "history.jsonl", "events.jsonl"):
        (first,), (second,) = (list(p.glob(f"out/runs/*/*/{name}")) for p in (whole, broken))
        assert first.read_bytes() == second.read_bytes(), name


def test_a_lost_item_is_no_failure(tmp_path):
    """An item whose calls all fail has a status and no score, and the run goes on."""
    lost = "What is 17 + 25?"

    with loopback(agent, faults=lambda p: ["500"] * 99 if p == lost else []) as server:
        quick = "max_retries = 1\nbackoff = 0.01\nrecord = "
        result = follow(tmp_path, server.url, change=lambda t: t.replace("record = ", quick))
    assert result.exit_code == 0, result.output
    rows = [row for row in record_rows(tmp_path / "out") if row["item"] == "1"]
    solver = [row for row in rows if row["verifier"] != "pairs"]
    assert solver
    assert {(row["score"], row["status"]) for row in solver} == {(None, "infra")}
    others = {row["status"] for row in record_rows(tmp_path / "out") if row["item"] != "1"}
    assert others <= {"scored", "infra"}


def test_a_wrong_key_ends_the_run_with_a_remedy(tmp_path):
    """A refused key is exit code 2 and a message, not a run of lost items."""
    with loopback(agent, faults=lambda _: ["401"] * 99) as server:
        result = follow(tmp_path, server.url)
    assert result.exit_code == 2
    assert "the key is refused" in result.output
    assert sum(server.requests.values()) <= 4


@pytest.mark.parametrize("index", [0, 1])
def test_python_of_the_page_runs(index, tmp_path):
    """The Python blocks run, and print what the comments beside them say."""
    code = blocks("python")[index]
    ast.parse(code)
    out = io.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(out):
        exec(compile(code, "models.md", "exec"), {})  # noqa: S102 - the page is ours
    assert out.getvalue().split() == re.findall(r"# (\d+)$", code, re.MULTILINE)


def names(kind):
    """Return the settings of a dataclass."""
    return {field.name for field in fields(kind)}


def test_settings_of_the_page_are_settings():
    """Every key of the page's tables is one that the code knows, and none is left out."""
    from evalkit.environments.dataset import DatasetSettings
    from evalkit.models import ModelSettings

    tables = re.findall(r"(?m)(?:^\|.*\n)+", TEXT)
    named = [
        set(re.findall(r"`(\w+)`", "".join(re.findall(r"(?m)^\|([^|]*)\|", t)))) for t in tables
    ]
    model, data = named[0], named[2]
    assert model | {"reply", "replies"} == names(ModelSettings)
    rest = {"temperature", "max_tokens", "seeded", "name"}
    assert data | rest == names(DatasetSettings)
