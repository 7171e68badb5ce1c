"""Verifiers: pure functions from an output and a reference to a verdict.

Every verifier is called as ``verify(output, reference, *, settings)`` and returns a
:class:`Verdict`. A missing output (``None``), an output that cannot be read and a judge
without a majority make it abstain, with the reason; they are never a failure by accident.

Two verifiers of one benchmark, for :func:`evalkit.locked.sensitivity`:

================  =================================  ======================================
benchmark         the original                       the alternative
================  =================================  ======================================
SearchQA          ``exact_match``                    ``model_judge``, 3 judgments
OfficeQA          ``exact_match``                    ``numeric_or_canonical``
SpreadsheetBench  ``workbook_cells``, mode loose     ``workbook_cells``, mode strict
LiveMath          ``option_label``                   ``option_text``
DocVQA            ``anls``, success 0.999            ``canonical_membership``
================  =================================  ======================================
"""

from __future__ import annotations

from evalkit.verifiers.aliases import canonical_membership
from evalkit.verifiers.edit_distance import anls
from evalkit.verifiers.exact import exact_match
from evalkit.verifiers.judging import model_judge, parse_judgment
from evalkit.verifiers.numeric import numeric_exact, numeric_or_canonical, numeric_tolerance
from evalkit.verifiers.options import option_label, option_text, parse_option
from evalkit.verifiers.overlap import token_f1
from evalkit.verifiers.quantities import parse_quantity
from evalkit.verifiers.registry import VERIFIERS
from evalkit.verifiers.text import canonical_text, normalise_answer
from evalkit.verifiers.verdict import Verdict
from evalkit.verifiers.workbooks import workbook_cells

__all__ = [
    "VERIFIERS",
    "Verdict",
    "anls",
    "canonical_membership",
    "canonical_text",
    "exact_match",
    "model_judge",
    "normalise_answer",
    "numeric_exact",
    "numeric_or_canonical",
    "numeric_tolerance",
    "option_label",
    "option_text",
    "parse_judgment",
    "parse_option",
    "parse_quantity",
    "token_f1",
    "workbook_cells",
]
