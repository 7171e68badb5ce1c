"""Write docs/cli.md from the functions behind the command line."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import typer

from evalkit.cli.app import app

HEAD = """# Command line

Data go to stdout, diagnostics to stderr. `--format json` prints one strict JSON object with
`evalkit`, `command`, `settings`, `results` and `notes`. Exit codes: 0 done, 1 a gate or check
failed, 2 wrong usage or input, with one message that names file, line, item and remedy;
130 interrupted. `--debug` before the verb shows tracebacks.

This page is written by `python docs/generate_cli.py`.
"""


def commands(group: typer.Typer, prefix: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every verb with its words."""
    for command in group.registered_commands:
        callback = command.callback
        if callback is not None:
            name = command.name or callback.__name__.rstrip("_").replace("_", "-")
            yield f"{prefix} {name}", callback
    for inner in group.registered_groups:
        instance = inner.typer_instance
        if instance is not None:
            yield from commands(instance, f"{prefix} {instance.info.name}")


def _text(words: object) -> str:
    return re.sub(r"\s+", " ", str(words or "")).replace("|", "\\|").strip()


def _plain(hint: Any) -> Any:
    """Return the type behind Annotated and None."""
    while True:
        if hasattr(hint, "__metadata__"):
            hint = hint.__origin__
        elif get_origin(hint) in (Union, types.UnionType):
            hint = next(a for a in get_args(hint) if a is not type(None))
        else:
            return hint


def _values(hint: Any, info: Any) -> str:
    plain = _plain(hint)
    if info.metavar:
        return _text(info.metavar)
    if isinstance(plain, type) and issubclass(plain, Enum):
        return ", ".join(f"`{choice.value}`" for choice in plain)
    names = {bool: "flag", int: "number", float: "number", str: "text", Path: "path"}
    if get_origin(plain) is list:
        return "text, may be repeated"
    if get_origin(plain) is tuple:
        return " ".join(["number"] * len(get_args(plain)))
    return names.get(plain, "text")


def _default(default: Any) -> str:
    value = default.value if isinstance(default, Enum) else default
    unset = value is inspect.Parameter.empty or value is None or value is False or value == ""
    return "" if unset else f"`{value}`"


def section(words: str, callback: Callable[..., Any]) -> str:
    """Return the section of one verb."""
    function = inspect.unwrap(callback)
    hints = get_type_hints(function, include_extras=True)
    usage, rows = [words], []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        info = next((m for m in getattr(hint, "__metadata__", ()) if hasattr(m, "metavar")), None)
        if info is None:
            continue
        if isinstance(info, typer.models.ArgumentInfo):
            shown = info.metavar or name.upper()
            required = parameter.default is inspect.Parameter.empty
            usage.append(shown if required else f"[{shown.strip('[]')}]")
            continue
        option = info.param_decls or (f"--{name.replace('_', '-')}",)
        names = ", ".join(f"`{part}`" for part in option)
        values, default = _values(hint, info), _default(parameter.default)
        rows.append(f"| {names} | {values} | {default} | {_text(info.help)} |")
    paragraphs = re.split(r"\n\s*\n", inspect.getdoc(function) or "")
    lines = [f"## {words.removeprefix('evalkit ')}", "", f"    {' '.join(usage)} [OPTIONS]", ""]
    for paragraph in paragraphs:
        lines += [_text(paragraph), ""]
    lines += ["| option | value | default | |", "|---|---|---|---|", *rows]
    return "\n".join(lines)


def page() -> str:
    """Return the whole page."""
    found = commands(app, "evalkit")
    return "\n".join([HEAD, *(section(words, callback) + "\n" for words, callback in found)])


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), encoding="utf-8")
