"""Inside of the process that runs samples of an Inspect task."""

from __future__ import annotations

import importlib
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["inspect_task", "prepare"]

_LONGEST_TRACE = 20_000


def prepare() -> None:
    """Import what takes long."""
    importlib.import_module("inspect_ai")


def inspect_task(
    *,
    action: str,
    task: str,
    arguments: Mapping[str, Any],
    base: str,
    sample: Any = None,
    system: str = "",
    model: Mapping[str, Any] | None = None,
    time_limit: float = 600.0,
) -> Any:
    """List the samples of a task, or run one.

    Parameters
    ----------
    action : {"list", "run"}
        What to do.
    task : str
        ``module:function``, ``file.py@task``, or a name that Inspect has registered.
    arguments : mapping
        Arguments of the task.
    base : str
        Folder that files are relative to.
    sample : str or int
        Id of the sample to run.
    system : str
        Text to inject as a system message.
    model : mapping
        ``name``, ``base_url``, ``api_key_env``, ``max_retries`` and ``timeout``.
    time_limit : float
        Seconds for the sample, after which Inspect ends it.

    Returns
    -------
    list or dict
        JSON values.
    """
    made = _task(task, arguments, base)
    if action == "list":
        return [_listed(entry, number) for number, entry in enumerate(made.dataset, 1)]
    return _run(made, sample, system, model or {}, time_limit)


def _task(name: str, arguments: Mapping[str, Any], base: str) -> Any:
    module, colon, function = name.partition(":")
    if colon and "@" not in name and "/" not in module:
        return getattr(importlib.import_module(module), function)(**arguments)
    from inspect_ai._eval.loader import load_tasks

    spec = str(Path(base) / name) if "@" in name else name
    found = load_tasks([spec], dict(arguments))
    if len(found) != 1:
        raise ValueError(f"{name!r} names {len(found)} tasks, not one")
    return found[0]


def _listed(entry: Any, number: int) -> dict[str, Any]:
    return {
        "id": number if entry.id is None else entry.id,
        "input": _text(entry.input),
        "metadata": {
            key: str(value)
            for key, value in (entry.metadata or {}).items()
            if isinstance(value, (str, int, float, bool))
        },
    }


def _text(told: Any) -> str:
    if isinstance(told, str):
        return told
    return "\n\n".join(f"{message.role}: {message.text}" for message in told)


def _run(
    task: Any, sample: Any, system: str, model: Mapping[str, Any], time_limit: float
) -> dict[str, Any]:
    from inspect_ai import eval as run_eval
    from inspect_ai import task_with

    if system:
        setup = task.setup if isinstance(task.setup, list) else [task.setup] if task.setup else []
        task = task_with(task, setup=[*setup, _inject(system)])
    with tempfile.TemporaryDirectory() as folder:
        logs = run_eval(
            task,
            model=_model(model),
            sample_id=[sample],
            epochs=1,
            time_limit=math.ceil(time_limit),
            fail_on_error=False,
            display="none",
            log_level="error",
            log_dir=folder,
            log_format="json",
            log_realtime=False,
            ctl_server=False,
            acp_server=False,
            max_retries=model.get("max_retries", 5),
            attempt_timeout=model.get("timeout", 120),
        )
    return _outcome(logs[0])


def _inject(text: str) -> Any:
    """Return the solver that puts the text behind the system messages that are there."""
    from inspect_ai.model import ChatMessageSystem
    from inspect_ai.solver import Generate, TaskState, solver

    @solver(name="evalkit_component")
    def component() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
            own = [m for m in state.messages if m.role == "system"]
            rest = [m for m in state.messages if m.role != "system"]
            state.messages = [*own, ChatMessageSystem(content=text), *rest]
            return state

        return solve

    return component()


def _model(table: Mapping[str, Any]) -> Any:
    from inspect_ai.model import get_model

    if table.get("name") is None:
        return None
    variable = table.get("api_key_env")
    base_url = table.get("base_url")
    key = os.environ[variable] if variable else "no-key" if base_url else None
    name = f"openai-api/server/{table['name']}" if base_url else table["name"]
    return get_model(name, base_url=base_url, api_key=key)


def _outcome(log: Any) -> dict[str, Any]:
    """Return what a log of one sample says."""
    if not log.samples:
        told = log.error.message if log.error else f"the log has no sample (status {log.status})"
        return {"failed": told}
    held = log.samples[0]
    raw = {
        "id": held.id,
        "epoch": held.epoch,
        "scores": {name: {"value": _strict(s.value)} for name, s in (held.scores or {}).items()},
        "error": {"message": held.error.message} if held.error else None,
        "limit": {"type": held.limit.type} if held.limit else None,
    }
    used = list(held.model_usage.values())
    costs = [usage.total_cost for usage in used if usage.total_cost is not None]
    return {
        "failed": None,
        "sample": raw,
        "output": held.output.completion,
        "trace": _trace(held.messages),
        "usage": {
            "calls": sum(event.event == "model" for event in held.events),
            "input_tokens": sum(
                usage.input_tokens
                + (usage.input_tokens_cache_read or 0)
                + (usage.input_tokens_cache_write or 0)
                for usage in used
            ),
            "output_tokens": sum(usage.output_tokens for usage in used),
            "cost": sum(costs) if costs else None,
        },
    }


def _strict(value: Any) -> Any:
    """Return a score that JSON can hold: NaN is no score, an infinity is its name."""
    if isinstance(value, Mapping):
        return {key: _strict(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _trace(messages: Any) -> str:
    """Return the conversation without system messages and the final answer."""
    lines = []
    for message in messages[:-1]:
        if message.role == "system":
            continue
        lines.append(f"{message.role}: {message.text}")
        calls = getattr(message, "tool_calls", None) or []
        lines += [f"  calls {call.function}({call.arguments})" for call in calls]
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST_TRACE else f"{text[:_LONGEST_TRACE]} ..."
