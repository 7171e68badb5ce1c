"""Statistics that tell whether an agent, or its grader, got better, and how sure we are.

Data flow one way: records, tallies, estimates, tables and figures, report.
Names are loaded on first use, so that ``import evalkit`` is cheap.
"""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

__version__ = "0.1.0"

if TYPE_CHECKING:
    from evalkit.comparison import compare, compare_groups
    from evalkit.comparisons import compare_all
    from evalkit.consistency import AuditReport, audit
    from evalkit.contrasts import build_contrasts, driving_capacity
    from evalkit.errors import EvalkitError, EvalkitWarning
    from evalkit.estimation import estimate, estimate_values
    from evalkit.exports import every_eval_ever
    from evalkit.grading import Agreement, agreement, compare_graders, rank, raters
    from evalkit.intervals.catalogue import methods
    from evalkit.locked import sensitivity
    from evalkit.pairs import build_pairs
    from evalkit.planning import power
    from evalkit.records import Records, read, write
    from evalkit.records.append import RecordWriter
    from evalkit.records.hub import to_dataset
    from evalkit.records.judge_text import parse_json, parse_score, parse_verdict
    from evalkit.results import Comparison, Estimate, Interval, Results
    from evalkit.tally import Tally, tally_values
    from evalkit.testtime import scaling
    from evalkit.trajectories import trajectory

__getattr__, __dir__, _ = _lazy.attach(
    __name__,
    submod_attrs={
        "comparison": ["compare", "compare_groups"],
        "comparisons": ["compare_all"],
        "consistency": ["AuditReport", "audit"],
        "contrasts": ["build_contrasts", "driving_capacity"],
        "errors": ["EvalkitError", "EvalkitWarning"],
        "estimation": ["estimate", "estimate_values"],
        "exports": ["every_eval_ever"],
        "grading": ["Agreement", "agreement", "compare_graders", "rank", "raters"],
        "intervals.catalogue": ["methods"],
        "locked": ["sensitivity"],
        "pairs": ["build_pairs"],
        "planning": ["power"],
        "records": ["Records", "read", "write"],
        "records.append": ["RecordWriter"],
        "records.hub": ["to_dataset"],
        "records.judge_text": ["parse_json", "parse_score", "parse_verdict"],
        "results": ["Comparison", "Estimate", "Interval", "Results"],
        "tally": ["Tally", "tally_values"],
        "testtime": ["scaling"],
        "trajectories": ["trajectory"],
    },
)

__all__ = [
    "Agreement",
    "AuditReport",
    "Comparison",
    "Estimate",
    "EvalkitError",
    "EvalkitWarning",
    "Interval",
    "RecordWriter",
    "Records",
    "Results",
    "Tally",
    "agreement",
    "audit",
    "build_contrasts",
    "build_pairs",
    "compare",
    "compare_all",
    "compare_graders",
    "compare_groups",
    "driving_capacity",
    "estimate",
    "estimate_values",
    "every_eval_ever",
    "methods",
    "parse_json",
    "parse_score",
    "parse_verdict",
    "power",
    "rank",
    "raters",
    "read",
    "scaling",
    "sensitivity",
    "tally_values",
    "to_dataset",
    "trajectory",
    "write",
]
