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
        Outcomes in order of their attempts, which must be numbered from 1, or from 0, without a
        gap; ``None`` where an attempt is not scored. Skipped rows are no attempts and left out.

    Raises
    ------
    ArgumentError
        If `system` is not in the frame.
    MissingColumnError
        If a column is missing.
    DuplicateRowError
        If an item has an attempt twice.
    InputError
        If attempts are not numbered without a gap, or several systems, verifiers or orders are
        there.

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
    # Loops count from 0 as often as from 1; an item that lacks its first is told by the rest.
    first = 0 if any("0" in tries for tries in by_item.values()) else 1
    outcomes = {item: _in_order(item, tries, first) for item, tries in by_item.items()}
    return outcomes, len(rows) - len(attempted)


def _outcome(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _in_order(item: str, tries: Mapping[str, float | None], first: int) -> tuple[float | None, ...]:
    last = first + len(tries) - 1
    wanted = [str(k) for k in range(first, last + 1)]
    if set(wanted) != set(tries):
        raise InputError(
            f"its attempts are {', '.join(map(repr, list(tries)[:8]))}; they must be numbered "
            f"{first} to {last}, in the order they were made and without a gap; give an attempt "
            "that was lost a row with a status and no score",
            item=item,
        )
    return tuple(tries[k] for k in wanted)
