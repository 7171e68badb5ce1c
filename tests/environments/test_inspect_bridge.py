"""Inspect tasks as an environment: injection, scores, errors and limits."""

import pytest
from loopback import loopback

from evalkit.environments.base import Component, Execution
from evalkit.environments.draws import Draw
from evalkit.environments.inspect_bridge import build
from evalkit.environments.inspect_scores import sample_verdict
from evalkit.errors import ArgumentError
from evalkit.models import MockModel

TASK = """
import time
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.scorer import Score, match, scorer, accuracy, mean
from inspect_ai.solver import generate, solver, system_message


@solver
def scripted():
    async def solve(state, generate):
        text = state.input_text
        if text == "raise":
            raise ValueError("broken sandbox")
        if text == "hang":
            time.sleep(60)
        system = [m.text for m in state.messages if m.role == "system"]
        answer = "4" if "Add." in system else "/".join(system) or "none"
        state.messages.append(ChatMessageAssistant(content=answer))
        state.output = ModelOutput.from_content("scripted", answer)
        return state
    return solve


@scorer(metrics=[mean()])
def graded():
    async def score(state, target):
        given = {"nan": float("nan"), "partial": "P", "big": 7.0}
        value = given.get(state.input_text, "C" if state.output.completion == target.text else "I")
        return Score(value=value, explanation="secret " + target.text)
    return score


@task
def scripted_task(inputs: list[str] = ["q"]):
    samples = [
        Sample(id=i, input=text, target="4", metadata={"split": "train", "group": "g", "x": 1})
        for i, text in enumerate(inputs)
    ]
    return Task(
        dataset=samples, setup=[system_message("Own.")], solver=scripted(), scorer=graded()
    )


@task
def generated_task():
    samples = [Sample(input="2 + 2?", target="4", metadata={"split": "test"})]
    return Task(dataset=samples, solver=generate(), scorer=match())
"""
INPUTS = ["q", "raise", "nan", "partial", "big"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a task file."""
    path = tmp_path_factory.mktemp("tasks")
    (path / "backends_tasks.py").write_text(TASK)
    return path


def test_a_task_runs_with_a_component_injected(folder):
    """Each outcome of a sample becomes its status, and targets and scores stay inside."""
    environment = build(
        {
            "task": "backends_tasks:scripted_task",
            "arguments": {"inputs": INPUTS},
            "split": "split",
            "cluster": "group",
        },
        seed=0,
        models={},
        base=folder,
    )
    items = {item.input: item for item in environment.items("train")}
    assert list(items) == INPUTS
    assert environment.items("test") == ()
    assert (items["q"].id, items["q"].cluster, items["q"].metadata) == ("0", "g", {})

    good = Component(prompt="Add.")
    done = {text: environment.solve(good, item, draw=Draw.of(0)) for text, item in items.items()}
    seen = {text: environment.verify(items[text], execution) for text, execution in done.items()}
    plain = environment.solve(Component(prompt="Say {x}."), items["q"], draw=Draw.of(0))
    wrong = environment.verify(items["q"], plain)
    environment.close()

    assert (done["q"].output, done["q"].trace) == ("4", "user: q")
    assert "secret" not in repr(done["q"])
    assert {text: (v.score, v.status) for text, v in seen.items()} == {
        "q": (1.0, "scored"),
        "raise": (None, "infra"),
        "nan": (None, "missing"),
        "partial": (0.5, "scored"),
        "big": (None, "invalid"),
    }
    assert "broken sandbox" in done["raise"].error
    assert (plain.output, wrong.score) == ("Own./Say {x}.", 0.0)
    stranger = Execution(item="0", output="never made")
    assert environment.verify(items["q"], stranger).status == "missing"
    with pytest.raises(ArgumentError, match="reference"):
        environment.verify(items["q"], stranger, verifier="other")


@pytest.mark.slow
def test_a_sample_that_blocks_is_killed(folder):
    """Code that Inspect's own limit cannot end costs its sample a time-out, and the next runs."""
    settings = {
        "task": "backends_tasks:scripted_task",
        "arguments": {"inputs": ["hang", "q"]},
        "split": "split",
        "time_limit": 10.0,
        "grace": 10.0,
    }
    environment = build(settings, seed=0, models={}, base=folder)
    done = [
        environment.solve(Component(prompt="Add."), item, draw=Draw.of(0))
        for item in environment.items("train")
    ]
    environment.close()
    assert [(e.status, e.output) for e in done] == [("timeout", None), ("ok", "4")]


def test_a_task_runs_on_an_openai_compatible_server(folder):
    """The injected text reaches the server, tokens come back, and a grader may judge."""
    grader = MockModel(lambda _: '{"score": 0.5, "critique": "c"}')
    with loopback(lambda m: "4" if m[0]["content"] == "Add." else "5") as server:
        environment = build(
            {
                "task": "backends_tasks.py@generated_task",
                "split": "split",
                "model": "tiny",
                "base_url": server.url,
                "max_retries": 1,
            },
            seed=0,
            models={"grader": grader},
            base=folder,
        )
        (item,) = environment.items("test")
        done = environment.solve(Component(prompt="Add."), item, draw=Draw.of(0))
        environment.close()
    assert (done.output, done.status) == ("4", "ok")
    assert (done.usage.calls, done.usage.input_tokens, done.usage.output_tokens) == (1, 4, 1)
    assert environment.verify(item, done).score == 1.0
    assert environment.judge(Component(), item, done, draw=Draw.of(0)).score == 0.5
    assert server.requests == {"2 + 2?": 1}


@pytest.mark.parametrize(
    ("sample", "scorer", "want"),
    [
        ({"scores": {"s": {"value": "C"}}}, None, (1.0, "scored")),
        ({"scores": {"s": {"value": "N"}}}, None, (0.0, "scored")),
        ({"scores": {"s": {"value": None}}}, None, (None, "missing")),
        ({"scores": {}}, None, (None, "missing")),
        ({"scores": {}, "limit": {"type": "time"}}, None, (None, "timeout")),
        ({"scores": {"s": {"value": "I"}}, "limit": {"type": "time"}}, None, (0.0, "scored")),
        ({"scores": {}, "limit": {"type": "message"}}, None, (None, "missing")),
        ({"scores": {}, "error": {"message": "boom"}}, None, (None, "infra")),
        ({"scores": {}, "error": {"message": "Request timed out"}}, None, (None, "timeout")),
        ({"scores": {"a": {"value": 1}, "b": {"value": 0}}}, "b", (0.0, "scored")),
        ({"scores": {"a": {"value": {"x": 1, "y": 0}}}}, "a/y", (0.0, "scored")),
        ({"scores": {"a": {"value": "excellent"}}}, None, (None, "invalid")),
    ],
)
def test_outcomes_are_read_as_logs_are(sample, scorer, want):
    """Letters, missing scores, errors and limits each have their reading."""
    verdict = sample_verdict({"id": 1, "epoch": 1, **sample}, scorer)
    assert (verdict.score, verdict.status) == want


def test_several_scores_need_a_name():
    """Which of several scores counts is said, not guessed."""
    with pytest.raises(ArgumentError, match="a, b"):
        sample_verdict({"scores": {"a": {"value": 1}, "b": {"value": 0}}}, None)
    with pytest.raises(ArgumentError, match="gives a"):
        sample_verdict({"scores": {"a": {"value": 1}}}, "c")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"task": "no_such_tasks:task"}, "no_such_tasks"),
        ({"task": "x:y", "time_limit": 0.0}, "time_limit"),
        ({"task": "x:y", "base_url": "http://127.0.0.1/v1"}, "needs `model`"),
        ({}, "environment.task"),
    ],
)
def test_settings_that_cannot_be_used_are_named(settings, told, tmp_path):
    """Each mistake is told before anything runs."""
    with pytest.raises(ArgumentError, match=told):
        build(settings, seed=0, models={}, base=tmp_path)
