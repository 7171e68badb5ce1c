"""Environments: items in splits, a solver, a grader and verifiers, behind one protocol.

``simulation`` is a world with known truth that needs no model and no network; ``dataset`` holds
items with references, a model and a verifier.
"""

from __future__ import annotations

from evalkit.environments.base import (
    Component,
    Environment,
    Execution,
    Item,
    Judge,
    Pair,
    Solve,
    Verdict,
)
from evalkit.environments.draws import Draw

__all__ = [
    "Component",
    "Draw",
    "Environment",
    "Execution",
    "Item",
    "Judge",
    "Pair",
    "Solve",
    "Verdict",
]
