"""Scripted models, batches of calls, and models from a configuration."""

import threading
import time

import pytest

from evalkit.errors import ArgumentError, ModelError, UnseenPromptError
from evalkit.models import (
    InspectModel,
    Message,
    MockModel,
    Prices,
    RecordingModel,
    ReplayModel,
    Reply,
    Request,
    generate_all,
    load_model,
)


def ask(text):
    """Return a request with one user message."""
    return Request(messages=(Message(role="user", content=text),), purpose="solve")


def test_scripts_of_each_kind():
    """A function, a mapping by prompt or key, and a list answer as they say."""
    assert MockModel(lambda r: r.purpose)(ask("q")).text == "solve"
    assert MockModel({"q": "a"})(ask("q")).text == "a"
    assert MockModel({ask("q").key: Reply(text="by key")})(ask("q")).text == "by key"
    turns = MockModel(["one", Reply(text=None, status="timeout", error="slow")])
    assert [turns(ask("q")).status for _ in range(2)] == ["ok", "timeout"]
    with pytest.raises(ModelError, match="used up"):
        turns(ask("q"))
    with pytest.raises(UnseenPromptError, match="'other'"):
        MockModel({"q": "a"})(ask("other"))


def test_a_reply_has_a_text_exactly_where_it_is_an_answer():
    """A failed call with a text, or an answer without one, cannot be made."""
    with pytest.raises(ArgumentError):
        Reply(text="x", status="infra")
    with pytest.raises(ArgumentError):
        Reply(text=None)


def test_batches_keep_their_order():
    """Replies stand in the order of the requests, whoever is first."""

    def slow_first(request):
        time.sleep(0.03 if request.messages[0].content == "0" else 0)
        return request.messages[0].content

    replies = generate_all(MockModel(slow_first), [ask(str(i)) for i in range(20)], workers=4)
    assert [reply.text for reply in replies] == [str(i) for i in range(20)]
    assert generate_all(MockModel([]), []) == []


def test_a_batch_ends_with_the_first_systemic_error():
    """What makes every call fail raises at once, and the rest is not asked."""
    started = threading.Event()

    def script(request):
        if request.messages[0].content == "1":
            started.wait(2)
            raise ModelError("no key")
        started.set()
        time.sleep(0.01)
        return "ok"

    model = MockModel(script)
    with pytest.raises(ModelError, match="no key"):
        generate_all(model, [ask(str(i)) for i in range(500)], workers=2)
    assert len(model.requests) < 100


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_workers_are_counted(workers):
    """The number of workers is a whole number of 1 or more."""
    with pytest.raises(ArgumentError, match="workers"):
        generate_all(MockModel([]), [ask("q")], workers=workers)


def test_prices_are_checked_and_cached_input_is_cheaper():
    """A price is finite and not negative; cached tokens have a price of their own."""
    assert Prices(input=2.0, output=4.0, cached_input=1.0).cost(10, 5, cached=4) == pytest.approx(
        (6 * 2 + 4 * 1 + 5 * 4) / 1e6
    )
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="output"):
            Prices(input=0.0, output=wrong)


def test_a_table_makes_each_kind_of_model(tmp_path):
    """Backends, recordings and replays come from one table each."""
    mock = {"backend": "mock", "model": "m", "replies": {"q": "a"}, "reply": "else"}
    model = load_model(mock, base=tmp_path)
    assert (model(ask("q")).text, model(ask("r")).text, model.name) == ("a", "else", "m")
    recording = load_model({**mock, "record": "calls.jsonl"}, base=tmp_path)
    assert isinstance(recording, RecordingModel)
    assert recording(ask("q")).text == "a"
    replay = load_model({"replay": "calls.jsonl"}, base=tmp_path)
    assert isinstance(replay, ReplayModel)
    assert replay(ask("q")).text == "a"
    table = {
        "model": "tiny",
        "base_url": "http://127.0.0.1:9/v1",
        "prices": {"input": 1, "output": 2},
        "timeout": 30,
    }
    assert isinstance(load_model(table, base=tmp_path), InspectModel)


@pytest.mark.parametrize("key", ["api_key", "apikey", "token", "headers", "Authorization"])
def test_a_key_in_a_file_is_refused(key, tmp_path):
    """Keys come from the environment; the error says how, and does not repeat the key."""
    with pytest.raises(ArgumentError, match="api_key_env") as told:
        load_model({"model": "tiny", key: "sk-secret"}, base=tmp_path)
    assert "sk-secret" not in str(told.value)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "`model` is missing"),
        ({"model": "x", "modle": "y"}, "modle"),
        ({"model": "x", "backend": "other"}, "backend"),
        ({"model": "x", "timeout": "30"}, "timeout"),
        ({"model": "x", "record": "a", "replay": "a"}, "exclude each other"),
        ({"model": "x", "prices": {"input": 1}}, "output"),
        ({"model": "x", "prices": {"input": -1, "output": 1}}, "input"),
    ],
)
def test_wrong_tables_are_named(table, told, tmp_path):
    """Each mistake is told with the name of the setting."""
    with pytest.raises(ArgumentError, match=told):
        load_model(table, base=tmp_path)
