"""How resampling is run: which engine does the arithmetic, and how often."""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalkit.errors import ArgumentError, MissingPackageError

__all__ = ["Engine", "check_count", "check_engine"]

Engine = Literal["numpy", "numba"]


def check_engine(engine: str) -> None:
    """Refuse an engine that is unknown or not installed; numba is imported only if asked for."""
    if engine == "numba":
        from evalkit.bootstrap.kernels.jit import HAVE_NUMBA

        if not HAVE_NUMBA:
            raise MissingPackageError(
                "`engine` is 'numba' and numba is not installed; use engine='numpy' or "
                "`pip install numba`"
            )
    elif engine != "numpy":
        raise ArgumentError(f"`engine` is {engine!r}; it must be one of 'numpy', 'numba'")


def check_count(name: str, value: object) -> None:
    """Refuse a number of replicates or threads that is not a positive whole number."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1
    if not whole:
        raise ArgumentError(f"`{name}` is {value}; it must be a whole number, 1 or more")
