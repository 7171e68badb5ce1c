"""Account for recorded evolution runs: new bests, gate replay, selection on the test set."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError, InputError
from evalkit.results import json_value
from evalkit.trajectories.accounting import Accounting, account_replays
from evalkit.trajectories.gates import Gate, dead_band, non_decreasing, strict
from evalkit.trajectories.history import Run, run_name
from evalkit.trajectories.reading import runs_from_rows
from evalkit.trajectories.replay import Replay, replay
from evalkit.trajectories.selection import SelectionGap, ViewResult, selection_gap

__all__ = ["Trajectory", "gate_by_name", "trajectory"]

_TEST = "test"
_PERCENT = 20.0  # a score this many times a fraction is hardly on its scale
_NAMED = 3
_VIEW = "view"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Runs, replayed and accounted for.

    Attributes
    ----------
    accounting : Accounting
        New bests in all, per round and per group.
    replays : tuple of Replay
        One for each run.
    gaps : tuple of (mapping, SelectionGap)
        Selection gap of each setting, where rows carry test scores of several views.
    gate : str
        Name of the gate.
    notes : tuple of str
        What was left out or assumed.
    """

    accounting: Accounting
    replays: tuple[Replay, ...]
    gaps: tuple[tuple[Mapping[str, str], SelectionGap], ...]
    gate: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of ``evalkit trajectory`` as JSON-safe values."""
        return {
            **self.accounting.to_dict(),
            "gate": self.gate,
            "histories": [entry.to_dict() for entry in self.replays],
            "selection": [
                {"setting": dict(labels), **json_value(gap.to_dict())} for labels, gap in self.gaps
            ],
        }


def gate_by_name(name: str) -> Gate:
    """Return the gate of a name: ``strict``, ``non-decreasing``, ``dead-band:WIDTH[:best]``.

    Examples
    --------
    >>> gate_by_name("dead-band:0.02:best")(0.80, 0.81, 0.81)
    True
    """
    kind, _, rest = name.partition(":")
    if name == "strict":
        return strict()
    if name == "non-decreasing":
        return non_decreasing()
    width, _, reference = rest.partition(":")
    if kind == "dead-band" and reference in ("", "incumbent", "best"):
        try:
            return dead_band(float(width), reference="best" if reference == "best" else "incumbent")
        except ValueError:
            pass
    raise ArgumentError(
        f"`gate` is {name!r}; it must be strict, non-decreasing, or dead-band:WIDTH, "
        "as dead-band:0.02 or dead-band:0.02:best"
    )


def _scale_notes(runs: Sequence[Run]) -> list[str]:
    """Name the runs whose scores look like fractions in some rounds and percentages in others."""
    mixed = []
    for run in runs:
        scores = [run.baseline, *(candidate.score for candidate in run.candidates)]
        known = [float(score) for score in scores if score is not None]
        parts = [score for score in known if 0 < score < 1]
        if parts and max(known) > 1 and max(known) >= _PERCENT * max(parts):
            mixed.append(f"{run_name(run.labels)} ({max(parts):g} and {max(known):g})")
    if not mixed:
        return []
    mixed, more = mixed[:_NAMED], f" and {len(mixed) - _NAMED} more" if len(mixed) > _NAMED else ""
    note = "scores of one run look as if on two scales, fractions and percentages"
    return [f"{note}: {'; '.join(mixed)}{more}; bring them to one scale first"]


def _rows_of(source: Any) -> tuple[list[Mapping[str, object]], list[str]]:
    if isinstance(source, (str, os.PathLike)):
        from evalkit.records.importers import rows_for
        from evalkit.records.raw import read_rows

        found = rows_for(source, "history") or read_rows(source)
        return list(found.rows), list(found.notes)
    return list(source), []


def _test_scores(
    rows: Sequence[Mapping[str, object]], runs: Sequence[Run]
) -> dict[tuple[tuple[str, str], ...], dict[int, float]]:
    """Test score of each run and round, where the rows have one."""
    names = list(runs[0].labels) if runs else []
    out: dict[tuple[tuple[str, str], ...], dict[int, float]] = {}
    for row in rows:
        value = row.get(_TEST)
        if value is None or value == "":
            continue
        key = tuple((name, str(row.get(name))) for name in names)
        try:
            out.setdefault(key, {})[int(str(row["round"]))] = float(str(value))
        except ValueError:
            raise InputError(f"test score {value!r} is not a number; correct or empty it") from None
    return out


def _gaps(
    rows: Sequence[Mapping[str, object]], replays: Sequence[Replay]
) -> tuple[tuple[Mapping[str, str], SelectionGap], ...]:
    """Find the selection gap of each setting whose views all have a test score."""
    scores = _test_scores(rows, [entry.run for entry in replays])
    settings: dict[tuple[tuple[str, str], ...], list[Replay]] = {}
    for entry in replays:
        labels = entry.run.labels
        if _VIEW in labels:
            setting = tuple((k, v) for k, v in labels.items() if k != _VIEW)
            settings.setdefault(setting, []).append(entry)
    out: list[tuple[Mapping[str, str], SelectionGap]] = []
    for setting, members in settings.items():
        tests = [scores.get(tuple(entry.run.labels.items()), {}) for entry in members]
        baselines = [table[0] for table in tests if 0 in table]
        known = all(e.best_round in t for e, t in zip(members, tests, strict=True) if e.best_round)
        if not baselines or not known or any(e.best_score is None for e in members):
            continue
        first = members[0]
        if first.run.baseline is None:
            continue
        views = {
            entry.run.labels[_VIEW]: ViewResult(
                validation=entry.best_score,
                test=table.get(entry.best_round, baselines[0]),
                changed=entry.best_round > 0,
            )
            for entry, table in zip(members, tests, strict=True)
            if entry.best_score is not None
        }
        parent = ViewResult(validation=first.run.baseline, test=baselines[0])
        out.append((dict(setting), selection_gap(views, parent)))
    return tuple(out)


def trajectory(
    source: Any,
    *,
    labels: Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    gate: Gate | str = "non-decreasing",
    level: float = 0.95,
) -> Trajectory:
    """Replay evolution runs and account for their new bests.

    Parameters
    ----------
    source : path or iterable of mappings
        One row for each round of each run: ``round`` (0 is the parent), ``score`` (validation),
        label columns (``run``, ``model``, ``benchmark``, ``view``, ...), and optionally
        ``artifact``, ``changed``, ``decision`` and ``test``.
    labels : sequence of str, optional
        Columns that tell runs apart.
    by : str or sequence of str, optional
        Labels to group the accounting by; by default the views, when there are several.
    gate : Gate or str
        The gate to replay; see :func:`gate_by_name`.
    level : float
        Nominal coverage of the intervals of yields.

    Returns
    -------
    Trajectory

    Raises
    ------
    InputError
        If the rows cannot be read as runs.

    Examples
    --------
    >>> rows = [{"run": "a", "round": r, "score": s} for r, s in enumerate((0.5, 0.6, 0.4, 0.7))]
    >>> found = trajectory(rows)
    >>> found.accounting.new_bests, found.accounting.candidates, found.replays[0].best_round
    (2, 3, 3)
    """
    rows, notes = _rows_of(source)
    runs = runs_from_rows(rows, labels=labels)
    rule = gate_by_name(gate) if isinstance(gate, str) else gate
    replays = [replay(run, gate=rule) for run in runs]
    views = {run.labels.get(_VIEW) for run in runs}
    groups = by if by is not None else (_VIEW if None not in views and len(views) > 1 else None)
    wrong = [entry for entry in replays if entry.disagreements]
    notes += [
        f"{run_name(entry.run.labels)}: recorded decisions of rounds "
        f"{', '.join(map(str, entry.disagreements))} differ from the replayed ones"
        for entry in wrong[:_NAMED]
    ]
    if len(wrong) > _NAMED:
        notes.append(f"the same holds for {len(wrong) - _NAMED} more runs")
    notes += _scale_notes(runs)
    if not runs:
        notes.append("no rows, so there are no runs")
    return Trajectory(
        accounting=account_replays(replays, by=groups, level=level),
        replays=tuple(replays),
        gaps=_gaps(rows, replays),
        gate=rule.name,
        notes=tuple(notes),
    )
