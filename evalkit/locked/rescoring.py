"""Output-locked verifier sensitivity: how a gain depends on who scores the outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from evalkit.comparisons import adjust_p, compare_pairs
from evalkit.comparisons.decision import Decision
from evalkit.errors import ArgumentError, InputError, ScaleMismatchError
from evalkit.intervals.mean import infer_range
from evalkit.locked.results import Flips, Gain, GainContrast, Ranking, Sensitivity
from evalkit.locked.rows import LockedRows, Unit, read_locked
from evalkit.results import Range, check_level, check_range
from evalkit.tally import Tally, tally_values

__all__ = ["sensitivity"]

_Means = Mapping[tuple[str, str], Mapping[str, float]]  # (verifier, system) -> item -> mean
_DIGITS = 12  # decimals of item means: far below any score, above binary noise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """Outputs that all verifiers scored, of two systems, on the items of both."""

    rows: LockedRows
    means: _Means
    systems: tuple[str, str]
    units: tuple[Unit, ...]
    items: tuple[str, ...]
    score_range: Range | None
    level: float

    def tally(self, differences: Sequence[float]) -> Tally:
        known = self.rows.clusters
        return tally_values(
            differences, clusters=None if known is None else [known[item] for item in self.items]
        )

    def scores(self, verifier: str, system: str) -> list[float]:
        found = self.means[verifier, system]
        return [found[item] for item in self.items]

    def differences(self, verifier: str) -> list[float]:
        base, candidate = (self.scores(verifier, system) for system in self.systems)
        return [round(c - b, _DIGITS) for b, c in zip(base, candidate, strict=True)]


def _item_means(rows: LockedRows, common: Iterable[Unit]) -> _Means:
    """Mean score of each item, over the outputs that every verifier scored."""
    units: dict[str, dict[str, list[Unit]]] = {name: {} for name in _systems(rows)}
    for unit in common:
        units[unit[0]].setdefault(unit[1], []).append(unit)
    return {
        (verifier, system): {
            item: own[several[0]]
            if len(several) == 1
            else round(math.fsum(own[unit] for unit in several) / len(several), _DIGITS)
            for item, several in items.items()
        }
        for verifier, own in rows.scores.items()
        for system, items in units.items()
    }


def _systems(rows: LockedRows) -> list[str]:
    return sorted({unit[0] for unit in rows.units})


def _mean(values: Sequence[float]) -> float | None:
    return round(math.fsum(values) / len(values), _DIGITS) if values else None


def _check_systems(rows: LockedRows, base: str, candidate: str) -> None:
    known = _systems(rows)
    for name, value in (("base", base), ("candidate", candidate)):
        if value not in known:
            raise ArgumentError(
                f"`{name}` is {value!r}; the systems are {', '.join(map(repr, known[:8]))}"
            )
    if base == candidate:
        raise ArgumentError(f"`base` and `candidate` are both {base!r}; name two systems")


def _range(rows: LockedRows, declared: Range | None) -> Range | None:
    """Range of all verifiers; refuse fractions against percentages."""
    tallies = [tally_values(list(scores.values())) for scores in rows.scores.values()]
    if declared is None:
        unit = [name for name, t in zip(rows.verifiers, tallies, strict=True) if t.within(0, 1)]
        above = [n for n, t in zip(rows.verifiers, tallies, strict=True) if not t.within(-1, 1)]
        if unit and above and any(rows.scores[name] for name in unit):
            raise ScaleMismatchError(
                f"scores of {unit[0]!r} lie in 0..1 and those of {above[0]!r} do not: two "
                "scales? Bring them to one scale, or declare the range of both (--range LOW HIGH)"
            )
    return infer_range(tallies, score_range=declared)


def _panel(
    rows: LockedRows,
    common: set[Unit],
    means: _Means,
    systems: tuple[str, str],
    *,
    score_range: Range | None,
    level: float,
) -> _Panel:
    first = rows.verifiers[0]
    kept = means[first, systems[0]].keys() & means[first, systems[1]].keys()
    items = sorted(kept)
    units = [u for u in common if u[0] in systems and u[1] in kept]
    if rows.clusters is not None:
        lost = [item for item in items if item not in (rows.clusters or {})]
        if lost:
            raise InputError(
                f"{len(lost)} items have no cluster (first: {lost[0]!r}); give each its cluster"
            )
    return _Panel(
        rows=rows,
        means=means,
        systems=systems,
        units=tuple(units),
        items=tuple(items),
        score_range=score_range,
        level=level,
    )


def _gain(panel: _Panel, verifier: str) -> Gain:
    decision = compare_pairs(
        panel.tally(panel.differences(verifier)), level=panel.level, score_range=panel.score_range
    )
    return Gain(
        verifier=verifier,
        base_mean=_mean(panel.scores(verifier, panel.systems[0])),
        candidate_mean=_mean(panel.scores(verifier, panel.systems[1])),
        gain=_mean(panel.differences(verifier)),
        interval=decision.interval,
        p_value=decision.p_value,
        verdict=decision.verdict,
        n=len(panel.items),
        note="; ".join(decision.notes) or None,
    )


def _flips(panel: _Panel, v0: str, v1: str) -> tuple[Flips, ...]:
    """One table for each system; nothing where scores are not pass or fail."""
    if panel.score_range is None:
        return ()
    low, high = panel.score_range
    first, second = panel.rows.scores[v0], panel.rows.scores[v1]
    if any(s[u] not in (low, high) for u in panel.units for s in (first, second)):
        return ()
    out = []
    for system in panel.systems:
        passed = [(first[u] == high, second[u] == high) for u in panel.units if u[0] == system]
        out.append(
            Flips(
                system=system,
                both_pass=passed.count((True, True)),
                only_v0=passed.count((True, False)),
                only_v1=passed.count((False, True)),
                neither=passed.count((False, False)),
            )
        )
    return tuple(out)


def _rescored(panel: _Panel, v0: str, v1: str) -> tuple[list[float], Decision, int | None]:
    """Difference of gains item by item, and what it decides."""
    pairs = zip(panel.differences(v0), panel.differences(v1), strict=True)
    changes = [round(second - first, _DIGITS) for first, second in pairs]
    # A gain lies within plus or minus the width of the range, a change of gain within twice that.
    bounds = panel.score_range
    doubled = None if bounds is None else (0.0, 2 * (bounds[1] - bounds[0]))
    found = panel.tally(changes)
    decision = compare_pairs(found, level=panel.level, score_range=doubled)
    return changes, decision, None if found.clusters is None else found.clusters.number


def _rankings(rows: LockedRows, item_means: _Means) -> tuple[Ranking, ...]:
    """Every system under every verifier, on the items that all systems share."""
    systems = _systems(rows)
    shared = set.intersection(*(set(item_means[rows.verifiers[0], name]) for name in systems))
    if not shared:
        return ()
    out = []
    for verifier in rows.verifiers:
        means = {
            name: _mean([item_means[verifier, name][item] for item in shared]) or 0.0
            for name in systems
        }
        order = sorted(systems, key=lambda name: (-means[name], name))
        out.append(
            Ranking(
                verifier=verifier,
                systems=tuple(order),
                means=tuple(means[name] for name in order),
                n=len(shared),
            )
        )
    return tuple(out)


def _order_changes(first: Ranking, second: Ranking) -> tuple[str, ...]:
    """Name the pairs of systems that two verifiers order differently."""
    means = [dict(zip(r.systems, r.means, strict=True)) for r in (first, second)]
    out = []
    for a, b in combinations(sorted(first.systems), 2):
        before, after = ((m[a] > m[b]) - (m[a] < m[b]) for m in means)
        if before == after:
            continue
        leader, other = (a, b) if (before or after) > 0 else (b, a)
        if before and after:
            out.append(f"{leader} above {other} is reversed")
        else:
            out.append(f"{leader} above {other} " + ("becomes a tie" if before else "was a tie"))
    return tuple(out)


def _contrast(
    panel: _Panel, gains: Mapping[str, Gain], rankings: Mapping[str, Ranking], v0: str, v1: str
) -> GainContrast:
    changes, decision, clusters = _rescored(panel, v0, v1)
    first, second = panel.rows.scores[v0], panel.rows.scores[v1]
    moved = _order_changes(rankings[v0], rankings[v1]) if rankings else ()
    flips = _flips(panel, v0, v1)
    notes = list(decision.notes)
    if panel.items and not flips:
        notes.append("scores are graded, so there is no table of flips")
    return GainContrast(
        base=panel.systems[0],
        candidate=panel.systems[1],
        v0=v0,
        v1=v1,
        delta_v0=gains[v0].gain,
        delta_v1=gains[v1].gain,
        difference=_mean(changes),
        interval=decision.interval,
        p_value=decision.p_value,
        p_adjusted=decision.p_value,
        test=decision.test,
        verdict=decision.verdict,
        disagreements=sum(round(first[u] - second[u], _DIGITS) != 0 for u in panel.units),
        verdicts=len(panel.units),
        flips=flips,
        ranking_survives=not moved if rankings else None,
        order_changes=moved,
        n=len(panel.items),
        clusters=clusters,
        level=panel.level,
        note="; ".join(notes) or None,
    )


def _adjusted(contrasts: Sequence[GainContrast]) -> tuple[GainContrast, ...]:
    if len(contrasts) < 2:
        return tuple(contrasts)
    found = adjust_p([c.p_value for c in contrasts]).values
    return tuple(replace(c, p_adjusted=p) for c, p in zip(contrasts, found, strict=True))


def _abstentions(rows: LockedRows, systems: tuple[str, str]) -> tuple[dict[str, int], list[str]]:
    asked = [unit for unit in rows.units if unit[0] in systems]
    counts = {v: sum(unit not in rows.scores[v] for unit in asked) for v in rows.verifiers}
    notes = []
    for verifier, count in counts.items():
        lost = f"{verifier}: no verdict on {count} of {len(asked)} outputs"
        if count:
            notes.append(f"{lost}; they are left out under every verifier")
    return counts, notes


def _check_note(rows: LockedRows) -> list[str]:
    if not rows.unchecked:
        return []
    many = f"{rows.unchecked} of {len(rows.units)} outputs"
    remedy = "add their bytes as a column `output_sha256` or `output`"
    return [f"{many} could not be compared between verifiers; {remedy}"]


def sensitivity(
    data: Any,
    *,
    base: str,
    candidate: str,
    verifiers: Sequence[str] | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    score_range: Range | None = None,
    columns: Mapping[str, str] | None = None,
) -> Sensitivity:
    """Measure how a gain depends on the verifier, with the outputs held fixed.

    Parameters
    ----------
    data : path, Records, or dataframe of any engine
        One row for each verdict: system, item, verifier, score, and the output judged as
        ``output_sha256`` or ``output``.
    base, candidate : str
        The two systems, by name.
    verifiers : sequence of str, optional
        Two or more; the first is the one that the others are compared with. By default all, in
        the order of their names.
    cluster : str, optional
        Column of clusters.
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of the scores; (0, 1) is assumed when every score lies there.
    columns : mapping of str to str, optional
        Canonical column to its name in the data, where they differ.

    Returns
    -------
    Sensitivity

    Raises
    ------
    InputError
        If an output differs between verifiers, or a verdict stands twice.
    ArgumentError
        If a system or verifier is not there.

    Notes
    -----
    For item ``i`` and verifier ``j``, ``g_ij`` is candidate minus base. The gain under ``j`` is
    the mean of ``g_ij``, the difference the mean of ``g_i1 - g_i0``: paired by item, so its
    interval is that of :func:`evalkit.comparisons.compare_pairs`, on twice the width of the range.
    Only outputs that every verifier scored are used, so that all gains share their items;
    several attempts at an item enter with their mean. Nothing is decided without such an item.
    The ranking takes means as they are: that it survives says nothing of their uncertainty.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = {("A", "V0"): [1, 0, 0, 1], ("B", "V0"): [1, 1, 0, 1]}
    >>> scores |= {("A", "V1"): [1, 1, 0, 1], ("B", "V1"): [1, 1, 0, 1]}
    >>> rows = [
    ...     {"system": s, "verifier": v, "item": f"q{i}", "score": x, "output": f"{s}{i}"}
    ...     for (s, v), values in scores.items()
    ...     for i, x in enumerate(values)
    ... ]
    >>> found = sensitivity(pd.DataFrame(rows), base="A", candidate="B").contrasts[0]
    >>> found.delta_v0, found.delta_v1, found.difference, found.disagreements
    (0.25, 0.0, -0.25, 1)
    >>> found.order_changes
    ('B above A becomes a tie',)
    """
    check_level(level)
    declared = None if score_range is None else check_range(score_range)
    rows = read_locked(
        data, verifiers=verifiers, cluster=cluster, columns=columns, score_range=declared
    )
    _check_systems(rows, base, candidate)
    bounds = _range(rows, declared)
    common = rows.common()
    means = _item_means(rows, common)
    panel = _panel(rows, common, means, (base, candidate), score_range=bounds, level=level)
    gains = {name: _gain(panel, name) for name in rows.verifiers}
    rankings = _rankings(rows, means)
    by_verifier = {ranking.verifier: ranking for ranking in rankings}
    first, *others = rows.verifiers
    contrasts = [_contrast(panel, gains, by_verifier, first, name) for name in others]
    abstentions, notes = _abstentions(rows, (base, candidate))
    everything = {unit[1] for unit in rows.units if unit[0] in (base, candidate)}
    excluded = len(everything) - len(panel.items)
    notes = [*rows.notes, *_check_note(rows), *notes]
    if excluded:
        notes.append(f"{excluded} items lack a common verdict for both systems and are not used")
    if not rankings:
        notes.append("the systems share no item that every verifier scored: no ranking")
    return Sensitivity(
        gains=tuple(gains.values()),
        contrasts=_adjusted(contrasts),
        rankings=rankings,
        abstentions=abstentions,
        excluded_items=excluded,
        outputs_checked=bool(rows.checked) and not rows.unchecked,
        notes=tuple(dict.fromkeys(notes)),
    )
