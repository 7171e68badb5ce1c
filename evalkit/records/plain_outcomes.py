"""Outcomes that are given as plain values, and the clusters beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.records.values import CellError, is_missing, score_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["outcome_array", "refuse_gaps"]


def outcome_array(values: Any) -> NDArray[np.float64]:
    """Outcomes as floats, NaN where missing or masked."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(float), np.nan).ravel()
    if isinstance(values, (str, bytes, Mapping)):
        raise ArgumentError(f"`values` is a {type(values).__name__}; give a list of outcomes")
    try:
        return np.asarray(values, dtype=float).ravel()
    except (TypeError, ValueError, OverflowError):
        pass
    out = []
    for place, value in enumerate(values):
        try:
            out.append(score_value(value))
        except CellError as fault:
            raise ArgumentError(f"`values[{place}]`: {fault}") from None
    return np.asarray(out, dtype=float)


def refuse_gaps(clusters: Sequence[object], kept: NDArray[np.bool_]) -> None:
    """Refuse outcomes without a cluster: they are not one more cluster."""
    gaps = sum(is_missing(c) for c, there in zip(clusters, kept.tolist(), strict=True) if there)
    if gaps:
        raise ArgumentError(
            f"`clusters` is missing for {gaps} outcomes; give each its cluster, or a cluster of "
            "its own"
        )
