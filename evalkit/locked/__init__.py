"""Output-locked verifier sensitivity: one set of outputs, scored by several verifiers.

When the outputs are the same bytes, a gain that changes with the verifier is a property of the
verifier and not of the systems.
"""

from __future__ import annotations

from evalkit.locked.outputs import apply_verifiers, output_sha256
from evalkit.locked.rescoring import sensitivity
from evalkit.locked.results import Flips, Gain, GainContrast, Ranking, Sensitivity

__all__ = [
    "Flips",
    "Gain",
    "GainContrast",
    "Ranking",
    "Sensitivity",
    "apply_verifiers",
    "output_sha256",
    "sensitivity",
]
