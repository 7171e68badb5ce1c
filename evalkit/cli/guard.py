"""Exit codes and error messages: 2 for bad input, 1 for a failed check, 130 for Ctrl-C."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

import typer

from evalkit.cli.arguments import check_arguments, only_input
from evalkit.cli.reading_progress import reading_progress
from evalkit.errors import EvalkitError, InputError

__all__ = ["BAD_INPUT", "CHECK_FAILED", "debugging", "guarded", "say"]

P = ParamSpec("P")
R = TypeVar("R")
CHECK_FAILED, BAD_INPUT, INTERNAL, INTERRUPTED = 1, 2, 70, 130
_state = {"debug": False}


def debugging(*, on: bool) -> None:
    """Show tracebacks from now on."""
    _state["debug"] = on or bool(os.environ.get("EVALKIT_DEBUG"))


def say(message: str) -> None:
    """Print a diagnostic to stderr; characters the terminal lacks are escaped."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    typer.echo(message.encode(encoding, "backslashreplace").decode(encoding), err=True)


def _told(error: Exception, arguments: Mapping[str, object]) -> tuple[str, int]:
    """Message and exit code of an error; an input error names the file where it does not yet."""
    if isinstance(error, EvalkitError):
        placeless = isinstance(error, InputError) and error.path is None
        file = only_input(arguments) if placeless else None
        return str(error) if file is None else f"{file}: {error}", BAD_INPUT
    if isinstance(error, OSError):
        return f"{error.filename or 'system'}: {error.strerror or error}", BAD_INPUT
    if isinstance(error, MemoryError):
        return "out of memory; keep fewer columns, or estimate Parquet through DuckDB", BAD_INPUT
    what = f"internal error ({type(error).__name__}: {error})"
    return f"{what}; this is a defect: please report what `evalkit --debug` prints", INTERNAL


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn the library's errors into one message and an exit code, without a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if sys.stderr is None:  # closed by the caller, as in `2>&-`
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        try:
            check_arguments(kwargs)
            with reading_progress():
                return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt:
            say("evalkit: interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader has gone (`| head`); Python would complain again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except Exception as error:
            # Typer's own usage errors are printed by typer.
            if _state["debug"] or type(error).__module__.startswith(("typer", "click")):
                raise
            message, code = _told(error, kwargs)
            say(f"evalkit: {message}")
            raise typer.Exit(code) from None

    return run
