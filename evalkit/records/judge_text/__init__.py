"""Judge text: the verdict, the score or the JSON inside the free reply of a model that grades.

A reply that says nothing readable is a ``judge_error``, one that says something out of bounds is
``invalid``; neither is ever a 0, a failure or a tie.
"""

from __future__ import annotations

from evalkit.records.judge_text.json_replies import json_objects, parse_json
from evalkit.records.judge_text.parsed import Parsed
from evalkit.records.judge_text.reasoning import answer_text
from evalkit.records.judge_text.score_replies import parse_score
from evalkit.records.judge_text.verdict_replies import parse_verdict

__all__ = ["Parsed", "answer_text", "json_objects", "parse_json", "parse_score", "parse_verdict"]
