"""Models through Inspect, against an OpenAI-compatible server that the tests start."""

import sys
import threading
import time
from collections import Counter
from contextlib import closing, suppress

import pytest
from loopback import FAULTS, loopback

from evalkit.errors import ArgumentError, MissingPackageError, ModelError
from evalkit.models import InspectModel, Message, Prices, Request, generate_all

RETRIED = [fault for fault in FAULTS if fault != "hang"]


def ask(text, *, sample=0):
    """Return a request with one user message."""
    return Request(messages=(Message(role="user", content=text),), purpose="solve", sample=sample)


def connect(server, **settings):
    """Return a model on the loopback server with waits fit for tests."""
    known = {"timeout": 5.0, "time_limit": 20.0, "max_retries": 2, "backoff": 0.01}
    return closing(InspectModel("tiny", base_url=server.url, **{**known, **settings}))


def test_an_answer_carries_tokens_and_cost():
    """Tokens are the server's, the cost is tokens times prices, and settings reach the server."""
    request = Request(
        messages=(
            Message(role="system", content="be brief"),
            Message(role="user", content="what is six times seven"),
        ),
        purpose="solve",
        temperature=0.5,
        max_tokens=9,
        seed=3,
    )
    with (
        loopback("it is 42") as server,
        connect(server, prices=Prices(input=2.0, output=10.0)) as model,
    ):
        reply = model(request)
    assert (reply.text, reply.status, reply.error, reply.truncated) == (
        "it is 42",
        "ok",
        None,
        False,
    )
    usage = reply.usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 7, 3)
    assert usage.cost == pytest.approx((7 * 2 + 3 * 10) / 1e6)
    (body,) = server.bodies
    assert body["model"] == "tiny"
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.5, 9, 3)


def test_an_unknown_price_is_none():
    """Without prices the cost is unknown, not 0."""
    with loopback() as server, connect(server) as model:
        assert model(ask("q")).usage.cost is None


@pytest.fixture(scope="module")
def shared():
    """Return a server whose prompts name their faults, and a model on it."""
    server = loopback(lambda m: f"right: {m[-1]['content']}", faults=lambda p: p.split(", ")[1:])
    with server as state, connect(state) as model:
        yield state, model


@pytest.mark.parametrize("fault", RETRIED)
def test_one_fault_is_tried_again(fault, shared):
    """After one fault the second try brings the answer, and both tries are counted."""
    server, model = shared
    prompt = f"once, {fault}"
    reply = model(ask(prompt))
    assert (reply.text, reply.status, reply.usage.calls) == (f"right: {prompt}", "ok", 2)
    assert (server.requests[prompt], server.served[prompt]) == (2, 1)


def test_a_hanging_server_is_tried_again():
    """A try without an answer in time is left and made again."""
    hangs = {"q": ["hang"]}
    with loopback("right", faults=lambda p: hangs.get(p, []), hang=3) as server:
        with connect(server) as model:
            model(ask("warm up"))
        with connect(server, timeout=1.5) as hurried:
            reply = hurried(ask("q"))
    assert (reply.text, server.requests["q"]) == ("right", 2)


@pytest.mark.parametrize("fault", RETRIED)
def test_lasting_faults_are_no_answer(fault, shared):
    """When every try meets a fault, the call is an infrastructure error with a message."""
    server, model = shared
    prompt = f"always, {fault}, {fault}, {fault}"
    reply = model(ask(prompt))
    assert (reply.text, reply.status) == (None, "infra")
    assert (reply.usage.calls, server.requests[prompt], server.served[prompt]) == (3, 3, 0)
    assert "3 tries" in reply.error


def test_lasting_silence_is_a_time_out():
    """When the last try ends for want of time, so does the call."""
    with (
        loopback(faults=lambda _: ["hang"] * 9, hang=0.5) as server,
        connect(server, timeout=0.3, max_retries=1) as model,
    ):
        reply = model(ask("q"))
    assert (reply.text, reply.status) == (None, "timeout")
    assert "0.3 s" in reply.error


def test_a_call_ends_within_its_limit():
    """A server that asks for a longer wait than the limit allows ends the call at once."""
    with loopback(faults=lambda _: ["429"] * 9) as server:
        server.retry_after = "3600"
        with connect(server, time_limit=30.0) as model:
            reply = model(ask("q"))
    assert (reply.status, server.requests["q"]) == ("infra", 1)
    assert "3.6e+03 s would pass the limit of 30 s" in reply.error


@pytest.mark.parametrize("status", ["400", "403", "413", "422"])
def test_a_refused_request_is_not_repeated(status, shared):
    """What is wrong with the request stays wrong: one try, no answer."""
    server, model = shared
    model(ask("answered before"))
    reply = model(ask(f"refused, {status}"))
    assert (reply.text, reply.status, server.requests[f"refused, {status}"]) == (None, "infra", 1)


@pytest.mark.parametrize("status", ["401", "402", "403", "404"])
def test_what_no_call_can_mend_raises(status):
    """A refused key, an empty account and an unknown model stop everything."""
    with loopback(faults=lambda _: [status] * 9) as server, connect(server) as model:
        with pytest.raises(ModelError, match=r"tiny at http://127\.0\.0\.1"):
            model(ask("q"))
        with pytest.raises(ModelError):
            generate_all(model, [ask(f"q{i}") for i in range(200)], workers=2)
    assert sum(server.requests.values()) < 20


def test_nobody_listening_raises():
    """An address where nothing ever answered is a wrong address, not 1,000 lost items."""
    with loopback() as server:
        pass
    with connect(server) as model, pytest.raises(ModelError, match="cannot be reached"):
        model(ask("q"))


