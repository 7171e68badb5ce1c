"""Response contrasts: one property of a response degraded, and what graders make of it.

`layout`, `tokens` and `profile` read a text; `relations` checks what changed; `removals`,
`alterations` and `insertions` hold the degradations. `building` makes a contrast set, `blinding`
hides what graders must not see, `unblinding` and `scored` read scores, `worst_family` and
`capacity` measure driving capacity, `challenger` decides between two graders.
"""

from __future__ import annotations

from evalkit.contrasts.blinding import Blinded, BlindPair, BlindResponse, Key, blind
from evalkit.contrasts.building import Contrast, ContrastSet, build_contrasts
from evalkit.contrasts.capacity import driving_capacity
from evalkit.contrasts.capacity_results import DrivingCapacity, FamilyAccuracy
from evalkit.contrasts.catalogue import DEGRADATIONS
from evalkit.contrasts.challenger import FamilyDifference, Selection, select_challenger
from evalkit.contrasts.degradation import Degradation, Degraded, Edit, NotApplicable, degrade
from evalkit.contrasts.files import read_key, write_contrasts
from evalkit.contrasts.scored import ScoredContrast, ScoredSet, outcome_of, read_scored
from evalkit.contrasts.unblinding import unblind
from evalkit.contrasts.worst_family import worst_family_interval

__all__ = [
    "DEGRADATIONS",
    "BlindPair",
    "BlindResponse",
    "Blinded",
    "Contrast",
    "ContrastSet",
    "Degradation",
    "Degraded",
    "DrivingCapacity",
    "Edit",
    "FamilyAccuracy",
    "FamilyDifference",
    "Key",
    "NotApplicable",
    "ScoredContrast",
    "ScoredSet",
    "Selection",
    "blind",
    "build_contrasts",
    "degrade",
    "driving_capacity",
    "outcome_of",
    "read_key",
    "read_scored",
    "select_challenger",
    "unblind",
    "worst_family_interval",
    "write_contrasts",
]
