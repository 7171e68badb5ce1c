"""Errors of rankings that have no solution."""

from __future__ import annotations

from evalkit.errors import ArgumentError

__all__ = ["DisconnectedError", "UnboundedFitError"]


class DisconnectedError(ArgumentError):
    """The systems fall into groups that were never compared with each other."""


class UnboundedFitError(ArgumentError):
    """Some systems never lost to, or never won against, the rest: a score would be infinite."""
