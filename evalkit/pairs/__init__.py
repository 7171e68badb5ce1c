"""Adversarial pairs for graders: a cue that can be seen favours the output that is worse."""

from evalkit.pairs.build import build_pairs
from evalkit.pairs.candidate import Candidate, make_candidate
from evalkit.pairs.candidate_rows import CandidateRows, read_candidates
from evalkit.pairs.check import Finding, PairCheck, check_pairs
from evalkit.pairs.cues import Cue, find_cue
from evalkit.pairs.export import export_pairs
from evalkit.pairs.formats import LOSSES, PairFormat
from evalkit.pairs.pair import Pair
from evalkit.pairs.reading import read_pairs
from evalkit.pairs.report import PairReport, PairSet
from evalkit.pairs.selection import REASONS
from evalkit.pairs.set_power import SetPower, set_power
from evalkit.pairs.text_cues import CONFIDENCE_WORDS, TEXT_CUES

__all__ = [
    "CONFIDENCE_WORDS",
    "LOSSES",
    "REASONS",
    "TEXT_CUES",
    "Candidate",
    "CandidateRows",
    "Cue",
    "Finding",
    "Pair",
    "PairCheck",
    "PairFormat",
    "PairReport",
    "PairSet",
    "SetPower",
    "build_pairs",
    "check_pairs",
    "export_pairs",
    "find_cue",
    "make_candidate",
    "read_candidates",
    "read_pairs",
    "set_power",
]
