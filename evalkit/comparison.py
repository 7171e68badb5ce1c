"""Candidate minus base on the items that both were scored on: ``evalkit.compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from evalkit._design import Design, ErrorPolicy, count_errors_as, design, distinct_values
from evalkit._pairing import PairedGroup, pair, second_scale_note
from evalkit.comparisons.decision import Decision
from evalkit.comparisons.paired import (
    PairedMethod,
    compare_pairs,
    other_tests,
    paired_se,
    sign_counts,
)
from evalkit.comparisons.two_sample import TwoSampleMethod, compare_samples
from evalkit.errors import ArgumentError, InputError, MissingColumnError, ScaleMismatchError
from evalkit.estimation import repeated_within_items, unused_cluster_note
from evalkit.intervals.mean import infer_range
from evalkit.results import Comparison, Range, Results, check_range
from evalkit.tally import Tally, tally

__all__ = ["compare", "compare_groups"]


def _systems(found: Design) -> list[str]:
    if not found.has("system"):
        return []
    return sorted(str(x) for x in distinct_values(found, "system"))


def _only(found: Design, system: str) -> Design:
    import narwhals as nw

    return replace(found, frame=found.frame.filter(nw.col("system") == system))


def _one_system(found: Design, role: str) -> str:
    names = _systems(found)
    if len(names) > 1:
        raise InputError(
            f"the {role} holds {len(names)} systems ({', '.join(names[:5])}); "
            "name two of them: --systems BASE CANDIDATE"
        )
    return names[0] if names else role


def _two_sides(
    base: Design, candidate: Design | None, systems: tuple[str, str] | None
) -> tuple[Design, Design, str, str]:
    if candidate is not None:
        base, candidate = _same_engine(base, candidate)
    if candidate is not None and systems is None:
        names = _one_system(base, "base"), _one_system(candidate, "candidate")
        return base, candidate, *names
    everything = _systems(base)
    if systems is None:
        raise ArgumentError(
            f"one source was given; name two of its systems ({', '.join(everything[:8])}): "
            "--systems BASE CANDIDATE"
        )
    first, second = systems
    sources = (base, candidate or base)
    for name, source in zip(systems, sources, strict=True):
        if name not in _systems(source):
            raise ArgumentError(
                f"system {name!r} is not there; the systems are {', '.join(_systems(source))}"
            )
    return _only(sources[0], first), _only(sources[1], second), first, second


def _same_engine(base: Design, candidate: Design) -> tuple[Design, Design]:
    """Bring both sides into Arrow where two engines hold them, which cannot join."""
    import narwhals as nw

    engines = [(type(s.frame), s.frame.implementation) for s in (base, candidate)]
    if engines[0] == engines[1]:
        return base, candidate
    moved = []
    for side in (base, candidate):
        eager = side.frame.collect() if hasattr(side.frame, "collect") else side.frame
        moved.append(replace(side, frame=nw.from_native(eager.to_arrow(), eager_only=True)))
    return moved[0], moved[1]


def _scored(side: Design) -> Tally:
    groups = tally(side.frame, status="status" if side.has("status") else None)
    if groups:
        return groups[0]
    from evalkit.tally import tally_values

    return tally_values([])


def _shared_range(
    sides: Sequence[Tally], names: Sequence[str], declared: Range | None
) -> Range | None:
    """Range of both systems; refuse fractions against percentages."""
    if declared is not None:
        return infer_range(sides, score_range=declared)
    unit = [t.n > 0 and t.within(0.0, 1.0) for t in sides]
    above = [t.n > 0 and float(t.values[-1]) > 1.0 for t in sides]
    for i, j in ((0, 1), (1, 0)):
        if unit[i] and above[j]:
            raise ScaleMismatchError(
                f"scores of {names[i]!r} lie in 0..1 and those of {names[j]!r} reach "
                f"{float(sides[j].values[-1]):g}: two scales? Declare the range of both "
                "(--range LOW HIGH), or bring them to one scale first"
            )
    return infer_range(sides)


def _error_note(side: Tally, name: str) -> list[str]:
    if not side.rows.by_status:
        return []
    parts = ", ".join(f"{count} {status}" for status, count in side.rows.by_status.items())
    return [f"{name}: rows left out: {parts}"]


def _paired_result(
    group: PairedGroup,
    names: tuple[str, str],
    *,
    method: PairedMethod,
    level: float,
    score_range: Range | None,
    rng: np.random.Generator | int,
) -> Comparison:
    d = group.differences
    decision = compare_pairs(
        d, method=method, level=level, score_range=score_range, base_mean=group.base_mean
    )
    wins, losses, ties = sign_counts(d)
    notes = list(decision.notes)
    if group.only_base or group.only_candidate:
        notes.append(
            f"unmatched items are not used: {group.only_base} only scored for {names[0]}, "
            f"{group.only_candidate} only for {names[1]}"
        )
    se = paired_se(d)
    if se is None and d.n and decision.interval is not None:
        notes.append("the differences have no spread, so no standard error")
    return Comparison(
        base=names[0],
        candidate=names[1],
        by=d.by,
        difference=d.mean,
        interval=decision.interval,
        p_value=decision.p_value,
        test=decision.test,
        verdict=decision.verdict,
        se=se,
        n_pairs=d.n,
        clusters=None if d.clusters is None else d.clusters.number,
        base_mean=group.base_mean,
        candidate_mean=group.candidate_mean,
        only_base=group.only_base,
        only_candidate=group.only_candidate,
        base_wins=losses,
        candidate_wins=wins,
        ties=ties,
        mde=decision.mde,
        also=other_tests(d, verdict=decision.verdict, level=level, rng=rng),
        level=level,
        note="; ".join(notes) or None,
    )


def _unpaired_result(
    base: Tally, candidate: Tally, names: tuple[str, str], decision: Decision, level: float
) -> Comparison:
    means = base.mean, candidate.mean
    difference = None if means[0] is None or means[1] is None else means[1] - means[0]
    clusters = [t.clusters.number for t in (base, candidate) if t.clusters is not None]
    return Comparison(
        base=names[0],
        candidate=names[1],
        by=candidate.by,
        difference=difference,
        interval=decision.interval,
        p_value=decision.p_value,
        test=decision.test,
        verdict=decision.verdict,
        se=None,
        n_pairs=0,
        clusters=sum(clusters) if clusters else None,
        base_mean=means[0],
        candidate_mean=means[1],
        only_base=base.n,
        only_candidate=candidate.n,
        base_wins=None,
        candidate_wins=None,
        ties=None,
        mde=decision.mde,
        level=level,
        note="; ".join(decision.notes) or None,
    )


def _group_columns(by: Sequence[str] | None, sides: Sequence[Design]) -> list[str]:
    if by is not None:
        for name in by:
            for side in sides:
                if not side.has(name):
                    raise MissingColumnError(f"column {name!r} is not in both sources")
        return list(by)
    from evalkit.estimation import default_groups

    several = any("verifier" in default_groups(side) for side in sides)
    return ["verifier"] if several and all(side.has("verifier") for side in sides) else []


def compare_groups(
    base: Any,
    candidate: Any = None,
    *,
    systems: tuple[str, str] | None = None,
    by: Sequence[str] | None = None,
    cluster: str | None = None,
    paired: bool = True,
    method: PairedMethod | TwoSampleMethod = "default",
    level: float = 0.95,
    score_range: Range | None = None,
    errors: ErrorPolicy = "exclude",
    columns: Mapping[str, str] | None = None,
    names: tuple[str, str] | None = None,
    rng: np.random.Generator | int = 0,
) -> Results[Comparison]:
    """Compare two systems in each group.

    Parameters
    ----------
    base, candidate : path, Records, or dataframe of any engine
        Verdicts of the two systems, or one source of both with `systems`.
    systems : (str, str), optional
        Base and candidate, by name.
    by : sequence of str, optional
        Group columns; by default the verifiers when there are several, else no groups.
    cluster : str, optional
        Column of clusters.
    paired : bool
        Pair by item id. Without pairing the samples are taken as independent.
    method : str
        Interval by name; see :mod:`evalkit.comparisons`.
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of the scores; (0, 1) is assumed when every score lies there.
    errors : {"exclude", "fail"}
        What to do with rows that were attempted and have no score.
    columns : mapping of str to str, optional
        Canonical column to its name in the data, where they differ.
    names : (str, str), optional
        Names to print for base and candidate.
    rng : Generator or int
        Seed of the tests that have to sample.

    Returns
    -------
    Results of Comparison
        Sorted by group; its notes say what was left out or not used.

    Raises
    ------
    InputError
        If the data cannot be read as verdicts of two systems on one scale.
    ArgumentError
        If a setting does not fit the data.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"system": "A", "item": list("wxyz"), "score": [0, 1, 0, 0]})
    >>> b = pd.DataFrame({"system": "B", "item": list("zyxw"), "score": [1, 1, 1, 0]})
    >>> result = compare_groups(a, b)[0]
    >>> result.difference, result.candidate_wins, result.base_wins, result.n_pairs
    (0.5, 2, 0, 4)
    """
    if score_range is not None:
        score_range = check_range(score_range)
    wanted = [*(by or ()), *([cluster] if cluster else [])]
    sources = [
        design(data, columns=columns, optional=wanted, score_range=score_range)
        for data in ([base] if candidate is None else [base, candidate])
    ]
    if cluster is not None and not any(s.has(cluster) for s in sources):
        known = ", ".join(map(repr, (*sources[0].columns, *sources[0].other_columns)))
        raise MissingColumnError(f"column {cluster!r} is not there; the columns are {known}")
    left, right, *found = _two_sides(
        sources[0], sources[1] if candidate is not None else None, systems
    )
    labels = names or (found[0], found[1])
    scored = [_scored(left), _scored(right)]
    bounds = _shared_range(scored, labels, score_range)
    groups = _group_columns(by, [left, right])
    notes = [note for s in sources for note in s.notes]
    notes += unused_cluster_note(sources[0], cluster, groups)
    if score_range is not None:
        notes += second_scale_note(scored, labels, score_range[1])
    for side, name in zip(scored, labels, strict=True):
        notes += _error_note(side, name)
    if errors != "exclude":
        if bounds is None:
            raise ArgumentError("`errors` 'fail' needs the range of the scores; declare it")
        left, right = (count_errors_as(side, errors, bounds[0]) for side in (left, right))
        notes.append(f"errored rows are counted as failures (score {bounds[0]:g})")
    if paired:
        if any(_repeated(side, groups) for side in (left, right)):
            notes.append("items were judged more than once: each enters with its mean score")
        results = [
            _paired_result(
                group,
                labels,
                method=cast("PairedMethod", method),
                level=level,
                score_range=bounds,
                rng=rng,
            )
            for group in pair(left, right, by=groups, cluster=cluster)
        ]
    else:
        results = _unpaired(
            left, right, labels, groups, cluster, cast("TwoSampleMethod", method), level, bounds
        )
    return Results(results, notes=dict.fromkeys(notes))


def _repeated(side: Design, groups: Sequence[str]) -> bool:
    return repeated_within_items(side, [name for name in groups if side.has(name)])


def _unpaired(
    left: Design,
    right: Design,
    labels: tuple[str, str],
    groups: Sequence[str],
    cluster: str | None,
    method: TwoSampleMethod,
    level: float,
    bounds: Range | None,
) -> list[Comparison]:
    tallies: list[dict[tuple[str, ...], Tally]] = []
    for side in (left, right):
        unit = cluster or ("item" if _repeated(side, groups) else None)
        status = "status" if side.has("status") else None
        found = tally(side.frame, by=groups, cluster=unit, status=status)
        tallies.append({tuple(t.by.values()): t for t in found})
    shared = sorted(set(tallies[0]) & set(tallies[1]))
    out = []
    for key in shared:
        a, b = tallies[0][key], tallies[1][key]
        decision = compare_samples(a, b, method=method, level=level, score_range=bounds)
        out.append(_unpaired_result(a, b, labels, decision, level))
    return out


def compare(
    base: Any,
    candidate: Any = None,
    *,
    systems: tuple[str, str] | None = None,
    cluster: str | None = None,
    paired: bool = True,
    method: PairedMethod | TwoSampleMethod = "default",
    level: float = 0.95,
    score_range: Range | None = None,
    errors: ErrorPolicy = "exclude",
    columns: Mapping[str, str] | None = None,
    rng: np.random.Generator | int = 0,
) -> Comparison:
    """Compare two systems on the items that both were scored on.

    Parameters
    ----------
    base, candidate, systems, cluster, paired, method, level, score_range, errors, columns, rng
        As in :func:`compare_groups`.

    Returns
    -------
    Comparison
        One result; its note says what was left out or not used.

    Raises
    ------
    InputError
        If several verifiers judged the items, so that one difference would mix them.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"system": "A", "item": range(6), "score": [0, 0, 0, 0, 0, 0]})
    >>> b = pd.DataFrame({"system": "B", "item": range(6), "score": [1, 1, 1, 1, 1, 1]})
    >>> result = compare(a, b)
    >>> result.verdict, result.also[0].p_value
    ('separated', 0.03125)
    """
    results = compare_groups(
        base,
        candidate,
        systems=systems,
        cluster=cluster,
        paired=paired,
        method=method,
        level=level,
        score_range=score_range,
        errors=errors,
        columns=columns,
        rng=rng,
    )
    if len(results) != 1:
        groups = ", ".join(str(dict(r.by)) for r in results[:4])
        raise InputError(
            f"{len(results)} groups would be mixed ({groups}); use compare_groups, "
            "which compares within each"
        )
    only = results[0]
    notes = [*results.notes, *([only.note] if only.note else [])]
    return replace(only, note="; ".join(notes) or None)