@pytest.mark.parametrize(("text", "finish"), [("half an ans", "length"), ("", "length")])
def test_a_cut_answer_is_an_answer(text, finish):
    """An answer that ran out of tokens stands, and says so, even where nothing is left of it."""
    with loopback(text) as server, connect(server) as model:
        server.finish = finish
        reply = model(ask("q"))
    assert (reply.text, reply.status, reply.truncated, reply.usage.calls) == (text, "ok", True, 1)


def test_a_withheld_answer_is_none():
    """What a provider's filter replaces is not the model's answer."""
    with loopback("sorry") as server, connect(server) as model:
        server.finish = "content_filter"
        reply = model(ask("q"))
    assert (reply.text, reply.status, reply.usage.calls) == (None, "infra", 1)


def test_nothing_is_lost_or_doubled_under_faults():
    """Of 40 calls over 8 connections, each meets faults of its own and is answered once."""
    faults = {f"q{i}": [RETRIED[(i + k) % len(RETRIED)] for k in range(i % 3)] for i in range(40)}
    with loopback(lambda m: f"re: {m[-1]['content']}", faults=lambda p: faults[p]) as server:
        server.delay = 0.002
        with connect(server, max_connections=8, backoff=0.001) as model:
            replies = generate_all(model, [ask(f"q{i}") for i in range(40)], workers=16)
    assert [reply.text for reply in replies] == [f"re: q{i}" for i in range(40)]
    assert server.served == Counter(faults.keys())
    assert server.requests == {prompt: 1 + len(met) for prompt, met in faults.items()}
    assert [reply.usage.calls for reply in replies] == [1 + i % 3 for i in range(40)]


def test_connections_are_bounded():
    """The server never sees more calls at once than `max_connections`."""
    with loopback() as server:
        server.delay = 0.02
        with connect(server, max_connections=3) as model:
            generate_all(model, [ask(f"q{i}") for i in range(24)], workers=12)
    assert server.most_at_once == 3


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(monkeypatch):
    """The named variable is sent as the key, and no message repeats it."""
    monkeypatch.setenv("BACKENDS_KEY", "sk-very-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    with (
        loopback(faults=lambda p: ["400"] if p == "bad" else []) as server,
        connect(server, api_key_env="BACKENDS_KEY") as model,
    ):
        model(ask("q"))
        told = model(ask("bad")).error
        with connect(server) as keyless:
            keyless(ask("q"))
    assert server.keys[0] == "Bearer sk-very-secret"
    assert server.keys[-1] == "Bearer no-key"
    assert "secret" not in told
    assert "secret" not in repr(vars(model).get("_model"))


def test_a_missing_key_is_named(monkeypatch):
    """A variable that is not set is an error before the first call."""
    monkeypatch.delenv("BACKENDS_KEY", raising=False)
    with pytest.raises(ModelError, match="BACKENDS_KEY is not set"):
        InspectModel("tiny", base_url="http://127.0.0.1:9/v1", api_key_env="BACKENDS_KEY")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        InspectModel("openai/gpt-4o-mini")


def test_a_key_in_place_of_its_variable_is_not_repeated():
    """Somebody who writes the key itself is told so without the key."""
    with pytest.raises(ArgumentError, match="never the key itself") as told:
        InspectModel("tiny", base_url="http://127.0.0.1:9/v1", api_key_env="sk-very-secret")
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://host/v1", "", "http://user:pw@host/v1", "http://h/v1?key=1"]
)
def test_a_wrong_address_is_refused(url):
    """An address is http or https, and holds no credentials."""
    with pytest.raises(ArgumentError, match="base_url"):
        InspectModel("tiny", base_url=url)


@pytest.mark.parametrize("name", ["no-such-provider/model", "model-without-provider"])
def test_an_unknown_provider_is_refused(name):
    """The error says how a model is named."""
    with pytest.raises(ModelError, match="openai/MODEL"):
        InspectModel(name)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_connections", 0),
        ("max_retries", -1),
        ("timeout", 0.0),
        ("time_limit", float("inf")),
        ("backoff", float("nan")),
    ],
)
def test_settings_are_checked(setting, value):
    """Each setting that is out of range is named."""
    with pytest.raises(ArgumentError, match=setting):
        InspectModel("tiny", base_url="http://127.0.0.1:9/v1", **{setting: value})


def test_any_provider_of_inspect_will_do():
    """A name without an address is Inspect's; a price that Inspect knows is the cost."""
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    @modelapi(name="backendstest")
    class Provider(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):  # noqa: A002, ARG002
            output = ModelOutput.from_content(self.model_name, f"{input[-1].text}!")
            output.usage = ModelUsage(input_tokens=1, output_tokens=2, input_tokens_cache_read=3)
            return output

    with closing(InspectModel("backendstest/any")) as model:
        reply = model(ask("q"))
    assert (reply.status, reply.text) == ("ok", "q!")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost) == (4, 2, None)


def test_closing_ends_the_calls_in_flight():
    """A call that waits for its server does not outlive the model."""
    with (
        loopback(faults=lambda _: ["hang"] * 9, hang=1.0) as server,
        connect(server, timeout=30.0) as model,
    ):
        caller = threading.Thread(target=lambda: suppressed(model))
        caller.start()
        while not server.requests:
            time.sleep(0.005)
        caller.join(timeout=5)
    assert not caller.is_alive()


def suppressed(model):
    """Make a call whose end does not matter."""
    with suppress(BaseException):
        model(ask("q"))


def test_inspect_is_optional(monkeypatch):
    """Without the package the error prints the install command."""
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    monkeypatch.setitem(sys.modules, "inspect_ai._util.error", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'evalkit-stats\[models\]'"):
        InspectModel("tiny", base_url="http://127.0.0.1:9/v1")
