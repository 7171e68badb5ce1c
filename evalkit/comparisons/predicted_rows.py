"""Prediction-powered means from rows: labels on some of them, a judge's score on all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalkit._design import Design, _is_lazy, design
from evalkit.comparisons.prediction_powered import PredictionPowered, prediction_powered_mean
from evalkit.errors import ArgumentError, InputError
from evalkit.estimation import default_groups, unused_cluster_note
from evalkit.results import Range, Results, check_range

__all__ = ["beside_labels", "estimate_predicted"]

Key = tuple[str, ...]


@dataclass(slots=True)
class _Item:
    """Outcomes of one item: label and judge where both are there, else the judge alone."""

    cluster: str | None
    labelled: list[tuple[float, float]] = field(default_factory=list)
    judged: list[float] = field(default_factory=list)


@dataclass(slots=True)
class _Group:
    items: dict[str, _Item] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def _number(cell: object, column: str, item: str) -> float:
    from evalkit.records.values import CellError, score_value

    try:
        return score_value(cell)
    except CellError as fault:
        raise InputError(f"column {column!r}: {fault}", item=item) from None


def _cells(found: Design) -> Iterable[Mapping[str, Any]]:
    frame: Any = found.frame
    table = frame.collect() if hasattr(frame, "collect") else frame
    rows: Iterable[Mapping[str, Any]] = table.iter_rows(named=True)
    return rows


def _sort(
    found: Design, predicted: str, groups: Sequence[str], cluster: str | None
) -> dict[Key, _Group]:
    """Each row into its group as labelled, judged only, or left out with the reason."""
    out: dict[Key, _Group] = {}
    for place, row in enumerate(_cells(found)):
        group = out.setdefault(tuple(str(row[name]) for name in groups), _Group())
        name = str(row.get("item", place))
        truth = _number(row["score"], "score", name)
        status = row.get("status") or ("missing" if math.isnan(truth) else "scored")
        if status not in ("scored", "missing"):
            group.left_out[status] += 1
            continue
        judge = _number(row[predicted], predicted, name)
        reason = _unusable(judge, found.score_range)
        if reason is not None:
            group.left_out[f"{reason} in {predicted!r}"] += 1
            continue
        own = None if cluster is None else row[cluster]
        if cluster is not None and own is None:
            raise InputError("the item has no cluster; give it one of its own", item=name)
        item = group.items.setdefault(name, _Item(None if own is None else str(own)))
        if own is not None and item.cluster != str(own):
            raise InputError(
                f"the item stands in the clusters {item.cluster!r} and {str(own)!r}; "
                "an item belongs to one",
                item=name,
            )
        if status == "scored":
            item.labelled.append((truth, judge))
        else:
            item.judged.append(judge)
    return out


def _unusable(judge: float, bounds: Range | None) -> str | None:
    if math.isnan(judge):
        return "no score"
    if math.isinf(judge):
        return "a score that is not finite"
    if bounds is not None and not bounds[0] <= judge <= bounds[1]:
        return "a score outside the range"
    return None


def beside_labels(predicted: str, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return `columns` with the judge's column out of the guesses that its name would attract.

    Examples
    --------
    >>> beside_labels("judge", {"score": "human"})
    {'score': 'human', 'verifier': ''}
    """
    from evalkit.records.columns import claim

    declared = dict(columns or {})
    if predicted in ("", "score", "status", "item") or declared.get("score") == predicted:
        raise ArgumentError(
            f"`predicted` is {predicted!r}; name the column of the judge's score, which stands "
            "beside the label in `score`"
        )
    claimed = claim(predicted)
    if claimed is None or claimed[0] in ("item", "score"):
        return declared
    return {**declared, claimed[0]: declared.get(claimed[0], "")}


