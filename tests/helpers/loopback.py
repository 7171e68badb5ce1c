"""An OpenAI-compatible server on loopback, with faults by script."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[dict[str, Any]]], str]
FAULTS = (
    "429",
    "500",
    "503",
    "hang",
    "reset",
    "truncated",
    "malformed",
    "html",
    "no choices",
    "empty",
    "bare string",
    "no body",
)


class Loopback:
    """What the server answers, and everything that it was asked."""

    def __init__(self, answer: Answer, faults: Callable[[str], Sequence[str]], hang: float) -> None:
        self.answer, self.faults, self.hang = answer, faults, hang
        self.requests: Counter[str] = Counter()
        self.served: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.most_at_once = 0
        self.finish = "stop"
        self.retry_after = "0"
        self.delay = 0.0
        self.url = ""
        self._now = 0
        self._lock = threading.Lock()

    def enter(self, prompt: str, body: dict[str, Any], key: str | None) -> str | None:
        """Count a request; return the fault that it meets."""
        with self._lock:
            turn = self.requests[prompt]
            self.requests[prompt] += 1
            self.bodies.append(body)
            self.keys.append(key)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        faults = self.faults(prompt)
        return faults[turn] if turn < len(faults) else None

    def leave(self, prompt: str, *, served: bool) -> None:
        """Count an answer."""
        with self._lock:
            self._now -= 1
            self.served[prompt] += served


@contextmanager
def loopback(
    answer: Answer | str = "42",
    *,
    faults: Callable[[str], Sequence[str]] = lambda _: (),
    hang: float = 1.0,
) -> Iterator[Loopback]:
    """Serve until the end of the block.

    `answer` gets the messages; `faults` gets the content of the last message and returns the
    faults of its first requests, one a request, of `FAULTS` or an HTTP status.
    """
    state = Loopback(answer if callable(answer) else lambda _: answer, faults, hang)
    server = _Server(state)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, state: Loopback) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.state = state

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: clients that give up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet."""

    def do_POST(self) -> None:
        state = self.server.state
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.send(404, {"error": {"message": "no such path"}})
            return
        prompt = str(body["messages"][-1]["content"])
        fault = state.enter(prompt, body, self.headers.get("Authorization"))
        if state.delay:
            time.sleep(state.delay)
        state.leave(prompt, served=fault is None)
        if fault is None:
            self.send(200, completion(state.answer(body["messages"]), body, state.finish))
        elif fault.isdigit():
            code = {"402": "insufficient_quota"}.get(fault)
            error = {"message": f"fault {fault}", "type": "fault", "code": code}
            headers = {"Retry-After": state.retry_after} if fault == "429" else {}
            self.send(int(fault), {"error": error}, headers=headers)
        elif fault in ("hang", "reset"):
            self.drop(fault)
        else:
            self.fail(fault, body)

    def drop(self, fault: str) -> None:
        """Give no answer at all."""
        if fault == "hang":
            time.sleep(self.server.state.hang)
        else:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        self.close_connection = True

    def fail(self, fault: str, body: dict[str, Any]) -> None:
        """Answer 200 with a body that is no answer."""
        empty = completion("", body, "stop")
        whole = json.dumps(completion("wrong", body, "stop")).encode()
        half = whole[: len(whole) // 2]
        if fault == "truncated":
            self.send(200, half, declared=len(whole))
            self.close_connection = True
            return
        kind = "text/html" if fault == "html" else "application/json"
        bodies = {
            "malformed": half,
            "html": b"<html><body>502 Bad Gateway</body></html>",
            "no choices": {**empty, "choices": []},
            "empty": empty,
            "bare string": "busy",
            "no body": b"",
        }
        self.send(200, bodies[fault], kind=kind)

    def send(
        self,
        status: int,
        value: Any,
        *,
        kind: str = "application/json",
        declared: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send bytes, or a value as JSON; `declared` is the length that is promised."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if declared is None else declared))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)


def completion(text: str, body: dict[str, Any], finish: str) -> dict[str, Any]:
    """Return a chat completion; tokens are words."""
    words = sum(len(str(message["content"]).split()) for message in body["messages"])
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": words,
            "completion_tokens": len(text.split()),
            "total_tokens": words + len(text.split()),
        },
    }
