"""The degradations by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalkit.contrasts.alterations import ALTER_NUMBER, BREAK_FORMAT, REORDER_STEPS
from evalkit.contrasts.degradation import Degradation
from evalkit.contrasts.insertions import CONTRADICT, PAD, UNSUPPORTED_CLAIM
from evalkit.contrasts.removals import DROP_CITATION, DROP_REQUIREMENT, TRUNCATE

__all__ = ["DEGRADATIONS"]

DEGRADATIONS: Mapping[str, Degradation] = MappingProxyType(
    {
        degradation.name: degradation
        for degradation in (
            DROP_CITATION,
            ALTER_NUMBER,
            DROP_REQUIREMENT,
            TRUNCATE,
            CONTRADICT,
            UNSUPPORTED_CLAIM,
            BREAK_FORMAT,
            PAD,
            REORDER_STEPS,
        )
    }
)
"""Every degradation that comes with evalkit, by the name of its family."""
