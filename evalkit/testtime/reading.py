"""From records to the outcomes of every item, in order of its attempts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError

__all__ = ["outcomes_from_frame", "read_frame"]


def outcomes_from_frame(
    frame: Any, *, system: str | None = None
) -> dict[str, tuple[float | None, ...]]:
    """Read outcomes by item from records.

    Parameters
    ----------
    frame : dataframe of any engine
        With ``item``, ``attempt`` and ``score``, and optionally ``status``, ``system``,
        ``verifier`` and ``order``.
    system : str, optional
        System to read; needed when there are several.

    Returns
    -------
    dict of str to tuple
        Outcomes in order of their attempts, which must be numbered 1 to K without a gap;
        ``None`` where an attempt is not scored. Skipped rows are no attempts and left out.

    Raises
    ------
    ArgumentError
        If `system` is not in the frame.
    MissingColumnError
        If a column is missing.
    DuplicateRowError
        If an item has an attempt twice.
    InputError
        If attempts are not numbered 1 to K, or several systems, verifiers or orders are there.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"item": ["a", "a"], "attempt": ["2", "1"], "score": [1.0, 0.0]}
    ... )
    >>> outcomes_from_frame(frame)
    {'a': (0.0, 1.0)}
    """
    return read_frame(frame, system)[0]


def read_frame(frame: Any, system: str | None) -> tuple[dict[str, tuple[float | None, ...]], int]:
    """Return outcomes by item, and the number of skipped rows; see `outcomes_from_frame`."""
    import narwhals as nw

    data = nw.from_native(frame)
    if isinstance(data, nw.LazyFrame):
        data = data.collect()
    columns = {name: data[name].to_list() for name in data.columns}
    for name in ("item", "attempt", "score", *(() if system is None else ("system",))):
        if name not in columns:
            raise MissingColumnError(
                f"column {name!r} is missing; the columns are {', '.join(columns)}"
            )
    rows = list(range(len(columns["item"])))
    if system is not None:
        rows = [i for i in rows if str(columns["system"][i]) == system]
        if not rows:
            found = sorted({str(name) for name in columns["system"]})
            raise ArgumentError(
                f"`system` is {system!r}; the frame holds {', '.join(map(repr, found[:10]))}"
            )
    for name in ("system", "verifier", "order"):
        found = sorted({str(columns[name][i]) for i in rows} if name in columns else ())
        if len(found) > 1:
            raise InputError(
                f"column {name!r} holds {', '.join(map(repr, found[:5]))}; keep the rows of one"
                + (", with `outcomes_from_frame(frame, system=...)`" if name == "system" else "")
            )
    status = columns.get("status")
    attempted = [i for i in rows if status is None or status[i] != "skipped"]
    by_item: dict[str, dict[str, float | None]] = {}
    for i in attempted:
        item, attempt = str(columns["item"][i]), str(columns["attempt"][i])
        tries = by_item.setdefault(item, {})
        if attempt in tries:
            raise DuplicateRowError(f"attempt {attempt!r} stands in two rows", item=item)
        usable = status is None or status[i] == "scored"
        tries[attempt] = _outcome(columns["score"][i]) if usable else None
    outcomes = {item: _in_order(item, tries) for item, tries in by_item.items()}
    return outcomes, len(rows) - len(attempted)


def _outcome(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _in_order(item: str, tries: Mapping[str, float | None]) -> tuple[float | None, ...]:
    wanted = [str(k) for k in range(1, len(tries) + 1)]
    if set(wanted) != set(tries):
        raise InputError(
            f"its attempts are {', '.join(map(repr, list(tries)[:8]))}; they must be numbered "
            f"1 to {len(tries)}, in the order they were made",
            item=item,
        )
    return tuple(tries[k] for k in wanted)
