"""Studies: reproduce the reported tables of a paper from its lowest-level records."""

from __future__ import annotations

from evalkit.studies.cells import (
    CellCheck,
    CheckedCell,
    Computed,
    Level,
    Status,
    attainable,
    check,
    check_table,
    derived,
    recomputed,
    sum_line,
    transcribed,
    transcribed_share,
)
from evalkit.studies.claims import CheckedClaim, check_claims
from evalkit.studies.engine import Outcome, StudyOutcome, build_study, reproduce
from evalkit.studies.loading import find_root, load_module, study_slugs
from evalkit.studies.output import StudyFigure, StudyOutput
from evalkit.studies.pivot import reproduced_table
from evalkit.studies.printed import Printed
from evalkit.studies.reported import (
    ReportedNumber,
    ReportedTables,
    load_reported,
    number_of,
    read_rows,
)

__all__ = [
    "CellCheck",
    "CheckedCell",
    "CheckedClaim",
    "Computed",
    "Level",
    "Outcome",
    "Printed",
    "ReportedNumber",
    "ReportedTables",
    "Status",
    "StudyFigure",
    "StudyOutcome",
    "StudyOutput",
    "attainable",
    "build_study",
    "check",
    "check_claims",
    "check_table",
    "derived",
    "find_root",
    "load_module",
    "load_reported",
    "number_of",
    "read_rows",
    "recomputed",
    "reproduce",
    "reproduced_table",
    "study_slugs",
    "sum_line",
    "transcribed",
    "transcribed_share",
]
