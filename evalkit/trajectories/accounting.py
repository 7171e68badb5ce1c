"""New-best accounting: how often, when and in which runs a candidate becomes a new best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalkit.errors import ArgumentError, InputError
from evalkit.results import Interval
from evalkit.trajectories.history import Run, run_name
from evalkit.trajectories.replay import Replay, replay

__all__ = [
    "Accounting",
    "PeriodYield",
    "RoundYield",
    "new_best_accounting",
    "yield_by_period",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundYield:
    """Yield of one round.

    Attributes
    ----------
    round : int
        Round, from 1.
    attempted : int
        Runs that executed it, one candidate each.
    new_bests : int
        Candidates that set a new best.
    yield_ : float or None
        ``new_bests / attempted``; ``None`` if no run executed the round.
    interval : Interval or None
        Interval of the yield.
    cumulative : int
        New bests up to and including this round.
    """

    round: int
    attempted: int
    new_bests: int
    yield_: float | None
    interval: Interval | None
    cumulative: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values, the yield under ``yield``."""
        return {
            "round": self.round,
            "attempted": self.attempted,
            "new_bests": self.new_bests,
            **_yield_dict(self.yield_, self.interval),
            "cumulative": self.cumulative,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """New bests of a set of runs.

    Attributes
    ----------
    by : mapping of str to str
        The group; empty for all runs.
    runs : int
        Number of runs.
    candidates : int
        Executed rounds over all runs.
    new_bests : int
        Candidates that set a new best.
    yield_ : float or None
        ``new_bests / candidates``; ``None`` without candidates.
    interval : Interval or None
        Interval of the yield, as if candidates were independent.
    runs_improved : int
        Runs with at least one new best.
    by_round : tuple of RoundYield
        From round 1 to the last executed round of any run.
    groups : tuple of Accounting
        The same for each group, in order of first appearance.
    note : str or None
        What was assumed or is undefined.
    """

    by: Mapping[str, str] = field(default_factory=dict)
    runs: int
    candidates: int
    new_bests: int
    yield_: float | None
    interval: Interval | None
    runs_improved: int
    by_round: tuple[RoundYield, ...]
    groups: tuple[Accounting, ...] = ()
    level: float = 0.95
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values, the yield under ``yield``."""
        return {
            "by": dict(self.by),
            "runs": self.runs,
            "candidates": self.candidates,
            "new_bests": self.new_bests,
            **_yield_dict(self.yield_, self.interval),
            "level": self.level,
            "runs_improved": self.runs_improved,
            "by_round": [entry.to_dict() for entry in self.by_round],
            "groups": [group.to_dict() for group in self.groups],
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodYield:
    """Yield of a span of rounds.

    Attributes
    ----------
    first, last : int
        Rounds of the span, inclusive.
    attempted, new_bests : int
        Candidates, and those that set a new best.
    yield_ : float or None
        ``new_bests / attempted``; ``None`` without candidates.
    interval : Interval or None
        Interval of the yield.
    share : float or None
        Part of all new bests that fall in the span; ``None`` if there are none.
    """

    first: int
    last: int
    attempted: int
    new_bests: int
    yield_: float | None
    interval: Interval | None
    share: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values, the yield under ``yield``."""
        return {
            "first": self.first,
            "last": self.last,
            "attempted": self.attempted,
            "new_bests": self.new_bests,
            **_yield_dict(self.yield_, self.interval),
            "share": self.share,
        }


def new_best_accounting(
    runs: Iterable[Run], *, by: str | Sequence[str] | None = None, level: float = 0.95
) -> Accounting:
    """Count candidates and new bests, in all, per round and per group.

    Parameters
    ----------
    runs : iterable of Run
        Recorded runs; each is replayed (see `replay`), so scores decide where they are known.
    by : str or sequence of str, optional
        Labels to group by.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Accounting

    Raises
    ------
    InputError
        If a run lacks a label of `by`, or cannot be replayed.

    Notes
    -----
    A round is attempted by every run that executed it, byte-identical candidates included.
    Intervals are Wilson's and treat candidates as independent; candidates of one run share a
    parent and a rising best, so the intervals describe the spread of a count, not of new runs.

    Examples
    --------
    >>> from evalkit.trajectories.history import Candidate
    >>> candidates = tuple(Candidate(round=k, score=s) for k, s in enumerate((0.6, 0.5), 1))
    >>> result = new_best_accounting([Run(baseline=0.5, candidates=candidates)])
    >>> result.candidates, result.new_bests, [entry.attempted for entry in result.by_round]
    (2, 1, [1, 1])
    """
    return account_replays([replay(run) for run in runs], by=by, level=level)


def account_replays(
    replays: Sequence[Replay], *, by: str | Sequence[str] | None = None, level: float = 0.95
) -> Accounting:
    """Count candidates and new bests of runs that were replayed, under whatever gate."""
    keys = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    groups: dict[tuple[str, ...], list[Replay]] = {}
    for entry in replays if keys else ():
        groups.setdefault(_group_key(entry.run, keys), []).append(entry)
    return _account(
        replays,
        by={},
        groups=tuple(
            _account(members, by=dict(zip(keys, key, strict=True)), groups=(), level=level)
            for key, members in groups.items()
        ),
        level=level,
    )


def yield_by_period(
    accounting: Accounting, split_round: int
) -> tuple[PeriodYield, PeriodYield | None]:
    """Split the new bests into early and late rounds.

    Parameters
    ----------
    accounting : Accounting
        Of any set of runs.
    split_round : int
        Last early round, at least 1.

    Returns
    -------
    early, late : PeriodYield, PeriodYield or None
        `late` is ``None`` when no run went beyond `split_round`.

    Raises
    ------
    ArgumentError
        If `split_round` is below 1.

    Examples
    --------
    >>> from evalkit.trajectories.history import Candidate
    >>> candidates = tuple(Candidate(round=k, score=s) for k, s in enumerate((0.6, 0.5), 1))
    >>> early, late = yield_by_period(
    ...     new_best_accounting([Run(baseline=0.5, candidates=candidates)]), 1
    ... )
    >>> early.new_bests, early.attempted, late.new_bests, late.attempted
    (1, 1, 0, 1)
    """
    if split_round < 1:
        raise ArgumentError(f"`split_round` is {split_round}; it must be at least 1")
    early = [entry for entry in accounting.by_round if entry.round <= split_round]
    late = [entry for entry in accounting.by_round if entry.round > split_round]
    first = _period(early, accounting, first=1, last=split_round)
    if not late:
        return first, None
    return first, _period(late, accounting, first=split_round + 1, last=late[-1].round)


def _account(
    replays: Sequence[Replay],
    *,
    by: Mapping[str, str],
    groups: tuple[Accounting, ...],
    level: float,
) -> Accounting:
    attempted: dict[int, int] = {}
    found: dict[int, int] = {}
    for entry in replays:
        for step in entry.steps:
            attempted[step.round] = attempted.get(step.round, 0) + 1
            found[step.round] = found.get(step.round, 0) + (step.decision == "new best")
    by_round, cumulative = [], 0
    for number in range(1, max(attempted, default=0) + 1):
        tries, hits = attempted.get(number, 0), found.get(number, 0)
        cumulative += hits
        by_round.append(
            RoundYield(
                round=number,
                attempted=tries,
                new_bests=hits,
                yield_=_ratio(hits, tries),
                interval=_interval(hits, tries, level),
                cumulative=cumulative,
            )
        )
    candidates = sum(attempted.values())
    return Accounting(
        by=by,
        runs=len(replays),
        candidates=candidates,
        new_bests=cumulative,
        yield_=_ratio(cumulative, candidates),
        interval=_interval(cumulative, candidates, level),
        runs_improved=sum(bool(entry.new_bests) for entry in replays),
        by_round=tuple(by_round),
        groups=groups,
        level=level,
        note=(
            "intervals treat candidates as independent"
            if candidates
            else "no candidates, so no yield"
        ),
    )


def _period(
    rounds: Sequence[RoundYield], accounting: Accounting, *, first: int, last: int
) -> PeriodYield:
    attempted = sum(entry.attempted for entry in rounds)
    new_bests = sum(entry.new_bests for entry in rounds)
    return PeriodYield(
        first=first,
        last=last,
        attempted=attempted,
        new_bests=new_bests,
        yield_=_ratio(new_bests, attempted),
        interval=_interval(new_bests, attempted, accounting.level),
        share=_ratio(new_bests, accounting.new_bests),
    )


def _group_key(run: Run, keys: Sequence[str]) -> tuple[str, ...]:
    missing = [key for key in keys if key not in run.labels]
    if missing:
        raise InputError(
            f"{run_name(run.labels)} has no label {missing[0]!r}; "
            f"`by` may name {', '.join(map(repr, run.labels)) or 'nothing here'}"
        )
    return tuple(run.labels[key] for key in keys)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _interval(successes: int, n: int, level: float) -> Interval | None:
    from evalkit.intervals.binomial import proportion_interval

    return proportion_interval(successes, n, method="wilson", level=level) if n else None


def _yield_dict(value: float | None, interval: Interval | None) -> dict[str, Any]:
    return {
        "yield": value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "method": None if interval is None else interval.method,
    }
