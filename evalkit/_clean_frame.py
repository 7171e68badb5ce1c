"""Check a clean dataframe column by column; anything doubtful is left to the row reader.

A frame that already has the canonical columns in clean types needs no reading cell by cell. What
this module accepts, :func:`evalkit.records.read` would accept without a remark; whatever it is not
sure of (missing scores, infinities, statuses, repeated rows, floats as ids) it declines, and the
row reader decides and says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evalkit.results import Range

__all__ = ["clean_table"]

_KEYS = ("system", "item", "attempt", "verifier", "order")
_DEFAULT_SYSTEM = "data"
_DENSE = 20  # possible keys a row up to which they are counted in one array


def _compute() -> Any:
    """Arrow's compute functions, which it makes at run time, beyond what type checkers see."""
    import pyarrow.compute

    return pyarrow.compute


def _as_text(column: Any) -> Any:
    """Ids as text, from text and whole numbers without gaps; ``None`` for anything else."""
    import pyarrow as pa

    pc = _compute()

    if column.null_count:
        return None
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    kind = column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return pc.cast(column, pa.large_string()) if text or pa.types.is_integer(kind) else None


def _as_scores(column: Any, score_range: Range | None) -> Any:
    """Finite scores on one scale; ``None`` for anything else."""
    import pyarrow as pa

    pc = _compute()

    kind = column.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    if column.null_count or not numeric:
        return None
    if pa.types.is_boolean(kind):
        column = pc.cast(column, pa.int8())
    scores = pc.cast(column, pa.float64(), safe=False)
    if not pc.all(pc.is_finite(scores)).as_py():
        return None
    ends = pc.min_max(scores).as_py()
    if score_range is not None:
        low, high = score_range
        return scores if low <= ends["min"] and ends["max"] <= high else None
    if ends["max"] > 1 and ends["min"] >= 0:
        above = pc.sum(pc.greater(scores, 1.0)).as_py()
        if 2 * above < len(scores):
            return None  # a few scores on a second scale, perhaps
    return scores


def _has_repeats(keys: Sequence[Any]) -> bool:
    """Whether two rows share all their keys, from the codes of the key columns."""
    import numpy as np
    import pyarrow as pa

    rows = len(keys[0])
    cells = math.prod(len(key.dictionary) for key in keys)
    if cells > _DENSE * rows:
        names = [str(i) for i in range(len(keys))]
        return len(pa.table(keys, names=names).group_by(names).aggregate([])) < rows
    code = np.zeros(rows, dtype=np.int64)
    for key in keys:
        code = code * len(key.dictionary) + key.indices.to_numpy()
    return bool(np.bincount(code, minlength=1).max() > 1)


def clean_table(
    data: Any, *, extra: Sequence[str] = (), score_range: Range | None = None
) -> Any | None:
    """Return the rows as an Arrow table with checked columns.

    Parameters
    ----------
    data : dataframe
        Of any engine that holds its rows in memory.
    extra : sequence of str
        Further columns to keep (groups, clusters).
    score_range : (float, float), optional
        Declared range of the scores.

    Returns
    -------
    pyarrow.Table or None
        ``None`` where the row reader has to decide.
    """
    import narwhals as nw
    import pyarrow as pa

    from evalkit.records.columns import claim

    try:
        frame = nw.from_native(data, eager_only=True)
        names = [str(name) for name in frame.columns]
        if not {"item", "score"} <= set(names) or len(set(names)) < len(names) or not len(frame):
            return None
        others = [name for name in names if name not in (*_KEYS, "score")]
        if any(claim(name) is not None for name in others):
            return None
        wanted = [name for name in (*_KEYS, "score", *extra) if name in names]
        table = frame.select(*dict.fromkeys(wanted)).to_arrow()
    except (TypeError, ValueError, pa.ArrowException, nw.exceptions.NarwhalsError):
        return None
    columns = {}
    for name in table.column_names:
        column = table[name]
        checked = _as_scores(column, score_range) if name == "score" else _as_text(column)
        if checked is None:
            return None
        columns[name] = checked.combine_chunks()
    keys = [name for name in _KEYS if name in columns]
    checked_table = pa.table(columns)
    if _has_repeats([columns[name].dictionary_encode() for name in keys]):
        return None
    if "system" not in columns:
        system = pa.array([_DEFAULT_SYSTEM], pa.large_string()).take(
            pa.array([0] * len(checked_table))
        )
        checked_table = checked_table.append_column("system", system)
    return checked_table
