"""The answer inside a model's reply, as `evalkit.records.judge_text` reads it."""

from __future__ import annotations

from evalkit.records.judge_text.json_replies import json_objects
from evalkit.records.judge_text.reasoning import answer_text

__all__ = ["answer_text", "json_objects"]
