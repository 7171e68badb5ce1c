"""The verifiers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from evalkit.verifiers.aliases import canonical_membership
from evalkit.verifiers.edit_distance import anls
from evalkit.verifiers.exact import exact_match
from evalkit.verifiers.judging import model_judge
from evalkit.verifiers.numeric import numeric_exact, numeric_or_canonical, numeric_tolerance
from evalkit.verifiers.options import option_label, option_text
from evalkit.verifiers.overlap import token_f1
from evalkit.verifiers.verdict import Verdict
from evalkit.verifiers.workbooks import workbook_cells

__all__ = ["VERIFIERS"]

VERIFIERS: Mapping[str, Callable[..., Verdict]] = MappingProxyType(
    {
        "anls": anls,
        "canonical_membership": canonical_membership,
        "exact_match": exact_match,
        "model_judge": model_judge,
        "numeric_exact": numeric_exact,
        "numeric_or_canonical": numeric_or_canonical,
        "numeric_tolerance": numeric_tolerance,
        "option_label": option_label,
        "option_text": option_text,
        "token_f1": token_f1,
        "workbook_cells": workbook_cells,
    }
)
"""Name to function; each takes ``(output, reference)`` and its settings by keyword."""
