"""Mean outcomes with intervals, group by group: ``evalkit.estimate``."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalkit._design import Design, ErrorPolicy, count_errors_as, design, distinct_values
from evalkit.errors import ArgumentError
from evalkit.intervals.mean import MeanMethod, infer_range, tally_interval
from evalkit.results import Estimate, Range, Results, check_range
from evalkit.tally import Tally, tally, tally_values

__all__ = ["estimate", "estimate_tally", "estimate_values"]

_REPEATS = ("attempt", "order")


def estimate_tally(
    group: Tally,
    *,
    method: MeanMethod = "default",
    level: float = 0.95,
    score_range: Range | None = None,
    notes: Sequence[str] = (),
) -> Estimate:
    """Estimate the mean of one tally, with the bounds that its errored rows allow.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> scores = [1] * 40 + [0] * 5 + [None] * 5
    >>> result = estimate_tally(tally_values(scores))
    >>> round(result.estimate, 4), result.low_if_errors_fail, result.high_if_errors_pass
    (0.8889, 0.8, 0.9)
    """
    found = tally_interval(group, method=method, level=level, score_range=score_range)
    bounds = infer_range([group], score_range=score_range)
    rows = group.rows
    low = high = None
    notes = [*found.notes, *notes]
    if bounds is not None and rows.attempted:
        low = (group.total + bounds[0] * rows.errored) / rows.attempted
        high = (group.total + bounds[1] * rows.errored) / rows.attempted
    elif rows.errored:
        notes.append("no range known, so errored rows cannot be bounded; declare it")
    if rows.by_status:
        left_out = ", ".join(f"{count} {status}" for status, count in rows.by_status.items())
        notes.append(f"left out: {left_out}")
    return Estimate(
        by=group.by,
        estimate=group.mean,
        interval=found.interval,
        se=found.se,
        n=group.n,
        clusters=None if group.clusters is None else group.clusters.number,
        counts=rows,
        low_if_errors_fail=low,
        high_if_errors_pass=high,
        level=level,
        note="; ".join(notes) or None,
    )


def estimate_values(
    values: Any,
    *,
    clusters: Sequence[object] | None = None,
    method: MeanMethod = "default",
    level: float = 0.95,
    score_range: Range | None = None,
) -> Estimate:
    """Estimate the mean of plain outcomes.

    Parameters
    ----------
    values : array_like, shape (n,)
        Outcomes; NaN and ``None`` are errored rows.
    clusters : sequence of length n, optional
        Cluster of each outcome.
    method, level, score_range
        As in :func:`estimate`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> print(estimate_values([1] * 27 + [0] * 7))
    0.7941 [0.6320, 0.8965] (n=34)
    """
    group = tally_values(values, clusters=clusters)
    return estimate_tally(group, method=method, level=level, score_range=score_range)


def _distinct(found: Design, column: str) -> int:
    return len(distinct_values(found, column))


def default_groups(found: Design) -> list[str]:
    """Columns that always separate estimates: systems, and verifiers when there are several."""
    groups = ["system"] if found.has("system") else []
    if found.has("verifier") and _distinct(found, "verifier") > 1:
        groups.append("verifier")
    return groups


def repeated_within_items(found: Design, groups: Sequence[str] = ()) -> bool:
    """Whether items are judged more than once (attempts or orders) within a system and group."""
    import narwhals as nw

    if not found.has("item"):
        return False
    if not any(found.has(name) and _distinct(found, name) > 1 for name in _REPEATS):
        return False
    named = [name for name in ("system", "verifier", "item") if found.has(name)]
    keys = list(dict.fromkeys([*named, *groups]))
    sizes = found.frame.group_by(keys).agg(nw.len().alias("_n")).filter(nw.col("_n") > 1)
    first = sizes.select("_n").head(1)
    return len(first.collect() if hasattr(first, "collect") else first) > 0


def unused_cluster_note(found: Design, cluster: str | None, by: Sequence[str]) -> list[str]:
    """Say that a column that looks like clusters was not used."""
    columns = (*found.columns, *found.other_columns)
    names = [name for name in columns if name.lower() in CLUSTER_NAMES and name not in by]
    if cluster is not None or not names:
        return []
    note = (
        f"the data have a column `{names[0]}` that was not used; items that share one are not "
        f"independent: --cluster {names[0]}"
    )
    return [note]


CLUSTER_NAMES = frozenset(
    {
        "cluster",
        "cluster_id",
        "clusters",
        "group_id",
        "passage_id",
        "document_id",
        "repo",
        "task_group",
    }
)


def estimate(
    data: Any,
    *,
    by: Sequence[str] | None = None,
    cluster: str | None = None,
    method: MeanMethod = "default",
    level: float = 0.95,
    score_range: Range | None = None,
    errors: ErrorPolicy = "exclude",
    columns: Mapping[str, str] | None = None,
) -> Results[Estimate]:
    """Mean outcome of each group, with an interval whose coverage was measured.

    Parameters
    ----------
    data : path, Records, or dataframe of any engine
        One row for each verdict.
    by : sequence of str, optional
        Columns that define the groups; by default the systems, and the verifiers when there are
        several.
    cluster : str, optional
        Column of clusters: items of one cluster are not independent. When items were attempted
        more than once, the items themselves are the clusters unless another column is named.
    method : str
        Interval by name; the default follows the data (see :mod:`evalkit.intervals.mean`).
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of the scores; (0, 1) is assumed when every score lies there.
    errors : {"exclude", "fail"}
        What to do with rows that were attempted and have no score. Their count and the bounds
        they allow are shown either way.
    columns : mapping of str to str, optional
        Canonical column to its name in the data, where they differ.

    Returns
    -------
    Results of Estimate
        Sorted by group. Without rows it is empty and its notes say so.

    Raises
    ------
    InputError
        If the data cannot be read as verdicts.
    ArgumentError
        If a setting does not fit the data.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"system": ["A"] * 4, "item": list("wxyz"), "score": [1, 1, 1, 0]})
    >>> print(estimate(rows)[0])
    0.7500 [0.3006, 0.9544] (n=4)
    """
    if score_range is not None:
        score_range = check_range(score_range)
    keep = [*(by or ()), *([cluster] if cluster else [])]
    found = design(data, columns=columns, keep=keep, score_range=score_range)
    bounds = found.score_range
    notes = list(found.notes)
    groups = default_groups(found) if by is None else list(dict.fromkeys(by))
    unit = cluster
    repeated = repeated_within_items(found, groups)
    if unit is None and repeated:
        unit = "item"
        notes.append(
            "items were judged more than once: intervals take items as clusters, so they are for "
            "new items judged as often; attempt_sd is the spread between attempts"
        )
    notes += unused_cluster_note(found, cluster, groups)
    tallies = _tallies(found, groups, unit)
    as_read = tallies
    if errors != "exclude":
        fail = _fail_score(found, bounds)
        found = count_errors_as(found, errors, fail)
        tallies = _tallies(found, groups, unit)
        notes.append(f"errored rows are counted as failures (score {fail:g})")
    if not tallies:
        notes.append("no rows, so there is nothing to estimate")
    results = [estimate_tally(t, method=method, level=level, score_range=bounds) for t in tallies]
    if errors != "exclude":
        results = _with_errors(results, as_read, bounds)
    per_attempt = "attempt" not in groups and found.has("attempt")
    if repeated and per_attempt and _distinct(found, "attempt") > 1:
        results = _with_attempts(results, found, groups)
    return Results(results, notes=dict.fromkeys(notes))


def _tallies(found: Design, groups: Sequence[str], unit: str | None) -> list[Tally]:
    status = "status" if found.has("status") else None
    return list(tally(found.frame, by=groups, cluster=unit, status=status))


def _with_errors(
    results: Sequence[Estimate], as_read: Sequence[Tally], bounds: Range | None
) -> list[Estimate]:
    """Show how many rows errored, and what they could be, where they count as failures."""
    before = {
        tuple(t.by.values()): estimate_tally(t, score_range=bounds, method="default")
        for t in as_read
    }
    out = []
    for result in results:
        plain = before[tuple(result.by.values())]
        out.append(
            replace(
                result,
                counts=plain.counts,
                low_if_errors_fail=plain.low_if_errors_fail,
                high_if_errors_pass=plain.high_if_errors_pass,
            )
        )
    return out


def _with_attempts(
    results: Sequence[Estimate], found: Design, groups: Sequence[str]
) -> list[Estimate]:
    """Add the spread between the means of the attempts."""
    means: dict[tuple[str, ...], list[float]] = {}
    for t in tally(
        found.frame,
        by=[*groups, "attempt"],
        status="status" if found.has("status") else None,
    ):
        if t.mean is not None:
            means.setdefault(tuple(t.by[name] for name in groups), []).append(t.mean)
    out = []
    for result in results:
        own = means.get(tuple(result.by.values()), [])
        spread = statistics.stdev(own) if len(own) > 1 else None
        out.append(replace(result, attempts=len(own) or None, attempt_sd=spread))
    return out


def _fail_score(found: Design, bounds: Range | None) -> float:
    """Low end of the range, which is what a failure scores."""
    if bounds is not None:
        return bounds[0]
    everything = tally(found.frame, status="status" if found.has("status") else None)
    inferred = infer_range(everything)
    if inferred is None:
        raise ArgumentError(
            "`errors` 'fail' needs to know what a failure scores, and scores leave 0..1; "
            "declare `score_range`"
        )
    return inferred[0]
