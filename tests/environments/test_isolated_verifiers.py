"""Verifiers of one's own: each call isolated and time-limited."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evalkit.environments.base import Execution
from evalkit.environments.dataset import build
from evalkit.environments.isolation import IsolatedFunction, within
from evalkit.errors import ArgumentError, ModelError
from evalkit.models import MockModel

OWN = """
import os, sys, time
def check(output, reference, *, factor=1):
    print("noise"); sys.stderr.write("noise"); os.write(1, b"noise")
    if output == "hang": time.sleep(60)
    if output == "die": os._exit(3)
    if output == "raise": raise ValueError("cannot read")
    if output == "nothing": return None
    if output == "nan": return float("nan")
    if output == "big": return 2
    if output == "abstain": return {"abstained": True, "reason": "unclear"}
    if output == "credit": return {"score": 0.25 * factor, "reason": "partly"}
    return output == reference
"""


def test_a_verifier_of_ones_own_is_isolated(tmp_path):
    """Time-outs, crashes and nonsense of user code are statuses, and the next call works."""
    (tmp_path / "backends_own_check.py").write_text(OWN)
    row = {"id": "q1", "input": "1 + 1?", "target": "2", "split": "train"}
    (tmp_path / "items.jsonl").write_text(json.dumps(row) + "\n")
    settings = {
        "items": "items.jsonl",
        "verifier": "backends_own_check:check",
        "options": {"factor": 2},
        "verifier_limit": 0.5,
    }
    models = {"solver": MockModel([])}
    environment = build(settings, seed=0, models=models, base=tmp_path)
    (item,) = environment.items("train")
    want = {
        "hang": (None, "timeout"),
        "die": (None, "infra"),
        "raise": (None, "judge_error"),
        "nothing": (None, "judge_error"),
        "nan": (None, "judge_error"),
        "big": (None, "invalid"),
        "abstain": (None, "judge_error"),
        "credit": (0.5, "scored"),
        "wrong": (0.0, "scored"),
        "2": (1.0, "scored"),
    }
    got = {text: environment.verify(item, Execution(item=item.id, output=text)) for text in want}
    environment.close()
    assert {text: (v.score, v.status) for text, v in got.items()} == want
    assert "cannot read" in got["raise"].critique
    assert got["credit"].critique == "partly"


def test_isolated_calls_run_side_by_side(tmp_path):
    """Threads have processes of their own, and a call that is killed takes its children along."""
    (tmp_path / "backends_slow.py").write_text(
        "import os, time, subprocess\n"
        "def nap(seconds): time.sleep(seconds); return os.getpid()\n"
        "def spawn(): child = subprocess.Popen(['sleep', '60']); "
        "open('PID', 'w').write(str(child.pid)); child.wait()\n".replace(
            "'PID'", repr(str(tmp_path / "pid"))
        )
    )
    nap = IsolatedFunction("backends_slow:nap", timeout=5, base=tmp_path)
    with ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(lambda _: nap({"seconds": 0.2}), range(3)))
    nap.close()
    assert len({outcome.value for outcome in outcomes}) == 3
    spawn = IsolatedFunction("backends_slow:spawn", timeout=0.5, base=tmp_path)
    assert spawn({}).status == "timeout"
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        state = _state(pid)
        if state in (None, "Z"):
            break
        time.sleep(0.02)
    assert state in (None, "Z")


def _state(pid):
    """Return the state of a process; None where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return None


def test_an_isolated_function_must_exist(tmp_path):
    """A target that is no function, or cannot be imported, is refused at once."""
    for target in ("json", "json:", "no_such_module_here:f", "json:nothing", "a b:c"):
        with pytest.raises(ArgumentError, match=r"cannot be used|write it as"):
            IsolatedFunction(target, timeout=1, base=tmp_path)
    with pytest.raises(ArgumentError, match="timeout"):
        IsolatedFunction("json:dumps", timeout=0, base=tmp_path)


def test_texts_survive_the_way_to_the_process_and_back(tmp_path):
    """Line breaks, separators, surrogates and long texts come back as they went."""
    (tmp_path / "backends_echo.py").write_text("def echo(text): return text\n")
    echo = IsolatedFunction("backends_echo:echo", timeout=10, base=tmp_path)
    for text in ("", "a\nb\r\n\u2028\u2029\x85\x0c", "\ud800", "\U0001f600" * 3, "x" * 300_000):
        assert echo({"text": text}).value == text
    echo.close()


def test_what_a_limited_call_raises_reaches_the_caller():
    """A systemic error in the thread is raised, not taken for a time-out."""

    def fail():
        raise ModelError("no key")

    with pytest.raises(ModelError, match="no key"):
        within(5, fail)
