"""Quantities that several groups of claims share."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.studies import load_module
from evalkit.studies.cells import Computed

common = load_module(Path(__file__).with_name("common.py"))
Records = common.Records


def each(prefixes: str, suffix: str, cell: Computed) -> dict[str, Computed]:
    """Return one value for the claims ``<prefix>-<suffix>``."""
    return {f"{prefix}-{suffix}": cell for prefix in prefixes.split()}


def selected_macro(records: Records, setting: common.Setting, family: str) -> Fraction:
    """Return the R or T difference of the selected skill."""
    value = records.macro((*setting, records.selections[setting].selected), family)
    return Fraction(0) if value is None else value


def selected_test(records: Records, setting: common.Setting) -> Fraction:
    """Return the released-test difference of the selected skill."""
    return records.delta(setting, records.selections[setting].selected, "test")