def _columns(data: Any, predicted: str, columns: Mapping[str, str] | None) -> dict[str, str] | None:
    """Columns to read with; rows that have been read already are only checked."""
    from evalkit.records import Records

    wanted = beside_labels(predicted, columns)
    if not isinstance(data, Records):
        return dict(columns or {}) if _is_lazy(data) else wanted
    if data.columns.get("score") == predicted:
        raise ArgumentError(
            f"column {predicted!r} was read as the label; name the label's column: "
            "--column score=NAME"
        )
    return None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _estimate(
    group: _Group, level: float, bounds: Range | None, *, clustered: bool
) -> tuple[PredictionPowered, list[str]]:
    gold = [item for item in group.items.values() if item.labelled]
    rest = [item for item in group.items.values() if not item.labelled]
    notes = []
    mixed = sum(bool(item.judged) for item in gold)
    if mixed:
        notes.append(f"{mixed} items have labels on some rows: their other rows are not used")
    if group.left_out:
        parts = ", ".join(f"{count} {reason}" for reason, count in sorted(group.left_out.items()))
        notes.append(f"rows left out: {parts}")
    found = prediction_powered_mean(
        [_mean(item.judged) for item in rest],
        [_mean([judge for _, judge in item.labelled]) for item in gold],
        [_mean([truth for truth, _ in item.labelled]) for item in gold],
        clusters_all=[item.cluster for item in rest] if clustered else None,
        clusters_gold=[item.cluster for item in gold] if clustered else None,
        level=level,
        score_range=bounds,
    )
    return found, notes


def estimate_predicted(
    data: Any,
    *,
    predicted: str,
    by: Sequence[str] | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    score_range: Range | None = None,
    columns: Mapping[str, str] | None = None,
) -> Results[PredictionPowered]:
    """Mean outcome of each group from labels on some rows and a judge's score on all.

    Parameters
    ----------
    data : path, Records, or dataframe of any engine
        One row for each item; its score is the label, and is missing on the rows without one.
    predicted : str
        Column of the judge's score.
    by : sequence of str, optional
        Columns that define the groups; by default the systems, and the verifiers when there are
        several.
    cluster : str, optional
        Column of clusters.
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of labels and judge; (0, 1) is assumed when all of them lie there.
    columns : mapping of str to str, optional
        Canonical column to its name in the data, where they differ.

    Returns
    -------
    Results of PredictionPowered
        Sorted by group.

    Raises
    ------
    InputError
        If a column is missing, a judge's score is not a number, or an item stands in two clusters.
    ArgumentError
        If a setting is not allowed.

    Notes
    -----
    :func:`prediction_powered_mean` on item means. The labelled items have to be a random part of
    the items: labels on the hard ones only would bias every figure. A row that failed (infra,
    timeout, judge error) is left out and counted; it is not a row without a label.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame(
    ...     {"system": "S", "item": range(60), "score": ([1, 1, 0] * 10) + [None] * 30,
    ...      "judge": [1, 1, 0] * 20})
    >>> found = estimate_predicted(rows, predicted="judge")[0]
    >>> round(found.estimate, 4), found.n_gold, found.n_judged
    (0.6667, 30, 30)
    """
    bounds = None if score_range is None else check_range(score_range)
    wanted: list[str] = [predicted, *(by or ()), *([cluster] if cluster else [])]
    keep = list(dict.fromkeys(wanted))
    columns = _columns(data, predicted, columns)
    found = design(data, columns=columns, keep=keep, score_range=bounds)
    groups = default_groups(found) if by is None else list(dict.fromkeys(by))
    notes = [*_reading_notes(found.notes), *unused_cluster_note(found, cluster, groups)]
    results = []
    for key, group in sorted(_sort(found, predicted, groups, cluster).items()):
        result, own = _estimate(group, level, found.score_range, clustered=cluster is not None)
        note = "; ".join([*own, *([result.note] if result.note else [])]) or None
        results.append(replace(result, by=dict(zip(groups, key, strict=True)), note=note))
    if not results:
        notes.append("no rows, so there is nothing to estimate")
    return Results(results, notes=dict.fromkeys(notes))


def _reading_notes(notes: Iterable[str]) -> list[str]:
    """Drop the reader's note on missing scores: such rows have no label."""
    return [note for note in notes if "without a score: missing" not in note]
