"""The outcome of one Inspect sample as a verdict, read as a log of Inspect is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalkit.environments.base import Verdict
from evalkit.errors import ArgumentError
from evalkit.records.values import CellError, score_value

__all__ = ["sample_verdict"]

_LETTERS: Mapping[str, float] = MappingProxyType({"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0})
_LATE = ("time", "working")

_Value = tuple[float | None, str]


def sample_verdict(raw: Mapping[str, Any], scorer: str | None) -> Verdict:
    """Read the outcome of one sample.

    Parameters
    ----------
    raw : mapping
        ``scores``, ``error`` and ``limit`` as the log holds them.
    scorer : str or None
        Whose score counts, ``scorer/key`` where it gives several; ``None`` where there is one.

    Returns
    -------
    Verdict
        ``infra`` or ``timeout`` where the sample failed, or where a time limit ended it unscored;
        ``missing`` without a score or with NaN; ``invalid`` where the score is no number in
        [0, 1].

    Raises
    ------
    ArgumentError
        If there are several scores and `scorer` names none of them.

    Examples
    --------
    >>> sample_verdict({"scores": {"match": {"value": "C"}}}, None).score
    1.0
    >>> sample_verdict({"error": {"message": "no sandbox"}}, None).status
    'infra'
    """
    error = raw.get("error")
    if error:
        told = str(error.get("message") if isinstance(error, Mapping) else error)
        late = "timed out" in told.casefold() or "timeout" in told.casefold()
        return Verdict(score=None, status="timeout" if late else "infra", critique=told[:500])
    values = _values(raw.get("scores") or {})
    if scorer is None and len(values) > 1:
        raise ArgumentError(f"`scorer` must name one of the scores: {', '.join(values)}")
    name = scorer or next(iter(values), "")
    if name not in values and values:
        raise ArgumentError(f"`scorer` is {name!r}; the task gives {', '.join(values)}")
    score, status = values.get(name, (None, "missing"))
    limit = (raw.get("limit") or {}).get("type")
    if status == "missing" and limit in _LATE:
        return Verdict(score=None, status="timeout", critique=f"the {limit} limit ended the sample")
    if score is not None and not 0 <= score <= 1:
        return Verdict(score=None, status="invalid", critique=f"the score {score} is not in 0 to 1")
    told = "" if score is not None else f"the score of {name!r} is {status}"
    return Verdict(score=score, status=status, critique=told)


def _values(scores: Mapping[str, Any]) -> dict[str, _Value]:
    """Return each score, or each part of one that has parts."""
    values: dict[str, _Value] = {}
    for name, held in scores.items():
        value = held.get("value") if isinstance(held, Mapping) else held
        if isinstance(value, Mapping):
            values |= {f"{name}/{key}": _value(part) for key, part in value.items()}
        elif isinstance(value, list):
            values |= {f"{name}/{place}": _value(part) for place, part in enumerate(value)}
        else:
            values[name] = _value(value)
    return values


def _value(value: Any) -> _Value:
    if isinstance(value, str) and value.strip() in _LETTERS:
        return _LETTERS[value.strip()], "scored"
    try:
        found = score_value(value)
    except CellError:
        return None, "invalid"
    if math.isnan(found):
        return None, "missing"
    return (found, "scored") if math.isfinite(found) else (None, "invalid")
