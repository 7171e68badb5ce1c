"""``gepa_state.bin`` without running it: a pickle of builtin containers, or a refusal.

A pickle is a program. This reader takes one that only builds numbers, texts and containers: every
opcode is checked before anything runs, the unpickler resolves no name at all, and what could cost
unbounded memory or time (memo slots far away, tuples of tuples as keys) is refused.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from evalkit.errors import InputError
from evalkit.records.importers.files import read_bytes

__all__ = ["looks_like_pickle", "read_state"]

_MOST_BYTES = 1 << 28
_HEAVIEST = 1 << 10
_LONGEST_INT = 1 << 10  # bits
_BUILDS = frozenset(
    {
        *("PROTO", "FRAME", "STOP", "MARK", "POP", "POP_MARK", "DUP"),
        *("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "GET", "BINGET", "LONG_BINGET"),
        *("NONE", "NEWTRUE", "NEWFALSE", "INT", "BININT", "BININT1", "BININT2"),
        *("LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        *("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
        *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
        *("EMPTY_LIST", "LIST", "APPEND", "APPENDS"),
        *("EMPTY_DICT", "DICT", "SETITEM", "SETITEMS"),
        *("EMPTY_SET", "ADDITEMS", "FROZENSET"),
        *("EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
    }
)
_NAMES = frozenset({"GLOBAL", "INST"})
_HASHABLE = frozenset({"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET"})
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})
_DAMAGE = (
    pickle.UnpicklingError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    MemoryError,
    RecursionError,
)


class _RefusedError(Exception):
    """The pickle does more than build containers."""


class _BuiltinsOnly(pickle.Unpickler):
    """Resolves no name and no persistent id."""

    def find_class(self, module: str, name: str, /) -> NoReturn:
        raise _RefusedError(f"it names {module}.{name}")

    def persistent_load(self, _: Any, /) -> NoReturn:
        raise _RefusedError("it refers to an object outside the file")


def looks_like_pickle(start: bytes) -> bool:
    """Whether bytes begin as a pickle of protocol 2 to 5 does."""
    return len(start) > 2 and start[0] == 0x80 and 2 <= start[1] <= 5


def read_state(path: Path) -> Mapping[str, Any]:
    """Return the state of a run.

    Parameters
    ----------
    path : Path
        ``gepa_state.bin``.

    Returns
    -------
    mapping

    Raises
    ------
    InputError
        The file is damaged, is no mapping, or would have to run code to be read.
    """
    data = read_bytes(path, limit=_MOST_BYTES)
    try:
        _check(data)
        state = _BuiltinsOnly(io.BytesIO(data)).load()
    except _RefusedError as refusal:
        raise InputError(
            f"the pickle is not read, because {refusal}, and unpickling that could run code; "
            "run GEPA without an evaluation cache and with plain outputs, or import run_log.json "
            "or GEPAResult.to_dict() written as JSON",
            path=str(path),
        ) from None
    except _DAMAGE as cause:
        reason = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        message = f"the pickle is damaged or cut off ({reason}); copy it again"
        raise InputError(message, path=str(path)) from cause
    if not isinstance(state, dict):
        raise InputError(
            f"the pickle holds {type(state).__name__}, not the state of a run", path=str(path)
        )
    return state


def _check(data: bytes) -> None:
    """Walk through the opcodes with the weight of every value in place of the value."""
    stack: list[int | None] = []  # None is a mark
    memo: dict[int, int] = {}
    for count, (opcode, argument, _) in enumerate(pickletools.genops(data), 1):
        name = opcode.name
        if name in _NAMES:
            raise _RefusedError(f"it names {str(argument).replace(' ', '.', 1)[:80]}")
        if name not in _BUILDS:
            raise _RefusedError(f"it holds the instruction {name}")
        if isinstance(argument, int) and argument.bit_length() > _LONGEST_INT:
            raise _RefusedError("it holds a number of thousands of digits")
        if name in _PUTS or name == "MEMOIZE":
            index = len(memo) if name == "MEMOIZE" else int(argument or 0)
            if not 0 <= index <= count:
                raise _RefusedError(f"it stores a value at slot {index}")
            memo[index] = _top(stack)
        elif name in _GETS:
            stack.append(_remembered(memo, int(argument or 0)))
        elif name == "DUP":
            stack.append(_top(stack))
        elif name == "MARK":
            stack.append(None)
        else:
            _apply(opcode, stack)


def _top(stack: list[int | None]) -> int:
    if not stack or stack[-1] is None:
        raise pickle.UnpicklingError("a value is missing")
    return stack[-1]


def _remembered(memo: Mapping[int, int], index: int) -> int:
    if index not in memo:
        raise pickle.UnpicklingError(f"slot {index} is empty")
    return memo[index]


def _apply(opcode: Any, stack: list[int | None]) -> None:
    """Take what an opcode takes, and put what it puts."""
    before = [each.name for each in opcode.stack_before]
    weight = 0
    if "mark" in before:
        while (value := _pop(stack)) is not None:
            weight += value
        before = before[: before.index("mark")]
    for _ in before:
        value = _pop(stack)
        if value is None:
            raise pickle.UnpicklingError("a value is missing")
        weight += value
    hashable = opcode.name in _HASHABLE
    if hashable and weight > _HEAVIEST:
        raise _RefusedError("it nests tuples without end")
    stack.extend([weight + 1 if hashable else 1] * len(opcode.stack_after))


def _pop(stack: list[int | None]) -> int | None:
    if not stack:
        raise pickle.UnpicklingError("a value is missing")
    return stack.pop()
