"""Records: the verdicts that everything else is computed from, read strictly and written strictly.

Heavy libraries (pandas, pyarrow, narwhals, zstandard) are imported on use.
"""

from __future__ import annotations

from evalkit.records.concat import concat
from evalkit.records.read import read
from evalkit.records.schema import ALIASES, KEY_COLUMNS, STATUSES, Records
from evalkit.records.write import write

__all__ = ["ALIASES", "KEY_COLUMNS", "STATUSES", "Records", "concat", "read", "write"]
