"""Exports: estimates and records in the formats of shared databases."""

from __future__ import annotations

from evalkit.exports.shared_document import EveryEvalEver, every_eval_ever

__all__ = ["EveryEvalEver", "every_eval_ever"]
