"""The best of several systems, from rows: its score corrected for having been chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalkit._checks import check_one_sided_level
from evalkit._design import Design, ErrorPolicy, count_errors_as, design, scored_rows
from evalkit.comparisons.selection import SelectionCorrected, selection_corrected
from evalkit.errors import ArgumentError, InputError
from evalkit.estimation import default_groups, unused_cluster_note
from evalkit.results import Range, Results, check_range

__all__ = ["best_system"]

Scores = dict[str, dict[str, float]]


def _item_means(found: Design, cluster: str | None) -> tuple[Scores, dict[str, str]]:
    """Mean score of each system on each item, and the cluster of each item."""
    import narwhals as nw

    keys = ["system", "item", *([cluster] if cluster else [])]
    frame = found.frame.filter(scored_rows(found)).with_columns(nw.col("score").cast(nw.Float64))
    means = frame.group_by(keys).agg(nw.col("score").mean())
    table = means.collect() if hasattr(means, "collect") else means
    scores: Scores = {}
    clusters: dict[str, str] = {}
    for row in table.iter_rows(named=True):
        system, item = str(row["system"]), str(row["item"])
        if cluster is not None:
            own = row[cluster]
            if own is None:
                raise InputError("the item has no cluster; give it one of its own", item=item)
            if clusters.setdefault(item, str(own)) != str(own):
                raise InputError(
                    f"the item stands in the clusters {clusters[item]!r} and {str(own)!r}; "
                    "an item belongs to one",
                    item=item,
                )
        scores.setdefault(system, {})[item] = float(row["score"])
    return scores, clusters


def _rows(
    data: Any,
    cluster: str | None,
    bounds: Range | None,
    errors: ErrorPolicy,
    columns: Mapping[str, str] | None,
) -> tuple[Design, list[str]]:
    """Rows of several systems under one verifier, errored ones as the policy says."""
    found = design(data, columns=columns, keep=[cluster] if cluster else (), score_range=bounds)
    for name in ("system", "item"):
        if not found.has(name):
            raise InputError(
                f"no column {name!r}; the best of several systems needs the scores of each on "
                "the same items"
            )
    if "verifier" in default_groups(found):
        raise InputError(
            "several verifiers judged the items; keep the rows of one, since a mean over several "
            "would mix them"
        )
    notes = [*found.notes, *unused_cluster_note(found, cluster, ())]
    if errors != "exclude":
        if found.score_range is None:
            raise ArgumentError("`errors` 'fail' needs the range of the scores; declare it")
        fail = found.score_range[0]
        found = count_errors_as(found, errors, fail)
        notes.append(f"errored rows are counted as failures (score {fail:g})")
    return found, notes


def best_system(
    data: Any,
    *,
    cluster: str | None = None,
    level: float = 0.95,
    score_range: Range | None = None,
    errors: ErrorPolicy = "exclude",
    columns: Mapping[str, str] | None = None,
    resamples: int = 4000,
    rng: np.random.Generator | int = 0,
) -> Results[SelectionCorrected]:
    """Score the best of several systems, corrected for having been chosen on the same items.

    Parameters
    ----------
    data : path, Records, or dataframe of any engine
        Verdicts of two systems or more.
    cluster : str, optional
        Column of clusters.
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of the scores; (0, 1) is assumed when every score lies there.
    errors : {"exclude", "fail"}
        What to do with rows that were attempted and have no score; ``"fail"`` needs the range.
    columns : mapping of str to str, optional
        Canonical column to its name in the data, where they differ.
    resamples : int
        Draws of the items, or of the clusters.
    rng : Generator or int
        Seed.

    Returns
    -------
    Results of SelectionCorrected
        One result; empty without rows. Its notes count what was left out.

    Raises
    ------
    InputError
        If several verifiers judged the items, or an item stands in two clusters.
    ArgumentError
        If a setting is not allowed.

    Notes
    -----
    :func:`selection_corrected` on the items that every system was scored on; an item that was
    judged more than once enters with its mean.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame(
    ...     {"system": list("AAAAAAAABBBBBBBB"), "item": [*range(8)] * 2,
    ...      "score": [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0]})
    >>> found = best_system(rows)[0]
    >>> found.winner, found.best, round(found.corrected, 2)
    ('A', 0.625, 0.53)
    """
    check_one_sided_level(level)
    bounds = None if score_range is None else check_range(score_range)
    found, notes = _rows(data, cluster, bounds, errors, columns)
    scores, clusters = _item_means(found, cluster)
    if not scores:
        return Results([], notes=[*notes, "no scored rows, so there is nothing to choose from"])
    shared = sorted(set.intersection(*(set(own) for own in scores.values())))
    dropped = len(set().union(*scores.values())) - len(shared)
    if dropped:
        notes.append(f"{dropped} items are not used: not every system was scored on them")
    best = selection_corrected(
        {name: [scores[name][item] for item in shared] for name in sorted(scores)},
        clusters=[clusters[item] for item in shared] if cluster else None,
        level=level,
        score_range=found.score_range,
        resamples=resamples,
        rng=rng,
    )
    return Results([best], notes=dict.fromkeys(notes))
