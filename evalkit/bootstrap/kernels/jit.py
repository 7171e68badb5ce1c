"""The decorators of the kernels: numba when it is there, else nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

__all__ = ["HAVE_NUMBA", "fast_jit", "jit"]

F = TypeVar("F", bound=Callable[..., Any])


def _numba() -> Any:
    try:
        return import_module("numba")
    except ImportError:
        return None


_NUMBA = _numba()
HAVE_NUMBA = _NUMBA is not None
_SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy"}


def jit(function: F) -> F:
    """Compile a function on its first call, and keep the machine code on disk."""
    return function if _NUMBA is None else _NUMBA.njit(**_SETTINGS)(function)


def fast_jit(function: F) -> F:
    """Compile a loop whose sums may be reordered: it holds no NaN and no infinity."""
    return function if _NUMBA is None else _NUMBA.njit(**_SETTINGS, fastmath=True)(function)
