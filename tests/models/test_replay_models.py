"""Recordings: asked once, answered for ever."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, FileMissingError, InputError, UnseenPromptError
from evalkit.models import Message, MockModel, RecordingModel, ReplayModel, Reply, Request, Usage


def ask(text, *, sample=0, purpose="solve"):
    """Return a request with one user message."""
    return Request(messages=(Message(role="user", content=text),), purpose=purpose, sample=sample)


def echo(request):
    """Answer with the request."""
    usage = Usage(calls=2, input_tokens=3, output_tokens=4, cost=0.5)
    text = f"{request.messages[-1].content} #{request.sample}"
    return Reply(text=text, usage=usage, truncated=request.sample == 1)


def test_a_recording_answers_as_the_model_did(tmp_path):
    """Text, usage and truncation come back, and samples of one prompt stay apart."""
    path = tmp_path / "sub" / "calls.jsonl"
    recording = RecordingModel(MockModel(echo, name="m1"), path)
    asked = [ask("a"), ask("a", sample=1), ask("b"), ask("a", purpose="judge")]
    live = [recording(request) for request in asked]
    replay = ReplayModel(path)
    assert [replay(request) for request in asked] == live
    assert (replay.name, recording.name, len(replay)) == ("m1", "m1", 4)


def test_an_unseen_prompt_fails(tmp_path):
    """The error names the purpose, the first words, the file and the remedy."""
    path = tmp_path / "calls.jsonl"
    RecordingModel(MockModel(echo), path)(ask("seen"))
    with pytest.raises(UnseenPromptError) as told:
        ReplayModel(path)(ask("What is\nthe answer to this?", sample=7))
    for part in (str(path), "'solve'", "sample 7", "What is the answer to this?", "`record`"):
        assert part in str(told.value)


def test_what_is_recorded_is_not_asked_again(tmp_path):
    """A recording that goes on asks only what is new."""
    path = tmp_path / "calls.jsonl"
    first = MockModel(echo)
    RecordingModel(first, path)(ask("a"))
    second = MockModel(echo)
    recording = RecordingModel(second, path)
    recording(ask("a"))
    recording(ask("b"))
    recording(ask("b"))
    assert [r.messages[0].content for r in second.requests] == ["b"]


def test_a_lost_call_is_not_an_answer(tmp_path):
    """Infrastructure errors are not recorded, so the call is made again."""
    path = tmp_path / "calls.jsonl"
    script = [Reply(text=None, status="infra", error="503"), Reply(text="ok")]
    recording = RecordingModel(MockModel(script), path)
    assert recording(ask("a")).status == "infra"
    assert not path.exists()
    assert recording(ask("a")).text == "ok"
    assert ReplayModel(path)(ask("a")).text == "ok"


@given(cut=st.integers(min_value=0, max_value=10_000))
def test_a_crash_at_any_byte_loses_one_call_at_most(cut, tmp_path_factory):
    """A file cut anywhere replays its whole lines, and a recording goes on from there."""
    path = tmp_path_factory.mktemp("cut") / "calls.jsonl"
    recording = RecordingModel(MockModel(echo), path)
    asked = [ask("a\u2028\ud800 \u00e9"), ask("b"), ask("c")]
    live = [recording(request) for request in asked]
    whole = path.read_bytes()
    cut %= len(whole) + 1
    path.write_bytes(whole[:cut])
    kept = len(ReplayModel(path))
    assert kept >= whole[:cut].count(b"\n")
    again = MockModel(echo)
    recording = RecordingModel(again, path)
    assert [recording(request) for request in asked] == live
    assert len(again.requests) == 3 - kept
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"key": 1}', '{"key": "k", "model": "m", "reply": {}}']
)
def test_a_broken_line_is_named(line, tmp_path):
    """A line that is no call, with others behind it, is an error with its number."""
    path = tmp_path / "calls.jsonl"
    RecordingModel(MockModel(echo), path)(ask("a"))
    path.write_bytes(path.read_bytes() + line.encode() + b"\n" + path.read_bytes())
    for read in (ReplayModel, lambda p: RecordingModel(MockModel(echo), p)):
        with pytest.raises(InputError, match="line 2"):
            read(path)


def test_models_in_one_file_stay_apart(tmp_path):
    """Two models may share a file; a replay says whose answers it wants."""
    path = tmp_path / "calls.jsonl"
    for name in ("m1", "m2"):
        RecordingModel(MockModel(lambda _, n=name: n, name=name), path)(ask("a"))
    assert ReplayModel(path, model="m2")(ask("a")).text == "m2"
    with pytest.raises(ArgumentError, match="'m1', 'm2'"):
        ReplayModel(path)


def test_no_recording_is_an_error(tmp_path):
    """A file that is not there says how to make it."""
    with pytest.raises(FileMissingError, match="`record`"):
        ReplayModel(tmp_path / "none.jsonl")


def test_threads_ask_a_prompt_once(tmp_path):
    """The same request from several threads is one call and one line."""
    path = tmp_path / "calls.jsonl"
    gate = threading.Barrier(8)
    inner = MockModel(echo)
    recording = RecordingModel(inner, path)

    def work():
        gate.wait()
        recording(ask("a"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(inner.requests) == 1
    assert len(path.read_bytes().splitlines()) == 1


def test_a_line_holds_the_request_and_nothing_secret(tmp_path):
    """What is written is the request, the model's name and the answer."""
    path = tmp_path / "calls.jsonl"
    RecordingModel(MockModel(echo), path)(ask("a"))
    row = json.loads(path.read_text())
    assert set(row) == {"key", "model", "request", "reply"}
    assert set(row["request"]) == {
        "messages",
        "purpose",
        "sample",
        "temperature",
        "max_tokens",
        "seed",
    }
