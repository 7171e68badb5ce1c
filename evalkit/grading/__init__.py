"""Graders: agreement with a reference on pairs, agreement between raters, and rankings."""

from __future__ import annotations

from evalkit.grading.errors import DisconnectedError, UnboundedFitError
from evalkit.grading.grader_comparison import compare_graders
from evalkit.grading.inter_rater import RaterAgreement, raters
from evalkit.grading.pairwise import Agreement, agreement
from evalkit.grading.ranking import RankedScore, rank

__all__ = [
    "Agreement",
    "DisconnectedError",
    "RankedScore",
    "RaterAgreement",
    "UnboundedFitError",
    "agreement",
    "compare_graders",
    "rank",
    "raters",
]
